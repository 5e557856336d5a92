//! The scenes themselves.

use glam::Vec3;
use heapwood_scenes::{
    CameraView, Lights, Material, MaterialTextures, Panorama, PointLight, Scene, Sky, SpotLight,
    Sun, Texture, TextureImage, Texturing, Wrap, generate, view_of,
};

use super::{Subject, parlour, smooth};
use crate::soup::{grid, moved, sphere};
use crate::stage::cube;

/// Triangles of a scene that is made in any size, at least.
const TRIANGLES: u64 = 2000;

/// Every shipped scene, every kind of scene that is made in any size, and scenes with all
/// materials and textures. A new kind of scene is among them without further ado.
///
/// # Panics
///
/// If one of them cannot be made.
pub fn subjects() -> Vec<Subject> {
    let shipped = generate::NAMES.map(|name| {
        let scene = generate::by_name(name).expect("a shipped scene");
        match view_file(name) {
            None => Subject::of(&scene),
            Some(text) => seen_by(&scene, text),
        }
    });
    let sized = generate::SIZED.map(|name| {
        let scene = generate::sized(name, TRIANGLES, 1).expect("few triangles");
        let scene = scene.expect("a kind of scene").renamed(name);
        let view = match name {
            // Its slabs hide what is between them.
            "hall" => from_within(&scene),
            _ => CameraView::default(),
        };
        Subject::new(&scene, view, &Lights::default())
    });
    let mut all: Vec<_> = shipped.into_iter().chain(sized).collect();
    all.extend([
        seen_by(
            &parlour(),
            include_str!("../../../scenes/data/parlour.toml"),
        ),
        in_daylight(&all_materials()),
        under_spots(&all_materials(), "spots"),
        Subject::of(&all_textures()),
        under_spots(&all_textures(), "textures-spots"),
        in_daylight(&all_colours()),
        in_the_open(),
        from_the_front(&smooth()),
        beside_a_cube(&far_ground("far-ground", 1.0)),
        beside_a_cube(&far_ground("far-ground-scaled", 2.0_f32.powi(30))),
        in_a_room(),
    ]);
    all
}

/// A cube of 2 on a ground of 1e6, all of it scaled, with a light above.
pub fn far_ground(name: &str, scale: f32) -> Scene {
    let square = |half: f32, height: f32| {
        let [a, b, c, d] = [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]]
            .map(|[x, z]: [f32; 2]| [x * half, height, z * half]);
        vec![[a, b, c], [a, c, d]]
    };
    let light = moved(&square(0.5, 0.0), 1.0, [1.0, 4.0, 1.0]);
    let (ground, cube) = (square(1e6, 0.0), moved(&cube(), 1.0, [0.0, 1.0, 0.0]));
    let emission = Material {
        emission: Vec3::splat(8.0),
        ..Material::default()
    };
    let lights = light.len();
    let list = moved(&[light, ground, cube].concat(), scale, [0.0; 3]);
    let material_of = (0..list.len()).map(|index| u32::from(index >= lights));
    scene_of(
        name,
        &list,
        vec![emission, Material::default()],
        material_of.collect(),
    )
}

/// From near, where the cube stands on the ground.
fn beside_a_cube(scene: &Scene) -> Subject {
    let scale = scene.bounds().max.x * 1e-6;
    let view = CameraView {
        eye: Some((Vec3::new(3.0, 2.5, 4.0) * scale).into()),
        look_at: Some((Vec3::new(1.0, 0.3, 0.5) * scale).into()),
        fov_degrees: Some(60.0),
        ..CameraView::default()
    };
    Subject::new(scene, view, &Lights::default())
}

/// A closed room that is turned, with a lamp, from within.
fn in_a_room() -> Subject {
    let walls = room();
    let lights = Lights {
        points: vec![PointLight {
            position: Vec3::new(0.2, 0.3, -0.4).into(),
            intensity: Vec3::new(1.0, 0.8, 0.6),
        }],
        ..Lights::default()
    };
    let view = CameraView {
        eye: Some(Vec3::new(0.3, -0.2, 0.4).into()),
        look_at: Some(Vec3::new(-1.0, 0.1, -0.8).into()),
        fov_degrees: Some(100.0),
        ..CameraView::default()
    };
    Subject::new(&walls, view, &lights)
}

/// The room: a cube of 2 that is turned about two axes.
pub fn room() -> Scene {
    let turn = |[x, y, z]: [f32; 3]| {
        let (x, y) = (0.8 * x - 0.6 * y, 0.6 * x + 0.8 * y);
        [x, 0.28 * y - 0.96 * z, 0.96 * y + 0.28 * z]
    };
    let walls: Vec<_> = cube().iter().map(|triangle| triangle.map(turn)).collect();
    let material_of = vec![0; walls.len()];
    scene_of("room", &walls, vec![Material::default()], material_of)
}

fn scene_of(
    name: &str,
    list: &[[[f32; 3]; 3]],
    materials: Vec<Material>,
    material_of: Vec<u32>,
) -> Scene {
    let vertices = list.iter().flatten().copied().map(Vec3::from_array);
    let corners = (0..list.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
    let (vertices, corners) = (vertices.collect(), corners.collect());
    let scene = Scene::new(name, vertices, corners, materials, material_of);
    scene.expect("parts that fit")
}

/// The view file of a shipped scene, which has its lights and its sky.
fn view_file(name: &str) -> Option<&'static str> {
    match name {
        "courtyard" => Some(include_str!("../../../scenes/data/courtyard.toml")),
        "cornell" => Some(include_str!("../../../scenes/data/cornell.toml")),
        _ => None,
    }
}

fn seen_by(scene: &Scene, text: &str) -> Subject {
    let view = view_of("a view", text).expect("a view file");
    Subject::new(scene, view.camera, &view.lights)
}

/// From one end towards the other.
fn from_within(scene: &Scene) -> CameraView {
    let bounds = scene.bounds();
    let at =
        |share: [f32; 3]| Some((bounds.min + bounds.extent() * Vec3::from_array(share)).into());
    CameraView {
        eye: at([0.2, 0.4, 0.9]),
        look_at: at([0.6, 0.35, 0.2]),
        fov_degrees: Some(65.0),
        ..CameraView::default()
    }
}

/// From above the open side.
fn from_the_front(scene: &Scene) -> Subject {
    let view = CameraView {
        eye: Some(Vec3::new(0.5, 4.5, 10.5).into()),
        look_at: Some(Vec3::new(0.2, 1.2, 0.0).into()),
        fov_degrees: Some(42.0),
        ..CameraView::default()
    };
    Subject::new(scene, view, &Lights::default())
}

/// The knot in the last light of a day, with a lamp: an environment, and no textures.
fn in_the_open() -> Subject {
    let scene = generate::by_name("knot").expect("a shipped scene");
    let lights = Lights {
        points: vec![PointLight {
            position: scene.bounds().centre().into(),
            intensity: Vec3::new(0.2, 0.3, 0.6),
        }],
        ..Lights::default()
    };
    let subject = Subject::new(&scene.renamed("dusk"), CameraView::default(), &lights);
    let file = include_bytes!("../../../scenes/data/dusk.hdr");
    let (dusk, _) = Panorama::decode("dusk.hdr", file).expect("a panorama");
    subject.within(&dusk, 1.5, 70.0)
}

/// A scene with a sun and a point.
fn in_daylight(scene: &Scene) -> Subject {
    let lights = Lights {
        suns: vec![Sun {
            direction: Vec3::new(0.48, 0.6, 0.64),
            irradiance: Vec3::new(3.0, 2.1, 1.2),
            angle_degrees: 16.0,
        }],
        points: vec![PointLight {
            position: Vec3::new(4.0, 4.5, 5.0).into(),
            intensity: Vec3::new(1.0, 2.0, 3.0),
        }],
        ..Lights::default()
    };
    Subject::new(scene, CameraView::default(), &lights)
}

/// A scene in the dark under spots in its upper half: a soft one, one with a sharp edge and one
/// that leaves out half of all directions.
fn under_spots(scene: &Scene, name: &str) -> Subject {
    let bounds = scene.bounds();
    let length = bounds.extent().length();
    let spot = |place: [f32; 3], direction: [f32; 3], [inner_degrees, angle_degrees]: [f32; 2]| {
        let direction = Vec3::from_array(direction);
        SpotLight {
            position: (bounds.min + bounds.extent() * Vec3::from_array(place)).into(),
            direction,
            intensity: length * length * (Vec3::splat(0.25) + 0.25 * direction.abs()),
            angle_degrees,
            inner_degrees,
        }
    };
    let lights = Lights {
        sky: Some(Sky {
            zenith: Vec3::ZERO,
            nadir: Vec3::ZERO,
        }),
        spots: vec![
            spot([0.2, 0.9, 0.8], [0.3, -1.0, -0.4], [0.0, 70.0]),
            spot([0.8, 0.95, 0.4], [-0.4, -1.0, 0.2], [40.0, 40.0]),
            spot([0.5, 0.6, 0.1], [0.1, -0.3, 1.0], [30.0, 180.0]),
        ],
        ..Lights::default()
    };
    let scene = scene.clone().renamed(name);
    Subject::new(&scene, CameraView::default(), &lights)
}

/// Walls and balls of every material; two materials emit light.
fn all_materials() -> Scene {
    let matt = Material::matt("matt", Vec3::new(0.6, 0.7, 0.5));
    let glossy = |roughness| Material {
        roughness: Some(roughness),
        metallic: 0.75,
        ..Material::matt("glossy", Vec3::new(0.7, 0.6, 0.4))
    };
    let materials = vec![
        matt.clone(),
        glossy(0.0),
        glossy(0.15),
        glossy(0.55),
        Material {
            transmission: 0.9,
            ..matt.clone()
        },
        Material {
            opacity: 0.5,
            ..matt.clone()
        },
        Material {
            emission: Vec3::new(9.0, 8.0, 5.0),
            ..matt.clone()
        },
        Material {
            emission: Vec3::new(1.0, 2.0, 4.0),
            ..glossy(0.3)
        },
        Material {
            specular: Vec3::new(0.4, 0.3, 0.2),
            shininess: 60.0,
            ..matt
        },
    ];
    let mut list = moved(&grid(1), 9.0, [0.0; 3]);
    // The wall towards the camera is not there.
    list.truncate(list.len() - 2);
    let mut material_of = vec![0; list.len()];
    for number in 1..materials.len() as u32 {
        let place = [number % 3, number / 3 % 3, number * 2 % 3].map(|at| 1.5 + 3.0 * at as f32);
        let ball = moved(&sphere(6), 1.2, place);
        material_of.extend(ball.iter().map(|_| number));
        list.extend(ball);
    }
    scene_of("materials", &list, materials, material_of)
}

/// A bent surface in patches, whose materials have textures of each kind in each way to lie.
fn all_textures() -> Scene {
    let scene = generate::landscape(TRIANGLES, 5).expect("few triangles");
    let image = |width: u32, height: u32, turn: u32| TextureImage {
        width,
        height,
        texels: (0..width * height)
            .map(|at| [29_u32, 87, 145, 203].map(|by| (at * (by + turn)) as u8 ^ turn as u8))
            .collect(),
    };
    let wraps = [Wrap::Repeat, Wrap::Mirror, Wrap::Clamp];
    let textures = (0..12).map(|number| Texture {
        image: number % 2,
        wrap: [wraps[number as usize % 3], wraps[number as usize / 2 % 3]],
        is_linear: number % 4 < 2,
        map: [2.0, 0.5 * number as f32, -0.25, 0.5, -1.5, 1.0],
    });
    let materials = (0..4).map(|number| Material {
        roughness: (number > 0).then_some(0.6),
        metallic: 0.5,
        emission: Vec3::splat(0.25 * number as f32),
        textures: MaterialTextures {
            base: Some(3 * number),
            emission: (number == 1).then_some(4),
            surface: (number > 1).then_some(3 * number + 1),
            opacity: (number > 1).then_some(3 * number + 2),
            cutoff: (number == 3).then_some(0.5),
        },
        ..Material::matt("patch", Vec3::new(0.9, 0.8, 0.7))
    });
    let place = |corner: Vec3| [corner.x, corner.z + 0.5 * corner.y];
    let texturing = Texturing {
        images: vec![image(7, 5, 3), image(4, 8, 90)],
        textures: textures.collect(),
        coordinates: scene
            .positions()
            .iter()
            .map(|corners| corners.map(place))
            .collect(),
    };
    let material_of = (0..scene.len() as u32).map(|triangle| triangle / 16 % 4);
    let patched = Scene::new(
        "textures",
        scene.vertices().to_vec(),
        scene.triangles().to_vec(),
        vec![Material::default(); 4],
        material_of.collect(),
    );
    let patched = patched.expect("parts that fit");
    patched
        .textured(materials.collect(), texturing)
        .expect("textures that fit")
}

/// A bent surface in patches of matt, metal, blended and masked materials, whose vertices have
/// colours and alpha, and which has no textures.
fn all_colours() -> Scene {
    let scene = generate::landscape(TRIANGLES, 7).expect("few triangles");
    let white = Material::matt("white", Vec3::ONE);
    let materials = vec![
        white.clone(),
        Material {
            roughness: Some(0.4),
            metallic: 1.0,
            ..Material::matt("metal", Vec3::new(0.9, 0.8, 0.7))
        },
        Material {
            opacity: 0.75,
            ..white.clone()
        },
        Material {
            textures: MaterialTextures {
                cutoff: Some(0.5),
                ..MaterialTextures::default()
            },
            ..white
        },
    ];
    let extent = scene.bounds().extent();
    let colour = |material: u32, corner: Vec3| {
        let [red, green, blue] = ((corner - scene.bounds().min) / extent).to_array();
        let alpha = if material < 2 { 1.0 } else { 0.25 + 0.5 * red };
        [red, green, blue, alpha]
    };
    let material_of: Vec<u32> = (0..scene.len() as u32).map(|at| at / 16 % 4).collect();
    let positions = scene.positions();
    let both = positions.iter().zip(&material_of);
    let colours = both.map(|(corners, material)| corners.map(|at| colour(*material, at)));
    let patched = Scene::new(
        "colours",
        scene.vertices().to_vec(),
        scene.triangles().to_vec(),
        materials,
        material_of.clone(),
    );
    let patched = patched.expect("parts that fit");
    patched
        .with_colours(colours.collect())
        .expect("colours that fit")
}
