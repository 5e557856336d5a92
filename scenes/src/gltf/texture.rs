//! Textures of glTF: which coordinates they take, how they lie over surfaces, and their images.

use super::accessor::Accessors;
use super::material::glossy;
use super::{buffer, json};
use crate::texture::{MAX_IMAGE_BYTES, Role, Table};
use crate::{MaterialTextures, Texture, Warning, Wrap};
use gltf_json::image::Image;
use gltf_json::material::AlphaMode;
use gltf_json::texture::{Info, MagFilter, Sampler, WrappingMode};
use gltf_json::validation::Checked;
use gltf_json::{Index, Material, Root};

/// The textures of a material that are read.
fn infos(material: &Material) -> [Option<&Info>; 3] {
    let surface = &material.pbr_metallic_roughness;
    let [base, metal] = match glossy(material) {
        Some(glossy) => [glossy.diffuse_texture.as_ref(), None],
        None => [
            surface.base_color_texture.as_ref(),
            surface.metallic_roughness_texture.as_ref(),
        ],
    };
    [base, material.emissive_texture.as_ref(), metal]
}

/// The set of coordinates that a texture takes.
fn set(info: &Info) -> u32 {
    let extensions = info.extensions.as_ref();
    let transform = extensions.and_then(|all| all.texture_transform.as_ref());
    let other = transform.and_then(|transform| transform.tex_coord);
    other.unwrap_or(info.tex_coord)
}

/// The set that a material's triangles are to have: that of its first texture.
pub(super) fn set_of(material: &Material) -> Option<u32> {
    infos(material).into_iter().flatten().next().map(set)
}

/// The map of texture coordinates by `KHR_texture_transform`, which scales, rotates and then
/// translates. A rotation is counterclockwise as images are seen, whose rows go down.
fn map(info: &Info) -> [f32; 6] {
    let extensions = info.extensions.as_ref();
    let Some(transform) = extensions.and_then(|all| all.texture_transform.as_ref()) else {
        return [1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    };
    let (sin, cos) = f64::from(transform.rotation.0).sin_cos();
    let [across, down] = transform.scale.0.map(f64::from);
    let [x, y] = transform.offset.0;
    [
        (cos * across) as f32,
        (sin * down) as f32,
        x,
        (-sin * across) as f32,
        (cos * down) as f32,
        y,
    ]
}

fn wrap(mode: Checked<WrappingMode>) -> Wrap {
    match mode {
        Checked::Valid(WrappingMode::ClampToEdge) => Wrap::Clamp,
        Checked::Valid(WrappingMode::MirroredRepeat) => Wrap::Mirror,
        Checked::Valid(WrappingMode::Repeat) | Checked::Invalid => Wrap::Repeat,
    }
}

/// Fetches textures of one file.
pub(super) struct Textures<'a, 'b> {
    pub root: &'a Root,
    pub accessors: &'b mut Accessors<'a>,
    /// The name of the file in messages.
    pub name: &'b str,
    /// Whether vertices have colours.
    pub has_colours: bool,
    pub table: Table,
    pub warnings: &'b mut Vec<Warning>,
}

impl Textures<'_, '_> {
    /// The textures of a material, without those that cannot be had.
    pub fn of(&mut self, index: usize) -> MaterialTextures {
        let root = self.root;
        let material = &root.materials[index];
        let [base, emission, surface] = infos(material);
        let chosen = set_of(material);
        let mut get = |info: Option<&Info>, what: &str, role| {
            let info = info?;
            let place = format!("materials[{index}].{what}");
            if Some(set(info)) != chosen {
                let cause = "it takes other coordinates than the material's first texture";
                self.warn(&place, cause.to_owned());
                return None;
            }
            self.texture(info, &place, role)
        };
        let base_number = get(base, "baseColorTexture", Role::Colour);
        let has_alpha = |mode| material.alpha_mode == Checked::Valid(mode);
        MaterialTextures {
            base: base_number,
            emission: get(emission, "emissiveTexture", Role::Colour),
            surface: get(surface, "metallicRoughnessTexture", Role::Colour),
            opacity: base_number
                .filter(|_| has_alpha(AlphaMode::Blend) || has_alpha(AlphaMode::Mask)),
            cutoff: ((base_number.is_some() || self.has_colours) && has_alpha(AlphaMode::Mask))
                .then(|| super::material::cutoff(material)),
        }
    }

    fn warn(&mut self, place: &str, cause: String) {
        self.warnings.push(Warning::Texture {
            place: format!("{}: {place}", self.name),
            cause,
        });
    }

    fn texture(&mut self, info: &Info, place: &str, role: Role) -> Option<u32> {
        let index = info.index;
        let Some(texture) = self.root.get(index) else {
            self.warn(place, format!("textures[{index}] does not exist"));
            return None;
        };
        if json::is_absent(texture.source) {
            let cause = "names no image of a kind that is read";
            self.warn(place, format!("textures[{index}] {cause}"));
            return None;
        }
        let map = map(info);
        if !map.iter().all(|number| number.is_finite()) {
            self.warn(
                place,
                "its transform has a number that is too large".to_owned(),
            );
            return None;
        }
        let default = Sampler::default();
        let sampler = match texture.sampler.map(|sampler| self.root.get(sampler)) {
            None => &default,
            Some(Some(sampler)) => sampler,
            Some(None) => {
                self.warn(place, "its sampler does not exist".to_owned());
                return None;
            }
        };
        let name = format!("images[{}]", texture.source);
        let accessors = &mut *self.accessors;
        let image = self
            .table
            .images
            .get(&name, role, || bytes(accessors, texture.source));
        match image {
            Ok(image) => Some(self.table.add(Texture {
                image: image?,
                wrap: [sampler.wrap_s, sampler.wrap_t].map(wrap),
                is_linear: sampler.mag_filter != Some(Checked::Valid(MagFilter::Nearest)),
                map,
            })),
            Err(cause) => {
                self.warn(&name, cause);
                None
            }
        }
    }
}

/// The bytes of an image: of a buffer's view, a data URI or a file beside the scene.
fn bytes(accessors: &mut Accessors, index: Index<Image>) -> Result<Vec<u8>, String> {
    let place = format!("images[{index}]");
    let Some(image) = accessors.root.get(index) else {
        return Err("it does not exist".to_owned());
    };
    match (image.buffer_view, &image.uri) {
        (Some(view), _) => {
            let (bytes, _) =
                (accessors.buffers.view(view, &place)).map_err(|error| error.to_string())?;
            Ok(bytes.to_vec())
        }
        (None, Some(uri)) => buffer::resolve(uri, 0, MAX_IMAGE_BYTES, accessors.buffers.file),
        (None, None) => Err("it has neither a bufferView nor a uri".to_owned()),
    }
}
