//! Rays beside planes that reach much farther than what is looked at: what they hit, and what
//! surrounds a thing on such a plane.

use glam::Vec3;
use heapwood::tree::{RenderedImage, Shade};
use heapwood_device::render::{Hit, Ray, Triangle};
use heapwood_scenes::Camera;
use heapwood_tests::brute::{RayFloats, Recipe, bounds_of, build, closest, trace};
use heapwood_tests::soup::{Random, moved};
use heapwood_tests::stage::{MATT, Stage, cube};
use heapwood_tests::vector::{along, cross, dot, length, minus, widen};

/// A square of twice this size in the plane y = 0, or turned about two axes.
fn ground(size: f32, is_turned: bool) -> Vec<Triangle> {
    let corner = |x: f32, z: f32| {
        let at = [x * size, 0.0, z * size];
        if is_turned { turned(at) } else { at }
    };
    let corners = [
        corner(-1.0, -1.0),
        corner(-1.0, 1.0),
        corner(1.0, 1.0),
        corner(1.0, -1.0),
    ];
    let [a, b, c, d] = corners;
    vec![[a, b, c], [a, c, d]]
}

fn turned([x, y, z]: [f32; 3]) -> [f32; 3] {
    let (x, y) = (0.8 * x - 0.6 * y, 0.6 * x + 0.8 * y);
    [x, 0.28 * y - 0.96 * z, 0.96 * y + 0.28 * z]
}

/// A ray upwards from somewhere above a triangle of the ground, in doubles at least `least` high:
/// it starts near the middle or far from it, and may be almost parallel.
fn upward(random: &mut Random, triangle: &Triangle, size: f32, least: f64) -> Option<RayFloats> {
    let [a, b, c] = triangle.map(widen);
    let (ab, ac) = (minus(b, a), minus(c, a));
    let normal = cross(ab, ac);
    let normal = normal.map(|x| x / length(normal));
    let reach = 10.0_f32.powf(random.range(-6.0, 0.0));
    let u = f64::from(0.5 + reach * random.range(-0.4, 0.4));
    let v = f64::from(reach * random.range(0.0, 0.4)).min(1.0 - u);
    let height = least * 10.0_f64.powf(f64::from(random.range(0.0, 8.0)));
    let point = along(along(a, u, ac), v, ab);
    let origin = along(point, height, normal).map(|x| x as f32);
    if dot(minus(widen(origin), a), normal) < least || Vec3::from(origin).length() > size {
        return None;
    }
    let mut direction = Vec3::from(random.point(1.0));
    if random.below(2) == 0 {
        let normal = Vec3::from(normal.map(|x| x as f32));
        let slope = 10.0_f32.powf(random.range(-7.0, 0.0));
        direction -= normal * (direction.dot(normal) * (1.0 - slope));
    }
    let rise: f64 = dot(widen(direction.to_array()), normal);
    let [dx, dy, dz] = match rise {
        rise if rise > 0.0 => direction.to_array(),
        rise if rise < 0.0 => (-direction).to_array(),
        _ => return None,
    };
    let [x, y, z] = origin;
    Some([x, y, z, dx, dy, dz])
}

#[test]
fn upward_rays_never_hit_the_ground() {
    let mut random = Random(3);
    let mut sent = 0;
    for exponent in 6..=14 {
        let size = 10.0_f32.powf(0.5 * exponent as f32);
        for is_turned in [false, true] {
            let ground = ground(size, is_turned);
            let bounds = bounds_of(&ground);
            let rays = (0..20_000).filter_map(|turn| {
                let least = f64::from(size) * 1e-10;
                upward(&mut random, &ground[turn % 2], size, least)
            });
            let rays: Vec<RayFloats> = rays.collect();
            let built = build(&ground, Recipe::DEEP);
            for (ray, hit) in rays.iter().zip(trace(&ground, &bounds, &built, &rays, 1)) {
                assert_eq!(hit, Hit::NONE, "{ray:?} above a ground of {size}");
                assert_eq!(closest(&ground, &bounds, ray), Hit::NONE);
            }
            sent += rays.len();
        }
    }
    assert!(sent > 200_000, "{sent}");
}

/// Rays down to the same grounds hit them, at the right distance.
#[test]
fn downward_rays_always_hit_the_ground() {
    let mut random = Random(4);
    let mut sent = 0;
    for exponent in 6..=14 {
        let size = 10.0_f32.powf(0.5 * exponent as f32);
        for is_turned in [false, true] {
            let ground = ground(size, is_turned);
            let bounds = bounds_of(&ground);
            for turn in 0..20_000 {
                let triangle = &ground[turn % 2];
                let least = f64::from(size) * 1e-10;
                let Some(ray) = upward(&mut random, triangle, size, least) else {
                    continue;
                };
                let [x, y, z, dx, dy, dz] = ray;
                let [a, b, c] = triangle.map(widen);
                let normal = cross(minus(b, a), minus(c, a));
                let (origin, down) = (widen([x, y, z]), widen([-dx, -dy, -dz]));
                let t = dot(minus(a, origin), normal) / dot(down, normal);
                let point = along(origin, t, down);
                // Well within the square, whose corners are at 1.4.
                if length(point) > 0.9 * f64::from(size) {
                    continue;
                }
                let hit = closest(&ground, &bounds, &[x, y, z, -dx, -dy, -dz]);
                let error = (f64::from(hit.t) - t).abs();
                assert!(error <= 1e-5 * t, "{hit:?} for {t}: {ray:?}");
                sent += 1;
            }
        }
    }
    assert!(sent > 50_000, "{sent}");
}

/// A triangle of a millimetre, a centimetre before the eye and a millimetre above a ground of 1e6,
/// is seen as if there were no ground.
#[test]
fn a_far_ground_hides_nothing_near_the_eye() {
    let small = [[[0.0, 0.001, 0.0], [0.001, 0.001, 0.0], [0.0, 0.002, 0.0]]];
    let with_ground = [&small[..], &ground(1e6, false)].concat();
    let eye = Vec3::new(0.0003, 0.0013, 0.01);
    let target = Vec3::new(0.0003, 0.0013, 0.0);
    let camera = Camera::new(eye, target, Vec3::Y, 10.0, 64, 64).expect("a camera");
    let basis = camera.rays();
    let mut seen = 0;
    for (x, y) in (0..64).flat_map(|y| (0..64).map(move |x| (x, y))) {
        let direction = basis.direction(x, y);
        let hit = |triangles: &[Triangle]| {
            let ray = Ray::new(eye, direction, &bounds_of(triangles)).expect("a ray");
            let hits = triangles.iter().map(|triangle| ray.hit(triangle));
            hits.collect::<Vec<_>>()
        };
        let (alone, all) = (hit(&small), hit(&with_ground));
        assert_eq!(alone[0], all[0], "{x} {y}");
        if let Some(t) = alone[0] {
            assert!((t - 0.01).abs() < 1e-6);
            // Rays that go on downwards meet the ground behind it.
            let is_behind = |hit: &Option<f32>| hit.is_none_or(|ground| ground > t);
            assert!(all[1..].iter().all(is_behind), "{x} {y}: {all:?}");
            seen += 1;
        }
    }
    assert!(seen > 500, "{seen}");
}

/// Ambient occlusion around a cube of 2 on a ground, from near.
fn beside_a_cube(size: f32, by: [f32; 3]) -> RenderedImage {
    let cube = moved(&cube(), 1.0, [0.0, 1.0, 0.0]);
    let scene = moved(&[ground(size, false), cube].concat(), 1.0, by);
    let by = Vec3::from(by);
    let (eye, target) = (Vec3::new(3.0, 2.5, 4.0), Vec3::new(1.0, 0.2, 0.5));
    let camera = Camera::new(eye + by, target + by, Vec3::Y, 40.0, 48, 36).expect("a camera");
    let shade = Shade::Ambient {
        samples: 64,
        distance: 2.0,
    };
    Stage::default()
        .with(&scene, MATT)
        .picture_of(&camera, shade)
}

#[test]
fn occlusion_beside_a_cube_does_not_depend_on_how_far_its_ground_reaches() {
    let near = beside_a_cube(10.0, [0.0; 3]);
    let values = |picture: &RenderedImage| -> Vec<f32> {
        picture.raw.iter().map(|pixel| pixel[0]).collect()
    };
    assert!(values(&near).iter().any(|open| *open < 0.6));
    for size in [1e2, 1e3, 1e4, 1e5, 1e6] {
        let far = beside_a_cube(size, [0.0; 3]);
        let off = values(&near).into_iter().zip(values(&far));
        let off = off.map(|(one, other)| (one - other).abs());
        let largest = off.fold(0.0, f32::max);
        println!("a ground of {size}: {largest}");
        assert!(largest <= 0.02, "a ground of {size}: {largest}");
    }
}

/// Where coordinates have steps of a sixteenth, a plane still does not shadow itself, and a cube on
/// it does as far as steps allow.
#[test]
fn scenes_far_from_zero_have_no_acne() {
    for by in [[1e6, 0.0, 1e6], [1e6, 1e6, -1e6], [-1e6, 3e5, 0.0]] {
        for is_turned in [false, true] {
            let plane = moved(&ground(8.0, is_turned), 1.0, by);
            let by = Vec3::from(by);
            let up = match is_turned {
                true => Vec3::from(turned([0.0, 1.0, 0.0])),
                false => Vec3::Y,
            };
            let eye = by + up * 8.0 + Vec3::new(0.5, 0.25, 0.125);
            let camera = Camera::new(eye, by, Vec3::Z, 30.0, 32, 32).expect("a camera");
            let shade = Shade::Ambient {
                samples: 64,
                distance: 4.0,
            };
            let picture = Stage::default()
                .with(&plane, MATT)
                .picture_of(&camera, shade);
            let closed = picture.raw.iter().filter(|pixel| pixel[0] != 1.0).count();
            assert_eq!(closed, 0, "{by} {is_turned}");
            assert!(picture.rays.shadow > 0);
        }
        let (near, far) = (beside_a_cube(10.0, [0.0; 3]), beside_a_cube(10.0, by));
        let mean = |picture: &RenderedImage| {
            let sum: f32 = picture.raw.iter().map(|pixel| pixel[0]).sum();
            sum / picture.raw.len() as f32
        };
        let (near, far) = (mean(&near), mean(&far));
        assert!((near - far).abs() < 0.05, "{near} {far}");
    }
}
