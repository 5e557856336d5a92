//! Pictures of every kind on the GPU, if there is one: bit for bit those of the CPU backend,
//! of every shipped scene, and of a stage with all materials. Ray counts, too.
//!
//! `HEAPWOOD_SCENES` names further scenes, separated as in `PATH`.

use glam::Vec3;
use heapwood::backend::Backend;
use heapwood::tree::{
    Cores, CoresTree, Crop, Lamp, Lighting, Options, PlacedTree, RenderedImage, Shade, Shading,
    Sky, render_placed, triangles,
};
use heapwood_device::render::{Mode, SurfaceMaterial, Triangle};
use heapwood_scenes::{Camera, CleanOptions, Scene, generate};
use heapwood_tests::gpu::{cpu, gpu};
use heapwood_tests::parlour::parlour;
use heapwood_tests::soup::{grid, moved, sphere};

const SKY: Sky = Sky {
    zenith: Vec3::new(0.5, 0.7, 1.0),
    nadir: Vec3::ONE,
};

fn shading(shade: Shade<'_>, samples: u32) -> Shading<'_> {
    Shading {
        shade,
        samples,
        seed: 3,
        ..Shading::from(Mode::default())
    }
}

/// Triangles with their light, a tree and a camera.
struct Set {
    name: String,
    triangles: Vec<Triangle>,
    lighting: Lighting,
    built: CoresTree,
    camera: Camera,
    diagonal: f32,
}

impl Set {
    fn new(name: &str, triangles: Vec<Triangle>, lighting: Lighting, scene: &Scene) -> Self {
        let cores = Cores::new(None).expect("threads");
        let built = cores.build(&triangles, Options::default());
        let bounds = scene.bounds();
        Self {
            name: name.to_owned(),
            triangles,
            lighting,
            built: built.expect("a tree"),
            camera: Camera::frame(bounds, 203, 150, 45.0).expect("a camera"),
            diagonal: bounds.extent().length(),
        }
    }

    fn of(scene: &Scene) -> Self {
        let lighting = Lighting::of(scene, SKY);
        Self::new(scene.name(), triangles(scene), lighting, scene)
    }

    fn render(&self, backend: &dyn Backend, shading: &Shading) -> RenderedImage {
        let (tree, bounds) = (&self.built.tree, self.built.bounds);
        let placed = PlacedTree::new(backend, tree, &self.triangles, bounds).expect("memory");
        render_placed(&placed, &self.camera, shading, 1).expect("a picture")
    }

    /// Everything that a picture can show, with several samples where that is possible.
    fn shadings(&self) -> Vec<Shading<'_>> {
        let mut all: Vec<_> = Mode::ALL
            .into_iter()
            .map(|mode| shading(Shade::Surface(mode), 1))
            .collect();
        let path = |bounces| Shade::Path {
            lighting: &self.lighting,
            bounces,
        };
        let ambient = Shade::Ambient {
            samples: 16,
            distance: 0.1 * self.diagonal,
        };
        all.extend([
            shading(Shade::Surface(Mode::Eyelight), 3),
            shading(Shade::Cost { most: None }, 2),
            shading(ambient, 2),
            shading(path(0), 1),
            shading(path(8), 8),
        ]);
        let crop = Crop {
            left: 11,
            top: 7,
            width: 61,
            height: 43,
        };
        all.push(Shading {
            crop: Some(crop),
            ..shading(Shade::Surface(Mode::Normal), 1)
        });
        all
    }
}

/// Walls and balls of every material, two lamps among them.
fn all_materials() -> Set {
    let matt = SurfaceMaterial {
        diffuse: Vec3::new(0.6, 0.7, 0.5),
        specular: Vec3::ZERO,
        emission: Vec3::ZERO,
        roughness: 1.0,
        transmission: 0.0,
        refraction: 1.5,
        transparency: 0.0,
    };
    let glossy = |roughness| SurfaceMaterial {
        diffuse: Vec3::splat(0.2),
        specular: Vec3::new(0.7, 0.6, 0.4),
        roughness,
        ..matt
    };
    let materials = [
        matt,
        glossy(0.0),
        glossy(0.02),
        glossy(0.3),
        SurfaceMaterial {
            transmission: 0.9,
            ..matt
        },
        SurfaceMaterial {
            transparency: 0.5,
            ..matt
        },
        SurfaceMaterial {
            emission: Vec3::new(9.0, 8.0, 5.0),
            ..matt
        },
        SurfaceMaterial {
            emission: Vec3::new(1.0, 2.0, 4.0),
            ..glossy(0.1)
        },
    ];
    let mut list = moved(&grid(1), 9.0, [0.0; 3]);
    let mut material_of = vec![0; list.len()];
    // The wall towards the camera is not there.
    list.truncate(list.len() - 2);
    material_of.truncate(list.len());
    for number in 1..materials.len() as u32 {
        let place = [number % 3, number / 3 % 3, number * 2 % 3].map(|at| 1.5 + 3.0 * at as f32);
        let ball = moved(&sphere(6), 1.2, place);
        material_of.extend(ball.iter().map(|_| number));
        list.extend(ball);
    }
    let corners: Vec<[Vec3; 3]> = list.iter().map(|t| t.map(Vec3::from_array)).collect();
    let scene = Scene::from_triangles("all materials", &corners);
    let lighting = Lighting::new(&list, &materials, &material_of, SKY).with_lamps(&[
        Lamp::Sun {
            direction: Vec3::new(0.48, 0.6, 0.64),
            irradiance: Vec3::new(3.0, 2.1, 1.2),
            cosine: 0.99,
        },
        Lamp::Point {
            position: Vec3::new(4.0, 4.5, 5.0),
            intensity: Vec3::new(1.0, 2.0, 3.0),
        },
    ]);
    Set::new("all materials", list, lighting, &scene)
}

fn bits(picture: &RenderedImage) -> Vec<u32> {
    let values = picture.raw.as_flattened().iter();
    values.map(|value| value.to_bits()).collect()
}

#[test]
fn pictures_are_the_same_on_every_backend() {
    let mut others = vec![cpu(3)];
    others.extend(gpu());
    let by_name = |name| generate::by_name(name).expect("a shipped scene");
    let mut scenes = generate::NAMES.map(by_name).to_vec();
    if let Some(paths) = std::env::var_os("HEAPWOOD_SCENES") {
        scenes.extend(std::env::split_paths(&paths).map(|path| {
            let loaded = heapwood_scenes::load(&path, CleanOptions::default());
            loaded.unwrap_or_else(|error| panic!("{error}")).scene
        }));
    }
    scenes.push(parlour());
    let mut sets: Vec<Set> = scenes.iter().map(Set::of).collect();
    sets.push(all_materials());
    let reference = cpu(1);
    for set in &sets {
        for shading in set.shadings() {
            let expected = set.render(&*reference, &shading);
            for other in &others {
                let found = set.render(&**other, &shading);
                let (shade, on) = (shading.shade.name(), other.info().backend);
                let differing = bits(&expected).into_iter().zip(bits(&found));
                let differing = differing.filter(|(one, other)| one != other).count();
                println!("{}, {shade} on {on}: {differing} values differ", set.name);
                assert_eq!(differing, 0, "{}, {shade} on {on}", set.name);
                assert_eq!(expected.rays, found.rays, "{}, {shade} on {on}", set.name);
                let numbers = found.raw.as_flattened();
                let is_depth = shading.shade == Shade::Surface(Mode::Depth);
                assert!(is_depth || numbers.iter().all(|value| value.is_finite()));
            }
        }
    }
}
