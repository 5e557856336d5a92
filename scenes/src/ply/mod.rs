//! Stanford PLY in: text and binary of either byte order.
//!
//! Positions, normals and faces are read, and strips of triangles. A warning names what is not.
//! A reader of our own, since text is to be read as C programs write it: numbers such as `1.` and
//! `nan`, blank lines, and comments in any encoding.

mod elements;
mod header;
mod number;
mod values;

use crate::MAX_FILE_BYTES;
use crate::colours::{self, CornerColours, Encoded, visible};
use crate::error::PlyProblem;
use crate::normals::completed;
use crate::polygon::Fans;
use crate::precision::{Loss, choose_offset, relative};
use crate::{CleanOptions, Loaded, Material, Scene, SceneError, Warning};
use elements::{Parts, RESTART};
use glam::{DVec3, Vec3};
use header::Header;
use heapwood_files::decompress;

/// The first bytes of every PLY file.
pub const MAGIC: &[u8] = b"ply";

/// Whether `bytes` begin as a PLY file does: with a line that says so.
pub fn is_ply(bytes: &[u8]) -> bool {
    let line = bytes.strip_prefix(MAGIC).unwrap_or_default();
    let mut blanks = line.iter().skip_while(|byte| [b' ', b'\t'].contains(byte));
    blanks
        .next()
        .is_some_and(|byte| [b'\n', b'\r'].contains(byte))
}

/// Reads and cleans a PLY file from memory, plain or compressed; `name` is what messages call it.
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
    read(name, bytes, options, None)
}

/// The same relative to an offset, if there is one; else the scene chooses its own.
pub(crate) fn read(
    name: &str,
    bytes: Vec<u8>,
    options: CleanOptions,
    offset: Option<DVec3>,
) -> Result<Loaded, SceneError> {
    let bytes =
        decompress(bytes, MAX_FILE_BYTES).map_err(|error| SceneError::reading(name, error))?;
    let refused = |problem| SceneError::Ply {
        path: name.to_owned(),
        problem,
    };
    let header = header::read(&bytes).map_err(refused)?;
    let parts = Parts::read(&header, bytes.len()).map_err(refused)?;
    check(&header, &parts).map_err(refused)?;
    let Shape {
        vertices,
        triangles,
        fans,
        offset,
        loss,
    } = Shape::of(&parts, offset);
    if triangles.is_empty() {
        return Err(SceneError::NoTriangles {
            name: name.to_owned(),
        });
    }
    let material_of = vec![0; triangles.len()];
    let (colours, of_colours) = colours(name, &parts, &triangles);
    let materials = vec![match parts.colours.is_empty() {
        true => Material::default(),
        // Its grey would darken what has a colour of its own.
        false => Material::matt("default", Vec3::ONE),
    }];
    let normals = match &parts.normals[..] {
        [] => Vec::new(),
        all => {
            let of_corners = |corners: &[u32; 3]| corners.map(|vertex| all[vertex as usize]);
            let read = triangles.iter().map(of_corners).collect();
            completed(read, &triangles, &vertices)
        }
    };
    let path = || name.to_owned();
    let warnings = [
        (!parts.unread.is_empty()).then(|| Warning::Unread {
            path: path(),
            what: crate::error::shortened(&parts.unread.join(", ")),
        }),
        of_colours,
        parts.short.warning(|count, line| Warning::ShortFaces {
            path: path(),
            count,
            line,
        }),
        parts.unsound.warning(|count, line| Warning::NonFinite {
            path: path(),
            count,
            line,
        }),
        parts.faults.warning(name),
        fans.warning(name, |_| None),
        loss.warning(name, triangles.len()),
    ];
    let scene = Scene::new(name, vertices, triangles, materials, material_of)?;
    let scene = scene.with_normals(normals)?.with_colours(colours)?;
    let mut scene = scene.with_offset(offset);
    if options.keep_faces {
        scene = scene.with_faces(faces(&parts));
    }
    let cleaned = scene.clean(options);
    let (scene, report) = cleaned.map_err(|error| loss.explain(error))?;
    Ok(Loaded {
        scene,
        report,
        warnings: warnings.into_iter().flatten().collect(),
        files: Vec::new(),
    })
}

/// The colours of triangles' corners, and what there is to say about them.
fn colours(
    name: &str,
    parts: &Parts,
    triangles: &[[u32; 3]],
) -> (Vec<CornerColours>, Option<Warning>) {
    let encoded = match parts.has_byte_colours {
        true => Encoded::bytes(),
        false => Encoded::floats(parts.colours.iter().flatten().copied()),
    };
    let read = parts.colours.iter().map(|colour| encoded.colour(*colour));
    let read: Vec<([f32; 4], bool)> = read.collect();
    let faulty = read.iter().filter(|(_, is_faulty)| *is_faulty).count();
    let of_corners = |corners: &[u32; 3]| corners.map(|vertex| read[vertex as usize].0);
    let of_triangles = match read.is_empty() {
        true => Vec::new(),
        false => triangles.iter().map(of_corners).collect(),
    };
    (visible(of_triangles), colours::warning(name, faulty, None))
}

/// Positions, and the triangles between them.
struct Shape {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    fans: Fans,
    offset: DVec3,
    loss: Loss,
}

impl Shape {
    /// The shape of a file, relative to this offset or else to one of its own.
    fn of(parts: &Parts, offset: Option<DVec3>) -> Self {
        let mut shape = Self::relative_to(parts, offset.unwrap_or_default());
        let (chosen, loss) = choose_offset(offset, |offset| {
            Loss::of(|at| parts.vertices[at as usize], &shape.triangles, offset)
        });
        if chosen != shape.offset {
            // Where details were lost, polygons may have had other shapes.
            shape = Self::relative_to(parts, chosen);
        }
        Self { loss, ..shape }
    }

    fn relative_to(parts: &Parts, offset: DVec3) -> Self {
        let position = |vertex: &[f64; 3]| relative(*vertex, offset);
        let vertices: Vec<Vec3> = parts.vertices.iter().map(position).collect();
        let mut fans = Fans::default();
        Self {
            triangles: triangles(parts, &vertices, &mut fans),
            vertices,
            fans,
            offset,
            loss: Loss::default(),
        }
    }
}

/// Makes sure that there is a mesh.
fn check(header: &Header, parts: &Parts) -> Result<(), PlyProblem> {
    let vertex = header
        .elements
        .iter()
        .find(|element| element.name == "vertex");
    let vertex = vertex.ok_or(PlyProblem::NoPositions)?;
    if parts.faces.len() + parts.strips.len() > 0 || parts.short.count > 0 {
        return Ok(());
    }
    let has = |name: &str| vertex.number(name).is_some();
    Err(PlyProblem::NoFaces {
        vertices: vertex.count,
        kind: match has("f_dc_0") || has("scale_0") && has("rot_0") {
            true => "Gaussian splats",
            false => "a point cloud",
        },
    })
}

/// The number of the face or strip of each triangle; strips count from the last face on.
fn faces(parts: &Parts) -> Vec<u32> {
    let (mut left_out, mut skipped) = (parts.short_faces.iter().peekable(), 0);
    let mut faces = Vec::new();
    for (index, corners) in parts.faces.iter().enumerate() {
        while left_out.next_if_eq(&&(index + skipped)).is_some() {
            skipped += 1;
        }
        faces.resize(faces.len() + corners.len() - 2, (index + skipped) as u32);
    }
    let strips = (parts.faces.len() + parts.short_faces.len()..).zip(parts.strips.iter());
    for (number, strip) in strips {
        let of_strip = strip.split(|&corner| corner == RESTART);
        let count: usize = of_strip.map(|part| part.len().saturating_sub(2)).sum();
        faces.resize(faces.len() + count, number as u32);
    }
    faces
}

/// The triangles of faces and of strips.
fn triangles(parts: &Parts, vertices: &[Vec3], fans: &mut Fans) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(parts.faces.len());
    for (face, corners) in parts.faces.iter().enumerate() {
        fans.triangulate(face, corners, |at| vertices[at as usize], &mut triangles);
    }
    for strip in parts.strips.iter() {
        for part in strip.split(|&corner| corner == RESTART) {
            let windows = part.windows(3).enumerate();
            triangles.extend(windows.map(|(number, w)| match number % 2 {
                0 => [w[0], w[1], w[2]],
                _ => [w[1], w[0], w[2]],
            }));
        }
    }
    triangles
}
