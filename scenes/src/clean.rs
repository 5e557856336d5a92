//! The cleaning pass between any source of triangles and the tree builder.
//!
//! After it every triangle has finite positions of bounded magnitude and a
//! cross product that is not zero, every -0 is +0, and every vertex is used.
//! The order of what is kept is the order of the input, on any number of
//! threads.

use crate::scene::Parts;
use crate::{MAX_COORDINATE, Scene, SceneError};
use glam::Vec3;
use rayon::prelude::*;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// What [`Scene::clean`] does beyond removing what cannot be rendered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CleanOptions {
    /// Keep triangles that repeat an earlier one; they are counted all the same.
    pub keep_duplicates: bool,
}

/// What the cleaning pass found, in triangles.
///
/// `read == kept + degenerate + non_finite + duplicates`, except that with
/// [`CleanOptions::keep_duplicates`] the duplicates are part of `kept`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CleanReport {
    /// Triangles before.
    pub read: usize,
    /// Without area: two equal positions or a cross product of exactly zero.
    pub degenerate: usize,
    /// With a NaN, an infinity or a coordinate beyond [`MAX_COORDINATE`].
    pub non_finite: usize,
    /// With the same three positions, in any order, as an earlier triangle.
    pub duplicates: usize,
    /// Triangles after.
    pub kept: usize,
}

impl fmt::Display for CleanReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} triangles read, {} kept ({} degenerate, {} non-finite, {} duplicate)",
            self.read, self.kept, self.degenerate, self.non_finite, self.duplicates
        )
    }
}

impl Scene {
    /// This scene without triangles that cannot be rendered, and a report.
    ///
    /// # Errors
    /// [`SceneError::NoTriangles`] if there were none,
    /// [`SceneError::AllDegenerate`] if none is left.
    pub fn clean(self, options: CleanOptions) -> Result<(Scene, CleanReport), SceneError> {
        let Parts {
            name,
            mut vertices,
            triangles,
            materials,
            material_of,
            mut texturing,
            mut normals,
            cameras,
            lights,
        } = self.into_parts();
        if triangles.is_empty() {
            return Err(SceneError::NoTriangles { name });
        }
        vertices.par_iter_mut().for_each(|v| *v = positive_zero(*v));

        let positions = |t: u32| triangles[t as usize].map(|v| vertices[v as usize]);
        let (faults, hashes): (Vec<Option<Fault>>, Vec<u64>) = (0..triangles.len() as u32)
            .into_par_iter()
            .map(|t| {
                let corners = positions(t);
                (fault(corners), hash(corners))
            })
            .unzip();
        let sound: Vec<u32> = (0..triangles.len() as u32)
            .filter(|&t| faults[t as usize].is_none())
            .collect();
        let duplicate = repeated(&sound, &hashes, positions);

        let kept: Vec<u32> = sound
            .iter()
            .zip(&duplicate)
            .filter(|&(_, &duplicate)| options.keep_duplicates || !duplicate)
            .map(|(&t, _)| t)
            .collect();
        let count = |which| faults.iter().filter(|&&f| f == Some(which)).count();
        let report = CleanReport {
            read: triangles.len(),
            degenerate: count(Fault::Degenerate),
            non_finite: count(Fault::NonFinite),
            duplicates: duplicate.iter().filter(|&&d| d).count(),
            kept: kept.len(),
        };
        if kept.is_empty() {
            return Err(SceneError::AllDegenerate {
                name,
                count: report.read,
            });
        }

        let (kept_triangles, kept_materials) = match kept.len() == triangles.len() {
            true => (triangles, material_of),
            false => {
                if !texturing.coordinates.is_empty() {
                    let of_kept = kept.iter().map(|&t| texturing.coordinates[t as usize]);
                    texturing.coordinates = of_kept.collect();
                }
                if !normals.is_empty() {
                    normals = kept.iter().map(|&t| normals[t as usize]).collect();
                }
                let both = |&t: &u32| (triangles[t as usize], material_of[t as usize]);
                kept.iter().map(both).unzip()
            }
        };
        let (vertices, kept_triangles) = without_unused(vertices, kept_triangles);
        let scene = Scene::from_parts(Parts {
            name,
            vertices,
            triangles: kept_triangles,
            materials,
            material_of: kept_materials,
            texturing,
            normals,
            cameras,
            lights,
        })?;
        Ok((scene, report))
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    NonFinite,
    Degenerate,
}

/// Why a triangle cannot be kept. The cross product is the renderer's, in
/// `f32`: a sliver that underflows there can never be hit.
fn fault([a, b, c]: [Vec3; 3]) -> Option<Fault> {
    let bounded = |v: Vec3| v.abs().cmple(Vec3::splat(MAX_COORDINATE)).all();
    if ![a, b, c].into_iter().all(bounded) {
        Some(Fault::NonFinite)
    } else if a == b || b == c || c == a || (b - a).cross(c - a) == Vec3::ZERO {
        Some(Fault::Degenerate)
    } else {
        None
    }
}

/// `v` with +0 for -0: in IEEE arithmetic -0 + +0 is +0 and x + 0 is x.
pub(crate) fn positive_zero(v: Vec3) -> Vec3 {
    v + Vec3::ZERO
}

/// For each of `ids`, whether an earlier one has the same three positions;
/// `hashes` are those of all triangles.
///
/// A filter finds those whose hash meets another one; equal triangles among
/// them become neighbours by sorting on the hash first, which decides almost
/// every comparison, then on the positions themselves.
fn repeated(ids: &[u32], hashes: &[u64], positions: impl Fn(u32) -> [Vec3; 3] + Sync) -> Vec<bool> {
    let hash = |slot: u32| hashes[ids[slot as usize] as usize];
    let key = |slot: u32| {
        let corners = positions(ids[slot as usize]);
        let mut corners = corners.map(|v| v.to_array().map(f32::to_bits));
        corners.sort_unstable();
        corners
    };
    let slots = (0..ids.len() as u32).into_par_iter();
    let met = met(slots.clone().map(hash), ids.len());
    let mut order: Vec<(u64, u32)> = slots
        .map(|slot| (hash(slot), slot))
        .filter(|&(hash, _)| met.has(hash))
        .collect();
    order.par_sort_unstable_by(|a, b| {
        a.0.cmp(&b.0)
            .then_with(|| key(a.1).cmp(&key(b.1)))
            .then_with(|| a.1.cmp(&b.1))
    });
    let mut duplicate = vec![false; ids.len()];
    for pair in order.windows(2) {
        let [(first_hash, first), (second_hash, second)] = [pair[0], pair[1]];
        if first_hash == second_hash && key(first) == key(second) {
            duplicate[second as usize] = true;
        }
    }
    duplicate
}

/// A set of hashes that may have more of them than it was given, never fewer.
struct HashBits {
    words: Vec<AtomicU64>,
    /// How far to shift a hash right to get the number of its bit.
    shift: u32,
}

impl HashBits {
    /// An empty set with eight bits or more for each of so many hashes: of those that are not in
    /// it, about one in nine seems to be.
    fn new(hashes: usize) -> Self {
        let bits = (8 * hashes.max(8)).next_power_of_two();
        Self {
            words: (0..bits / 64).map(|_| AtomicU64::new(0)).collect(),
            shift: 64 - bits.ilog2(),
        }
    }

    /// The word of a hash, and its bit there. The upper bits of a product are the best mixed.
    fn bit(&self, hash: u64) -> (&AtomicU64, u64) {
        let bit = hash >> self.shift;
        (&self.words[(bit / 64) as usize], 1 << (bit % 64))
    }

    /// Adds a hash; whether it seems to have been there before.
    fn add(&self, hash: u64) -> bool {
        let (word, bit) = self.bit(hash);
        word.fetch_or(bit, Ordering::Relaxed) & bit != 0
    }

    fn has(&self, hash: u64) -> bool {
        let (word, bit) = self.bit(hash);
        word.load(Ordering::Relaxed) & bit != 0
    }
}

/// The hashes that are there more than once, and a few that are not.
///
/// Which of equal ones a thread adds first does not matter: the other one
/// meets it.
fn met(hashes: impl ParallelIterator<Item = u64>, count: usize) -> HashBits {
    let seen = HashBits::new(count);
    let met = HashBits::new(count);
    hashes.for_each(|hash| {
        if seen.add(hash) {
            met.add(hash);
        }
    });
    met
}

/// A hash of three positions in any order: the sum of word-wise multiplicative
/// hashes of each, enough to spread triangles.
fn hash(corners: [Vec3; 3]) -> u64 {
    let of_corner = |corner: Vec3| {
        let mixed = corner.to_array().into_iter().fold(0, |hash: u64, value| {
            (hash.rotate_left(23) ^ u64::from(value.to_bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        mixed ^ mixed >> 32
    };
    let sum = corners
        .map(of_corner)
        .into_iter()
        .fold(0, u64::wrapping_add);
    sum.wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Drops vertices that no triangle uses; the others keep their order.
fn without_unused(
    mut vertices: Vec<Vec3>,
    mut triangles: Vec<[u32; 3]>,
) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut used = vec![false; vertices.len()];
    for &v in triangles.as_flattened() {
        used[v as usize] = true;
    }
    if used.iter().all(|&used| used) {
        return (vertices, triangles);
    }
    let mut next = 0;
    let new_index: Vec<u32> = used
        .iter()
        .map(|&used| {
            let index = next;
            next += u32::from(used);
            index
        })
        .collect();
    for v in triangles.as_flattened_mut() {
        *v = new_index[*v as usize];
    }
    let mut used = used.into_iter();
    vertices.retain(|_| used.next() == Some(true));
    (vertices, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Vec3 = Vec3::ZERO;
    const B: Vec3 = Vec3::X;
    const C: Vec3 = Vec3::Y;
    const D: Vec3 = Vec3::Z;

    fn clean(list: &[[Vec3; 3]]) -> Result<(Scene, CleanReport), SceneError> {
        Scene::from_triangles("s", list).clean(CleanOptions::default())
    }

    #[test]
    fn each_fault_is_counted_once_and_order_is_kept() {
        let nan = Vec3::new(f32::NAN, 0.0, 0.0);
        let far = Vec3::new(0.0, 2e18, 0.0);
        let list = [
            [A, B, D],
            [A, A, B],
            [A, B, nan],
            [A, B, C],
            [D, A, B],
            [A, B, B * 2.0],
            [B, C, far],
            [C, B, A],
            [B, C, D],
        ];
        let (scene, report) = clean(&list).unwrap();
        assert_eq!(scene.positions(), [[A, B, D], [A, B, C], [B, C, D]]);
        let expected = CleanReport {
            read: 9,
            degenerate: 2,
            non_finite: 2,
            duplicates: 2,
            kept: 3,
        };
        assert_eq!(report, expected);
        assert_eq!(scene.vertices().len(), 9, "unused vertices are gone");
        assert_eq!(
            report.to_string(),
            "9 triangles read, 3 kept (2 degenerate, 2 non-finite, 2 duplicate)"
        );
    }

    #[test]
    fn normals_stay_with_their_triangles() {
        let list = [[A, A, B], [A, B, D], [D, B, A], [A, B, C]];
        let normals = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X].map(|normal| [normal; 3]);
        let scene = Scene::from_triangles("s", &list).with_normals(normals.to_vec());
        let (scene, _) = scene.unwrap().clean(CleanOptions::default()).unwrap();
        assert_eq!(scene.positions(), [list[1], list[3]]);
        assert_eq!(scene.normals(), [normals[1], normals[3]]);
    }

    #[test]
    fn duplicates_stay_on_request_but_are_counted() {
        let options = CleanOptions {
            keep_duplicates: true,
        };
        let scene = Scene::from_triangles("s", &[[A, B, C], [B, C, A], [A, B, C]]);
        let (scene, report) = scene.clean(options).unwrap();
        assert_eq!((scene.len(), report.kept, report.duplicates), (3, 3, 2));
    }

    #[test]
    fn each_of_many_copies_is_found_whatever_the_filter_lets_through() {
        // Copies far apart, with their corners turned, of one in three of many triangles.
        let at = |i: usize| Vec3::new(i as f32, (i % 7) as f32, 0.0);
        let mut list: Vec<_> = (0..30_000).map(|i| [at(i), at(i) + B, at(i) + D]).collect();
        let copies: Vec<_> = list.iter().step_by(3).map(|&[a, b, c]| [b, c, a]).collect();
        let expected = list.clone();
        list.extend(&copies);
        list.extend(&copies);
        let (scene, report) = clean(&list).unwrap();
        assert_eq!(report.duplicates, 20_000);
        assert_eq!(scene.positions(), expected);
        let hashes = [3, 1 << 63, 1 << 62, 5, 1 << 63];
        let met = met(hashes.into_par_iter(), hashes.len());
        assert!(met.has(1 << 63) && !met.has(1 << 62));
    }

    #[test]
    fn negative_zero_becomes_positive_and_equal() {
        let minus = Vec3::new(-0.0, -0.0, 0.0);
        let (scene, report) = clean(&[[minus, B, C], [A, B, C]]).unwrap();
        assert_eq!(report.duplicates, 1);
        let bits = scene
            .vertices()
            .iter()
            .flat_map(|v| v.to_array())
            .map(f32::to_bits);
        assert!(bits.into_iter().all(|b| b != (-0.0f32).to_bits()));
    }

    #[test]
    fn nothing_left_is_an_error() {
        let error = clean(&[[A, A, B], [A, B, B * 2.0]]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "s: all 2 triangles are degenerate (no area or no finite position)"
        );
        assert!(matches!(clean(&[]), Err(SceneError::NoTriangles { .. })));
    }

    #[test]
    fn triangles_without_area_are_found_anywhere() {
        let at = |x, y, z| Vec3::new(x, y, z);
        let list = [
            // Corners on a line, and two that are the same, far from the origin.
            [at(1.0, 2.0, 3.0), at(2.0, 4.0, 5.0), at(4.0, 8.0, 9.0)],
            [at(1.0, 2.0, 3.0), at(1.0, 2.0, 3.0), at(4.0, 8.0, 8.0)],
            [at(1.0, 2.0, 3.0), at(4.0, 8.0, 8.0), at(4.0, 8.0, 8.0)],
            [at(1.0, 2.0, 3.0), at(4.0, 8.0, 8.0), at(1.0, 2.0, 3.0)],
            // A line through the origin meets two corners of this one.
            [at(1.0, 2.0, 3.0), at(2.0, 4.0, 6.0), at(4.0, 8.0, 9.0)],
        ];
        let (scene, report) = clean(&list).unwrap();
        assert_eq!((report.degenerate, report.kept), (4, 1));
        assert_eq!(scene.positions(), [list[4]]);
    }

    #[test]
    fn one_triangle_and_flat_scenes_are_fine() {
        assert_eq!(clean(&[[A, B, C]]).unwrap().0.len(), 1);
        let flat: Vec<_> = (0..100)
            .map(|i| [A, B, C].map(|v| v + Vec3::X * i as f32))
            .collect();
        assert_eq!(clean(&flat).unwrap().1.kept, 100);
    }
}
