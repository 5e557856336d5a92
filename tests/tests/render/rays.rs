//! Traversal against brute force, intersection against `f64`, and small images.

use glam::Vec3;
use heapwood_device::kdtree::node::Node;
use heapwood_device::launch::Call;
use heapwood_device::render::plan::{render_threads, to_rgba8, to_srgb8};
use heapwood_device::render::{
    Bounds, Hit, MAX_TRAVERSAL_DEPTH, Mode, Ray, Render, RenderArguments, SceneArguments, Triangle,
    WindowArguments,
};
use heapwood_scenes::RayBasis;
use heapwood_tests::brute::{
    Built, RayFloats, Recipe, bounds_of, build, closest, run_lanes, run_plain, trace,
};
use heapwood_tests::soup::{Random, grid, moved, rays, soup, sphere};
use heapwood_tests::vector::{cross, dot, minus, widen};

const RECIPES: [Recipe; 4] = [Recipe::DEEP, Recipe::CLIPPED, Recipe::SHALLOW, Recipe::LEAF];

/// Traces the rays through every tree and compares with brute force, bit for
/// bit. Returns the number of rays that hit something.
fn check(triangles: &[Triangle], rays: &[RayFloats]) -> usize {
    let bounds = bounds_of(triangles);
    let expected: Vec<Hit> = rays
        .iter()
        .map(|ray| closest(triangles, &bounds, ray))
        .collect();
    for recipe in RECIPES {
        let built = build(triangles, recipe);
        for lanes in [1, 32] {
            let hits = trace(triangles, &bounds, &built, rays, lanes);
            for ((ray, expected), hit) in rays.iter().zip(&expected).zip(hits) {
                assert_eq!(
                    (hit.triangle, hit.t.to_bits()),
                    (expected.triangle, expected.t.to_bits()),
                    "ray {ray:?}, {recipe:?}, {lanes} lanes: {hit:?}, by brute force {expected:?}"
                );
            }
        }
    }
    expected.iter().filter(|hit| hit.is_some()).count()
}

#[test]
fn soups_traverse_like_brute_force() {
    for seed in 0..8 {
        let triangles = soup(seed, 300);
        let rays = rays(seed + 100, 4000, &triangles);
        let hits = check(&triangles, &rays);
        assert!(hits > 2000, "only {hits} of {} rays hit", rays.len());
    }
}

#[test]
fn scenes_far_from_zero_or_of_odd_size_traverse_like_brute_force() {
    let places = [
        (1.0, [1000.0, -2000.0, 500.0]),
        (1e-6, [0.0; 3]),
        (1e6, [3e6, 0.0, 1e7]),
        (1e15, [0.0; 3]),
    ];
    for (seed, (scale, by)) in (50..).zip(places) {
        let triangles = moved(&soup(seed, 200), scale, by);
        let rays = rays(seed + 100, 4000, &triangles);
        let hits = check(&triangles, &rays);
        assert!(hits > 500, "only {hits} of {} rays hit", rays.len());
    }
}

#[test]
fn axis_aligned_grids_traverse_like_brute_force() {
    let triangles = grid(4);
    let mut all = rays(7, 6000, &triangles);
    // Through corners, edges and middles of squares along each axis, from
    // before, on and between the walls, both ways.
    for axis in 0..3 {
        for i in 0..=16 {
            for j in 0..=16 {
                for (start, step) in [(-1.0, 1.0), (0.0, 1.0), (1.5, -1.0), (4.0, -0.5)] {
                    let mut ray = [0.0; 6];
                    ray[axis] = start;
                    ray[(axis + 1) % 3] = i as f32 * 0.25;
                    ray[(axis + 2) % 3] = j as f32 * 0.25;
                    ray[3 + axis] = step;
                    all.push(ray);
                }
            }
        }
    }
    let hits = check(&triangles, &all);
    assert!(hits > 6000, "only {hits} of {} rays hit", all.len());
}

#[test]
fn rays_without_meaning_hit_nothing() {
    let triangles = soup(3, 50);
    let bounds = bounds_of(&triangles);
    let built = build(&triangles, Recipe::DEEP);
    let mut rays = vec![[0.0; 6], [0.0, 0.0, 0.0, 1e-30, 0.0, 0.0]];
    for place in 0..6 {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30] {
            let mut ray = [0.1, 0.2, 0.3, 1.0, 1.0, 1.0];
            ray[place] = bad;
            rays.push(ray);
        }
    }
    for hit in trace(&triangles, &bounds, &built, &rays, 1) {
        assert_eq!(hit, Hit::NONE);
    }
}

#[test]
fn damaged_positions_neither_hang_nor_lose_the_stack() {
    let triangles = soup(4, 200);
    let bounds = bounds_of(&triangles);
    let mut built = build(&triangles, Recipe::CLIPPED);
    for node in &mut built.nodes {
        if !node.is_leaf() {
            *node = Node::interior(node.axis(), f32::NAN, node.right());
        }
    }
    // Every plane is in doubt, so everything is visited and the answer stays.
    for ray in rays(9, 200, &triangles) {
        let hit = trace(&triangles, &bounds, &built, &[ray], 1)[0];
        assert_eq!(hit, closest(&triangles, &bounds, &ray));
    }
}

#[test]
fn trees_of_the_greatest_depth_are_traversed_whole() {
    // Parallel walls, one split off at each level, seen from the far end: the
    // first wall hit is in the deepest leaf.
    let walls = MAX_TRAVERSAL_DEPTH as u32 + 1;
    let wall = |x: u32| [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|[y, z]| [x as f32, y, z]);
    let triangles: Vec<Triangle> = (0..walls).map(wall).collect();
    // Interior nodes come first, each the left child of the one before it; the
    // right child of the one that splits at x - 0.5 is the leaf of wall x.
    let mut nodes: Vec<Node> = (1..walls)
        .rev()
        .map(|x| Node::interior(0, x as f32 - 0.5, walls - 1 + x))
        .collect();
    nodes.extend((0..walls).map(|x| Node::leaf(x, 1)));
    let built = Built {
        nodes,
        references: (0..walls).collect(),
    };
    let bounds = bounds_of(&triangles);
    let ray = |start: f32, step: f32| [start, 0.25, 0.25, step, 0.0, 0.0];
    let rays = [ray(-1.0, 1.0), ray(walls as f32, -1.0), ray(10.5, 1.0)];
    let hits = trace(&triangles, &bounds, &built, &rays, 1);
    assert_eq!(
        hits.iter().map(|hit| hit.triangle).collect::<Vec<_>>(),
        [0, walls - 1, 11]
    );
    // A ray that hits no wall but passes every leaf.
    let beside = [-1.0, 0.75, 0.75, 1.0, 0.0, 0.0];
    assert_eq!(
        trace(&triangles, &bounds, &built, &[beside], 1),
        [Hit::NONE]
    );
}

/// The parameter, the least barycentric coordinate and the sine of the angle
/// with the plane, in `f64` (Moeller and Trumbore).
fn intersect(origin: [f32; 3], direction: [f32; 3], triangle: &Triangle) -> (f64, f64, f64) {
    let (origin, direction) = (widen(origin), widen(direction));
    let [a, b, c] = triangle.map(widen);
    let (e1, e2, s) = (minus(b, a), minus(c, a), minus(origin, a));
    let (p, q, normal) = (cross(direction, e2), cross(s, e1), cross(e1, e2));
    let det = dot(e1, p);
    let (u, v, t) = (dot(s, p) / det, dot(direction, q) / det, dot(e2, q) / det);
    let sine = det.abs() / (dot(normal, normal) * dot(direction, direction)).sqrt();
    (t, u.min(v).min(1.0 - u - v), sine)
}

#[test]
fn intersections_agree_with_double_precision() {
    let mut random = Random(11);
    let bounds = Bounds {
        min: [-2.0; 3],
        max: [2.0; 3],
    };
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..200_000 {
        let triangle = [random.point(1.0), random.point(1.0), random.point(1.0)];
        let (origin, direction) = (random.point(2.0), random.point(1.0));
        let (t, inside, sine) = intersect(origin, direction, &triangle);
        // Where rounding may decide, either answer is right.
        if sine.is_nan() || sine < 1e-2 || inside.abs() < 1e-3 || t.abs() < 1e-3 {
            continue;
        }
        let prepared = Ray::new(origin.into(), direction.into(), &bounds).expect("a sound ray");
        let hit = prepared.hit(&triangle);
        if inside > 0.0 && t > 0.0 {
            let found = f64::from(hit.expect("a hit in double precision"));
            assert!((found - t).abs() <= 1e-3 * t.max(1.0), "{found} for {t}");
            hits += 1;
        } else {
            assert_eq!(hit, None, "{origin:?} {direction:?} {triangle:?}");
            misses += 1;
        }
    }
    assert!(
        hits > 2000 && misses > 50_000,
        "{hits} hits, {misses} misses"
    );
}

#[test]
fn no_ray_leaves_a_closed_surface() {
    let triangles = sphere(12);
    let bounds = bounds_of(&triangles);
    let built = build(&triangles, Recipe::CLIPPED);
    let mut random = Random(5);
    let mut rays = Vec::new();
    for [a, b, c] in triangles.iter().copied() {
        // At each corner, along each edge, into the middle, from within.
        for (u, v) in [(0.0, 0.0), (0.5, 0.0), (0.3, 0.7), (0.0, 0.25), (0.3, 0.3)] {
            let o = random.point(0.5);
            let d = [0, 1, 2].map(|i| a[i] + u * (b[i] - a[i]) + v * (c[i] - a[i]) - o[i]);
            rays.push([o[0], o[1], o[2], d[0], d[1], d[2]]);
        }
    }
    for (ray, hit) in rays
        .iter()
        .zip(trace(&triangles, &bounds, &built, &rays, 1))
    {
        assert!(hit.is_some(), "{ray:?} leaves");
        assert!((hit.t - 1.0).abs() < 1e-4, "{ray:?} hits at {}", hit.t);
    }
}

const WIDTH: u32 = 61;
const HEIGHT: u32 = 43;

/// An image of a sphere of radius 1 from a distance of 4, and the camera.
fn image(mode: Mode, lanes: u32) -> (Vec<[f32; 3]>, RayBasis) {
    let triangles = sphere(16);
    let bounds = bounds_of(&triangles);
    let built = build(&triangles, Recipe::DEEP);
    let pixel = 1.0 / HEIGHT as f32;
    let camera = RayBasis {
        origin: Vec3::new(0.0, 0.0, 4.0),
        corner: Vec3::new(-0.5 * pixel * WIDTH as f32, 0.5, -1.0),
        du: Vec3::new(pixel, 0.0, 0.0),
        dv: Vec3::new(0.0, -pixel, 0.0),
    };
    let basis =
        [camera.origin, camera.corner, camera.du, camera.dv].map(|vector| vector.to_array());
    let mut pixels = vec![[-1.0; 3]; (WIDTH * HEIGHT) as usize];
    let arguments = RenderArguments {
        window: WindowArguments {
            scene: SceneArguments {
                nodes: built.nodes.as_ptr().cast_mut(),
                references: built.references.as_ptr().cast_mut(),
                triangles: triangles.as_ptr().cast_mut(),
                bounds: (&raw const bounds).cast_mut(),
            },
            camera: basis.as_ptr().cast_mut(),
            pixels: pixels.as_mut_ptr(),
            width: WIDTH,
            height: HEIGHT,
            left: 0,
            top: 0,
        },
        rows: HEIGHT,
        is_added: false,
        mode,
    };
    // SAFETY: the tree is whole and the image has a place for every pixel.
    unsafe {
        if lanes == 1 {
            run_plain(Call::of::<Render>(arguments), 5);
        } else {
            run_lanes::<Render>(3, arguments);
        }
    }
    (pixels, camera)
}

#[test]
fn a_sphere_looks_like_one() {
    let (pixels, camera) = image(Mode::Eyelight, 1);
    let at = |x: u32, y: u32| pixels[(y * WIDTH + x) as usize];
    // The surface is warmer than the background: red above blue.
    let is_surface = |[red, _, blue]: [f32; 3]| red > blue;
    let mut differences = 0;
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let d = camera.direction(x, y).normalize();
            let along = -d.z * 4.0;
            let passes = (16.0 - along * along).sqrt() < 1.0;
            differences += u32::from(is_surface(at(x, y)) != passes);
        }
    }
    assert!(
        differences < 20,
        "{differences} pixels of the outline differ"
    );

    let middle = at(WIDTH / 2, HEIGHT / 2)[0];
    let rim = at(WIDTH / 2, HEIGHT / 2 - 10)[0];
    assert!(middle > 0.79 && rim < 0.7, "middle {middle}, rim {rim}");
    let (top, bottom) = (at(0, 0)[0], at(0, HEIGHT - 1)[0]);
    assert!(0.1 < top && top < bottom, "top {top}, bottom {bottom}");
}

#[test]
fn normals_are_colours() {
    let (pixels, _) = image(Mode::Normal, 1);
    let at = |x: u32, y: u32| pixels[(y * WIDTH + x) as usize];
    let (x, y) = (WIDTH / 2, HEIGHT / 2);
    let near = |a: [f32; 3], b: [f32; 3]| (0..3).all(|i| (a[i] - b[i]).abs() < 0.07);
    assert!(near(at(x, y), [0.5, 0.5, 1.0]), "{:?}", at(x, y));
    // To the right +x is red, to the top +y is green.
    assert!(at(x + 8, y)[0] > 0.7 && at(x - 8, y)[0] < 0.3);
    assert!(at(x, y - 8)[1] > 0.7 && at(x, y + 8)[1] < 0.3);
    assert_eq!(at(0, 0), [0.0; 3]);
}

#[test]
fn depths_are_distances_from_the_eye() {
    let (pixels, camera) = image(Mode::Depth, 1);
    let mut hits = 0;
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let [depth, second, third] = pixels[(y * WIDTH + x) as usize];
            assert_eq!((depth, depth), (second, third));
            let d = camera.direction(x, y).normalize();
            let along = -d.z * 4.0;
            let square = 1.0 - (16.0 - along * along);
            // The polyhedron is inside of the sphere, most at its outline.
            if square > 0.1 {
                let distance = along - square.sqrt();
                assert!((depth - distance).abs() < 0.05, "{depth} for {distance}");
                hits += 1;
            } else if square < 0.0 {
                assert_eq!(depth, f32::INFINITY);
            }
        }
    }
    assert!(hits > 100, "{hits}");
}

#[test]
fn each_triangle_has_a_colour() {
    let (pixels, _) = image(Mode::Primitive, 1);
    let mut colours: Vec<_> = pixels.iter().map(|pixel| pixel.map(f32::to_bits)).collect();
    colours.sort_unstable();
    colours.dedup();
    // Of 2048 triangles half are seen, of those some between pixels.
    assert!(colours.len() > 200, "{}", colours.len());
    let bright = |pixel: &[f32; 3]| pixel.iter().all(|&channel| (0.0..=0.86).contains(&channel));
    assert!(pixels.iter().all(bright));
}

#[test]
fn lanes_do_not_change_images() {
    for mode in Mode::ALL {
        assert_eq!(image(mode, 1).0, image(mode, 32).0);
    }
    assert_eq!(render_threads(WIDTH, HEIGHT), 8 * 11 * 32);
}

#[test]
fn bytes_are_srgb() {
    assert_eq!([0.0, 1.0, 2.0, -1.0].map(to_srgb8), [0, 255, 255, 0]);
    assert_eq!([f32::NAN, f32::INFINITY].map(to_srgb8), [0, 255]);
    // Middle grey of the standard, and the end of its linear part.
    assert_eq!([0.2159, 0.003, 0.5].map(to_srgb8), [128, 10, 188]);
    assert_eq!(
        to_rgba8(&[[0.0, 1.0, 0.2159], [1.0, 0.0, 0.0]]),
        [0, 255, 128, 255, 255, 0, 0, 255]
    );
}
