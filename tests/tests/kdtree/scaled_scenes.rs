//! Scenes of every size that is accepted: pictures of a scene that is scaled by a power of two are
//! the same in bits, and scenes at the limits are seen.

use glam::Vec3;
use heapwood::allocators::Spec;
use heapwood::size::Pool;
use heapwood::tree::{
    Cores, DeltaLight, DeviceTree, KernelBuild, Lighting, Options, Ray, RenderedImage, Shade,
    Shading, Sky, Triangle,
};
use heapwood_device::render::{Mode, SurfaceMaterial};
use heapwood_scenes::{Bounds, Camera};
use heapwood_tests::gpu::cpu;
use heapwood_tests::soup::{moved, sphere};
use heapwood_tests::stage::{DARK, MATT, Stage, cube};

/// Exponents of the factors: the least and the largest coordinates are 1e-21 and 1e18.
const EXPONENTS: [i32; 8] = [-71, -69, -40, -33, -1, 31, 40, 57];

fn power(exponent: i32) -> f32 {
    2.0_f64.powi(exponent) as f32
}

/// Balls on a ground under a light and a light, all of it scaled.
struct Place {
    triangles: Vec<Triangle>,
    lighting: Lighting,
    camera: Camera,
    scale: f32,
}

impl Place {
    fn new(exponent: i32) -> Self {
        let scale = power(exponent);
        let ground = [
            [[-3.0, 0.0, -3.0], [-3.0, 0.0, 3.0], [3.0, 0.0, 3.0]],
            [[-3.0, 0.0, -3.0], [3.0, 0.0, 3.0], [3.0, 0.0, -3.0]],
        ];
        let ball = moved(&sphere(6), 0.7, [0.3, 0.7, -0.2]);
        let other = moved(&sphere(5), 0.4, [-1.0, 0.45, 0.6]);
        let light = [[[-0.5, 2.5, -0.5], [0.5, 2.5, -0.5], [0.0, 2.5, 0.5]]];
        let glossy = SurfaceMaterial {
            specular: Vec3::splat(0.4),
            roughness: 0.3,
            ..MATT
        };
        let glass = SurfaceMaterial {
            transmission: 0.9,
            ..MATT
        };
        let shining = SurfaceMaterial {
            emission: Vec3::splat(6.0),
            ..MATT
        };
        let parts = [
            (&ground[..], MATT),
            (&ball[..], glossy),
            (&other[..], glass),
            (&light[..], shining),
        ];
        let scaled = |list: &[Triangle]| moved(list, scale, [0.0; 3]);
        let stage = parts
            .iter()
            .fold(Stage::default(), |stage, (list, material)| {
                stage.with(&scaled(list), *material)
            });
        let light = DeltaLight::Point {
            position: Vec3::new(2.0, 2.0, 1.0) * scale,
            // Irradiance falls off with the square of lengths.
            intensity: Vec3::new(1.0, 2.0, 4.0) * scale * scale,
        };
        let sky = Sky {
            zenith: Vec3::splat(0.25),
            ..DARK
        };
        // Beyond these the square is no normal `f32`.
        let delta_lights = match (-60..=60).contains(&exponent) {
            true => vec![light],
            false => Vec::new(),
        };
        let triangles = scaled(&parts.map(|(list, _)| list.to_vec()).concat());
        let min = triangles.iter().flatten().copied().map(Vec3::from_array);
        let max = min.clone().fold(Vec3::NEG_INFINITY, Vec3::max);
        let bounds = Bounds {
            min: min.fold(Vec3::INFINITY, Vec3::min),
            max,
        };
        Self {
            lighting: stage.lighting(sky).with_delta_lights(&delta_lights),
            camera: Camera::frame(bounds, 40, 30, 45.0).expect("a camera"),
            triangles,
            scale,
        }
    }

    /// Of which every kind of picture is taken.
    fn pictures(&self) -> Vec<RenderedImage> {
        let backend = cpu(2);
        let built = Cores::new(Some(2)).expect("threads");
        let built = built.build(&self.triangles, Options::default());
        let tree = built.expect("a tree").tree;
        let tree =
            DeviceTree::from_host(&*backend, tree, self.triangles.clone()).expect("a whole tree");
        let paths = Shade::Path {
            lighting: &self.lighting,
            bounces: 6,
        };
        let ambient = Shade::Ambient {
            samples: 16,
            distance: self.scale,
        };
        let shades = Mode::ALL.map(Shade::Surface).into_iter();
        let shades = shades.chain([ambient, paths, Shade::Cost { most: None }]);
        let picture = |shade| {
            let shading = Shading {
                shade,
                samples: match shade {
                    Shade::Path { .. } => 8,
                    _ => 1,
                },
                aovs: matches!(shade, Shade::Path { .. }),
                ..Shading::from(Mode::default())
            };
            tree.render(&self.camera, &shading, 1).expect("a picture")
        };
        shades.map(picture).collect()
    }
}

/// The bits of numbers that are lengths of the scene or not, as they are at scale 1.
fn bits(numbers: &[[f32; 3]], unit: f32) -> Vec<u32> {
    let numbers = numbers.as_flattened().iter();
    numbers.map(|number| (number / unit).to_bits()).collect()
}

#[test]
fn pictures_do_not_change_in_bits_when_all_is_scaled() {
    let reference = Place::new(0);
    let without_delta_lights = Place {
        lighting: reference.lighting.clone().with_delta_lights(&[]),
        ..Place::new(0)
    };
    let with_delta_lights = reference.pictures();
    let without_delta_lights = without_delta_lights.pictures();
    for exponent in EXPONENTS {
        let place = Place::new(exponent);
        let has_delta_lights = (-60..=60).contains(&exponent);
        let expected = if has_delta_lights {
            &with_delta_lights
        } else {
            &without_delta_lights
        };
        for (number, (expected, found)) in expected.iter().zip(place.pictures()).enumerate() {
            let is_depth = Mode::ALL.get(number) == Some(&Mode::Depth);
            let unit = if is_depth { place.scale } else { 1.0 };
            let same = bits(&expected.raw, 1.0) == bits(&found.raw, unit);
            assert!(same, "picture {number} at 2^{exponent}");
            assert_eq!(
                expected.rgba, found.rgba,
                "picture {number} at 2^{exponent}"
            );
            assert_eq!(
                expected.rays, found.rays,
                "picture {number} at 2^{exponent}"
            );
            if let (Some(expected), Some(found)) = (&expected.aovs, &found.aovs) {
                assert_eq!(expected.albedo, found.albedo);
                assert_eq!(expected.normal, found.normal);
                let depth = found.depth.iter().map(|depth| depth / place.scale);
                assert_eq!(expected.depth, depth.collect::<Vec<_>>(), "2^{exponent}");
            }
        }
    }
}

/// A cube as large and as small as scenes may be is seen whole, by every builder.
#[test]
fn cubes_at_the_limits_are_seen() {
    let backend = cpu(2);
    for half in [1e18, 3e17, 1e10, 1e-10, 1e-21] {
        let triangles = moved(&cube(), half, [0.0; 3]);
        let bounds = Bounds {
            min: Vec3::splat(-half),
            max: Vec3::splat(half),
        };
        let camera = Camera::frame(bounds, 64, 64, 45.0).expect("a camera");
        let spec = Spec::parse("cfmmalloc").expect("an allocator");
        let (pool, options) = (Pool::Auto, Options::default());
        let build = KernelBuild::prepare(&*backend, &triangles, &spec, pool, options);
        let tree = build
            .and_then(KernelBuild::into_built)
            .expect("a tree")
            .tree;
        let shading = Shading::from(Mode::Depth);
        let picture = tree.render(&camera, &shading, 1).expect("a picture");
        let seen = |picture: &RenderedImage| {
            let depths = picture.raw.iter().map(|pixel| pixel[0]);
            depths.filter(|depth| depth.is_finite()).count()
        };
        assert!(seen(&picture) > 1000, "{half}: {}", seen(&picture));
        let nearest = picture
            .raw
            .iter()
            .fold(f32::INFINITY, |near, [z, ..]| near.min(*z));
        let sides = camera
            .eye()
            .to_array()
            .into_iter()
            .zip(bounds.max.to_array());
        let square = |(from, to)| (f64::from(from) - f64::from(to)).powi(2);
        let expected = sides.map(square).sum::<f64>().sqrt();
        let ratio = f64::from(nearest) / expected;
        assert!((ratio - 1.0).abs() < 0.1, "{nearest} {expected}");
        // Rays of one's own, in the scene's lengths.
        let ray = Ray {
            origin: [0.25 * half, 0.5 * half, -3.0 * half],
            direction: [0.0, 0.0, 1.0],
        };
        let hits = tree.trace(&[ray]).expect("hits");
        assert!((hits[0].t / half - 2.0).abs() < 1e-6, "{half}: {hits:?}");
    }
}
