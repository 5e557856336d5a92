//! Scenes from files: which format a file has, and what there is to say about it.

use std::cell::RefCell;
use std::path::Path;

use glam::DVec3;
use heapwood_files::{ReadError, is_gz, stem};

use crate::beside::{in_any_case, read_beside};
use crate::gltf::is_gltf;
use crate::ply::is_ply;
use crate::texture::MAX_IMAGE_BYTES;
use crate::{CleanOptions, Loaded, MAX_FILE_BYTES, SceneError, foreign, gltf, obj, ply};

/// Reads and cleans a scene, plain or compressed: a PLY file, which its first line says, a GLB or
/// glTF file, which its first bytes say, with its buffers, or else an OBJ file, with its material
/// libraries; both with the images of their textures.
///
/// ```
/// use heapwood_scenes::{CleanOptions, load};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("square.obj");
/// std::fs::write(&file, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nf 1 2 2\n")?;
/// let loaded = load(&file, CleanOptions::default())?;
/// assert_eq!((loaded.scene.name(), loaded.scene.len()), ("square", 2));
/// assert_eq!(loaded.report.degenerate, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A [`SceneError`] that names the file and, for a fault in its text, the line.
pub fn load(path: impl AsRef<Path>, options: CleanOptions) -> Result<Loaded, SceneError> {
    read_at(path.as_ref(), options, None)
}

/// The same relative to this offset, in the file's unit, in place of the file's own: so the frames
/// of a scene that moves have the same coordinates.
///
/// # Errors
/// As [`load`].
pub fn load_relative_to(
    path: impl AsRef<Path>,
    options: CleanOptions,
    offset: DVec3,
) -> Result<Loaded, SceneError> {
    read_at(path.as_ref(), options, Some(offset))
}

fn read_at(
    path: &Path,
    options: CleanOptions,
    offset: Option<DVec3>,
) -> Result<Loaded, SceneError> {
    let name = path.display().to_string();
    let refused = |format| SceneError::Foreign {
        path: name.clone(),
        format,
    };
    let bytes = heapwood_files::read_text_or(path, MAX_FILE_BYTES, &[ply::MAGIC, gltf::MAGIC])
        .map_err(|error| {
            let is_binary = matches!(error, ReadError::Binary(_));
            let format = is_binary.then(|| foreign::format_of_file(path)).flatten();
            format.map_or_else(|| SceneError::reading(&name, error), refused)
        })?;
    if let Some(format) = foreign::format(&bytes) {
        return Err(refused(format));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let files = RefCell::new(vec![path.to_owned()]);
    let beside = |file: &str, read: &dyn Fn(&Path) -> Result<Vec<u8>, String>| {
        let file = in_any_case(folder.join(file));
        if file.exists() {
            files.borrow_mut().push(file.clone());
        }
        read(&file)
    };
    let mut loaded = if is_ply(&bytes) {
        ply::read(&name, bytes, options, offset)?
    } else if is_gltf(&bytes) {
        let file = |file: &str, most| beside(file, &|path| buffer(path, most));
        gltf::read(&name, bytes, file, options, offset)?
    } else {
        let file = |file: &str| beside(file, &beside_obj);
        obj::read(&name, bytes, file, options, offset)?
    };
    loaded.scene = loaded.scene.renamed(stem(path));
    loaded.files = files.into_inner();
    Ok(loaded)
}

/// The bytes of a material library or an image, or the reason why there are none. Libraries may be
/// as large as images.
fn beside_obj(path: &Path) -> Result<Vec<u8>, String> {
    read_beside(path, |path| heapwood_files::read(path, MAX_IMAGE_BYTES))
}

/// The bytes of a buffer, or the reason why there are none. Any bytes may be those of numbers, so
/// that only a name says whether they are compressed.
fn buffer(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    read_beside(path, |path| match is_gz(path) {
        true => heapwood_files::read(path, most),
        false => heapwood_files::read_as_is(path, most),
    })
}
