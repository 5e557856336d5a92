//! The elements of a PLY file that make a mesh: vertices, faces, and strips of triangles, in which
//! scans of Stanford have their faces.

use super::header::{Element, Encoding, Header, Number, Property};
use super::values::{Binary, Text, Values};
use crate::MAX_COORDINATE;
use crate::error::PlyProblem;
use crate::error::excerpt;
use crate::normals::{Faults, sound};
use crate::warning::Occurrences;
use glam::Vec3;

/// The properties of a position, of a normal, and by their several names of a colour.
const POSITION: [&str; 3] = ["x", "y", "z"];
const NORMAL: [&str; 3] = ["nx", "ny", "nz"];
const COLOURS: [[&str; 3]; 3] = [
    ["red", "green", "blue"],
    ["diffuse_red", "diffuse_green", "diffuse_blue"],
    ["r", "g", "b"],
];
/// The names that a list of corners has in files.
const CORNERS: [&str; 2] = ["vertex_indices", "vertex_index"];
/// Stands between the strips of a list, which a file separates by -1.
pub(super) const RESTART: u32 = u32::MAX;

/// Lists of vertices, one after the other.
#[derive(Debug, Default)]
pub(super) struct Lists {
    corners: Vec<u32>,
    /// Where each list ends.
    ends: Vec<usize>,
}

impl Lists {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let list = &self.corners[start..end];
            start = end;
            list
        })
    }
}

/// The elements and properties of a file that the reader keeps.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub vertices: Vec<[f64; 3]>,
    /// Empty if there are none.
    pub normals: Vec<Vec3>,
    /// Normals that cannot be used.
    pub faults: Faults,
    pub faces: Lists,
    pub strips: Lists,
    /// Faces of fewer than three corners, which are left out.
    pub short: Occurrences,
    /// Their numbers among all faces.
    pub short_faces: Vec<usize>,
    /// Vertices that cannot be rendered: cleaning leaves out triangles with them.
    pub unsound: Occurrences,
    /// Colours encoded as sRGB; empty if there are none.
    pub colours: Vec<[f32; 3]>,
    /// Whether they are numbers from 0 to 255, and not floats.
    pub has_byte_colours: bool,
    /// Elements and properties that are not read.
    pub unread: Vec<String>,
}

impl Parts {
    /// Reads all elements of a file of so many bytes.
    pub fn read(header: &Header, bytes: usize) -> Result<Self, PlyProblem> {
        let body = header.body;
        match header.encoding {
            Encoding::Text => Self::of(header, bytes, &mut Text::of(header)),
            Encoding::LittleEndian | Encoding::BigEndian => {
                let is_big = header.encoding == Encoding::BigEndian;
                Self::of(
                    header,
                    bytes,
                    &mut Binary {
                        bytes: body,
                        is_big,
                    },
                )
            }
        }
    }

    fn of(header: &Header, bytes: usize, values: &mut impl Values) -> Result<Self, PlyProblem> {
        let mut parts = Self::default();
        // Faces may come before their vertices.
        let vertices = (header.elements.iter())
            .find(|element| element.name == "vertex")
            .map_or(0, |element| element.count);
        for element in &header.elements {
            let min_bytes = element.min_bytes(header.encoding);
            // The last line of a text needs no end.
            if element.count.saturating_mul(min_bytes) > values.left() + 1 {
                return Err(PlyProblem::Count {
                    name: excerpt(&element.name),
                    count: element.count,
                    bytes,
                });
            }
            match element.name.as_str() {
                // They are nothing, however many the header has.
                name if element.properties.is_empty() && name != "vertex" => {}
                "vertex" => parts.vertices(element, values)?,
                "face" => parts.faces = parts.lists("face", element, vertices, values)?,
                "tristrips" => parts.strips = parts.lists("strip", element, vertices, values)?,
                name => {
                    parts.unread.push(excerpt(name));
                    for _ in 0..element.count {
                        skip(values, element, &element.properties)?;
                        values.end(name)?;
                    }
                }
            }
        }
        match values.left() {
            0 => {}
            left => parts
                .unread
                .push(format!("{left} bytes after the last element")),
        }
        Ok(parts)
    }

    fn vertices(&mut self, element: &Element, values: &mut impl Values) -> Result<(), PlyProblem> {
        let has = |names: &[&str]| names.iter().all(|name| element.number(name).is_some());
        if !has(&POSITION) {
            return Err(PlyProblem::NoPositions);
        }
        let has_normals = has(&NORMAL);
        let colour = COLOURS.into_iter().find(|names| has(names));
        // Those that are read, each with its place among all numbers.
        let normal = NORMAL.into_iter().filter(|_| has_normals);
        let read = (0..).zip(POSITION).chain((3..).zip(normal));
        let read: Vec<(usize, &str)> = read
            .chain((6..).zip(colour.into_iter().flatten()))
            .collect();
        let known: Vec<&str> = read.iter().map(|(_, name)| *name).collect();
        self.note(element, &known);
        let slot = |at| (read.iter()).find(|(_, name)| element.number(name) == Some(at));
        let slots = (0..element.properties.len()).map(|at| slot(at).map(|(slot, _)| *slot));
        let slots: Vec<Option<usize>> = slots.collect();
        let of_colour = colour.and_then(|names| element.number(names[0]));
        let of_colour = of_colour.map(|at| element.properties[at].number);
        self.has_byte_colours = of_colour.is_some_and(Number::is_whole);
        let parts_of_byte = match of_colour {
            Some(Number::U16) => 257.0,
            _ => 1.0,
        };
        self.vertices.reserve_exact(element.count);
        for _ in 0..element.count {
            let mut numbers = [0.0; 9];
            for (property, slot) in element.properties.iter().zip(&slots) {
                match slot {
                    Some(slot) => numbers[*slot] = values.next(property.number)?,
                    None => skip(values, element, std::slice::from_ref(property))?,
                }
            }
            let [x, y, z, nx, ny, nz, colour @ ..] = numbers;
            self.vertices.push([x, y, z]);
            let is_sound = |value: f64| (value as f32).abs() <= MAX_COORDINATE;
            if ![x, y, z].into_iter().all(is_sound) {
                self.unsound.add(values.line());
            }
            if of_colour.is_some() {
                let colour = colour.map(|number| (number / parts_of_byte) as f32);
                self.colours.push(colour);
            }
            if has_normals {
                let (normal, is_faulty) = sound([nx, ny, nz]);
                self.faults.count(is_faulty, values.line());
                self.normals.push(normal);
            }
            values.end(&element.name)?;
        }
        Ok(())
    }

    /// Lists of the corners of faces or strips, whose indices are to be below `vertices`.
    fn lists(
        &mut self,
        what: &'static str,
        element: &Element,
        vertices: usize,
        values: &mut impl Values,
    ) -> Result<Lists, PlyProblem> {
        let is_corners = |property: &Property| CORNERS.contains(&property.name.as_str());
        let mut lists = element.properties.iter().filter(|p| p.count.is_some());
        let corners = lists.find(|property| is_corners(property));
        if let Some(corners) = corners.filter(|corners| !corners.number.is_whole()) {
            return Err(PlyProblem::Format {
                line: None,
                message: format!(
                    "`{}` of element `{}` is a list of floats and not of indices",
                    corners.name, element.name
                ),
            });
        }
        self.note(element, corners.map_or(&[][..], |_| &CORNERS));
        let mut found = Lists::default();
        // A triangle has a count and three corners, of a byte each at least.
        found
            .ends
            .reserve_exact(element.count.min(values.left() / 4));
        for number in 0..element.count {
            let start = found.corners.len();
            for property in &element.properties {
                if !corners.is_some_and(|corners| std::ptr::eq(corners, property)) {
                    skip(values, element, std::slice::from_ref(property))?;
                    continue;
                }
                for _ in 0..count(values, element, property)? {
                    let index = values.next(property.number)?;
                    let is_restart = what == "strip" && index == -1.0;
                    if !is_restart && !(0.0..vertices as f64).contains(&index) {
                        return Err(PlyProblem::IndexRange {
                            line: values.line(),
                            element: what,
                            number,
                            index: index as i64,
                            count: vertices,
                        });
                    }
                    let corner = if is_restart { RESTART } else { index as u32 };
                    found.corners.push(corner);
                }
            }
            if what == "face" && found.corners.len() - start < 3 {
                found.corners.truncate(start);
                self.short.add(values.line());
                self.short_faces.push(number);
            } else {
                found.ends.push(found.corners.len());
            }
            values.end(&element.name)?;
        }
        Ok(found)
    }

    /// Notes the properties of an element that are not among those that are read.
    fn note(&mut self, element: &Element, read: &[&str]) {
        let names = element.properties.iter().map(|property| &property.name);
        let others = names.filter(|name| !read.contains(&name.as_str()));
        let path = |name: &String| format!("{}.{name}", element.name);
        self.unread.extend(others.map(path));
    }
}

/// Skips properties of an element.
fn skip(
    values: &mut impl Values,
    element: &Element,
    properties: &[Property],
) -> Result<(), PlyProblem> {
    for property in properties {
        let numbers = match property.count {
            Some(_) => count(values, element, property)?,
            None => 1,
        };
        for _ in 0..numbers {
            values.next(property.number)?;
        }
    }
    Ok(())
}

/// The count of a list.
fn count(
    values: &mut impl Values,
    element: &Element,
    property: &Property,
) -> Result<usize, PlyProblem> {
    let of = property.count.unwrap_or(property.number);
    let count = values.next(of)?;
    if count >= 0.0 && count.fract() == 0.0 && count <= values.left() as f64 {
        Ok(count as usize)
    } else {
        Err(PlyProblem::ListSize {
            line: values.line(),
            name: excerpt(&element.name),
            count,
        })
    }
}
