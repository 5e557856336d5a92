//! Khronos glTF 2.0 in: JSON with its buffers beside it or within, and GLB.
//!
//! The crate `gltf-json` reads the [`json`]; here its default scene becomes triangles. Its own
//! checks and those of the crate `gltf` above it are not used: they index accessors before they
//! look whether those exist, and refuse files without the bounds of positions. So every index is
//! looked up where it is used, and nothing is allocated that the file does not pay for in bytes or
//! that is beyond [`MAX_FILE_BYTES`](crate::MAX_FILE_BYTES).

mod accessor;
mod attribute;
mod buffer;
mod cameras_and_lights;
mod colours;
mod container;
mod json;
mod material;
mod normals;
mod texture;
mod transform;
mod walk;

use crate::MAX_FILE_BYTES;
use crate::error::GltfProblem;
use crate::scene;
use crate::texture::{Table, assign_plain_materials};
use crate::{
    CleanOptions, Loaded, Material, MaterialTextures, Scene, SceneError, Texturing, Warning,
};
use glam::DVec3;
use gltf_json::Root;
use gltf_json::material::AlphaMode;
use gltf_json::validation::Checked;
use heapwood_files::decompress;
use std::collections::BTreeSet;

use buffer::Buffers;
use container::{Parts, split};
use texture::Textures;
use transform::Transform;
use walk::Walk;

/// The first bytes of every GLB file.
pub const MAGIC: &[u8] = b"glTF";

/// Whether `bytes` begin as GLB or glTF does: with GLB's magic, or with a brace, since glTF is a
/// JSON object.
pub fn is_gltf(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.starts_with(MAGIC) || text.trim_ascii_start().starts_with(b"{")
}

/// Reads and cleans a glTF or GLB file from memory, plain or compressed.
///
/// `name` is what messages call it. `file` gives the bytes of a file beside it by its relative
/// path and the most bytes that it may have, or the reason why it cannot.
///
/// ```
/// use heapwood_scenes::{CleanOptions, read_gltf};
///
/// let text = r#"{"asset": {"version": "2.0"},
///     "nodes": [{"mesh": 0, "translation": [5, 0, 0]}, {"mesh": 0}],
///     "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
///     "accessors": [{"bufferView": 0, "componentType": 5121, "type": "VEC3", "count": 3}],
///     "bufferViews": [{"buffer": 0, "byteLength": 9}],
///     "buffers": [{"byteLength": 9, "uri": "data:;base64,AAAAAQAAAAEA"}]}"#;
/// let loaded = read_gltf("pair", text.into(), |_, _| Err("none".into()), CleanOptions::default())?;
/// assert_eq!(loaded.scene.len(), 2);
/// assert_eq!(loaded.scene.bounds().max.to_array(), [6.0, 1.0, 0.0]);
/// # Ok::<(), heapwood_scenes::SceneError>(())
/// ```
///
/// # Errors
/// A [`SceneError`] that names the file and the object of the JSON at fault.
pub fn read_gltf(
    name: &str,
    bytes: Vec<u8>,
    file: impl Fn(&str, u64) -> Result<Vec<u8>, String>,
    options: CleanOptions,
) -> Result<Loaded, SceneError> {
    read(name, bytes, file, options, None)
}

/// The same relative to an offset, if there is one; else the scene chooses its own.
pub(crate) fn read(
    name: &str,
    bytes: Vec<u8>,
    file: impl Fn(&str, u64) -> Result<Vec<u8>, String>,
    options: CleanOptions,
    offset: Option<DVec3>,
) -> Result<Loaded, SceneError> {
    let bytes =
        decompress(bytes, MAX_FILE_BYTES).map_err(|error| SceneError::reading(name, error))?;
    let refused = |problem| SceneError::Gltf {
        path: name.to_owned(),
        problem,
    };
    let Parts { json, binary } = split(&bytes).map_err(refused)?;
    let root = json::read(json).map_err(refused)?;
    check_asset(&root).map_err(refused)?;
    // Without textures, whose images are fetched for materials that are used.
    let plain = plain_materials(&root, false).map_err(refused)?;
    let default = plain.len() as u32;
    let walked = |transforms, offset| {
        let buffers = Buffers::new(&root, binary, &file);
        let mut walk = Walk::new(&root, buffers, transforms, offset);
        walk.default_scene().map(|()| walk)
    };
    let transforms: Vec<Transform> = root.nodes.iter().map(Transform::of).collect();
    let is_moved = offset.is_some_and(|offset| offset != DVec3::ZERO);
    let first = (!is_moved).then(|| walked(&transforms, DVec3::ZERO));
    let first = first.transpose().map_err(refused)?;
    let own = first.as_ref().and_then(|walk| walk.loss.offset());
    // Relative to an offset, the digits of transforms count that `f32` does not hold.
    let exact;
    let walk = match (first, offset.or(own)) {
        (first, Some(offset)) if offset != DVec3::ZERO => {
            exact = json::exact_transforms(json, &root);
            let moved = walked(&exact, offset).map_err(refused)?;
            let is_better = |first: &Walk| moved.loss.is_less_than(first.loss);
            match first {
                Some(first) if !is_better(&first) => first,
                _ => moved,
            }
        }
        (first, _) => first.expect("the walk that no offset needs"),
    };
    let Walk {
        mut accessors,
        vertices,
        triangles,
        mut material_of,
        coordinates,
        normals,
        without_area,
        colours,
        unsound,
        loss,
        left_out,
        cameras_and_lights,
        offset,
        ..
    } = walk;
    if triangles.is_empty() {
        return Err(match without_area {
            0 => SceneError::NoTriangles {
                name: name.to_owned(),
            },
            count => refused(GltfProblem::PointsAndLines(count)),
        });
    }
    let mut warnings = warnings(name, &root, without_area);
    let path = || name.to_owned();
    if unsound > 0 {
        warnings.push(Warning::NonFinite {
            path: path(),
            count: unsound,
            line: None,
        });
    }
    warnings.extend(loss.warning(name, triangles.len()));
    warnings.extend(left_out.warnings_of_textures(name));
    let (normals, of_normals) = normals.of_triangles(name, &triangles, &vertices);
    warnings.extend(of_normals);
    warnings.extend(cameras_and_lights.warnings(name));
    let (colours, of_colours) = colours.of_triangles(name, &root, &triangles, &material_of);
    warnings.extend(of_colours);
    // Where colours scale the opacity, it is masked where it is known.
    let has_colours = !colours.is_empty();
    let plain = match has_colours {
        true => plain_materials(&root, true).map_err(refused)?,
        false => plain,
    };
    let mut is_used = vec![false; plain.len() + 1];
    for &material in &material_of {
        is_used[material as usize] = true;
    }
    let mut textures = Textures {
        root: &root,
        accessors: &mut accessors,
        name,
        has_colours,
        table: Table::default(),
        warnings: &mut warnings,
    };
    let mut materials = plain.clone();
    for (index, read) in root.materials.iter().enumerate() {
        if is_used[index] {
            let of_material = textures.of(index);
            materials[index] = material::material(index, read, of_material).map_err(refused)?;
        }
    }
    let Table {
        textures, images, ..
    } = textures.table;
    if is_used[default as usize] {
        materials.push(Material {
            name: "default".to_owned(),
            ..material::default()
        });
    }
    let mut texturing = Texturing {
        images: images.images,
        textures,
        coordinates: Vec::new(),
    };
    if !texturing.textures.is_empty() {
        let (of_triangles, faulty) = walk::of_triangles(&coordinates, &triangles);
        texturing.coordinates = of_triangles;
        if faulty > 0 {
            warnings.push(Warning::TextureCoordinates {
                path: path(),
                count: faulty,
                line: None,
            });
        }
        let without = assign_plain_materials(
            &mut materials,
            &mut material_of,
            &mut texturing.coordinates,
            |number| plain[number].clone(),
        );
        if without > 0 {
            warnings.push(Warning::WithoutCoordinates {
                path: path(),
                count: without,
            });
        }
    }
    let scene = Scene::from_parts(scene::Parts {
        name: name.to_owned(),
        vertices,
        triangles,
        materials,
        material_of,
        texturing,
        normals,
        colours,
        faces: Vec::new(),
        cameras: cameras_and_lights.cameras,
        lights: cameras_and_lights.lights,
        offset,
    })?;
    let cleaned = scene.clean(options);
    let (scene, report) = cleaned.map_err(|error| loss.explain(error))?;
    Ok(Loaded {
        scene,
        report,
        warnings,
        files: Vec::new(),
    })
}

/// Materials without textures, on vertices with colours or without.
fn plain_materials(root: &Root, has_colours: bool) -> Result<Vec<Material>, GltfProblem> {
    let plain = |(index, read): (usize, &gltf_json::Material)| {
        let is_masked = read.alpha_mode == Checked::Valid(AlphaMode::Mask);
        let textures = MaterialTextures {
            cutoff: (has_colours && is_masked).then(|| material::cutoff(read)),
            ..MaterialTextures::default()
        };
        material::material(index, read, textures)
    };
    root.materials.iter().enumerate().map(plain).collect()
}

/// Refuses versions and required extensions that would be read as something else.
fn check_asset(root: &Root) -> Result<(), GltfProblem> {
    let asset = &root.asset;
    // `2` and `2.1` may be read by who reads 2.0, unless the file asks for more.
    let is_read = match &asset.min_version {
        Some(least) => ["2", "2.0"].contains(&least.as_str()),
        None => asset.version == "2" || asset.version.starts_with("2."),
    };
    if !is_read {
        let version = asset.min_version.as_ref().unwrap_or(&asset.version);
        return Err(GltfProblem::Version(crate::error::excerpt(version)));
    }
    let is_read = |name: &str| {
        // Not all extensions of materials and textures are read, but none of them moves a vertex.
        let harmless = ["KHR_materials_", "KHR_texture_", "EXT_texture_"];
        harmless.iter().any(|start| name.starts_with(start))
            || ["KHR_mesh_quantization", "KHR_lights_punctual"].contains(&name)
    };
    let mut required = root.extensions_required.iter();
    match required.find(|name| !is_read(name)) {
        Some(name) => Err(GltfProblem::Extension(crate::error::excerpt(name))),
        None => Ok(()),
    }
}

/// Warnings about objects of the file that the scene leaves out.
fn warnings(name: &str, root: &Root, without_area: usize) -> Vec<Warning> {
    let path = || name.to_owned();
    let mut warnings = Vec::new();
    if without_area > 0 {
        warnings.push(Warning::PointsAndLines {
            path: path(),
            count: without_area,
            line: None,
        });
    }
    let textures = root.materials.iter().map(material::unread_textures).sum();
    if textures > 0 {
        warnings.push(Warning::Textures {
            file: path(),
            count: textures,
        });
    }
    let mut unread = BTreeSet::new();
    let mut note = |is_there: bool, what: &'static str| {
        if is_there {
            unread.insert(what);
        }
    };
    note(!root.animations.is_empty(), "animations");
    note(!root.skins.is_empty(), "skins");
    let mut primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let has_targets = primitives.any(|primitive| primitive.targets.is_some());
    note(has_targets, "morph targets");
    let uses = |name: &str| root.extensions_used.iter().any(|used| used == name);
    note(uses("EXT_mesh_gpu_instancing"), "GPU instances");
    let has_gloss = root
        .materials
        .iter()
        .any(|of| material::glossy(of).is_some());
    note(has_gloss, "specular colours");
    let extensions: BTreeSet<&str> = json::unread_extensions(root).collect();
    let mut unread = Vec::from_iter(unread);
    unread.extend(extensions);
    if !unread.is_empty() {
        warnings.push(Warning::Unread {
            path: path(),
            what: crate::error::shortened(&unread.join(", ")),
        });
    }
    warnings
}
