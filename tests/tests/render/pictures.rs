//! Whole pictures on the CPU backend: their bytes, windows of them, and samples of pixels.

use std::sync::Arc;

use heapwood::backend::Backend;
use heapwood::tree::{
    Cores, Crop, DeviceTree, HostTree, Lighting, Options, PlacedLighting, RayCounts, RenderedImage,
    Shade, Shading, Sky, triangles,
};
use heapwood_device::render::Mode;
use heapwood_scenes::{Camera, Scene, fnv1a, generate};
use heapwood_tests::gpu::cpu;

use glam::Vec3;

/// A shipped scene with its tree, seen from within.
struct Studio {
    backend: Box<dyn Backend>,
    tree: Arc<HostTree>,
    scene: Scene,
    camera: Camera,
}

impl Studio {
    fn new(workers: usize) -> Self {
        let scene = generate::courtyard();
        let cores = Cores::new(Some(workers)).expect("threads");
        let cores = cores.build(&triangles(&scene), Options::default());
        let (eye, look_at) = (Vec3::new(-5.6, 1.7, 6.0), Vec3::new(1.5, 2.4, -4.0));
        Self {
            backend: cpu(workers),
            tree: Arc::new(cores.expect("a tree").tree),
            scene,
            camera: Camera::new(eye, look_at, Vec3::Y, 62.0, 160, 100).expect("a camera"),
        }
    }

    fn render(&self, shading: &Shading) -> RenderedImage {
        let (tree, triangles) = (Arc::clone(&self.tree), triangles(&self.scene));
        let tree = DeviceTree::from_host(&*self.backend, tree, triangles).expect("a whole tree");
        tree.render(&self.camera, shading, 1).expect("a picture")
    }
}

fn shading(shade: Shade<'_>) -> Shading<'_> {
    Shading {
        shade,
        ..Shading::from(Mode::default())
    }
}

const AMBIENT: Shade<'static> = Shade::Ambient {
    samples: 16,
    distance: 2.5,
};

/// The light of the scene below a blue sky.
fn lighting(studio: &Studio) -> Lighting {
    let sky = Sky {
        zenith: Vec3::new(0.5, 0.7, 1.0),
        nadir: Vec3::ONE,
    };
    Lighting::of(&studio.scene, sky)
}

fn path(lighting: &Lighting) -> Shade<'_> {
    Shade::Path {
        lighting,
        bounces: 4,
    }
}

/// A change of these is a change of every picture that users have: it takes a reason.
const PICTURES: [&str; 7] = [
    "eyelight 1d92131285bb3aa4",
    "normal 716fd440664e08f7",
    "primitive 78d6b96d6a541318",
    "depth b1597c9258d2ba64",
    "ao 6b2d818f6d9ff2d1",
    "cost 5a1438b1839e753e",
    "path 51364c714278ef70",
];

#[test]
fn pictures_are_what_they_were() {
    let studio = Studio::new(2);
    let found = [
        Shade::Surface(Mode::Eyelight),
        Shade::Surface(Mode::Normal),
        Shade::Surface(Mode::Primitive),
        Shade::Surface(Mode::Depth),
        AMBIENT,
        Shade::Cost { most: None },
        path(&lighting(&studio)),
    ]
    .map(|shade| {
        let picture = studio.render(&shading(shade));
        format!(
            "{} {:016x}",
            shade.name(),
            fnv1a(picture.rgba.iter().copied())
        )
    });
    assert_eq!(found, PICTURES);
}

#[test]
fn workers_do_not_change_pictures() {
    let (one, three) = (Studio::new(1), Studio::new(3));
    let lighting = lighting(&one);
    for shade in [Shade::Surface(Mode::Eyelight), AMBIENT, path(&lighting)] {
        let shading = Shading {
            samples: 2,
            ..shading(shade)
        };
        let (one, three) = (one.render(&shading), three.render(&shading));
        assert_eq!(one.raw, three.raw);
        assert_eq!(one.rays, three.rays);
    }
}

#[test]
fn a_window_is_a_part_of_the_picture() {
    let studio = Studio::new(2);
    let crop = Crop {
        left: 37,
        top: 21,
        width: 50,
        height: 33,
    };
    let modes = Mode::ALL.map(Shade::Surface).into_iter();
    let lighting = lighting(&studio);
    for shade in modes.chain([Shade::Cost { most: None }, AMBIENT, path(&lighting)]) {
        let whole = studio.render(&shading(shade));
        let part = studio.render(&Shading {
            crop: Some(crop),
            ..shading(shade)
        });
        assert_eq!((part.width, part.height), (50, 33));
        for (index, pixel) in (0..).zip(&part.raw) {
            let (x, y) = (crop.left + index % 50, crop.top + index / 50);
            let same = whole.raw[(y * whole.width + x) as usize];
            assert_eq!(pixel, &same, "{shade:?} at {x}, {y}");
        }
    }
}

#[test]
fn samples_of_a_pixel_become_its_mean() {
    let studio = Studio::new(2);
    let normal = Shade::Surface(Mode::Normal);
    let (one, many) = (studio.render(&shading(normal)), {
        studio.render(&Shading {
            samples: 16,
            ..shading(normal)
        })
    });
    assert_eq!(one.rays.primary * 16, many.rays.primary);
    // Where neighbours are equal so is the mean; at edges there are colours in between.
    let (width, height) = (one.width as usize, one.height as usize);
    let (mut smooth, mut between) = (0, 0);
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let at = y * width + x;
            let near = [at - width, at - 1, at + 1, at + width];
            let near = near.map(|at| one.raw[at]);
            let off = [0, 1, 2].map(|i| (many.raw[at][i] - one.raw[at][i]).abs());
            let off = off.into_iter().fold(0.0, f32::max);
            if near.iter().all(|pixel| *pixel == one.raw[at]) {
                smooth += u32::from(off < 1e-5);
            } else {
                between += u32::from(off > 0.05);
            }
        }
    }
    assert!(smooth > 5000 && between > 300, "{smooth} {between}");
}

#[test]
fn ambient_occlusion_depends_on_distance_and_seed_as_it_should() {
    let studio = Studio::new(2);
    let ambient = |samples, distance, seed| {
        studio.render(&Shading {
            seed,
            ..shading(Shade::Ambient { samples, distance })
        })
    };
    let mean = |picture: &RenderedImage| {
        let sum: f64 = picture.raw.iter().map(|pixel| f64::from(pixel[0])).sum();
        sum / picture.raw.len() as f64
    };
    // Farther surfaces occlude more, pixel by pixel: the rays are the same.
    let (near, far) = (ambient(16, 0.5, 0), ambient(16, 5.0, 0));
    assert!(
        near.raw
            .iter()
            .zip(&far.raw)
            .all(|(near, far)| near[0] >= far[0])
    );
    assert!(mean(&far) + 0.1 < mean(&near) && mean(&near) < 1.0);
    let other = ambient(16, 5.0, 1);
    assert_ne!(other.raw, far.raw);
    assert!((mean(&other) - mean(&far)).abs() < 0.005);
    // Many samples come to the same.
    assert!((mean(&ambient(256, 5.0, 2)) - mean(&far)).abs() < 0.005);
    let RayCounts {
        primary,
        shadow,
        secondary,
    } = far.rays;
    assert_eq!((primary, secondary), (16_000, 0));
    let depth = studio.render(&shading(Shade::Surface(Mode::Depth)));
    let hits = depth.raw.iter().filter(|pixel| pixel[0].is_finite());
    assert_eq!(shadow, 16 * hits.count() as u64);
}

#[test]
fn a_wall_hides_what_it_should_of_a_floor() {
    // Two squares at a right angle: at a distance d from the edge, the wall of height h hides
    // (1 - d / sqrt(d^2 + h^2)) / 2 of the floor's cosine-weighted hemisphere, if it is wide.
    let (wide, high) = (1000.0, 1.0);
    let corner = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
    let floor = [
        corner(0.0, 0.0, -wide),
        corner(4.0, 0.0, -wide),
        corner(4.0, 0.0, wide),
        corner(0.0, 0.0, wide),
    ];
    let wall = [
        corner(0.0, 0.0, -wide),
        corner(0.0, 0.0, wide),
        corner(0.0, high, wide),
        corner(0.0, high, -wide),
    ];
    let halves = |[a, b, c, d]: [Vec3; 4]| [[a, b, c], [a, c, d]];
    let list = [halves(floor), halves(wall)].concat();
    let scene = Scene::from_triangles("edge", &list);
    let cores = Cores::new(Some(1)).expect("threads");
    let built = cores.build(&triangles(&scene), Options::default());
    let studio = Studio {
        backend: cpu(1),
        tree: Arc::new(built.expect("a tree").tree),
        scene,
        // Straight down, four units wide.
        camera: Camera::new(
            corner(2.0, 100.0, 0.0),
            corner(2.0, 0.0, 0.0),
            Vec3::Z,
            2.0 * (0.02_f32).atan().to_degrees(),
            64,
            64,
        )
        .expect("a camera"),
    };
    let picture = studio.render(&shading(Shade::Ambient {
        samples: 64,
        distance: 1e6,
    }));
    let rays = studio.camera.rays();
    for x in 0..64 {
        let column = (0..64).map(|y| f64::from(picture.raw[64 * y + x][0]));
        let found = column.sum::<f64>() / 64.0;
        let direction = rays.direction(x as u32, 32);
        let d = f64::from(2.0 - 100.0 * direction.x / direction.y);
        let expected = 1.0 - 0.5 * (1.0 - d / d.hypot(f64::from(high)));
        assert!((0.0..4.0).contains(&d), "{d}");
        assert!(
            (found - expected).abs() < 0.01,
            "at {d}: {found} for {expected}"
        );
    }
}

#[test]
fn light_is_copied_once_for_many_pictures() {
    let studio = Studio::new(2);
    let lighting = lighting(&studio);
    let placed = PlacedLighting::new(&*studio.backend, &lighting).expect("memory");
    let with = Shading {
        placed: Some(&placed),
        ..shading(path(&lighting))
    };
    let expected = studio.render(&shading(path(&lighting)));
    for _ in 0..2 {
        let picture = studio.render(&with);
        assert_eq!(
            (picture.raw, picture.rays),
            (expected.raw.clone(), expected.rays)
        );
    }
}

#[test]
fn light_of_another_picture_or_backend_is_refused() {
    let studio = Studio::new(1);
    let [one, other] = [lighting(&studio), lighting(&studio)];
    let elsewhere = cpu(1);
    for placed in [
        PlacedLighting::new(&*studio.backend, &other),
        PlacedLighting::new(&*elsewhere, &one),
    ] {
        let placed = placed.expect("memory");
        let with = Shading {
            placed: Some(&placed),
            ..shading(path(&one))
        };
        let render = std::panic::AssertUnwindSafe(|| studio.render(&with));
        assert!(std::panic::catch_unwind(render).is_err());
    }
}
