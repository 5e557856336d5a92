//! Pictures with textures against those without, and against what they must be.

use std::f32::consts::PI;

use glam::Vec3;
use heapwood::tree::{Builder, Lighting, Options, RenderedImage, Shade, Shading, Sky};
use heapwood_device::render::Mode;
use heapwood_scenes::{
    Camera, Material, MaterialTextures, Scene, Texture, TextureImage, Texturing, Wrap, fnv1a,
    generate,
};
use heapwood_tests::gpu::cpu;
use heapwood_tests::pictured::parlour;

/// Coordinates as they are.
const SAME: [f32; 6] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

const SKY: Sky = Sky {
    zenith: Vec3::new(0.5, 0.7, 1.0),
    nadir: Vec3::ONE,
};

/// An image of rows of `width` texels, from above.
fn image(width: u32, texels: &[[u8; 4]]) -> TextureImage {
    TextureImage {
        width,
        height: texels.len() as u32 / width,
        texels: texels.to_vec(),
    }
}

/// From in front of a square, with as many rows as columns.
fn front(fov: f32, side: u32) -> Camera {
    let eye = Vec3::new(0.0, 0.0, 2.0);
    Camera::new(eye, Vec3::ZERO, Vec3::Y, fov, side, side).expect("a camera")
}

/// A texture of the only image.
fn texture(wrap: Wrap, is_linear: bool, map: [f32; 6]) -> Texture {
    Texture {
        image: 0,
        wrap: [wrap; 2],
        is_linear,
        map,
    }
}

/// The corners of a square around the z-axis, counterclockwise seen from above.
fn corners(half: f32, z: f32) -> [Vec3; 4] {
    [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
        .map(|[x, y]| Vec3::new(half * x, half * y, z))
}

fn render(
    scene: &Scene,
    lighting: &Lighting,
    camera: &Camera,
    samples: u32,
    bounces: u32,
) -> RenderedImage {
    let backend = cpu(2);
    let threads = Some(2);
    let built = Builder::Cores { threads }.build(&*backend, scene, Options::default());
    let tree = built.expect("a tree").tree;
    let shading = Shading {
        shade: Shade::Path { lighting, bounces },
        samples,
        aovs: true,
        ..Shading::from(Mode::default())
    };
    tree.render(camera, &shading, 1).expect("a picture")
}

/// A scene whose materials all have this image in all textures that they can have.
fn covered(scene: &Scene, image: TextureImage) -> Scene {
    let textures = MaterialTextures {
        base: Some(0),
        emission: Some(0),
        surface: Some(0),
        opacity: Some(0),
        cutoff: None,
    };
    let materials = scene.materials().iter();
    let materials = materials.map(|material| Material {
        textures,
        ..material.clone()
    });
    let texturing = Texturing {
        images: vec![image],
        textures: vec![texture(Wrap::Repeat, true, SAME)],
        coordinates: vec![[[0.25, 1.5], [3.0, -7.0], [0.5, 0.125]]; scene.len()],
    };
    let covered = scene.clone().textured(materials.collect(), texturing);
    covered.expect("textures that fit")
}

#[test]
fn white_textures_change_no_bit() {
    let scene = generate::courtyard();
    let white = image(2, &[[255; 4]; 2]);
    // MTL's materials have no roughness, which a texture would scale: some get one.
    let mut materials = scene.materials().to_vec();
    for material in materials.iter_mut().step_by(2) {
        (material.roughness, material.metallic) = (Some(0.5), 0.25);
    }
    let scene = scene
        .textured(materials, Texturing::default())
        .expect("materials");
    let (eye, look_at) = (Vec3::new(-5.6, 1.7, 6.0), Vec3::new(1.5, 2.4, -4.0));
    let camera = Camera::new(eye, look_at, Vec3::Y, 62.0, 80, 50).expect("a camera");
    let plain = render(&scene, &Lighting::of(&scene, SKY), &camera, 2, 4);
    let covered = covered(&scene, white);
    let found = render(&covered, &Lighting::of(&covered, SKY), &camera, 2, 4);
    assert_eq!(found.raw, plain.raw);
    assert_eq!(found.rays, plain.rays);
    assert_eq!(found.aovs, plain.aovs);
}

/// A square of side 2 around the origin that faces along z, with `v` going up.
fn square(material: Material, image: TextureImage) -> Scene {
    let [a, b, c, d] = corners(1.0, 0.0);
    let upwards = [1.0, 0.0, 0.0, 0.0, -1.0, 1.0];
    let scene = Scene::from_triangles("square", &[[a, b, c], [a, c, d]]);
    let [p, q, r, s] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let texturing = Texturing {
        images: vec![image],
        textures: vec![texture(Wrap::Clamp, false, upwards)],
        coordinates: vec![[p, q, r], [p, r, s]],
    };
    scene
        .textured(vec![material], texturing)
        .expect("textures that fit")
}

fn mean(picture: &RenderedImage) -> (f64, f64) {
    let values = || picture.raw.iter().map(|pixel| f64::from(pixel[0]));
    let count = picture.raw.len() as f64;
    let mean = values().sum::<f64>() / count;
    let variance = values().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, (variance / count).sqrt())
}

const DARK: Sky = Sky {
    zenith: Vec3::ZERO,
    nadir: Vec3::ZERO,
};

#[test]
fn a_picture_on_a_wall_is_seen_as_it_is() {
    // Red above green on the left, blue above white on the right.
    let (red, green, blue) = ([255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]);
    let image = image(2, &[red, blue, green, [255; 4]]);
    let mut material = Material::matt("picture", Vec3::ZERO);
    material.emission = Vec3::splat(3.0);
    material.textures.emission = Some(0);
    let scene = square(material, image);
    let picture = render(&scene, &Lighting::of(&scene, DARK), &front(45.0, 8), 1, 0);
    let expected = |x: usize, y: usize| match (x < 4, y < 4) {
        (true, true) => [3.0, 0.0, 0.0],
        (false, true) => [0.0, 0.0, 3.0],
        (true, false) => [0.0, 3.0, 0.0],
        (false, false) => [3.0; 3],
    };
    for (index, pixel) in picture.raw.iter().enumerate() {
        assert_eq!(pixel, &expected(index % 8, index / 8), "{index}");
    }
}

#[test]
fn albedos_are_those_of_textures() {
    let image = image(2, &[[255, 0, 0, 255], [0, 188, 0, 255]]);
    let mut material = Material::matt("picture", Vec3::new(0.5, 1.0, 1.0));
    material.textures.base = Some(0);
    let scene = square(material, image);
    let picture = render(&scene, &Lighting::of(&scene, SKY), &front(45.0, 8), 1, 1);
    let albedo = picture.aovs.expect("they were asked for").albedo;
    for (index, found) in albedo.iter().enumerate() {
        let expected = [[0.5, 0.0], [0.0, 0.5029]][index % 8 / 4];
        let is_near = (found[1] - expected[1]).abs() < 1e-4;
        assert!(
            is_near && [found[0], found[2]] == [expected[0], 0.0],
            "{found:?}"
        );
    }
}

#[test]
fn a_masked_texture_is_there_or_not() {
    let camera = front(40.0, 16);
    let found = |alpha: u8, cutoff: Option<f32>| {
        let mut material = Material::matt("veil", Vec3::ZERO);
        (material.textures.opacity, material.textures.cutoff) = (Some(0), cutoff);
        let scene = square(material, image(1, &[[255, 255, 255, alpha]]));
        let white = Sky {
            zenith: Vec3::ONE,
            nadir: Vec3::ONE,
        };
        let lighting = Lighting::of(&scene, white);
        mean(&render(&scene, &lighting, &camera, 16, 4)).0
    };
    assert_eq!(found(127, Some(0.5)), 1.0);
    assert_eq!(found(128, Some(0.5)), 0.0);
    let quarter = found(191, None);
    assert!((quarter - 64.0 / 255.0).abs() < 0.02, "{quarter}");
}

/// A lamp with a texture lights a floor the same whether shadow rays look for it, rays find it by
/// chance, or both; and the same as an integral over its texels.
#[test]
fn lamps_with_textures_are_not_biased() {
    let texels = [255, 0, 0, 188, 0, 0, 255, 64].map(|grey| [grey, grey, grey, 255]);
    let image = image(4, &texels);
    let mut lamp = Material::matt("lamp", Vec3::ZERO);
    lamp.emission = Vec3::splat(4.0);
    lamp.textures.emission = Some(0);
    let lamp = square(lamp, image);
    // A floor of reflectance 1/2 at distance 1 in front of the lamp, which faces it.
    let [a, b, c, d] = corners(0.1, 1.0);
    let mut positions = lamp.positions();
    positions.extend([[a, c, b], [a, d, c]]);
    let mut materials = lamp.materials().to_vec();
    materials.push(Material::matt("floor", Vec3::splat(0.5)));
    let mut texturing = lamp.texturing().clone();
    texturing.coordinates.extend([[[0.0; 2]; 3]; 2]);
    let vertices = positions.as_flattened().to_vec();
    let corners = (0..4).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let plain = vec![Material::default(); 2];
    let scene = Scene::new("lamp and floor", vertices, corners, plain, vec![0, 0, 1, 1]);
    let scene = scene
        .and_then(|scene| scene.textured(materials, texturing))
        .expect("a scene");
    // From between both: all of the picture is the middle of the floor.
    let eye = Vec3::new(0.0, 0.0, 0.9);
    let camera = Camera::new(eye, Vec3::Z, Vec3::Y, 10.0, 32, 32).expect("a camera");
    let lighting = Lighting::of(&scene, DARK);
    assert_eq!(lighting.lights(), 2);
    let (both, both_error) = mean(&render(&scene, &lighting, &camera, 64, 1));
    let by_chance = lighting.without_next_event_estimation();
    let (chance, chance_error) = mean(&render(&scene, &by_chance, &camera, 1024, 1));
    let (apart, allowed) = ((both - chance).abs(), 4.0 * (both_error + chance_error));
    assert!(apart < allowed, "{both} {chance} +- {chance_error}");

    // Radiance of the floor's middle: 1/2 / pi times the sum of L cos^2 / r^2 dA.
    let (steps, mut sum) = (400_u32, 0.0_f64);
    for row in 0..steps {
        for column in 0..steps {
            let at = |index: u32| f64::from(2 * index + 1) / f64::from(steps) - 1.0;
            let (x, y) = (at(column), at(row));
            let texel = texels[(row / (steps / 2) * 4 + column / (steps / 4)) as usize][0];
            let light = match texel {
                255 => 4.0,
                188 => 4.0 * 0.502_886,
                64 => 4.0 * 0.051_269,
                _ => 0.0,
            };
            sum += light / (x * x + y * y + 1.0).powi(2);
        }
    }
    let area = 4.0 / f64::from(steps * steps);
    let expected = 0.5 / f64::from(PI) * sum * area;
    let allowed = 4.0 * both_error + 0.005 * expected;
    assert!((both - expected).abs() < allowed, "{both} {expected}");
}

#[test]
fn a_picture_with_textures_is_what_it_was() {
    let scene = parlour();
    let (eye, look_at) = (Vec3::new(2.6, 1.7, 3.4), Vec3::new(-0.3, 0.8, -0.9));
    let camera = Camera::new(eye, look_at, Vec3::Y, 48.0, 120, 90).expect("a camera");
    let picture = render(&scene, &Lighting::of(&scene, SKY), &camera, 4, 4);
    let hash = fnv1a(picture.rgba.iter().copied());
    // A change of this is a change of every picture that users have: it takes a reason.
    assert_eq!(format!("{hash:016x}"), "f697ce332c3c664e");
}
