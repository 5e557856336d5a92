//! What is worth knowing about a scene that is used all the same, as data: one line each, with the
//! place.

use std::fmt;

/// Something worth knowing about a scene that was loaded all the same.
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
        /// What it is, its name, and its node.
        what: String,
        /// Why.
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

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::MissingLibrary {
                path,
                line,
                file,
                cause,
            } => {
                let line = line.map_or(String::new(), |line| format!(":{line}"));
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
                let line = line.map_or(String::new(), |line| format!(":{line}"));
                write!(
                    f,
                    "{path}{line}: texture coordinates that are no numbers up to 1e6, or are not \
                     there: 0 stands in for {count}"
                )
            }
            Warning::Normals { path, count, line } => {
                let line = line.map_or(String::new(), |line| format!(":{line}"));
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
                let line = line.map_or(String::new(), |line| format!(":{line}"));
                write!(
                    f,
                    "{path}{line}: points and lines have no area; {count} skipped"
                )
            }
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
