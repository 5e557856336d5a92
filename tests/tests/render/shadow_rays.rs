//! Rays that look for anything up to a distance, rays that leave a surface, and counted ones:
//! against brute force, on awkward trees.

use heapwood_device::render::{Bounds, Hit, Ray, SurfacePoint, Tree, Triangle, Visits};
use heapwood_tests::brute::{Built, RayFloats, Recipe, bounds_of, build};
use heapwood_tests::soup::{Random, grid, moved, rays, soup, sphere};

use glam::Vec3;
use rayon::prelude::*;

const RECIPES: [Recipe; 3] = [Recipe::CLIPPED, Recipe::SHALLOW, Recipe::LEAF];

/// A scene with a tree.
struct Place {
    triangles: Vec<Triangle>,
    bounds: Bounds,
    built: Built,
}

impl Place {
    fn new(triangles: Vec<Triangle>, recipe: Recipe) -> Self {
        let (bounds, built) = (bounds_of(&triangles), build(&triangles, recipe));
        Self {
            triangles,
            bounds,
            built,
        }
    }

    fn tree(&self) -> Tree {
        let (nodes, references) = (self.built.nodes.as_ptr(), self.built.references.as_ptr());
        // SAFETY: a whole tree of these triangles, which this value keeps.
        unsafe { Tree::new(nodes, references, self.triangles.as_ptr(), self.bounds) }
    }

    /// The parameters of all hits.
    fn hits(&self, ray: &Ray) -> Vec<f32> {
        let hits = self
            .triangles
            .iter()
            .filter_map(|triangle| ray.hit(triangle));
        hits.collect()
    }

    fn closest(&self, ray: &Ray) -> Hit {
        (0..)
            .zip(&self.triangles)
            .fold(Hit::NONE, |best, (index, triangle)| {
                match ray.hit(triangle) {
                    Some(t) => best.or_closer(index, t),
                    None => best,
                }
            })
    }
}

fn vectors(&[x, y, z, dx, dy, dz]: &RayFloats) -> (Vec3, Vec3) {
    (Vec3::new(x, y, z), Vec3::new(dx, dy, dz))
}

/// Holds the search for any hit to all hits, with limits before, at and behind each. Returns
/// how many searches found something, and how many nothing.
fn check_any(place: &Place, ray: &Ray) -> (u32, u32) {
    let (tree, hits) = (place.tree(), place.hits(ray));
    let mut limits = vec![0.0, f32::INFINITY, f32::MAX];
    for &t in &hits {
        limits.extend([t.next_down(), t, t.next_up(), 0.5 * t]);
    }
    let (mut found, mut nothing) = (0, 0);
    for limit in limits {
        let expected = hits.iter().any(|&t| t <= limit);
        assert_eq!(tree.any_hit(ray, limit), expected, "{ray:?} up to {limit}");
        match expected {
            true => found += 1,
            false => nothing += 1,
        }
    }
    (found, nothing)
}

#[test]
fn any_hit_is_that_of_brute_force() {
    let (mut found, mut nothing) = (0, 0);
    let scenes = [
        soup(31, 300),
        moved(&soup(32, 200), 1.0, [1000.0, -2000.0, 500.0]),
        moved(&soup(33, 200), 1e6, [3e6, 0.0, 1e7]),
        grid(4),
    ];
    for (seed, triangles) in (60..).zip(scenes) {
        let rays = rays(seed, 2000, &triangles);
        for recipe in RECIPES {
            let place = Place::new(triangles.clone(), recipe);
            for (origin, direction) in rays.iter().map(vectors) {
                for ray in [
                    Ray::new(origin, direction, &place.bounds),
                    Ray::spawn(origin, direction, &place.bounds),
                ] {
                    let (some, none) = ray.map_or((0, 0), |ray| check_any(&place, &ray));
                    found += some;
                    nothing += none;
                }
            }
        }
    }
    assert!(found > 100_000 && nothing > 50_000, "{found} {nothing}");
}

#[test]
fn leaving_rays_traverse_like_brute_force() {
    let (mut at_origin, mut hits) = (0, 0);
    for (seed, triangles) in [(70, soup(41, 300)), (71, grid(4))] {
        let rays = rays(seed, 4000, &triangles);
        for recipe in RECIPES {
            let place = Place::new(triangles.clone(), recipe);
            for (origin, direction) in rays.iter().map(vectors) {
                let Some(ray) = Ray::spawn(origin, direction, &place.bounds) else {
                    continue;
                };
                let (hit, expected) = (place.tree().closest_hit(&ray), place.closest(&ray));
                assert_eq!(hit, expected, "{ray:?}");
                hits += u32::from(hit.is_some());
                at_origin += u32::from(hit.t == 0.0);
            }
        }
    }
    assert!(hits > 10_000 && at_origin > 100, "{hits} {at_origin}");
}

#[test]
fn counts_do_not_change_hits_and_are_those_of_the_tree() {
    let triangles = soup(51, 300);
    let rays = rays(80, 2000, &triangles);
    for recipe in RECIPES {
        let place = Place::new(triangles.clone(), recipe);
        let (nodes, references) = (place.built.nodes.len(), place.built.references.len());
        for (origin, direction) in rays.iter().map(vectors) {
            let Some(ray) = Ray::new(origin, direction, &place.bounds) else {
                continue;
            };
            let mut visits = Visits::default();
            let hit = place.tree().closest_hit_counted(&ray, &mut visits);
            assert_eq!(hit, place.tree().closest_hit(&ray));
            assert!(visits.nodes as usize <= nodes && visits.triangles as usize <= references);
            assert!(!hit.is_some() || (visits.nodes > 0 && visits.triangles > 0));
            let (enter, leave) = ray.span(&place.bounds);
            if nodes == 1 && enter <= leave {
                let all = Visits {
                    nodes: 1,
                    triangles: triangles.len() as u32,
                };
                assert_eq!(visits, all);
            }
        }
    }
}

/// A point of a triangle on a ray to it, as a renderer has it.
fn arrive(random: &mut Random, place: &Place, triangle: u32) -> Option<(SurfacePoint, u32)> {
    let [a, b, c] = place.triangles[triangle as usize].map(Vec3::from_array);
    // Often in a corner or on an edge, where neighbours are near.
    let (mut u, mut v) = (random.unit(), random.unit());
    match random.below(4) {
        0 => u = 0.0,
        1 => (u, v) = (0.0, 0.0),
        2 => v = 1.0 - u,
        _ => {}
    }
    if u + v > 1.0 {
        (u, v) = (1.0 - u, 1.0 - v);
    }
    let target = a + (b - a) * u + (c - a) * v;
    let origin = Vec3::from_array(random.point(0.4));
    let ray = Ray::new(origin, target - origin, &place.bounds)?;
    let hit = place.tree().closest_hit(&ray);
    let point = |hit: Hit| SurfacePoint::hit(&ray, &place.triangles[hit.triangle as usize]);
    hit.is_some().then(|| (point(hit), hit.triangle))
}

#[test]
fn a_convex_surface_neither_shadows_itself_nor_leaks() {
    // From outside, a sphere is convex: a ray that leaves it hits nothing. From inside, it is
    // closed: a ray that leaves it hits something.
    for (scale, by) in [(1.0, [0.0; 3]), (1.0, [70.0, -9.0, 3.0]), (1e-4, [0.0; 3])] {
        let place = Place::new(moved(&sphere(12), scale, by), Recipe::CLIPPED);
        let mut random = Random(17);
        let middle = Vec3::from_array(by);
        let mut left = 0;
        for _ in 0..60_000 {
            let number = random.below(place.triangles.len()) as u32;
            let triangle = place.triangles[number as usize];
            let weights: [f32; 2] = [random.unit(), random.unit()].map(|w| w * 0.5);
            let [a, b, c] = triangle.map(Vec3::from_array);
            let target = a + (b - a) * weights[0] + (c - a) * weights[1];
            let outside = middle + (target - middle) * 3.0;
            let inside = middle + Vec3::from_array(random.point(0.4)) * scale;
            for origin in [outside, inside] {
                let ray = Ray::new(origin, target - origin, &place.bounds).expect("a sound ray");
                let hit = place.tree().closest_hit(&ray);
                assert!(hit.is_some());
                let point = SurfacePoint::hit(&ray, &place.triangles[hit.triangle as usize]);
                let mut direction = Vec3::from_array(random.point(1.0));
                if direction.dot(point.normal) < 0.0 {
                    direction = -direction;
                }
                let beside = point.offset_origin(&place.bounds);
                let ray = Ray::spawn(beside, direction, &place.bounds).expect("a sound ray");
                let is_hit = place.tree().any_hit(&ray, f32::INFINITY);
                assert_eq!(is_hit, origin == inside, "{point:?} along {direction}");
                left += 1;
            }
        }
        assert_eq!(left, 120_000);
    }
}

/// A cube of side 2, or turned about two axes, with sides of `parts * parts * 2` triangles.
fn room(parts: u32, is_turned: bool) -> Vec<Triangle> {
    let turn = |[x, y, z]: [f32; 3]| {
        let (x, y) = (0.8 * x - 0.6 * y, 0.6 * x + 0.8 * y);
        let (y, z) = (0.28 * y - 0.96 * z, 0.96 * y + 0.28 * z);
        [x, y, z]
    };
    let mut triangles = Vec::new();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            for i in 0..parts {
                for j in 0..parts {
                    let corner = |di: u32, dj: u32| {
                        let mut at = [side; 3];
                        at[(axis + 1) % 3] = 2.0 * (i + di) as f32 / parts as f32 - 1.0;
                        at[(axis + 2) % 3] = 2.0 * (j + dj) as f32 / parts as f32 - 1.0;
                        if is_turned { turn(at) } else { at }
                    };
                    triangles.push([corner(0, 0), corner(1, 0), corner(1, 1)]);
                    triangles.push([corner(0, 0), corner(1, 1), corner(0, 1)]);
                }
            }
        }
    }
    triangles
}

/// Rays that are drawn from one seed.
const RAYS_OF_A_SEED: u64 = 100_000;

/// Sends at least `count` rays from points on the walls of a room, most of them in its edges and
/// corners. Returns how many of them get out, and how many were sent.
fn escaped(place: &Place, seed: u64, count: u64) -> (u64, u64) {
    let mut random = Random(23 + seed);
    let (mut escaped, mut sent) = (0, 0);
    while sent < count {
        let number = random.below(place.triangles.len()) as u32;
        let Some((point, _)) = arrive(&mut random, place, number) else {
            escaped += 1;
            sent += 1;
            continue;
        };
        let beside = point.offset_origin(&place.bounds);
        for _ in 0..4 {
            let mut direction = Vec3::from_array(random.point(1.0));
            if direction.dot(point.normal) < 0.0 {
                direction = -direction;
            }
            let Some(ray) = Ray::spawn(beside, direction, &place.bounds) else {
                continue;
            };
            escaped += u64::from(!place.tree().any_hit(&ray, f32::INFINITY));
            sent += 1;
        }
    }
    (escaped, sent)
}

/// No ray gets out of a room. `HEAPWOOD_LEAK_RAYS` asks for more of them.
#[test]
fn no_ray_gets_out_of_a_room() {
    let count: u64 = match std::env::var("HEAPWOOD_LEAK_RAYS") {
        Ok(text) => text.parse().expect("a number of rays"),
        Err(_) => 400_000,
    };
    for (parts, is_turned) in [(1, false), (1, true), (5, true)] {
        let place = Place::new(room(parts, is_turned), Recipe::CLIPPED);
        let seeds = (0..count.div_ceil(RAYS_OF_A_SEED)).into_par_iter();
        let counts = seeds.map(|seed| escaped(&place, seed, count.min(RAYS_OF_A_SEED)));
        let (escaped, sent) = counts.reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        println!("{escaped} of {sent} rays escaped: {parts} parts, turned {is_turned}");
        assert_eq!(
            escaped, 0,
            "of {sent} rays: {parts} parts, turned {is_turned}"
        );
    }
}
