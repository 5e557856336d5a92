//! Warnings about a scene that is used all the same, as data: one line each, with the place.

use std::fmt;

/// A warning about a scene that was loaded all the same.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// A material library could not be read; its materials become the default.
    MissingLibrary {
        /// The scene.
        path: String,
        /// The line that names the library first, counted from 1.
        line: Option<usize>,
        /// The library as named after `mtllib`.
        file: String,
        /// Why.
        cause: String,
    },
    /// Lines of a material library were skipped.
    LibraryLines {
        /// The library.
        file: String,
        /// How many lines.
        count: usize,
        /// The first of them, counted from 1.
        line: usize,
        /// That line's text, shortened.
        text: String,
    },
    /// A texture cannot be used.
    Texture {
        /// The library and the line, or the scene and the object.
        place: String,
        /// Why.
        cause: String,
    },
    /// Options of texture maps have no effect.
    TextureOptions {
        /// The library.
        file: String,
        /// The line of the first, counted from 1.
        line: usize,
        /// The options, each once.
        options: String,
    },
    /// Texture coordinates are no numbers, too large, or not there though they are named.
    TextureCoordinates {
        /// The file.
        path: String,
        /// How many.
        count: usize,
        /// The line of the first, counted from 1, in a file of lines.
        line: Option<usize>,
    },
    /// Normals are no numbers, or not there though they are named.
    Normals {
        /// The file.
        path: String,
        /// How many.
        count: usize,
        /// The line of the first, counted from 1, in a file of lines.
        line: Option<usize>,
    },
    /// Triangles whose material has textures have no texture coordinates.
    WithoutCoordinates {
        /// The file.
        path: String,
        /// How many triangles.
        count: usize,
    },
    /// Texture maps of a kind that is not read.
    Textures {
        /// The library, or the scene.
        file: String,
        /// How many maps it names.
        count: usize,
    },
    /// A material is used but defined nowhere.
    UnknownMaterial {
        /// The file.
        path: String,
        /// The line of its first use, counted from 1.
        line: usize,
        /// The material's name.
        name: String,
    },
    /// Polygons that are not convex became fans of triangles.
    CrossedPolygons {
        /// The file.
        path: String,
        /// How many polygons.
        count: usize,
        /// The first of them: its number among all faces, counted from 0.
        face: usize,
        /// Its line, counted from 1, in a file of lines.
        line: Option<usize>,
    },
    /// Parts of a PLY or glTF file have no use here.
    Unread {
        /// The file.
        path: String,
        /// Elements, and properties as `element.property`, shortened; or what glTF calls them.
        what: String,
    },
    /// A camera, a light, or the normals of a mesh in a glTF file cannot be used.
    LeftOut {
        /// The file.
        path: String,
        /// The object, its name, and its node.
        what: String,
        /// The cause.
        cause: String,
    },
    /// Points and lines have no area and were skipped.
    PointsAndLines {
        /// The file.
        path: String,
        /// How many elements.
        count: usize,
        /// The line of the first, counted from 1, in a file of lines.
        line: Option<usize>,
    },
    /// Faces of fewer than three corners were skipped.
    ShortFaces {
        /// The file.
        path: String,
        /// How many faces.
        count: usize,
        /// The line of the first, counted from 1, in a file of lines.
        line: Option<usize>,
    },
    /// Vertices have coordinates that are NaN, infinite or too large.
    NonFinite {
        /// The file.
        path: String,
        /// How many vertices.
        count: usize,
        /// The line of the first, counted from 1, where it is known.
        line: Option<usize>,
    },
    /// Colours of vertices have numbers that are not from 0 to 1.
    VertexColours {
        /// The file.
        path: String,
        /// How many.
        count: usize,
        /// The line of the first, counted from 1, in a file of lines.
        line: Option<usize>,
    },
    /// 32-bit floats are too coarse for the triangles of a file, relative to any one offset.
    Precision {
        /// The file.
        path: String,
        /// How many triangles vanish or change their area by more than 1 %.
        count: usize,
        /// How many triangles there are.
        triangles: usize,
        /// The step between 32-bit floats at the largest coordinate of these triangles, in the
        /// file's unit.
        step: f64,
    },
    /// Lines start with a word that is not read.
    UnknownKeyword {
        /// The file.
        path: String,
        /// How many lines.
        count: usize,
        /// The first of them, counted from 1.
        line: usize,
        /// Its first word, shortened.
        keyword: String,
    },
}

/// Things of one kind in a file: how many, and the line of the first where it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Occurrences {
    pub count: usize,
    pub first: Option<usize>,
}

impl Occurrences {
    /// Adds one more, of this line.
    pub fn add(&mut self, line: Option<usize>) {
        if self.count == 0 {
            self.first = line;
        }
        self.count += 1;
    }

    /// The warning that `warning` makes of the count and the line; nothing if there are none.
    pub fn warning(self, warning: impl FnOnce(usize, Option<usize>) -> Warning) -> Option<Warning> {
        (self.count > 0).then(|| warning(self.count, self.first))
    }
}

/// `:LINE`, where there is one.
fn suffix(line: &Option<usize>) -> String {
    line.map_or(String::new(), |line| format!(":{line}"))
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::MissingLibrary {
                path,
                line,
                file,
                cause,
            } => {
                let line = suffix(line);
                write!(
                    f,
                    "{path}{line}: material library {file} is not used: {cause}; the default material stands in"
                )
            }
            Warning::LibraryLines {
                file,
                count,
                line,
                text,
            } => {
                write!(
                    f,
                    "{file}:{line}: `{text}` is not understood; {count} such lines skipped"
                )
            }
            Warning::Texture { place, cause } => {
                write!(
                    f,
                    "{place}: the texture is not used: {cause}; the plain colour stands in"
                )
            }
            Warning::TextureOptions {
                file,
                line,
                options,
            } => write!(
                f,
                "{file}:{line}: options of texture maps have no effect: {options}"
            ),
            Warning::TextureCoordinates { path, count, line } => {
                let line = suffix(line);
                write!(
                    f,
                    "{path}{line}: texture coordinates that are no numbers up to 1e6, or are not \
                     there: 0 stands in for {count}"
                )
            }
            Warning::Normals { path, count, line } => {
                let line = suffix(line);
                write!(
                    f,
                    "{path}{line}: normals that are no numbers, or are not there: the triangle's \
                     own stands in for {count}"
                )
            }
            Warning::WithoutCoordinates { path, count } => write!(
                f,
                "{path}: {count} triangles with textures have no texture coordinates; plain \
                 colours are used"
            ),
            Warning::Textures { file, count } => {
                write!(
                    f,
                    "{file}: {count} texture maps ignored; plain colours are used"
                )
            }
            Warning::UnknownMaterial { path, line, name } => {
                write!(
                    f,
                    "{path}:{line}: material `{name}` is not defined; the default stands in"
                )
            }
            Warning::CrossedPolygons {
                path,
                count,
                face,
                line,
            } => {
                let place = match line {
                    Some(line) => format!(":{line}: "),
                    None => format!(": from face {face} on, "),
                };
                write!(
                    f,
                    "{path}{place}{count} polygons cross themselves, or have a notch and over 256 \
                     corners; they become fans of triangles"
                )
            }
            Warning::Unread { path, what } => write!(f, "{path}: not read: {what}"),
            Warning::LeftOut { path, what, cause } => {
                write!(f, "{path}: {what} is left out: {cause}")
            }
            Warning::PointsAndLines { path, count, line } => {
                let line = suffix(line);
                write!(
                    f,
                    "{path}{line}: points and lines have no area; {count} skipped"
                )
            }
            Warning::ShortFaces { path, count, line } => {
                let line = suffix(line);
                write!(
                    f,
                    "{path}{line}: faces of fewer than 3 corners; {count} skipped"
                )
            }
            Warning::NonFinite { path, count, line } => {
                let line = suffix(line);
                write!(
                    f,
                    "{path}{line}: coordinates that are not finite or beyond 1e18, of {count} \
                     vertices; triangles with them are left out"
                )
            }
            Warning::VertexColours { path, count, line } => {
                let line = suffix(line);
                write!(
                    f,
                    "{path}{line}: {count} colours of vertices have numbers that are not from 0 to \
                     1; they become the nearest, and NaN becomes 1"
                )
            }
            Warning::Precision {
                path,
                count,
                triangles,
                step,
            } => write!(
                f,
                "{path}: {count} of {triangles} triangles vanish or change their area by more \
                 than 1 %: 32-bit floats have steps of {step} this far from its middle; divide \
                 the scene, or remove triangles that are far from the others"
            ),
            Warning::UnknownKeyword {
                path,
                count,
                line,
                keyword,
            } => {
                write!(
                    f,
                    "{path}:{line}: keyword `{keyword}` is not read; {count} such lines skipped"
                )
            }
        }
    }
}
