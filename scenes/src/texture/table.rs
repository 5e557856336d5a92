//! Textures of a scene as they are found, each combination once.

use super::{Images, Texture};
use std::collections::HashMap;

/// The images and textures found so far.
#[derive(Debug, Default)]
pub struct Table {
    pub images: Images,
    pub textures: Vec<Texture>,
    known: HashMap<Key, u32>,
}

/// The identity of a texture: image, wraps, filter, and the bits of its map.
type Key = (u32, [u8; 2], bool, [u32; 6]);

impl Table {
    /// The number of a texture.
    pub fn add(&mut self, texture: Texture) -> u32 {
        let key = (
            texture.image,
            texture.wrap.map(|wrap| wrap as u8),
            texture.is_linear,
            texture.map.map(f32::to_bits),
        );
        *self.known.entry(key).or_insert_with(|| {
            self.textures.push(texture);
            self.textures.len() as u32 - 1
        })
    }
}
