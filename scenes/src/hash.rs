//! The content hash that identifies an input in every result.
//!
//! FNV-1a, 64 bits, over the nine coordinates of each triangle as
//! little-endian `f32` bytes, in order, and over those of an offset as `f64`
//! unless it is 0. It is a fingerprint against mix-ups, not against forgery.

use glam::{DVec3, Vec3};

const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// FNV-1a, 64 bits, over bytes.
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(OFFSET_BASIS, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(PRIME)
    })
}

/// FNV-1a over triangles, as the module says.
pub(crate) fn of_triangles(triangles: impl Iterator<Item = [Vec3; 3]>, offset: DVec3) -> u64 {
    let offset = (offset != DVec3::ZERO).then(|| offset.to_array().map(f64::to_le_bytes));
    fnv1a(
        triangles
            .flatten()
            .flat_map(|corner| corner.to_array())
            .flat_map(f32::to_le_bytes)
            .chain(offset.into_iter().flatten().flatten()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_test_vectors_hold() {
        assert_eq!(fnv1a(*b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(*b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(*b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn order_and_every_coordinate_count() {
        let a = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let b = [Vec3::ZERO, Vec3::X, Vec3::Z];
        let hash = |list: &[[Vec3; 3]]| of_triangles(list.iter().copied(), DVec3::ZERO);
        assert_ne!(hash(&[a, b]), hash(&[b, a]));
        assert_ne!(hash(&[a]), hash(&[b]));
        assert_eq!(hash(&[a, b]), hash(&[a, b]));
        let moved = of_triangles([a].into_iter(), DVec3::Y);
        assert!(moved != hash(&[a]) && moved != of_triangles([a].into_iter(), DVec3::X));
    }
}
