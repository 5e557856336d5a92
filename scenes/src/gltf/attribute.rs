//! Attributes of vertices that a mesh is read without if they are faulty: texture coordinates,
//! normals and colours.

use super::accessor::Accessors;
use crate::Warning;
use crate::error::GltfProblem;
use gltf_json::{Accessor, Index};

/// Reads the elements of an accessor; the text is the primitive that asks.
type Read<'a, T> = fn(&mut Accessors<'a>, Index<Accessor>, &str) -> Result<Vec<T>, GltfProblem>;

/// Accessors that were left out: where they are, and why.
#[derive(Default)]
pub(super) struct LeftOut(Vec<(String, String)>);

impl LeftOut {
    /// The elements of an accessor, one for each of so many vertices; none if it cannot be read.
    /// `place` is the primitive that asks.
    pub fn or_elements<'a, T>(
        &mut self,
        accessors: &mut Accessors<'a>,
        (place, index): (&str, Index<Accessor>),
        vertices: usize,
        read: Read<'a, T>,
    ) -> Option<Vec<T>> {
        let count = accessors.get(index, place).map(|about| about.count.0);
        let found = match count {
            Ok(others) if others != vertices as u64 => {
                Err(format!("it has {others} elements for {vertices} vertices"))
            }
            Ok(_) => read(accessors, index, place).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        found
            .map_err(|cause| {
                let place = format!("accessors[{index}]");
                if !self.0.iter().any(|(other, _)| *other == place) {
                    self.0.push((place, cause));
                }
            })
            .ok()
    }

    /// A warning for each, about `what` it has.
    pub fn warnings(self, name: &str, what: &str) -> Vec<Warning> {
        let warning = |(place, cause)| Warning::LeftOut {
            path: name.to_owned(),
            what: format!("{place}, of {what},"),
            cause,
        };
        self.0.into_iter().map(warning).collect()
    }

    /// The same about textures.
    pub fn warnings_of_textures(self, name: &str) -> impl Iterator<Item = Warning> {
        self.0
            .into_iter()
            .map(move |(place, cause)| Warning::Texture {
                place: format!("{name}: {place}"),
                cause,
            })
    }
}
