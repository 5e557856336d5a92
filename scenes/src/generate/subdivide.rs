//! Midpoint subdivision with displacement.
//!
//! Each level cuts every triangle into four at its edge midpoints. A midpoint
//! is made once per edge of the welded mesh, from data of that edge alone, so
//! triangles that shared an edge still share both halves: no cracks open.

use super::{MAX_TRIANGLES, noise};
use crate::clean::positive_zero;
use crate::normals::{NO_NORMAL, sound};
use crate::{Scene, SceneError};
use glam::Vec3;
use rayon::prelude::*;

/// How new vertices move off the old surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Displacement {
    /// Largest shift along the normal, as a part of the cut edge's length; 0
    /// keeps the surface.
    pub amplitude: f32,
    /// Size of the noise's features, as a part of the scene's largest extent.
    pub feature: f32,
    /// Chooses the noise.
    pub seed: u32,
}

impl Displacement {
    /// New vertices stay on the old surface.
    pub const NONE: Displacement = Displacement {
        amplitude: 0.0,
        feature: 0.1,
        seed: 0,
    };
}

/// `scene` with every triangle cut into four, `levels` times over.
///
/// Triangles stay in order: the four parts of triangle `t` are `4t` to
/// `4t + 3`. With displacement some may come out degenerate; clean afterwards.
///
/// # Errors
/// [`SceneError::TooMany`] beyond [`MAX_TRIANGLES`].
pub fn subdivide(
    scene: &Scene,
    levels: u32,
    displacement: Displacement,
) -> Result<Scene, SceneError> {
    let count = 4u64
        .checked_pow(levels)
        .and_then(|parts| parts.checked_mul(scene.len() as u64))
        .unwrap_or(u64::MAX);
    if count > MAX_TRIANGLES {
        return Err(SceneError::TooMany {
            name: scene.name().to_owned(),
            count,
            limit: MAX_TRIANGLES,
        });
    }
    let extent = scene.bounds().extent().max_element();
    let shift = Shift {
        amplitude: displacement.amplitude,
        frequency: 1.0 / (extent * displacement.feature).max(f32::MIN_POSITIVE),
        seed: displacement.seed,
    };
    let mut parts = scene.clone().into_parts();
    (parts.vertices, parts.triangles) = welded(parts.vertices, parts.triangles);
    if displacement.amplitude != 0.0 {
        // Those of the old surface say nothing of the new one.
        parts.normals.clear();
    }
    for _ in 0..levels {
        (parts.vertices, parts.triangles) = cut(parts.vertices, &parts.triangles, shift);
        let (materials, coordinates) = (parts.material_of, parts.texturing.coordinates);
        parts.normals = parts
            .normals
            .into_iter()
            .flat_map(quarters_of_normals)
            .collect();
        parts.material_of = materials.into_iter().flat_map(|m| [m; 4]).collect();
        parts.texturing.coordinates = coordinates.into_iter().flat_map(quarters).collect();
        parts.colours = parts.colours.into_iter().flat_map(quarters).collect();
    }
    Scene::from_parts(parts)
}

/// `scene`, subdivided as few times as give at least `target` triangles.
///
/// # Errors
/// As [`subdivide`]; [`SceneError::NoTriangles`] for an empty scene.
pub fn subdivide_to(
    scene: &Scene,
    target: u64,
    displacement: Displacement,
) -> Result<Scene, SceneError> {
    if scene.is_empty() {
        return Err(SceneError::NoTriangles {
            name: scene.name().to_owned(),
        });
    }
    let mut levels = 0;
    let mut count = scene.len() as u64;
    while count < target {
        levels += 1;
        count = count.saturating_mul(4);
    }
    subdivide(scene, levels, displacement)
}

/// [`Displacement`] in scene units.
#[derive(Clone, Copy)]
struct Shift {
    amplitude: f32,
    frequency: f32,
    seed: u32,
}

/// The mesh with one vertex for each position, in order of position.
fn welded(vertices: Vec<Vec3>, mut triangles: Vec<[u32; 3]>) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let key = |v: &Vec3| positive_zero(*v).to_array().map(f32::to_bits);
    let mut keys: Vec<[u32; 3]> = vertices.par_iter().map(key).collect();
    keys.par_sort_unstable();
    keys.dedup();
    let index: Vec<u32> = vertices
        .par_iter()
        .map(|v| position_of(&keys, &key(v)))
        .collect();
    triangles
        .par_iter_mut()
        .for_each(|t| *t = t.map(|v| index[v as usize]));
    let unique = keys
        .into_iter()
        .map(|key| Vec3::from_array(key.map(f32::from_bits)))
        .collect();
    (unique, triangles)
}

/// Where `key` is in a sorted list that holds it.
fn position_of<K: Ord>(sorted: &[K], key: &K) -> u32 {
    sorted.partition_point(|other| other < key) as u32
}

/// One level: midpoints behind the old vertices, four triangles for each.
fn cut(
    mut vertices: Vec<Vec3>,
    triangles: &[[u32; 3]],
    shift: Shift,
) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let edge = |a: u32, b: u32| (a.min(b), a.max(b));
    let mut edges: Vec<(u32, u32)> = triangles
        .par_iter()
        .flat_map_iter(|&[a, b, c]| [edge(a, b), edge(b, c), edge(c, a)])
        .collect();
    edges.par_sort_unstable();
    edges.dedup();

    let normals = vertex_normals(&vertices, triangles);
    let midpoints: Vec<Vec3> = edges
        .par_iter()
        .map(|&(a, b)| {
            let (a, b) = (a as usize, b as usize);
            let (from, to) = (vertices[a], vertices[b]);
            let middle = from * 0.5 + to * 0.5;
            let normal = (normals[a] + normals[b]).normalize_or_zero();
            let noise = noise::value(middle * shift.frequency, shift.seed);
            middle + normal * (shift.amplitude * noise * from.distance(to))
        })
        .collect();

    let first = vertices.len() as u32;
    let middle = |a: u32, b: u32| first + position_of(&edges, &edge(a, b));
    let parts = triangles
        .par_iter()
        .flat_map_iter(|&[a, b, c]| {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        })
        .collect();
    vertices.extend(midpoints);
    (vertices, parts)
}

/// The texture coordinates of a triangle's four parts, in the order of [`cut`].
fn quarters<const N: usize>([a, b, c]: [[f32; N]; 3]) -> [[[f32; N]; 3]; 4] {
    let middle = |p: [f32; N], q: [f32; N]| std::array::from_fn(|at| 0.5 * p[at] + 0.5 * q[at]);
    let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
    [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
}

/// The normals of a triangle's four parts, in the order of [`cut`]; none in between where one is
/// missing, or both cancel out.
fn quarters_of_normals([a, b, c]: [Vec3; 3]) -> [[Vec3; 3]; 4] {
    let middle = |p: Vec3, q: Vec3| match p == NO_NORMAL || q == NO_NORMAL {
        true => NO_NORMAL,
        false => sound((p + q).to_array().map(f64::from)).0,
    };
    let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
    [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
}

/// Per vertex, the unit mean of its triangles' unit normals; zero where they
/// cancel. Summed in triangle order, so that the result is reproducible.
fn vertex_normals(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; vertices.len()];
    for corners in triangles {
        let [a, b, c] = corners.map(|v| vertices[v as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        for v in corners {
            normals[*v as usize] += normal;
        }
    }
    normals
        .into_par_iter()
        .map(Vec3::normalize_or_zero)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::by_name;
    use crate::generate::testing::edges_by_position;

    const ROUGH: Displacement = Displacement {
        amplitude: 0.2,
        feature: 0.1,
        seed: 5,
    };

    #[test]
    fn a_closed_surface_stays_closed_under_displacement() {
        // Loose triangles: closedness must come from positions alone.
        let knot = Scene::from_triangles("loose", &by_name("knot").unwrap().positions());
        assert!(edges_by_position(&knot).values().all(|&n| n == 2));
        let rough = subdivide(&knot, 2, ROUGH).unwrap();
        assert_eq!(rough.len(), 16 * knot.len());
        assert!(edges_by_position(&rough).values().all(|&n| n == 2));
        assert_ne!(rough, subdivide(&knot, 2, Displacement::NONE).unwrap());
    }

    #[test]
    fn area_and_materials_stay_without_displacement() {
        let scene = by_name("terrain").unwrap();
        let fine = subdivide(&scene, 1, Displacement::NONE).unwrap();
        let area = |s: &Scene| -> f64 {
            let twice = |[a, b, c]: &[Vec3; 3]| f64::from((*b - *a).cross(*c - *a).length());
            s.positions().iter().map(twice).sum()
        };
        assert!((area(&scene) / area(&fine) - 1.0).abs() < 1e-5);
        for t in 0..scene.len() {
            let parts = &fine.material_of()[4 * t..4 * t + 4];
            assert_eq!(parts, [scene.material_of()[t]; 4]);
        }
    }

    #[test]
    fn the_target_is_reached_and_the_seed_decides() {
        let scene = by_name("terrain").unwrap();
        let a = subdivide_to(&scene, 10_000, ROUGH).unwrap();
        assert_eq!(a.len(), 2048 * 16);
        assert_eq!(a, subdivide_to(&scene, 10_000, ROUGH).unwrap());
        let other = Displacement { seed: 6, ..ROUGH };
        assert_ne!(a, subdivide_to(&scene, 10_000, other).unwrap());
        assert_eq!(subdivide_to(&scene, 1, ROUGH).unwrap().len(), 2048);
    }

    #[test]
    fn displaced_vertices_stay_near_the_middle_of_their_edge() {
        let [a, b, c] = [
            Vec3::ZERO,
            Vec3::new(0.0, 0.0, 3.0),
            Vec3::new(4.0, 0.0, 0.0),
        ];
        let flat = Scene::from_triangles("flat", &[[a, b, c]]);
        let mut highest = 0.0_f32;
        for seed in 0..20 {
            let rough = Displacement { seed, ..ROUGH };
            let fine = subdivide(&flat, 1, rough).unwrap();
            let [ab, bc, ca] = fine.triangle(3);
            for (middle, from, to) in [(ab, a, b), (bc, b, c), (ca, c, a)] {
                // The normal is upright, so that only the height changes.
                assert_eq!(middle.with_y(0.0), (from + to) / 2.0);
                let part = middle.y.abs() / from.distance(to);
                assert!(part <= rough.amplitude, "{part}");
                highest = highest.max(part);
            }
        }
        assert!(highest > 0.5 * ROUGH.amplitude, "{highest}");
    }

    #[test]
    fn a_scene_of_another_size_gets_the_same_shape() {
        let scaled = |scene: &Scene| -> Vec<[Vec3; 3]> {
            let positions = scene.positions().into_iter();
            positions.map(|t| t.map(|v| v * 4.0)).collect()
        };
        let knot = by_name("knot").unwrap();
        let large = Scene::from_triangles("large", &scaled(&knot));
        let fine = subdivide(&knot, 1, ROUGH).unwrap();
        let large = subdivide(&large, 1, ROUGH).unwrap();
        // Exactly, since a power of two rounds nothing.
        assert_eq!(large.positions(), scaled(&fine));
    }

    #[test]
    fn a_seed_gives_the_same_bits_everywhere() {
        let knot = subdivide(&by_name("knot").unwrap(), 1, ROUGH).unwrap();
        assert_eq!(knot.input_hash(), 0x50c4_8d93_9147_fb35);
    }

    #[test]
    fn too_many_are_refused() {
        let scene = by_name("terrain").unwrap();
        for target in [MAX_TRIANGLES + 1, u64::MAX] {
            assert!(matches!(
                subdivide_to(&scene, target, ROUGH),
                Err(SceneError::TooMany { .. })
            ));
        }
    }
}
