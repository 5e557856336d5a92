//! The JSON of a glTF file as objects.
//!
//! The crate `gltf-json` is stricter than the format: it wants `extras` to be an object, and 5126
//! to be written without a point, though JSON has no integers. Only a file that it refuses is
//! amended and parsed a second time.

use super::transform::Transform;
use crate::error::GltfProblem;
use gltf_json::{Index, Root};
use serde_json::Value;

/// The byte order mark that programs for Windows put before text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The objects of a JSON text.
///
/// # Errors
/// [`GltfProblem::Json`] with the place, and [`GltfProblem::Version`] where a version's own form is
/// the reason.
pub(super) fn read(json: &[u8]) -> Result<Root, GltfProblem> {
    let json = trimmed(json);
    let mut root = match Root::from_slice(json) {
        Ok(root) => root,
        Err(error) => amended(json, &error)?,
    };
    if root
        .textures
        .iter()
        .any(|texture| is_absent(texture.source))
    {
        name_webp_images(&mut root, json);
    }
    Ok(root)
}

/// The text without what programs put around it.
fn trimmed(json: &[u8]) -> &[u8] {
    let json = json.strip_prefix(BYTE_ORDER_MARK).unwrap_or(json);
    // Chunks of GLB are padded with blanks, by some programs with zeros.
    let is_padding = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    let end = json.iter().rposition(|byte| !is_padding(byte));
    &json[..end.map_or(0, |last| last + 1)]
}

/// The transforms of all nodes of a text that [`read`] understands, with the digits of doubles,
/// which `gltf-json` does not keep.
pub(super) fn exact_transforms(json: &[u8], root: &Root) -> Vec<Transform> {
    #[derive(serde::Deserialize)]
    struct Nodes {
        nodes: Vec<Transform>,
    }
    let read = serde_json::from_slice::<Nodes>(trimmed(json));
    let read = read.map(|all| all.nodes).unwrap_or_default();
    match read.len() == root.nodes.len() {
        true => read,
        false => root.nodes.iter().map(Transform::of).collect(),
    }
}

/// Whether a texture names no image, for which `gltf-json` has an index that no image has.
pub(super) fn is_absent(source: Index<gltf_json::Image>) -> bool {
    source.value() == u32::MAX as usize
}

/// Gives textures without an image that of `EXT_texture_webp`.
fn name_webp_images(root: &mut Root, json: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(json) else {
        return;
    };
    for (number, texture) in root.textures.iter_mut().enumerate() {
        let source = &value["textures"][number]["extensions"]["EXT_texture_webp"]["source"];
        if let Some(source) = whole(source).and_then(|source| u32::try_from(source).ok())
            && is_absent(texture.source)
        {
            texture.source = Index::new(source);
        }
    }
}

/// The objects of a text that was refused for this reason.
fn amended(json: &[u8], refusal: &gltf_json::Error) -> Result<Root, GltfProblem> {
    let Ok(mut value) = serde_json::from_slice::<Value>(json) else {
        return Err(GltfProblem::json(&refusal.to_string()));
    };
    check_version(&value)?;
    for key in ["version", "minVersion"] {
        if let Some(version) = value.pointer_mut(&format!("/asset/{key}"))
            && let Some(number) = version.as_f64()
        {
            *version = Value::from(format!("{number:.1}"));
        }
    }
    amend(&mut value);
    let scenes = value.get_mut("scenes").and_then(Value::as_array_mut);
    for scene in scenes.into_iter().flatten() {
        if let Value::Object(scene) = scene {
            scene
                .entry("nodes")
                .or_insert_with(|| Value::Array(Vec::new()));
        }
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let (place, cause) = (error.path().to_string(), error.inner().to_string());
        // The text knows the line of what it was refused for.
        let first = refusal.to_string();
        let cause = if first.starts_with(&cause) {
            first
        } else {
            cause
        };
        match place.as_str() {
            "." => GltfProblem::json(&cause),
            place => GltfProblem::json(&format!("{place}: {cause}")),
        }
    })
}

/// Refuses glTF 1.0, whose objects have names in place of numbers.
fn check_version(value: &Value) -> Result<(), GltfProblem> {
    let version = match &value["asset"]["version"] {
        Value::String(version) => version.clone(),
        Value::Number(version) => version.to_string(),
        _ => {
            let is_named = |key: &&str| value[*key].is_object();
            return match ["accessors", "meshes", "nodes"].iter().any(is_named) {
                true => Err(GltfProblem::Version("1.0".to_owned())),
                false => Ok(()),
            };
        }
    };
    match version.starts_with('2') {
        true => Ok(()),
        false => Err(GltfProblem::Version(crate::error::excerpt(&version))),
    }
}

/// Takes out `extras`, which have no use here, and what is null, and gives whole numbers the form
/// of integers, which stand for floats as well.
fn amend(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|key, value| key != "extras" && !value.is_null());
            object.values_mut().for_each(amend);
        }
        Value::Array(values) => values.iter_mut().for_each(amend),
        Value::Number(number) if number.is_f64() => {
            if let Some(whole) = whole(value) {
                *value = Value::from(whole);
            }
        }
        _ => {}
    }
}

/// A number that is whole, of at most 2^53, up to which a double has all of them.
fn whole(value: &Value) -> Option<i64> {
    const MAX: f64 = (1_u64 << 53) as f64;
    let is_whole = |number: &f64| number.fract() == 0.0 && number.abs() <= MAX;
    value.as_f64().filter(is_whole).map(|number| number as i64)
}

/// The extensions that a file uses and that change what is seen, by their names.
pub(super) fn unread_extensions(root: &Root) -> impl Iterator<Item = &str> {
    const READ: [&str; 10] = [
        "EXT_mesh_gpu_instancing",
        "EXT_texture_webp",
        "KHR_lights_punctual",
        "KHR_materials_emissive_strength",
        "KHR_materials_ior",
        "KHR_materials_pbrSpecularGlossiness",
        "KHR_materials_transmission",
        "KHR_mesh_quantization",
        "KHR_texture_transform",
        // Other looks of the same scene.
        "KHR_materials_variants",
    ];
    let used = root.extensions_used.iter().map(String::as_str);
    used.filter(|name| !READ.contains(name) && !name.starts_with("KHR_xmp"))
}
