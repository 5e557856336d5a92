//! Textures in pictures: look-ups against what they must be, and pictures with textures against
//! those without.

use std::f32::consts::PI;

use glam::Vec3;
use heapwood::tree::{Builder, Lighting, Options, RenderedImage, Shade, Shading, Sky};
use heapwood_device::render::{
    DECODED, Encoding, Mode, Sample, TEXTURE_WORDS, Texture, Textures, Wrap,
};
use heapwood_scenes::{
    Camera, Material, MaterialTextures, Scene, TextureImage, Texturing, fnv1a, generate,
};
use heapwood_tests::gpu::cpu;
use heapwood_tests::pictured::parlour;
use proptest::prelude::*;

/// A table of one texture, with words before and behind its texels that no look-up may see.
struct Table {
    words: Vec<u32>,
}

const POISON: u32 = 0xfafa_fafa;
const SAME: [f32; 6] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

impl Table {
    fn new(width: u32, texels: &[u32], wrap: [Wrap; 2], is_linear: bool, map: [f32; 6]) -> Self {
        let before = DECODED + TEXTURE_WORDS + 3;
        let texture = Texture {
            first: before as u32,
            width,
            height: texels.len() as u32 / width,
            wrap,
            is_linear,
            map,
        };
        assert_eq!(Texture::from_words(texture.to_words()).wrap, wrap);
        let decoded = (0..DECODED).map(|byte| (byte as f32 * byte as f32).to_bits());
        let mut all: Vec<u32> = decoded.collect();
        all.extend(texture.to_words());
        all.extend([POISON; 3]);
        all.extend(texels);
        all.extend([POISON; 3]);
        Self { words: all }
    }

    fn sample(&self, u: f32, v: f32, encoding: Encoding) -> Sample {
        let textures = Textures {
            words: self.words.as_ptr(),
        };
        // SAFETY: the table has a texture, whose texels are there.
        unsafe { textures.sample(0, [u, v], encoding) }
    }

    /// The red of a point, as a byte.
    fn red(&self, u: f32, v: f32) -> f32 {
        self.sample(u, v, Encoding::Linear).colour.x * 255.0
    }
}

#[test]
fn texels_are_where_they_belong() {
    let texels = [
        0x0403_0201,
        0x1413_1211,
        0x2423_2221,
        0x3433_3231,
        0x4443_4241,
        0x5453_5251,
    ];
    for is_linear in [false, true] {
        let table = Table::new(3, &texels, [Wrap::Repeat; 2], is_linear, SAME);
        for (index, &texel) in texels.iter().enumerate() {
            // The middle of a texel, from the upper left corner.
            let (x, y) = (index % 3, index / 3);
            let (u, v) = ((x as f32 + 0.5) / 3.0, (y as f32 + 0.5) / 2.0);
            let bytes = texel.to_le_bytes().map(f32::from);
            let linear = table.sample(u, v, Encoding::Linear);
            let colours = Vec3::new(bytes[0], bytes[1], bytes[2]);
            assert!(
                (linear.colour - colours / 255.0).length() < 1e-6,
                "{index} {linear:?}"
            );
            assert!((linear.alpha - bytes[3] / 255.0).abs() < 1e-6);
            // The table of this test has squares; alpha is never looked up there.
            let decoded = table.sample(u, v, Encoding::Srgb);
            assert!(
                (decoded.colour - colours * colours).length() < 1e-2,
                "{index} {decoded:?}"
            );
            assert_eq!(decoded.alpha, linear.alpha);
        }
    }
}

#[test]
fn neighbours_are_mixed_and_edges_are_wrapped() {
    let row = [100, 200, 40];
    let of = |wrap| Table::new(3, &row, [wrap; 2], true, SAME);
    let at = |wrap, place: f32| of(wrap).red(place / 3.0, 0.5);
    let near = |found: f32, expected: f32| assert!((found - expected).abs() < 1e-3, "{found}");
    near(at(Wrap::Repeat, 1.0), 150.0);
    near(at(Wrap::Repeat, 1.25), 175.0);
    near(at(Wrap::Repeat, 0.0), 70.0);
    near(at(Wrap::Repeat, 3.0), 70.0);
    near(at(Wrap::Repeat, -1.5), 200.0);
    near(at(Wrap::Clamp, 0.0), 100.0);
    near(at(Wrap::Clamp, -50.0), 100.0);
    near(at(Wrap::Clamp, 3.25), 40.0);
    near(at(Wrap::Mirror, 0.0), 100.0);
    near(at(Wrap::Mirror, 3.5), 40.0);
    near(at(Wrap::Mirror, 4.0), 120.0);
    near(at(Wrap::Mirror, -1.0), 150.0);
    let nearest = Table::new(3, &row, [Wrap::Repeat, Wrap::Clamp], false, SAME);
    near(nearest.red(0.99 / 3.0, 7.0), 100.0);
    near(nearest.red(1.01 / 3.0, -7.0), 200.0);
    near(nearest.red(-0.01, 0.0), 40.0);
    // Scaled, turned and moved.
    let map = [0.0, 2.0, 0.5, 1.0, 0.0, 0.0];
    let turned = Table::new(3, &row, [Wrap::Repeat; 2], true, map);
    near(turned.red(9.0, 0.0), 200.0);
    near(turned.red(9.0, 1.0 / 6.0), 40.0);
}

fn any_bits() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<u32>().prop_map(f32::from_bits),
        -3.0_f32..3.0,
        prop::sample::select(vec![
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::MAX,
            f32::MIN,
            -1e-45,
            -1e-9,
            0.0,
            1.0,
            16_777_216.0,
            0.99999994,
        ]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_coordinates_lead_beside_the_texture(
        (width, height) in (1_u32..6, 1_u32..6),
        wraps in [0..3_usize, 0..3_usize],
        is_linear in any::<bool>(),
        (u, v) in (any_bits(), any_bits()),
        map in prop_oneof![Just(SAME), prop::array::uniform6(any_bits())],
    ) {
        let wrap = wraps.map(|wrap| [Wrap::Repeat, Wrap::Mirror, Wrap::Clamp][wrap]);
        let texels = vec![0x8070_6050; (width * height) as usize];
        let table = Table::new(width, &texels, wrap, is_linear, map);
        // A mixture of equal texels equals each of them.
        let expected = Sample {
            colour: Vec3::new(80.0, 96.0, 112.0) / 255.0,
            alpha: 128.0 / 255.0,
        };
        prop_assert_eq!(table.sample(u, v, Encoding::Linear), expected);
    }
}

const SKY: Sky = Sky {
    zenith: Vec3::new(0.5, 0.7, 1.0),
    nadir: Vec3::ONE,
};

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
        textures: vec![heapwood_scenes::Texture {
            image: 0,
            wrap: [heapwood_scenes::Wrap::Repeat; 2],
            is_linear: true,
            map: SAME,
        }],
        coordinates: vec![[[0.25, 1.5], [3.0, -7.0], [0.5, 0.125]]; scene.len()],
    };
    let covered = scene.clone().textured(materials.collect(), texturing);
    covered.expect("textures that fit")
}

#[test]
fn white_textures_change_no_bit() {
    let scene = generate::courtyard();
    let white = TextureImage {
        width: 2,
        height: 1,
        texels: vec![[255; 4]; 2],
    };
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
    let corner = |x: f32, y: f32| Vec3::new(x, y, 0.0);
    let [a, b, c, d] = [
        corner(-1.0, -1.0),
        corner(1.0, -1.0),
        corner(1.0, 1.0),
        corner(-1.0, 1.0),
    ];
    let scene = Scene::from_triangles("square", &[[a, b, c], [a, c, d]]);
    let [p, q, r, s] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let texturing = Texturing {
        images: vec![image],
        textures: vec![heapwood_scenes::Texture {
            image: 0,
            wrap: [heapwood_scenes::Wrap::Clamp; 2],
            is_linear: false,
            map: [1.0, 0.0, 0.0, 0.0, -1.0, 1.0],
        }],
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
    let image = TextureImage {
        width: 2,
        height: 2,
        texels: vec![
            [255, 0, 0, 255],
            [0, 0, 255, 255],
            [0, 255, 0, 255],
            [255; 4],
        ],
    };
    let mut material = Material::matt("picture", Vec3::ZERO);
    material.emission = Vec3::splat(3.0);
    material.textures.emission = Some(0);
    let scene = square(material, image);
    let camera = Camera::new(Vec3::new(0.0, 0.0, 2.0), Vec3::ZERO, Vec3::Y, 45.0, 8, 8);
    let picture = render(
        &scene,
        &Lighting::of(&scene, DARK),
        &camera.expect("a camera"),
        1,
        0,
    );
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
    let image = TextureImage {
        width: 2,
        height: 1,
        texels: vec![[255, 0, 0, 255], [0, 188, 0, 255]],
    };
    let mut material = Material::matt("picture", Vec3::new(0.5, 1.0, 1.0));
    material.textures.base = Some(0);
    let scene = square(material, image);
    let camera = Camera::new(Vec3::new(0.0, 0.0, 2.0), Vec3::ZERO, Vec3::Y, 45.0, 8, 8);
    let picture = render(
        &scene,
        &Lighting::of(&scene, SKY),
        &camera.expect("a camera"),
        1,
        1,
    );
    let albedo = picture.aovs.expect("they were asked for").albedo;
    for (index, found) in albedo.iter().enumerate() {
        match index % 8 < 4 {
            true => assert_eq!(found, &[0.5, 0.0, 0.0]),
            false => assert!(
                (found[1] - 0.5029).abs() < 1e-4 && found[0] == 0.0,
                "{found:?}"
            ),
        }
    }
}

#[test]
fn a_masked_texture_is_there_or_not() {
    let image = |alpha: u8| TextureImage {
        width: 1,
        height: 1,
        texels: vec![[255, 255, 255, alpha]],
    };
    let camera = Camera::new(Vec3::new(0.0, 0.0, 2.0), Vec3::ZERO, Vec3::Y, 40.0, 16, 16);
    let camera = camera.expect("a camera");
    let found = |alpha: u8, cutoff: Option<f32>| {
        let mut material = Material::matt("veil", Vec3::ZERO);
        (material.textures.opacity, material.textures.cutoff) = (Some(0), cutoff);
        let scene = square(material, image(alpha));
        let white = Sky {
            zenith: Vec3::ONE,
            nadir: Vec3::ONE,
        };
        mean(&render(
            &scene,
            &Lighting::of(&scene, white),
            &camera,
            16,
            4,
        ))
        .0
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
    let image = TextureImage {
        width: 4,
        height: 2,
        texels: texels.to_vec(),
    };
    let mut lamp = Material::matt("lamp", Vec3::ZERO);
    lamp.emission = Vec3::splat(4.0);
    lamp.textures.emission = Some(0);
    let lamp = square(lamp, image);
    // A floor of reflectance 1/2 at distance 1 in front of the lamp, which faces it.
    let corner = |x: f32, y: f32| Vec3::new(x, y, 1.0);
    let [a, b, c, d] = [
        corner(-0.1, -0.1),
        corner(0.1, -0.1),
        corner(0.1, 0.1),
        corner(-0.1, 0.1),
    ];
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
    let (chance, chance_error) = mean(&render(
        &scene,
        &lighting.without_next_event_estimation(),
        &camera,
        1024,
        1,
    ));
    let apart = (both - chance).abs();
    assert!(
        apart < 4.0 * (both_error + chance_error),
        "{both} {chance} +- {chance_error}"
    );

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
    assert!(
        (both - expected).abs() < 4.0 * both_error + 0.005 * expected,
        "{both} {expected}"
    );
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
