//! Rays through the trees that the CPU backend builds hit what testing every
//! triangle finds, bit for bit: all of a 512x512 image and 100,000 random ones
//! in each scene of up to 10,000 triangles. Every hundredth is held to all triangles,
//! the others to those that they come near. `gpu_rays` does larger scenes.

use glam::Vec3;
use heapwood_device::render::{Hit, Triangle};
use heapwood_scenes::generate::{self, Displacement};
use heapwood_scenes::{CleanOptions, Scene};
use heapwood_tests::brute::{bounds_of, closest};
use heapwood_tests::gpu::cpu;
use heapwood_tests::judge::{Judge, Verdict};
use heapwood_tests::rays::{rays_of, trace};
use heapwood_tests::runs::Runs;
use heapwood_tests::soup::{grid, soup};
use rayon::prelude::*;

fn check(scene: &Scene) {
    let triangles = heapwood::tree::triangles(scene);
    let bounds = bounds_of(&triangles);
    let rays = rays_of(scene, &triangles, &bounds);
    let found = trace(&*cpu(2), scene, &bounds, &rays);
    let runs = Runs::new(&triangles, &bounds);
    let expected: Vec<Hit> = rays.par_iter().map(|ray| runs.closest(ray)).collect();
    let bits = |hit: &Hit| (hit.triangle, hit.t.to_bits());
    let name = scene.name();
    let hundredths = rays.par_iter().zip(&expected).step_by(100);
    hundredths.for_each(|(ray, expected)| {
        let hit = closest(&triangles, &bounds, ray);
        assert_eq!(bits(&hit), bits(expected), "{name}: {ray:?}");
    });
    for ((ray, found), expected) in rays.iter().zip(&found).zip(&expected) {
        assert_eq!(
            bits(found),
            bits(expected),
            "{name}: {ray:?} hits {found:?}, by brute force {expected:?}",
        );
    }
    let hits = expected.iter().filter(|hit| hit.is_some()).count();
    let (triangles, rays) = (triangles.len(), rays.len());
    println!("{name}: {triangles} triangles, {rays} rays, {hits} hits, all as by brute force");
    assert!(hits > rays / 4, "{name}: only {hits} of {rays} rays hit");
}

/// Triangles as the program takes them, with those that repeat others, so that
/// rays hit two at the same distance.
fn scene(name: &str, triangles: &[Triangle]) -> Scene {
    let corners: Vec<[Vec3; 3]> = triangles
        .iter()
        .map(|triangle| triangle.map(Vec3::from_array))
        .collect();
    let options = CleanOptions {
        keep_duplicates: true,
        ..CleanOptions::default()
    };
    let scene = Scene::from_triangles(name, &corners).clean(options);
    scene.expect("triangles are left").0
}

#[test]
fn shipped_scenes() {
    for name in generate::NAMES {
        check(&generate::by_name(name).expect("a shipped scene"));
    }
}

#[test]
fn a_rough_terrain() {
    let terrain = generate::by_name("terrain").expect("a shipped scene");
    let rough = Displacement {
        amplitude: 0.3,
        feature: 0.1,
        seed: 5,
    };
    let scene = generate::subdivide_to(&terrain, 8000, rough).expect("not too many triangles");
    check(&scene);
}

#[test]
fn ten_thousand_triangles_of_all_sizes_some_of_them_twice() {
    check(&scene("soup", &soup(21, 10_000)));
}

#[test]
fn walls_that_meet_in_the_planes_of_splits() {
    check(&scene("walls", &grid(10)));
}

#[test]
fn doubles_tell_right_hits_from_wrong_ones() {
    let scene = generate::by_name("knot").expect("a shipped scene");
    let triangles = heapwood::tree::triangles(&scene);
    let judge = Judge::new(&triangles);
    let rays = rays_of(&scene, &triangles, judge.bounds());
    let rays: Vec<_> = rays.into_iter().step_by(100).collect();
    let wrong = |ray, hit| matches!(judge.judge(ray, hit), Verdict::Wrong(_));
    let (mut hits, mut denied, mut moved, mut mistaken) = (0, 0, 0, 0);
    for (ray, hit) in rays.iter().zip(judge.trace(&rays)) {
        assert!(!wrong(ray, hit), "{ray:?}: {hit:?}");
        if !hit.is_some() {
            // Every triangle is missed, some by very little.
            let other = Hit {
                triangle: 7,
                t: 1.0,
            };
            assert!(wrong(ray, other), "{ray:?}: {other:?}");
            continue;
        }
        hits += 1;
        let t = hit.t * 1.01;
        let triangle = (hit.triangle + 3000) % 6400;
        denied += u32::from(wrong(ray, Hit::NONE));
        moved += u32::from(wrong(ray, Hit { t, ..hit }));
        mistaken += u32::from(wrong(ray, Hit { triangle, ..hit }));
    }
    // The rest are the rays to corners, where rounding may decide, and hits so
    // near their ray's origin that a hundredth is less than that.
    assert!(hits > 1000 && denied > hits * 9 / 10);
    assert!(
        moved > hits * 9 / 10 && mistaken == hits,
        "{moved} {mistaken} of {hits}"
    );
}
