//! A scene whose surfaces have normals of their own.

use glam::Vec3;
use heapwood_scenes::{Material, Scene};

use crate::soup::{Random, moved, sphere};

/// Balls of few triangles with the normals of spheres, matt, of metal and of glass, and a ball
/// where some triangles have none; a floor with waves that its triangles do not have; a wall whose
/// normals point anywhere.
///
/// # Panics
///
/// If its parts do not fit.
pub fn smooth() -> Scene {
    let materials = vec![
        Material::matt("floor", Vec3::new(0.5, 0.5, 0.55)),
        Material::matt("clay", Vec3::new(0.8, 0.45, 0.3)),
        Material {
            roughness: Some(0.35),
            metallic: 1.0,
            ..Material::matt("metal", Vec3::new(0.9, 0.8, 0.5))
        },
        Material {
            roughness: Some(0.0),
            metallic: 1.0,
            ..Material::matt("mirror", Vec3::splat(0.9))
        },
        Material {
            transmission: 1.0,
            ..Material::matt("glass", Vec3::ONE)
        },
        Material {
            emission: Vec3::new(9.0, 8.0, 6.0),
            ..Material::matt("lamp", Vec3::splat(0.5))
        },
        Material {
            opacity: 0.5,
            ..Material::matt("veil", Vec3::new(0.3, 0.6, 0.3))
        },
    ];
    let (mut list, mut normals, mut material_of) = (Vec::new(), Vec::new(), Vec::new());
    let mut add =
        |triangles: &[[[f32; 3]; 3]], material: u32, normal: &mut dyn FnMut(Vec3) -> Vec3| {
            for triangle in triangles {
                let corners = triangle.map(Vec3::from_array);
                list.push(corners);
                normals.push(corners.map(&mut *normal));
                material_of.push(material);
            }
        };
    let side = |across: u32, up: u32| [across as f32 * 2.0 - 5.0, 0.0, up as f32 * 2.0 - 5.0];
    let squares = (0..25).map(|at| (at % 5, at / 5));
    let floor: Vec<_> = squares
        .flat_map(|(x, z)| {
            let [a, b, c, d] = [
                side(x, z),
                side(x + 1, z),
                side(x + 1, z + 1),
                side(x, z + 1),
            ];
            [[a, d, c], [a, c, b]]
        })
        .collect();
    let unit = |v: Vec3| v / v.length();
    add(&floor, 0, &mut |at| {
        // Corners are 2 apart: the sides of waves, without sines.
        let slope = |of: f32| [0.0, 0.25, -0.25][(of + 5.0) as usize / 2 % 3];
        unit(Vec3::new(slope(at.x), 1.0, slope(at.z)))
    });
    for (material, radius, centre) in [
        (1, 1.0, [-2.6, 1.0, 0.5]),
        (2, 1.0, [0.0, 1.0, -1.5]),
        (3, 0.9, [2.6, 0.9, -0.5]),
        (4, 0.8, [0.6, 0.8, 1.9]),
        (6, 0.7, [-1.2, 0.7, 2.4]),
        (5, 0.6, [-0.5, 4.0, 1.0]),
    ] {
        let centre = Vec3::from_array(centre);
        let ball = moved(&sphere(3), radius, centre.to_array());
        add(&ball, material, &mut |at| unit(at - centre));
    }
    let patched = moved(&sphere(4), 0.6, [3.2, 0.6, 2.2]);
    for (number, triangle) in patched.iter().enumerate() {
        let centre = Vec3::new(3.2, 0.6, 2.2);
        add(&[*triangle], 1, &mut |at| match number % 3 {
            0 => Vec3::ZERO,
            _ => unit(at - centre),
        });
    }
    let wall: Vec<_> = floor
        .iter()
        .map(|triangle| triangle.map(|[x, _, z]| [x, z + 5.0, -5.0]))
        .collect();
    let mut random = Random(8);
    add(&wall, 0, &mut |_| {
        let normal = Vec3::from_array(random.point(1.0));
        if normal.length() < 0.2 {
            Vec3::ZERO
        } else {
            unit(normal)
        }
    });
    let corners = (0..list.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
    let vertices = list.into_iter().flatten().collect();
    let scene = Scene::new(
        "smooth",
        vertices,
        corners.collect(),
        materials,
        material_of,
    );
    let scene = scene.expect("parts that fit").with_normals(normals);
    scene.expect("normals that fit")
}
