//! Stanford PLY in: text and binary of either byte order.
//!
//! The crate `ply-rs-bw` reads elements and properties; here they become triangles. Positions,
//! normals and faces are read, and strips of triangles, in which scans of Stanford have their
//! faces. A warning names what is not.

mod problem;

use crate::load::LARGEST;
use crate::normals::{Faults, completed, sound};
use crate::polygon::Fans;
use crate::{CleanOptions, Loaded, MAX_COORDINATE, Material, Scene, SceneError, Warning};
use glam::Vec3;
use heapwood_files::decompress;
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Header, PropertyAccess, PropertyAccessResult, PropertyType,
};

pub use problem::PlyProblem;

/// What every PLY file begins with.
pub const MAGIC: &[u8] = b"ply";

/// Whether `bytes` begin as a PLY file does: with a line that says so.
pub fn is_ply(bytes: &[u8]) -> bool {
    let line = bytes.strip_prefix(MAGIC).unwrap_or_default();
    line.starts_with(b"\n") || line.starts_with(b"\r")
}

/// Reads and cleans a PLY file from memory, plain or gzipped; `name` is what messages call it.
///
/// ```
/// use heapwood_scenes::{CleanOptions, read_ply};
///
/// let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
///     property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
///     0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";
/// let loaded = read_ply("square", text.into(), CleanOptions::default())?;
/// assert_eq!(loaded.scene.len(), 2);
/// # Ok::<(), heapwood_scenes::SceneError>(())
/// ```
///
/// # Errors
/// A [`SceneError`] that names the file and, for a fault in its text, the line.
pub fn read_ply(name: &str, bytes: Vec<u8>, options: CleanOptions) -> Result<Loaded, SceneError> {
    let bytes = decompress(bytes, LARGEST).map_err(|error| SceneError::reading(name, error))?;
    let refused = |problem| SceneError::Ply {
        path: name.to_owned(),
        problem,
    };
    let parts = Parts::read(&bytes).map_err(refused)?;
    let vertices = parts.positions().map_err(refused)?;
    let mut fans = Fans::default();
    let triangles = parts.triangles(&vertices, &mut fans).map_err(refused)?;
    if triangles.is_empty() {
        return Err(SceneError::NoTriangles {
            name: name.to_owned(),
        });
    }
    let material_of = vec![0; triangles.len()];
    let materials = vec![Material::default()];
    let normals = match &parts.normals[..] {
        [] => Vec::new(),
        all => {
            let of_corners = |corners: &[u32; 3]| corners.map(|vertex| all[vertex as usize]);
            let read = triangles.iter().map(of_corners).collect();
            completed(read, &triangles, &vertices)
        }
    };
    let scene = Scene::new(name, vertices, triangles, materials, material_of)?;
    let scene = scene.with_normals(normals)?;
    let (scene, report) = scene.clean(options)?;
    let unread = (!parts.unread.is_empty()).then(|| Warning::Unread {
        path: name.to_owned(),
        what: crate::error::excerpt(&parts.unread.join(", ")),
    });
    Ok(Loaded {
        scene,
        report,
        warnings: (unread.into_iter())
            .chain(parts.faults.warning(name))
            .chain(fans.warning(name, |_| None))
            .collect(),
    })
}

/// A vertex: the first so many of [`NUMBERS`].
#[derive(Clone, Copy)]
struct Vertex<const N: usize>([f64; N]);

impl<const N: usize> Vertex<N> {
    fn set(&mut self, property: &str, value: f64) -> PropertyAccessResult {
        let Some(at) = NUMBERS[..N].iter().position(|name| *name == property) else {
            return PropertyAccessResult::Ignored;
        };
        self.0[at] = value;
        PropertyAccessResult::Set
    }
}

/// The properties of a position, and of a normal.
const NUMBERS: [&str; 6] = ["x", "y", "z", "nx", "ny", "nz"];
/// How many of them are those of a position.
const POSITION: usize = 3;
/// The names that a list of corners has in files.
const CORNERS: [&str; 2] = ["vertex_indices", "vertex_index"];

/// Setters of the types that become another one without loss.
macro_rules! setters {
    ($($name:ident: $type:ty => $set:ident as $to:ty),* $(,)?) => {
        $(fn $name(&mut self, property: &str, value: $type) -> PropertyAccessResult {
            self.$set(property, <$to>::from(value))
        })*
    };
}

impl<const N: usize> PropertyAccess for Vertex<N> {
    fn new() -> Self {
        Self([0.0; N])
    }

    setters! {
        set_char: i8 => set as f64, set_uchar: u8 => set as f64, set_short: i16 => set as f64,
        set_ushort: u16 => set as f64, set_int: i32 => set as f64, set_uint: u32 => set as f64,
        set_float: f32 => set as f64, set_double: f64 => set as f64,
    }
}

/// The corners of a face, or a strip.
struct Corners(Vec<i64>);

/// Setters of lists of the integers that become 64 bits without loss.
macro_rules! list_setters {
    ($($name:ident: $type:ty),* $(,)?) => {
        $(fn $name(&mut self, property: &str, value: Vec<$type>) -> PropertyAccessResult {
            if !CORNERS.contains(&property) {
                return PropertyAccessResult::Ignored;
            }
            self.0 = value.into_iter().map(i64::from).collect();
            PropertyAccessResult::Set
        })*
    };
}

impl PropertyAccess for Corners {
    fn new() -> Self {
        Self(Vec::new())
    }

    list_setters! {
        set_list_char: i8, set_list_uchar: u8, set_list_short: i16, set_list_ushort: u16,
        set_list_int: i32, set_list_uint: u32,
    }

    fn set_list_float(&mut self, property: &str, _value: Vec<f32>) -> PropertyAccessResult {
        unless_corners(property)
    }

    fn set_list_double(&mut self, property: &str, _value: Vec<f64>) -> PropertyAccessResult {
        unless_corners(property)
    }
}

/// What becomes of a list of numbers that cannot be corners.
fn unless_corners(property: &str) -> PropertyAccessResult {
    if CORNERS.contains(&property) {
        PropertyAccessResult::UnsupportedType
    } else {
        PropertyAccessResult::Ignored
    }
}

/// An element that is not read.
struct Skipped;

impl PropertyAccess for Skipped {
    fn new() -> Self {
        Self
    }
}

/// What is read of a file.
#[derive(Default)]
struct Parts {
    vertices: Vec<Vertex<POSITION>>,
    /// Empty if there are none.
    normals: Vec<Vec3>,
    faults: Faults,
    faces: Vec<Corners>,
    strips: Vec<Corners>,
    /// Elements and properties that are not.
    unread: Vec<String>,
}

impl Parts {
    fn read(bytes: &[u8]) -> Result<Self, PlyProblem> {
        let mut reader = Reader::new(bytes);
        let header = Parser::<Skipped>::new().read_header(&mut reader)?;
        let mut parts = Self::default();
        let mut has_positions = false;
        for element in header.elements.values() {
            if element.count > bytes.len() {
                return Err(PlyProblem::Count {
                    name: crate::error::excerpt(&element.name),
                    count: element.count,
                    bytes: bytes.len(),
                });
            }
            let (header, reader) = (&header, &mut reader);
            match element.name.as_str() {
                "vertex" => {
                    let are_there =
                        |names: &[&str]| names.iter().all(|name| is_number(element, name));
                    has_positions = are_there(&NUMBERS[..POSITION]);
                    if are_there(&NUMBERS) {
                        parts.note(element, &NUMBERS);
                        parts.smooth(elements(reader, element, header)?);
                    } else {
                        parts.note(element, &NUMBERS[..POSITION]);
                        parts.vertices = elements(reader, element, header)?;
                    }
                }
                "face" => {
                    parts.note(element, &CORNERS);
                    parts.faces = elements(reader, element, header)?;
                }
                "tristrips" => {
                    parts.note(element, &CORNERS);
                    parts.strips = elements(reader, element, header)?;
                }
                other => {
                    parts.unread.push(other.to_owned());
                    elements::<Skipped>(reader, element, header)?;
                }
            }
        }
        if has_positions {
            Ok(parts)
        } else {
            Err(PlyProblem::NoPositions)
        }
    }

    /// Notes the properties of an element that are not among those that are read.
    fn note(&mut self, element: &ElementDef, read: &[&str]) {
        let names = element.properties.keys();
        let others = names.filter(|name| !read.contains(&name.as_str()));
        self.unread
            .extend(others.map(|name| format!("{}.{name}", element.name)));
    }

    /// Takes vertices with normals.
    fn smooth(&mut self, vertices: Vec<Vertex<6>>) {
        self.normals.reserve_exact(vertices.len());
        for &Vertex([x, y, z, nx, ny, nz]) in &vertices {
            let (normal, is_faulty) = sound([nx, ny, nz]);
            self.faults.count(is_faulty, None);
            self.normals.push(normal);
            self.vertices.push(Vertex([x, y, z]));
        }
    }

    /// The positions, all of which may be coordinates.
    fn positions(&self) -> Result<Vec<Vec3>, PlyProblem> {
        let position = |(vertex, &Vertex(position)): (usize, &Vertex<POSITION>)| {
            let values = position.map(|value| value as f32);
            let is_sound = |value: &f32| value.abs() <= MAX_COORDINATE;
            match values.iter().position(|value| !is_sound(value)) {
                Some(axis) => Err(PlyProblem::Coordinate {
                    vertex,
                    value: position[axis],
                }),
                None => Ok(Vec3::from_array(values)),
            }
        };
        self.vertices.iter().enumerate().map(position).collect()
    }

    /// The triangles of faces and of strips.
    fn triangles(&self, vertices: &[Vec3], fans: &mut Fans) -> Result<Vec<[u32; 3]>, PlyProblem> {
        let mut triangles = Vec::with_capacity(self.faces.len());
        for (face, Corners(corners)) in self.faces.iter().enumerate() {
            if corners.len() < 3 {
                return Err(PlyProblem::FaceSize {
                    face,
                    corners: corners.len(),
                });
            }
            let corners = self.indices("face", face, corners)?;
            fans.triangulate(face, &corners, |at| vertices[at as usize], &mut triangles);
        }
        for (strip, Corners(corners)) in self.strips.iter().enumerate() {
            // -1 ends a strip, and begins another.
            for part in corners.split(|&corner| corner == -1) {
                let corners = self.indices("strip", strip, part)?;
                let windows = corners.windows(3).enumerate();
                triangles.extend(windows.map(|(number, w)| match number % 2 {
                    0 => [w[0], w[1], w[2]],
                    _ => [w[1], w[0], w[2]],
                }));
            }
        }
        Ok(triangles)
    }

    fn indices(
        &self,
        element: &'static str,
        number: usize,
        corners: &[i64],
    ) -> Result<Vec<u32>, PlyProblem> {
        let count = self.vertices.len();
        let index = |&index: &i64| match u32::try_from(index) {
            Ok(small) if (small as usize) < count => Ok(small),
            _ => Err(PlyProblem::IndexRange {
                element,
                number,
                index,
                count,
            }),
        };
        corners.iter().map(index).collect()
    }
}

/// Whether an element has a property of this name that is one number.
fn is_number(element: &ElementDef, name: &str) -> bool {
    let property = element.properties.get(name);
    property.is_some_and(|property| matches!(property.data_type, PropertyType::Scalar(_)))
}

/// All of an element.
fn elements<E: PropertyAccess>(
    reader: &mut Reader<&[u8]>,
    element: &ElementDef,
    header: &Header,
) -> Result<Vec<E>, PlyProblem> {
    let read = Parser::<E>::new().read_payload_for_element(reader, element, header);
    read.map_err(|error| match (header.encoding, error.into()) {
        // The parser goes on to count where there are no lines.
        (
            Encoding::BinaryLittleEndian | Encoding::BinaryBigEndian,
            PlyProblem::Format { message, .. },
        ) => PlyProblem::Format {
            line: None,
            message,
        },
        (_, problem) => problem,
    })
}
