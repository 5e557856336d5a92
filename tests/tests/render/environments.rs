//! Light from an image around a scene, against integrals in doubles and against paths that find
//! it by chance.

use std::f64::consts::{PI, TAU};

use glam::Vec3;
use heapwood::tree::DeltaLight;
use heapwood_device::render::{SurfaceMaterial, Triangle};
use heapwood_scenes::{Camera, Panorama};
use heapwood_tests::soup::{moved, sphere};
use heapwood_tests::stage::{CHALK, DARK, GLASS, MATT, Stage, camera, glossy, glowing, mean};

/// Texels that a function gives by column and row.
fn panorama(width: u32, height: u32, texel: impl Fn(u32, u32) -> f32) -> Panorama {
    let rows = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    Panorama {
        width,
        height,
        texels: rows.map(|(x, y)| [texel(x, y); 3]).collect(),
    }
}

/// Dim, with one bright texel.
fn spot(width: u32, height: u32, bright: [u32; 2]) -> Panorama {
    panorama(
        width,
        height,
        |x, y| {
            if [x, y] == bright { 400.0 } else { 0.1 }
        },
    )
}

/// The light that is seen at a place of the image, from 0 to 1 along a row and down a column: a
/// mean of the four texels around it.
fn seen(image: &Panorama, u: f64, v: f64) -> f64 {
    let (width, height) = (i64::from(image.width), i64::from(image.height));
    let (x, y) = (u * width as f64 - 0.5, v * height as f64 - 0.5);
    let mut sum = 0.0;
    for (column, across) in [(0, 1.0 - (x - x.floor())), (1, x - x.floor())] {
        for (row, down) in [(0, 1.0 - (y - y.floor())), (1, y - y.floor())] {
            let column = (x.floor() as i64 + column).rem_euclid(width);
            let row = (y.floor() as i64 + row).clamp(0, height - 1);
            let texel = image.texels[(row * width + column) as usize];
            sum += f64::from(texel[0]) * across * down;
        }
    }
    sum
}

/// The irradiance of a surface with this normal.
fn irradiance(image: &Panorama, turn_degrees: f64, normal: [f64; 3]) -> f64 {
    let (columns, rows) = (2000, 1000);
    let mut sum = 0.0;
    for row in 0..rows {
        let v = (f64::from(row) + 0.5) / f64::from(rows);
        let (level, height) = (PI * v).sin_cos();
        for column in 0..columns {
            let u = (f64::from(column) + 0.5) / f64::from(columns);
            let (sine, cosine) = (TAU * (u - 0.5 - turn_degrees / 360.0)).sin_cos();
            let direction = [sine * level, height, -cosine * level];
            let facing: f64 = direction.iter().zip(normal).map(|(a, b)| a * b).sum();
            if facing > 0.0 {
                sum += seen(image, u, v) * facing * level;
            }
        }
    }
    sum * PI / f64::from(rows) * TAU / f64::from(columns)
}

/// A large square through the origin with this normal, which is along an axis.
fn square(normal: [f32; 3]) -> [Triangle; 2] {
    let normal = Vec3::from_array(normal);
    let one = Vec3::new(normal.y.abs(), normal.z.abs(), normal.x.abs()) * 9.0;
    let other = normal.cross(one);
    let corner = |a: f32, b: f32| (one * a + other * b).to_array();
    let [a, b, c, d] = [
        corner(-1.0, -1.0),
        corner(1.0, -1.0),
        corner(1.0, 1.0),
        corner(-1.0, 1.0),
    ];
    [[a, b, c], [a, c, d]]
}

#[test]
fn surfaces_get_the_light_that_they_face() {
    let gradient = |x: u32, y: u32| (1 + x * 3 + y * y) as f32;
    let images = [
        panorama(1, 1, |_, _| 2.0),
        panorama(5, 3, gradient),
        panorama(64, 1, gradient),
        panorama(1, 7, gradient),
        spot(16, 8, [3, 2]),
        spot(16, 8, [15, 5]),
        // Around the pole, where columns are narrow.
        spot(16, 8, [9, 0]),
    ];
    for (number, image) in images.iter().enumerate() {
        for (axis, side) in [
            (0, 1.0),
            (0, -1.0),
            (1, 1.0),
            (1, -1.0),
            (2, 1.0),
            (2, -1.0),
        ] {
            let mut normal = [0.0; 3];
            normal[axis] = side;
            let turn = [0.0, 50.0, -200.0][axis];
            let stage = Stage::default().with(&square(normal), MATT);
            let lighting = stage.lighting(DARK).with_environment(image, 0.5, turn);
            let eye = Vec3::from_array(normal) * 4.0 + Vec3::splat(0.01);
            let picture = stage.render_with(&camera(eye, 1.0, 16), &lighting, 256, 1);
            let (found, error) = mean(&picture);
            let expected = irradiance(image, f64::from(turn), normal.map(f64::from));
            // Half as bright, and half of it reflected.
            let expected = 0.25 * expected / PI;
            let allowed = 4.0 * error + 2e-3 * expected;
            println!("{number} {normal:?}: {found} +- {error} for {expected}");
            assert!(
                (found - expected).abs() < allowed,
                "{number} {normal:?}: {found} {expected}"
            );
            assert!(
                error < 0.01 * expected,
                "{number} {normal:?}: {error} of {expected}"
            );
        }
    }
}

/// Rows next to a pole of a high image have heights that hardly differ from 1 or -1.
#[test]
fn a_bright_pole_gives_all_of_its_light() {
    let height = 8192;
    for (bright, side) in [(0, 1.0), (height - 1, -1.0)] {
        let image = panorama(4, height, |_, y| if y == bright { 1e8 } else { 0.0 });
        let normal = [0.0, side, 0.0];
        let stage = Stage::default().with(&square(normal), MATT);
        let lighting = stage.lighting(DARK).with_environment(&image, 1.0, 0.0);
        let eye = Vec3::from_array(normal) * 4.0 + Vec3::splat(0.01);
        let picture = stage.render_with(&camera(eye, 1.0, 16), &lighting, 256, 1);
        let (found, error) = mean(&picture);
        // The row and the half of its neighbour that it shines over: nothing else is lit.
        let (steps, rows) = (30_000, 1.5);
        let sum: f64 = (0..steps)
            .map(|step| {
                let row = (f64::from(step) + 0.5) / f64::from(steps) * rows;
                let (sine, cosine) = (PI * row / f64::from(height)).sin_cos();
                let v = row / f64::from(height);
                let v = if side > 0.0 { v } else { 1.0 - v };
                seen(&image, 0.5, v) * sine * cosine
            })
            .sum();
        let irradiance = sum * TAU * PI / f64::from(height) * rows / f64::from(steps);
        let expected = 0.5 * irradiance / PI;
        println!("{side}: {found} +- {error} for {expected}");
        assert!(
            (found - expected).abs() < 4.0 * error + 2e-3 * expected,
            "{side}: {found} {expected}"
        );
        assert!(error < 0.01 * expected, "{side}: {error} of {expected}");
    }
}

#[test]
fn what_takes_nothing_away_vanishes_before_an_even_image() {
    let lobe = glossy(0.0, 1.0, 0.02);
    let even = panorama(12, 5, |_, _| 1.0);
    for material in [CHALK, lobe, GLASS] {
        let beside = moved(&sphere(6), 0.5, [1.3, 0.2, 0.4]);
        let stage = Stage::default()
            .with(&sphere(12), material)
            .with(&beside, CHALK);
        let lighting = stage.lighting(DARK).with_environment(&even, 1.0, 30.0);
        let camera = camera(Vec3::new(0.0, 0.5, 4.0), 50.0, 48);
        let picture = stage.render_with(&camera, &lighting, 64, 200);
        let (mean, error) = mean(&picture);
        println!("{mean} +- {error}: {material:?}");
        assert!(
            (mean - 1.0).abs() < 4.0 * error + 2e-3,
            "{mean} +- {error}: {material:?}"
        );
        assert!(error < 0.01, "{error}");
    }
}

/// Shadow rays to a bright place and paths that find it by chance count once together, for lobes
/// of any width, and shadow rays have less noise.
#[test]
fn both_ways_to_a_bright_place_count_once() {
    let image = spot(16, 8, [12, 2]);
    for roughness in [0.15, 0.6] {
        let glossy = glossy(0.3, 0.5, roughness);
        let stage = Stage::default().with(&sphere(16), glossy);
        let camera = camera(Vec3::new(2.0, 1.5, 3.0), 24.0, 32);
        let lighting = stage.lighting(DARK).with_environment(&image, 1.0, 0.0);
        let both = stage.render_with(&camera, &lighting, 256, 1);
        let chance = stage.render_with(&camera, &lighting.without_next_event_estimation(), 4096, 1);
        assert!(both.rays.shadow > 0);
        assert_eq!(chance.rays.shadow, 0);
        let (found, other) = (mean(&both).0, mean(&chance).0);
        let off = both.raw.iter().zip(&chance.raw);
        let off = off.map(|(one, other)| f64::from((one[0] - other[0]).abs()));
        let off = off.sum::<f64>() / both.raw.len() as f64;
        println!("{roughness}: {found}, by chance {other}; pixels differ by {off}");
        assert!(
            (found - other).abs() < 0.005 * found,
            "{roughness}: {found} {other}"
        );
        assert!(off < 0.06 * found, "{roughness}: {off}");
    }
}

#[test]
fn an_environment_is_beside_lamps_and_lights() {
    let floor = square([0.0, 1.0, 0.0]);
    let light = glowing(40.0);
    let high = [[[-1.0, 3.0, -1.0], [1.0, 3.0, -1.0], [0.0, 3.0, 1.0]]];
    let lamps = [
        DeltaLight::Point {
            position: Vec3::new(0.0, 2.0, 3.0),
            intensity: Vec3::splat(60.0),
        },
        DeltaLight::Sun {
            direction: Vec3::new(0.6, 0.8, 0.0),
            irradiance: Vec3::splat(9.0),
            cosine: 1.0,
        },
    ];
    let image = spot(16, 8, [2, 1]);
    let camera = camera(Vec3::new(0.5, 2.0, 3.0), 20.0, 24);
    let stage = Stage::default().with(&floor, MATT).with(&high, light);
    let dark_light = Stage::default().with(&floor, MATT).with(
        &high,
        SurfaceMaterial {
            emission: Vec3::ZERO,
            ..light
        },
    );
    let lit = stage.lighting(DARK).with_delta_lights(&lamps);
    let render = |stage: &Stage, lighting| mean(&stage.render_with(&camera, &lighting, 1024, 1)).0;
    let all = render(&stage, lit.clone().with_environment(&image, 1.0, 0.0));
    let without = render(&stage, lit);
    let alone = dark_light.lighting(DARK).with_environment(&image, 1.0, 0.0);
    let alone = render(&dark_light, alone);
    println!("{all} of {without} and {alone}");
    assert!(alone > 0.3 * all && without > 0.3 * all);
    assert!((all - without - alone).abs() < 0.005 * all);
}

#[test]
fn the_eye_sees_the_image_where_it_belongs() {
    let (width, height) = (8, 4);
    let image = panorama(width, height, |x, y| (1 + x + 16 * y) as f32);
    let far = moved(&sphere(3), 0.01, [900.0, 900.0, 900.0]);
    let stage = Stage::default().with(&far, MATT);
    for turn in [0.0, 45.0, -90.0, 360.0] {
        let lighting = stage.lighting(DARK).with_environment(&image, 2.0, turn);
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let middle = |at: u32, of: u32| (f64::from(at) + 0.5) / f64::from(of);
            let angle = TAU * (middle(x, width) - 0.5 - f64::from(turn) / 360.0);
            let (level, up) = (PI * middle(y, height)).sin_cos();
            let direction = [angle.sin() * level, up, -angle.cos() * level];
            let look_at = Vec3::from_array(direction.map(|part| part as f32));
            let camera = Camera::new(Vec3::ZERO, look_at, Vec3::Y, 0.01, 1, 1);
            let picture = stage.render_with(&camera.expect("a camera"), &lighting, 1, 0);
            let expected = 2.0 * image.texels[(y * width + x) as usize][0];
            let found = picture.raw[0][0];
            assert!(
                (found - expected).abs() < 1e-3 * expected,
                "{x} {y}: {found} {expected}"
            );
        }
    }
}

#[test]
fn an_image_without_light_is_dark() {
    let stage = Stage::default().with(&square([0.0, 1.0, 0.0]), MATT);
    let half = panorama(6, 4, |_, y| if y < 2 { 0.0 } else { 1.0 });
    for (image, is_dark) in [(panorama(6, 4, |_, _| 0.0), true), (half, false)] {
        let lighting = stage.lighting(DARK).with_environment(&image, 1.0, 0.0);
        let picture = stage.render_with(&camera(Vec3::Y * 3.0, 90.0, 16), &lighting, 16, 3);
        let mut values = picture.raw.as_flattened().iter();
        // Light from below the floor is mixed with that above it, in half a row.
        assert!(values.all(|value| value.is_finite() && (*value == 0.0 || !is_dark)));
    }
}
