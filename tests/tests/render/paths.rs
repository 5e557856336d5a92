//! Path tracing against known results: closed rooms of one radiance, white objects that vanish
//! under a white sky, and an independent path tracer in doubles.

use glam::Vec3;
use heapwood::tree::DeltaLight;
use heapwood_device::render::{SurfaceMaterial, Triangle};
use heapwood_scenes::Camera;
use heapwood_tests::cornell;
use heapwood_tests::soup::{moved, sphere};
use heapwood_tests::stage::{
    CHALK, DARK, GLASS, MATT, Stage, WHITE, camera, cube, glossy, glowing, mean,
};

/// In a closed room whose walls emit E and reflect a fraction r, the radiance is E / (1 - r)
/// everywhere, for all lobes.
#[test]
fn a_furnace_glows_evenly() {
    let emission = Vec3::splat(0.5);
    let lobes = [
        (0.6, 0.0, 1.0),
        (0.3, 0.3, 0.0),
        // A narrow lobe is as bright as its reflectance but for directions below the surface.
        (0.55, 0.05, 0.05),
    ];
    for (diffuse, specular, roughness) in lobes {
        let material = SurfaceMaterial {
            diffuse: Vec3::splat(diffuse),
            specular: Vec3::splat(specular),
            roughness,
            emission,
            ..MATT
        };
        let stage = Stage::default().with(&cube(), material);
        let camera = camera(Vec3::new(0.3, -0.2, 0.4), 90.0, 48);
        let picture = stage.render(&camera, DARK, 64, 200);
        let (mean, error) = mean(&picture);
        let expected = 0.5 / (1.0 - 0.6);
        println!("{diffuse} {specular} {roughness}: {mean} +- {error} for {expected}");
        let allowed = 4.0 * error + 0.002 * expected;
        assert!((mean - expected).abs() < allowed, "{mean} +- {error}");
        assert!(error < 0.005 * expected, "{error}");
    }
}

/// Surfaces that absorb nothing are invisible before a white sky.
#[test]
fn white_things_vanish_under_a_white_sky() {
    let mirror = glossy(0.0, 1.0, 0.0);
    let nothing = SurfaceMaterial {
        transparency: 1.0,
        ..MATT
    };
    for material in [CHALK, mirror, GLASS, nothing] {
        let ball = sphere(12);
        let beside = moved(&sphere(6), 0.5, [1.3, 0.2, 0.4]);
        let stage = Stage::default().with(&ball, material).with(&beside, CHALK);
        let camera = camera(Vec3::new(0.0, 0.5, 4.0), 50.0, 48);
        let picture = stage.render(&camera, WHITE, 32, 200);
        let (mean, error) = mean(&picture);
        println!("{mean} +- {error}: {material:?}");
        assert!(
            (mean - 1.0).abs() < 4.0 * error + 1e-4,
            "{mean} +- {error}: {material:?}"
        );
        assert!(error < 0.01, "{error}");
        assert!(
            picture
                .raw
                .as_flattened()
                .iter()
                .all(|value| value.is_finite())
        );
    }
}

/// Light of a small lamp and of paths that hit it by chance count once together: with rough
/// lobes, where both find it, as with either alone.
#[test]
fn both_ways_to_a_light_count_once() {
    let floor = [
        [[-4.0, 0.0, -4.0], [-4.0, 0.0, 4.0], [4.0, 0.0, 4.0]],
        [[-4.0, 0.0, -4.0], [4.0, 0.0, 4.0], [4.0, 0.0, -4.0]],
    ];
    let lamp = [[[-1.0, 1.5, -1.0], [1.0, 1.5, -1.0], [0.0, 1.5, 1.0]]];
    let glossy = glossy(0.2, 0.6, 0.25);
    let light = glowing(4.0);
    let stage = Stage::default().with(&floor, glossy).with(&lamp, light);
    let camera = camera(Vec3::new(0.0, 2.0, 4.0), 40.0, 40);
    let both = stage.render(&camera, DARK, 256, 1);
    assert!(both.rays.shadow > 0);
    let (found, error) = mean(&both);
    let chance = stage.render_with(
        &camera,
        &stage.lighting(DARK).without_next_event_estimation(),
        1024,
        1,
    );
    let (other, other_error) = mean(&chance);
    println!("{found} +- {error}, by chance {other} +- {other_error}");
    assert_eq!(chance.rays.shadow, 0);
    assert!(found > 0.1);
    let largest = both
        .raw
        .iter()
        .zip(&chance.raw)
        .map(|(one, other)| f64::from((one[0] - other[0]).abs()));
    let off = largest.sum::<f64>() / both.raw.len() as f64;
    assert!((found - other).abs() < 0.004 * found, "{found} {other}");
    assert!(off < 0.05 * found, "{off}");
}

/// Suns and points light a floor as their definitions say, beside each other and beside a light
/// that has a surface.
#[test]
fn lamps_have_the_irradiance_that_they_promise() {
    let floor = [
        [[-9.0, 0.0, -9.0], [-9.0, 0.0, 9.0], [9.0, 0.0, 9.0]],
        [[-9.0, 0.0, -9.0], [9.0, 0.0, 9.0], [9.0, 0.0, -9.0]],
    ];
    let light = glowing(3.0);
    // A light of 2 by 2 far above the floor: over its middle, E = L A / h^2 but for 2 %.
    let high = [
        [[-1.0, 10.0, -1.0], [1.0, 10.0, -1.0], [1.0, 10.0, 1.0]],
        [[-1.0, 10.0, -1.0], [1.0, 10.0, 1.0], [-1.0, 10.0, 1.0]],
    ];
    let sun = |degrees: f32| DeltaLight::Sun {
        direction: Vec3::new(0.6, 0.8, 0.0),
        irradiance: Vec3::splat(2.0),
        cosine: degrees.to_radians().cos(),
    };
    let point = DeltaLight::Point {
        position: Vec3::new(0.0, 3.0, 0.0),
        intensity: Vec3::splat(4.5),
    };
    let dark = Stage::default().with(&floor, MATT);
    let lit = Stage::default().with(&floor, MATT).with(&high, light);
    // A small part of the floor around the origin.
    let camera = camera(Vec3::new(0.5, 4.0, 0.5), 1.0, 16);
    let (sunny, dotted, lamp) = (2.0 * 0.8, 4.5 / 9.0, 3.0 * 4.0 / 100.0);
    for (stage, lamps, expected, part) in [
        (&dark, &[sun(0.0)][..], sunny, 1e-3),
        (&dark, &[sun(10.0)], sunny, 5e-3),
        (&dark, &[point], dotted, 1e-3),
        (&dark, &[sun(0.5), point], sunny + dotted, 2e-2),
        (&lit, &[point, sun(0.0)], sunny + dotted + lamp, 2e-2),
        (&lit, &[], lamp, 2e-2),
    ] {
        let lighting = stage.lighting(DARK).with_delta_lights(lamps);
        let picture = stage.render_with(&camera, &lighting, 256, 2);
        let (found, error) = mean(&picture);
        let expected = 0.5 * expected / std::f64::consts::PI;
        println!("{found} +- {error} for {expected}: {lamps:?}");
        assert!(
            (found / expected - 1.0).abs() < part,
            "{found} for {expected}: {lamps:?}"
        );
    }
    // A roof between the lights and the floor casts a shadow.
    let roof = moved(&floor, 0.5, [0.0, 2.0, 0.0]);
    let stage = Stage::default().with(&floor, MATT).with(&roof, MATT);
    let below = Camera::new(Vec3::new(0.5, 1.0, 0.5), Vec3::ZERO, Vec3::Y, 1.0, 16, 16);
    let lighting = stage.lighting(DARK).with_delta_lights(&[sun(0.0), point]);
    let picture = stage.render_with(&below.expect("a camera"), &lighting, 16, 1);
    assert_eq!(mean(&picture).0, 0.0);
}

/// A floor below a spot has the irradiance of `KHR_lights_punctual`'s reference code: in the middle
/// of its cones, in the inner one, between them and outside, where no ray looks for light.
#[test]
fn spots_fall_off_as_their_definition_says() {
    let floor = [
        [[-9.0, 0.0, -9.0], [-9.0, 0.0, 9.0], [9.0, 0.0, 9.0]],
        [[-9.0, 0.0, -9.0], [9.0, 0.0, 9.0], [9.0, 0.0, -9.0]],
    ];
    let stage = Stage::default().with(&floor, MATT);
    // A tiny part of the floor around the origin, where the direction of light hardly changes.
    let camera = camera(Vec3::new(0.5, 4.0, 0.5), 0.05, 8);
    let position = Vec3::new(1.0, 3.0, 0.5);
    let towards = -position / position.length();
    let beside = towards.cross(Vec3::Y) / towards.cross(Vec3::Y).length();
    let cosine = |degrees: f64| degrees.to_radians().cos();
    for (inner, outer, angles) in [
        (
            15.0,
            40.0,
            &[0.0, 10.0, 20.0, 30.0, 38.0, 40.1, 90.0, 180.0][..],
        ),
        (0.0, 90.0, &[0.0, 45.0, 85.0, 90.1, 135.0]),
        (20.0, 20.0, &[0.0, 19.0, 21.0]),
    ] {
        for &angle in angles {
            let spot = DeltaLight::Spot {
                position,
                intensity: Vec3::splat(6.0),
                axis: towards * cosine(angle) as f32 + beside * angle.to_radians().sin() as f32,
                inner: cosine(inner) as f32,
                outer: cosine(outer) as f32,
            };
            let lighting = stage.lighting(DARK).with_delta_lights(&[spot]);
            let picture = stage.render_with(&camera, &lighting, 16, 1);
            let (found, _) = mean(&picture);
            let scale = 1.0 / (cosine(inner) - cosine(outer)).max(0.001);
            let part = (cosine(angle) - cosine(outer)) * scale;
            let part = part.clamp(0.0, 1.0).powi(2);
            let square = f64::from(position.length_squared());
            let irradiance = 6.0 * part / square * (3.0 / square.sqrt());
            let expected = 0.5 * irradiance / std::f64::consts::PI;
            println!("{inner} to {outer}, {angle}: {found} for {expected}");
            assert!((found - expected).abs() <= 2e-3 * expected, "{angle}");
            let is_lit = angle < outer;
            assert_eq!((expected > 0.0, picture.rays.shadow > 0), (is_lit, is_lit));
        }
    }
    // A spot that shines elsewhere takes nothing from the others.
    let spot = |axis: Vec3| DeltaLight::Spot {
        position,
        intensity: Vec3::splat(6.0),
        axis,
        inner: 0.9,
        outer: 0.5,
    };
    let one = |lamps: &[DeltaLight]| {
        let lighting = stage.lighting(DARK).with_delta_lights(lamps);
        mean(&stage.render_with(&camera, &lighting, 256, 1)).0
    };
    let alone = one(&[spot(towards)]);
    let among = one(&[spot(-towards), spot(towards), spot(Vec3::Y)]);
    assert!((among / alone - 1.0).abs() < 2e-2, "{among} {alone}");
}

#[test]
fn a_cornell_box_is_that_of_doubles() {
    let samples = match std::env::var("HEAPWOOD_PATH_SAMPLES") {
        Ok(text) => text.parse().expect("a number of samples"),
        Err(_) => 800,
    };
    let (pixels, side, bounces) = (64, 8, 4);
    let parts = cornell::parts();
    let mut stage = Stage::default();
    for (number, diffuse) in (0..).zip(cornell::REFLECTANCES) {
        let of = parts.iter().filter(|(_, material)| *material == number);
        let triangles: Vec<Triangle> = of.map(|(triangle, _)| *triangle).collect();
        let emission = match number == cornell::LIGHT {
            true => Vec3::from_array(cornell::EMISSION),
            false => Vec3::ZERO,
        };
        let material = SurfaceMaterial {
            diffuse: Vec3::from_array(diffuse),
            emission,
            ..MATT
        };
        stage = stage.with(&triangles, material);
    }
    let (eye, look_at) = (Vec3::new(2.78, 2.73, -8.0), Vec3::new(2.78, 2.73, 2.8));
    let camera = Camera::new(eye, look_at, Vec3::Y, 39.0, pixels, pixels).expect("a camera");
    let begun = std::time::Instant::now();
    let picture = stage.render(&camera, DARK, samples, bounces);
    let took = begun.elapsed();

    let basis = camera.rays();
    let double = |v: Vec3| v.to_array().map(f64::from);
    let (corner, right, down) = (double(basis.corner), double(basis.du), double(basis.dv));
    let direction = |x: f64, y: f64| [0, 1, 2].map(|i| corner[i] + right[i] * x + down[i] * y);
    let expected = cornell::blocks(
        &parts,
        double(eye),
        direction,
        pixels as usize,
        side,
        samples as usize,
        bounces,
    );
    println!("{took:?}, and {:?} in doubles", begun.elapsed() - took);

    let across = pixels as usize / side;
    let (mut sum, mut signed, mut largest) = (0.0, 0.0, 0.0_f64);
    for (block, expected) in expected.iter().enumerate() {
        let mut found = [0.0; 3];
        for pixel in 0..side * side {
            let x = block % across * side + pixel % side;
            let y = block / across * side + pixel / side;
            let light = picture.raw[y * pixels as usize + x];
            found = [0, 1, 2].map(|i| found[i] + f64::from(light[i]) / (side * side) as f64);
        }
        let total = |v: [f64; 3]| v.iter().sum::<f64>();
        let off = (total(found) - total(*expected)) / total(*expected);
        signed += off;
        sum += off.abs();
        largest = largest.max(off.abs());
    }
    let (mean, signed) = (sum / expected.len() as f64, signed / expected.len() as f64);
    println!(
        "blocks differ by {:.3} % in the mean ({:+.3} % with signs), {:.3} % at most",
        100.0 * mean,
        100.0 * signed,
        100.0 * largest
    );
    // Noise, which goes both ways.
    assert!(mean < 0.01, "{mean}");
    assert!(signed.abs() < 0.003, "{signed}");
    assert!(largest < 0.05, "{largest}");
}

#[test]
fn a_closed_room_shows_no_sky() {
    // Walls that reflect all light and emit none: any light that arrives has come through them.
    let count: u32 = match std::env::var("HEAPWOOD_LEAK_RAYS") {
        Ok(text) => text.parse().expect("a number of rays"),
        Err(_) => 1_000_000,
    };
    let turned = cube().into_iter().map(|triangle| {
        triangle.map(|[x, y, z]| {
            let (x, y) = (0.8 * x - 0.6 * y, 0.6 * x + 0.8 * y);
            [x, 0.28 * y - 0.96 * z, 0.96 * y + 0.28 * z]
        })
    });
    let turned: Vec<Triangle> = turned.collect();
    for room in [cube(), turned, sphere(8)] {
        let stage = Stage::default().with(&room, CHALK);
        let camera = camera(Vec3::new(0.11, -0.23, 0.31), 120.0, 64);
        let bounces = 60;
        let samples = count.div_ceil(64 * 64 * 16);
        let picture = stage.render(&camera, WHITE, samples, bounces);
        let sky = picture
            .raw
            .as_flattened()
            .iter()
            .filter(|value| **value != 0.0);
        println!("{} rays", picture.rays.total());
        assert!(picture.rays.total() >= u64::from(count));
        assert_eq!(sky.count(), 0);
    }
}
