//! The textures that the materials of an OBJ file name.

use super::map::Map;
use super::{library_path, mtl};
use crate::beside::find;
use crate::error::excerpt;
use crate::texture::{Role, Table};
use crate::{MaterialTextures, Texture, Warning};
use std::path::Path;

/// Fetches the textures of the materials that are used by the scene with this path; for each
/// material their numbers.
///
/// `file` gives the bytes of a file by its name beside the scene. A texture that cannot be had is
/// left out, with a warning where its map is.
pub(super) fn fetch(
    scene: &str,
    materials: &[tobj::Material],
    is_used: &[bool],
    maps: &[Map],
    file: &impl Fn(&str) -> Result<Vec<u8>, String>,
    warnings: &mut Vec<Warning>,
) -> (Vec<MaterialTextures>, Table) {
    let mut table = Table::default();
    let mut get = |map: Option<&Map>, role| {
        let map = map?;
        // Beside the library, which may be in a folder beside the scene.
        let folder = Path::new(&map.library).parent().unwrap_or(Path::new(""));
        let name = folder.join(&map.file).to_string_lossy().into_owned();
        let image = table.images.get(&name, role, || {
            let there = |candidate: &str| file(&folder.join(candidate).to_string_lossy());
            find(&map.file, there).map(|(_, bytes)| bytes)
        });
        match image {
            Ok(image) => Some(table.add(Texture {
                image: image?,
                wrap: [map.wrap; 2],
                is_linear: true,
                map: map.map,
            })),
            Err(cause) => {
                warnings.push(Warning::Texture {
                    place: format!("{}:{}", library_path(scene, &map.library), map.line),
                    cause: format!("{}: {cause}", excerpt(&name)),
                });
                None
            }
        }
    };
    let of_materials = materials.iter().zip(is_used).map(|(material, is_used)| {
        if !is_used {
            return MaterialTextures::default();
        }
        let [base, emission, opacity] = mtl::maps(material, maps);
        MaterialTextures {
            base: get(base, Role::Colour),
            emission: get(emission, Role::Colour),
            opacity: get(opacity, Role::Opacity),
            ..MaterialTextures::default()
        }
    });
    (of_materials.collect(), table)
}
