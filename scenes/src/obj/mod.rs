//! Wavefront OBJ in and out.
//!
//! [`scan`] checks the text and names the line of any fault, since `tobj`
//! gives none; `tobj` then reads the checked text, and resolves groups and materials.
//! Polygons become triangles in [`polygon`](crate::polygon). Where materials have
//! [`textures`] there is a second pass, for [`coordinates`], and one beside `tobj` where there are
//! [`normals`].

mod assemble;
mod chunk;
mod coordinates;
mod faces;
mod line;
mod map;
mod mtl;
mod normals;
mod pieces;
mod plain;
mod recheck;
mod scan;
mod textures;
mod write;

pub use write::{files_written, save, write_mtl, write_obj};

use crate::MAX_FILE_BYTES;
use crate::beside::find;
use crate::polygon::Fans;
use crate::texture::assign_plain_materials;
use crate::{CleanOptions, Loaded, MaterialTextures, Scene, SceneError, Warning};
use assemble::{Corners, assemble, colours};
use coordinates::Coordinates;
use glam::DVec3;
use heapwood_files::{check_text, text, to_utf8};
use map::Map;
use normals::Normals;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::path::Path;

/// Reads and cleans OBJ text from memory, plain or compressed.
///
/// `name` is what messages call it; `file` gives the bytes of a material library by the name
/// after `mtllib`, or of an image by its name beside that, or the reason why it cannot.
///
/// # Errors
/// As [`load`](crate::load), except that no file is opened.
pub fn read_obj(
    name: &str,
    bytes: Vec<u8>,
    file: impl Fn(&str) -> Result<Vec<u8>, String>,
    options: CleanOptions,
) -> Result<Loaded, SceneError> {
    read(name, bytes, file, options, None)
}

/// The same relative to an offset, if there is one; else the scene chooses its own.
pub(crate) fn read(
    name: &str,
    bytes: Vec<u8>,
    file: impl Fn(&str) -> Result<Vec<u8>, String>,
    options: CleanOptions,
    offset: Option<DVec3>,
) -> Result<Loaded, SceneError> {
    let reading = |error| SceneError::reading(name, error);
    let bytes = text(bytes, MAX_FILE_BYTES).map_err(reading)?;
    let path = || name.to_owned();
    if bytes.trim_ascii().is_empty() {
        return Err(SceneError::Empty { path: path() });
    }
    // Group names in some legacy encoding are no reason to refuse a scene.
    let (is_text, text) = rayon::join(|| check_text(&bytes), || String::from_utf8_lossy(&bytes));
    is_text.map_err(reading)?;
    let chunks = scan::chunks(&text);
    let mut scan = scan::scan(name, &chunks)?;
    if scan.faces == 0 {
        return Err(match scan.vertex_count {
            0 => SceneError::NoTriangles { name: path() },
            vertices => SceneError::NoFaces {
                path: path(),
                vertices,
                without_area: scan.without_area,
            },
        });
    }

    let warnings = RefCell::new(std::mem::take(&mut scan.warnings));
    let known = RefCell::new(HashSet::new());
    let maps = RefCell::new(Vec::new());
    let load_library = |library: &Path| {
        let library = library.to_string_lossy();
        let line = scan.library_lines.get(&*library).copied();
        let missing = |cause| Warning::MissingLibrary {
            path: path(),
            line,
            file: crate::error::excerpt(&library),
            cause,
        };
        let (result, found) = read_library(name, &library, &file, missing, &mut maps.borrow_mut());
        if let Ok((materials, _)) = &result {
            known
                .borrow_mut()
                .extend(materials.iter().map(|m| m.name.clone()));
        }
        warnings.borrow_mut().extend(found);
        result
    };
    let parts = std::iter::once(scan.libraries.as_bytes())
        .chain(scan.vertices.parts())
        .chain(scan.body.parts());
    let mut reader = pieces::Reader::new(parts);
    let has_normals = scan.normals.iter().any(|&count| count > 0);
    let mut normals = None;
    // Other threads read them while `tobj` keeps this one busy.
    let models_and_materials = rayon::in_place_scope(|scope| {
        if has_normals {
            scope.spawn(|_| normals = Some(Normals::read(&chunks, &scan.normals)));
        }
        tobj::load_obj_buf(&mut reader, &TOBJ_OPTIONS, load_library)
    });
    let (mut models, materials) = models_and_materials.map_err(|source| SceneError::Parser {
        path: path(),
        source,
    })?;

    let mut warnings = warnings.into_inner();
    let known = known.into_inner();
    // Without any library one warning about that is enough.
    if !known.is_empty() {
        let unknown = std::mem::take(&mut scan.used_materials).into_iter();
        warnings.extend(
            unknown
                .filter(|(material, _)| !known.contains(material))
                .map(|(material, line)| Warning::UnknownMaterial {
                    path: path(),
                    line,
                    name: crate::error::excerpt(&material),
                }),
        );
    }
    let materials = materials.unwrap_or_default();
    let mut is_used = vec![false; materials.len()];
    for id in models.iter().filter_map(|model| model.mesh.material_id) {
        is_used[id] = true;
    }
    let maps = maps.into_inner();
    let (textures, table) =
        textures::fetch(name, &materials, &is_used, &maps, &file, &mut warnings);
    let coordinates = (!table.textures.is_empty()).then(|| Coordinates::read(&text));
    warnings.extend(coordinates.as_ref().and_then(|all| all.warning(name)));
    warnings.extend(normals.as_ref().and_then(|all| all.warning(name)));
    let plain = |number: usize| mtl::material(&materials[number], MaterialTextures::default());
    let both = materials.iter().zip(textures);
    let read = both.map(|(material, textures)| mtl::material(material, textures));
    let (colours, of_colours) = colours(name, &scan);
    warnings.extend(of_colours);
    let corners = Corners {
        coordinates: coordinates.map(|all| all.corners),
        normals,
        colours,
    };
    let (offset, loss) = recheck::settle_offset(&mut models, &scan, offset);
    let mut fans = Fans::default();
    let keep_faces = options.keep_faces;
    let mut parts = assemble(
        name,
        models,
        read.collect(),
        &corners,
        keep_faces,
        &mut fans,
    );
    warnings.extend(fans.warning(name, |face| line_of_face(&text, face)));
    parts.offset = offset;
    warnings.extend(loss.warning(name, parts.triangles.len()));
    let without = assign_plain_materials(
        &mut parts.materials,
        &mut parts.material_of,
        &mut parts.texturing.coordinates,
        plain,
    );
    if without > 0 {
        let (path, count) = (path(), without);
        warnings.push(Warning::WithoutCoordinates { path, count });
    }
    parts.texturing.textures = table.textures;
    parts.texturing.images = table.images.images;
    let scene = Scene::from_parts(parts)?;
    let cleaned = scene.clean(options);
    let (scene, report) = cleaned.map_err(|error| loss.explain(error))?;
    Ok(Loaded {
        scene,
        report,
        warnings,
        files: Vec::new(),
    })
}

/// Points and lines never reach `tobj`; polygons are divided in `polygon`.
const TOBJ_OPTIONS: tobj::LoadOptions = tobj::LoadOptions {
    single_index: false,
    triangulate: false,
    ignore_points: true,
    ignore_lines: true,
};

/// The path of a library in messages: beside the scene with this path, as it is named there.
fn library_path(scene: &str, library: &str) -> String {
    let folder = Path::new(scene).parent().unwrap_or(Path::new(""));
    let library = crate::error::shortened(library);
    folder.join(library).display().to_string()
}

/// The materials of a library of the scene with this path, and warnings; an unreadable one has
/// none, and the warning that `missing` makes of the cause.
fn read_library(
    scene: &str,
    file: &str,
    library: &impl Fn(&str) -> Result<Vec<u8>, String>,
    missing: impl Fn(String) -> Warning,
    maps: &mut Vec<Map>,
) -> (tobj::MTLLoadResult, Vec<Warning>) {
    let found = find(file, library).map(|(name, bytes)| (name, to_utf8(bytes)));
    match found {
        Err(cause) => (Err(tobj::LoadError::OpenFileFailed), vec![missing(cause)]),
        Ok((_, bytes)) if bytes.contains(&0) => (
            Err(tobj::LoadError::ReadError),
            vec![missing("it is not text".to_owned())],
        ),
        Ok((name, bytes)) => {
            let text = String::from_utf8_lossy(&bytes);
            let (text, warnings) = mtl::checked(&name, &library_path(scene, &name), &text, maps);
            (tobj::load_mtl_buf(&mut text.as_bytes()), warnings)
        }
    }
}

/// The line of a face by its number in a text that the scan has found to be sound: a pass over the
/// text, for a warning alone.
fn line_of_face(text: &str, face: usize) -> Option<usize> {
    let mut faces = numbered_lines(text).filter(|(_, line)| keyword(line).0 == "f");
    faces.nth(face).map(|(number, _)| number)
}

/// The trimmed lines of `text` with numbers from 1, continued lines joined.
///
/// Lines end with LF, CR LF, or in a file without any LF with CR. A line that
/// ends with a backslash goes on in the next.
fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let separator = if text.contains('\n') { '\n' } else { '\r' };
    let mut physical = text.split(separator).zip(1..);
    std::iter::from_fn(move || {
        let (first, number) = physical.next()?;
        let others = physical.by_ref().map(|(line, _)| line);
        Some((number, logical_line(first, others)))
    })
}

/// The trimmed line that begins with `first` and goes on in as many of the
/// others as it says.
fn logical_line<'a>(first: &'a str, mut others: impl Iterator<Item = &'a str>) -> Cow<'a, str> {
    let first = first.trim();
    let Some(start) = first.strip_suffix('\\') else {
        return Cow::Borrowed(first);
    };
    let mut line = start.to_owned();
    for next in others.by_ref() {
        let next = next.trim();
        let goes_on = next.strip_suffix('\\');
        line.push(' ');
        line.push_str(goes_on.unwrap_or(next));
        if goes_on.is_none() {
            break;
        }
    }
    Cow::Owned(line.trim().to_owned())
}

/// First word of a trimmed line, and the trimmed rest.
fn keyword(line: &str) -> (&str, &str) {
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    (&line[..end], line[end..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(usize, String)> {
        numbered_lines(text)
            .filter(|(_, line)| !line.is_empty())
            .map(|(n, line)| (n, line.into_owned()))
            .collect()
    }

    #[test]
    fn every_line_ending_and_continuation_is_understood() {
        let expected = vec![(1, "v 1 2 3".to_owned()), (2, "f 1".to_owned())];
        assert_eq!(lines("v 1 2 3\nf 1\n"), expected);
        assert_eq!(lines("\u{feff}v 1 2 3\r\n f 1 \r\n"), expected);
        assert_eq!(lines("v 1 2 3\rf 1"), expected);
        let joined = lines("f 1 \\\n 2 \\\n 3\nv");
        assert_eq!(joined, [(1, "f 1  2  3".to_owned()), (4, "v".to_owned())]);
        assert_eq!(lines("\\\nf 1\\"), [(1, "f 1".to_owned())]);
    }

    #[test]
    fn keywords_end_at_any_white_space() {
        assert_eq!(keyword("usemtl\tdark  stone"), ("usemtl", "dark  stone"));
        assert_eq!(keyword("v"), ("v", ""));
        assert_eq!(keyword(""), ("", ""));
    }
}
