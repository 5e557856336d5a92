//! The cleaning pass between any source of triangles and the tree builder.
//!
//! After it every triangle has finite positions of bounded magnitude and a
//! cross product that is not zero, every -0 is +0, and every vertex is used.
//! The order of what is kept is the order of the input, on any number of
//! threads.

mod repeated;

use self::repeated::{hash, repeated};
use crate::precision::doubled_area;
use crate::scene::Parts;
use crate::{MAX_COORDINATE, Scene, SceneError};
use glam::Vec3;
use rayon::prelude::*;
use std::fmt;

/// Options of [`Scene::clean`] beyond the removal of triangles that cannot be rendered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CleanOptions {
    /// Keep triangles that repeat an earlier one; they are counted all the same.
    pub keep_duplicates: bool,
    /// Keep the number of each triangle's face in the file: [`Scene::face`]. It takes 4 bytes per
    /// triangle. A scene that was cleaned without it has lost the numbers.
    pub keep_faces: bool,
}

/// Counts of triangles from the cleaning pass.
///
/// `read == kept + degenerate + non_finite + duplicates`, except that with
/// [`CleanOptions::keep_duplicates`] the duplicates are part of `kept`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CleanReport {
    /// Triangles before.
    pub read: usize,
    /// Without area: two equal positions, or a cross product that is zero or underflows to it.
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
            mut colours,
            mut faces,
            cameras,
            lights,
            offset,
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
            let underflows = |&t: &u32| has_underflow(positions(t));
            return Err(SceneError::AllDegenerate {
                name,
                count: report.read,
                underflowed: (0..report.read as u32).filter(underflows).count(),
            });
        }

        if options.keep_faces || !faces.is_empty() {
            let face = |&t: &u32| faces.get(t as usize).copied().unwrap_or(t);
            faces = kept.iter().map(face).collect();
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
                if !colours.is_empty() {
                    colours = kept.iter().map(|&t| colours[t as usize]).collect();
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
            colours,
            faces,
            cameras,
            lights,
            offset,
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
#[inline]
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

/// Whether a triangle has no area because the one that it has underflows in `f32`.
fn has_underflow(corners: [Vec3; 3]) -> bool {
    let exact = corners.map(|corner| corner.to_array().map(f64::from));
    let area = doubled_area(exact);
    fault(corners) == Some(Fault::Degenerate) && 0.0 < area && area < f32::MIN_POSITIVE.into()
}

/// `v` with +0 for -0: in IEEE arithmetic -0 + +0 is +0 and x + 0 is x.
pub(crate) fn positive_zero(v: Vec3) -> Vec3 {
    v + Vec3::ZERO
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
    fn faces_are_the_triangles_before_cleaning_where_no_file_has_others() {
        let list = [[A, A, B], [A, B, D], [D, B, A], [A, B, C]];
        let options = CleanOptions {
            keep_faces: true,
            ..CleanOptions::default()
        };
        let scene = Scene::from_triangles("s", &list);
        let (scene, _) = scene.clean(options).unwrap();
        // Another pass, which asks for nothing, keeps them.
        let (scene, _) = scene.clean(CleanOptions::default()).unwrap();
        assert_eq!([0, 1, 2].map(|t| scene.face(t)), [Some(1), Some(3), None]);
        assert_eq!(clean(&list).unwrap().0.face(0), None);
    }

    #[test]
    fn duplicates_stay_on_request_but_are_counted() {
        let options = CleanOptions {
            keep_duplicates: true,
            ..CleanOptions::default()
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
        let tiny = [A, B, C].map(|corner| corner * 1e-24);
        let error = clean(&[[A, A, B], tiny]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "s: all 2 triangles are degenerate (no area or no finite position); 1 are so small \
             that 32-bit floats hold no area of them: scale the scene up"
        );
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
