//! Smooth surfaces in path traced pictures: against the light on spheres and prisms by formulas,
//! against what may not get brighter or through, and against flat ones.

use glam::Vec3;
use heapwood::tree::{DeltaLight, Lighting, RenderedImage, Sky};
use heapwood_device::render::{SurfaceMaterial, Triangle, normal};
use heapwood_scenes::Camera;
use heapwood_tests::soup::{Random, moved, sphere};
use heapwood_tests::stage::{
    CHALK, DARK, GLASS, MATT, Stage, WHITE, camera, cube, glossy, glowing, mean,
};

/// The normals of a sphere around the origin.
fn round(triangles: &[Triangle]) -> Vec<[[f32; 3]; 3]> {
    let normal = |corner: [f32; 3]| Vec3::from_array(corner).normalize().to_array();
    triangles
        .iter()
        .map(|corners| corners.map(normal))
        .collect()
}

/// The normals of flat triangles.
fn own(triangles: &[Triangle]) -> Vec<[[f32; 3]; 3]> {
    triangles
        .iter()
        .map(|triangle| [normal(triangle).to_array(); 3])
        .collect()
}

/// Of the middles of a picture's pixels, the point and the distance from the middle of the unit
/// sphere that their rays pass at; none beside it.
fn on_sphere(camera: &Camera, side: u32) -> Vec<Option<Vec3>> {
    let basis = camera.rays();
    let pixels = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    let point = |(x, y)| {
        let direction = basis.direction(x, y).normalize();
        let near = -basis.origin.dot(direction);
        let square = 1.0 - (basis.origin + direction * near).length_squared();
        (square > 0.0).then(|| basis.origin + direction * (near - square.sqrt()))
    };
    pixels.map(point).collect()
}

/// The mean difference of a picture's red from what is expected of points, where it is that of the
/// sphere seen well.
fn off(
    picture: &RenderedImage,
    points: &[Option<Vec3>],
    eye: Vec3,
    expected: impl Fn(Vec3) -> Option<f32>,
) -> f64 {
    let seen = points
        .iter()
        .zip(&picture.raw)
        .filter_map(|(point, pixel)| {
            let point = (*point)?;
            let is_well = point.dot((eye - point).normalize()) > 0.4;
            let expected = expected(point).filter(|_| is_well)?;
            Some(f64::from((pixel[0] - expected).abs()))
        });
    let seen: Vec<f64> = seen.collect();
    assert!(seen.len() > 500);
    seen.iter().sum::<f64>() / seen.len() as f64
}

#[test]
fn a_ball_of_few_triangles_has_the_light_of_a_sphere() {
    let ball = sphere(12);
    let stage = Stage::default().with(&ball, MATT);
    let eye = Vec3::new(2.0, 1.5, 3.0);
    let camera = camera(eye, 32.0, 48);
    let points = on_sphere(&camera, 48);

    // A sun: as the cosine, where it is well above the horizon.
    let sun = Vec3::new(0.6, 0.64, 0.48);
    let lamp = [DeltaLight::Sun {
        direction: sun,
        irradiance: Vec3::splat(std::f32::consts::PI),
        cosine: 1.0,
    }];
    let lit = |point: Vec3| Some(0.5 * point.dot(sun)).filter(|light| *light > 0.1);
    let flat = stage.lighting(DARK).with_delta_lights(&lamp);
    let smooth = flat.clone().with_normals(round(&ball));
    let of = |lighting: &Lighting, samples| {
        let picture = stage.render_with(&camera, lighting, samples, 1);
        off(&picture, &points, eye, lit)
    };
    let (smooth, flat) = (of(&smooth, 1), of(&flat, 1));
    println!("sun: off by {smooth}, flat by {flat}");
    assert!(smooth < 0.002 && flat > 4.0 * smooth, "{smooth} {flat}");

    // A sky whose light grows with the height: the mean over the half sphere of a normal is that
    // at two thirds of its height.
    let sky = Sky {
        zenith: Vec3::splat(2.0),
        nadir: Vec3::ZERO,
    };
    let lit = |point: Vec3| Some(0.5 * (1.0 + 2.0 / 3.0 * point.y));
    let flat = stage.lighting(sky);
    let smooth = flat.clone().with_normals(round(&ball));
    let of = |lighting: &Lighting| {
        let picture = stage.render_with(&camera, lighting, 2048, 1);
        off(&picture, &points, eye, lit)
    };
    let (smooth, flat) = (of(&smooth), of(&flat));
    println!("sky: off by {smooth}, flat by {flat}");
    assert!(smooth < 0.008 && flat > 1.5 * smooth, "{smooth} {flat}");
}

#[test]
fn layers_of_normals_are_those_of_the_sphere() {
    let ball = sphere(12);
    let stage = Stage::default().with(&ball, MATT);
    let eye = Vec3::new(2.0, 1.5, 3.0);
    let camera = camera(eye, 32.0, 48);
    let points = on_sphere(&camera, 48);
    let off = |lighting: &Lighting| {
        let aovs = stage.aovs(&camera, lighting);
        let seen = points
            .iter()
            .zip(&aovs.normal)
            .filter_map(|(point, found)| {
                let point = (*point)?;
                let is_well = point.dot((eye - point).normalize()) > 0.4;
                is_well.then(|| point.distance(Vec3::from_array(*found)))
            });
        seen.fold(0.0, f32::max)
    };
    let flat = stage.lighting(WHITE);
    let smooth = flat.clone().with_normals(round(&ball));
    let (smooth, flat) = (off(&smooth), off(&flat));
    println!("off by {smooth} at most, flat by {flat}");
    assert!(smooth < 0.02 && flat > 4.0 * smooth, "{smooth} {flat}");
}

#[test]
fn nothing_is_brighter_than_what_is_around_it() {
    let lobe = |roughness| glossy(0.0, 1.0, roughness);
    let veil = SurfaceMaterial {
        transparency: 0.5,
        ..CHALK
    };
    let beside = moved(&sphere(2), 0.5, [1.3, 0.2, 0.4]);
    let camera = camera(Vec3::new(0.0, 0.5, 4.0), 50.0, 48);
    for (material, least) in [
        (MATT, 0.7),
        (CHALK, 0.93),
        (lobe(0.0), 0.9),
        (lobe(0.05), 0.9),
        (lobe(0.6), 0.85),
        (GLASS, 0.9),
        (veil, 0.93),
    ] {
        let ball = sphere(3);
        let stage = Stage::default().with(&ball, material).with(&beside, CHALK);
        let mut normals = round(&ball);
        let mut random = Random(5);
        // Those of the ball beside it lean anywhere.
        normals.extend(beside.iter().map(|corners| {
            corners.map(|_| {
                Vec3::from_array(random.point(1.0))
                    .normalize_or_zero()
                    .to_array()
            })
        }));
        let lighting = stage.lighting(WHITE).with_normals(normals);
        let picture = stage.render_with(&camera, &lighting, 64, 200);
        let values = || picture.raw.as_flattened().iter();
        assert!(values().all(|value| value.is_finite() && *value >= 0.0));
        let brightest = values().copied().fold(0.0, f32::max);
        let (mean, error) = mean(&picture);
        println!("{mean} +- {error}, at most {brightest}: {material:?}");
        // Chance ends long paths, and what others carry instead is spread over few samples.
        assert!(brightest < 1.15, "{brightest}: {material:?}");
        assert!(mean < 1.0 + 1e-4, "{mean} +- {error}: {material:?}");
        assert!(mean > least, "{mean} +- {error}: {material:?}");
    }
}

#[test]
fn nothing_gets_through_walls_whose_normals_lean() {
    let mirror = glossy(0.0, 0.9, 0.0);
    let lobe = SurfaceMaterial {
        roughness: 0.3,
        ..mirror
    };
    let walls = cube();
    for (seed, material) in [MATT, mirror, lobe].into_iter().enumerate() {
        let mut random = Random(seed as u64);
        let normals = walls.iter().map(|corners| {
            corners.map(|_| {
                Vec3::from_array(random.point(1.0))
                    .normalize_or_zero()
                    .to_array()
            })
        });
        let normals: Vec<_> = normals.collect();
        let stage = Stage::default().with(&walls, material);
        // Bright around, and a lamp of either kind beside it.
        let lamps = [
            DeltaLight::Point {
                position: Vec3::new(1.5, 0.3, 0.2),
                intensity: Vec3::ONE,
            },
            DeltaLight::Sun {
                direction: Vec3::new(0.6, 0.8, 0.0),
                irradiance: Vec3::ONE,
                cosine: 0.5,
            },
        ];
        let lighting = stage
            .lighting(WHITE)
            .with_delta_lights(&lamps)
            .with_normals(normals.clone());
        let inside = camera(Vec3::new(0.3, -0.2, 0.9), 120.0, 48);
        let picture = stage.render_with(&inside, &lighting, 16, 64);
        let is_dark = picture.raw.as_flattened().iter().all(|value| *value == 0.0);
        assert!(picture.rays.shadow > 0 || material == mirror);
        assert!(is_dark, "{material:?}");
        // And nothing gets out.
        let within = [DeltaLight::Point {
            position: Vec3::new(0.2, 0.3, 0.1),
            intensity: Vec3::ONE,
        }];
        let lighting = stage
            .lighting(DARK)
            .with_delta_lights(&within)
            .with_normals(normals);
        let outside = camera(Vec3::new(2.0, 1.5, 3.0), 50.0, 48);
        let picture = stage.render_with(&outside, &lighting, 16, 64);
        assert!(
            picture.raw.as_flattened().iter().all(|value| *value == 0.0),
            "{material:?}"
        );
    }
}

#[test]
fn normals_of_the_triangles_change_nothing() {
    let glossy = glossy(0.3, 0.5, 0.4);
    let light = SurfaceMaterial {
        emission: Vec3::splat(20.0),
        ..MATT
    };
    let lit = moved(&sphere(1), 0.2, [1.5, 1.5, 1.5]);
    let ball = sphere(5);
    let stage = Stage::default().with(&ball, glossy).with(&lit, light);
    let all = [ball, lit].concat();
    let camera = camera(Vec3::new(3.0, 2.0, 3.0), 40.0, 40);
    let flat = stage.lighting(WHITE);
    let marked = flat.clone().with_normals(vec![[[0.0; 3]; 3]; all.len()]);
    let same = flat.clone().with_normals(own(&all));
    let behind: Vec<_> = own(&all)
        .iter()
        .map(|corners| corners.map(|n| n.map(|x| -x)))
        .collect();
    let behind = flat.clone().with_normals(behind);
    let render = |lighting: &Lighting| stage.render_with(&camera, lighting, 16, 4);
    let expected = render(&flat);
    // The other kernel, for what is flat, and for normals that are there.
    assert_eq!(render(&marked).raw, expected.raw);
    for lighting in [same, behind] {
        let found = render(&lighting);
        let differ = found
            .raw
            .iter()
            .zip(&expected.raw)
            .filter(|(one, other)| (one[0] - other[0]).abs() > 1e-4 * other[0]);
        let differ = differ.count();
        // A path may take another turn where a number is just at a threshold.
        assert!(differ * 100 < expected.raw.len(), "{differ}");
        let (found, expected) = (mean(&found).0, mean(&expected).0);
        assert!(
            (found - expected).abs() < 1e-3 * expected,
            "{found} {expected}"
        );
    }
}

/// Shadow rays and paths by chance leave out the same light, and fade out the same.
#[test]
fn both_ways_to_a_light_agree() {
    let ball = sphere(2);
    let light = glowing(5.0);
    let lamp = moved(&sphere(2), 1.2, [2.8, 1.6, -0.6]);
    for (diffuse, specular, roughness) in [(0.5, 0.0, 1.0), (0.1, 0.8, 0.5)] {
        let material = glossy(diffuse, specular, roughness);
        let stage = Stage::default().with(&ball, material).with(&lamp, light);
        let normals = [round(&ball), own(&lamp)].concat();
        let lighting = stage.lighting(DARK).with_normals(normals);
        // The lamp is not in the picture.
        let camera = camera(Vec3::new(0.5, 0.5, 4.0), 25.0, 32);
        let both = stage.render_with(&camera, &lighting, 512, 1);
        let chance = stage.render_with(&camera, &lighting.without_next_event_estimation(), 8192, 1);
        assert!(both.rays.shadow > 0 && chance.rays.shadow == 0);
        let (found, other) = (mean(&both).0, mean(&chance).0);
        let off = both.raw.iter().zip(&chance.raw);
        let off = off.map(|(one, other)| f64::from((one[0] - other[0]).abs()));
        let off = off.sum::<f64>() / both.raw.len() as f64;
        println!("{roughness}: {found}, by chance {other}; pixels differ by {off}");
        assert!(found > 0.02);
        assert!(
            (found - other).abs() < 0.01 * found,
            "{roughness}: {found} {other}"
        );
        assert!(off < 0.08 * found, "{roughness}: {off} of {found}");
    }
}

/// A pane of glass, looked at from straight before it, whose normals lean: a prism.
#[test]
fn glass_refracts_by_its_normals_on_the_sides_of_its_triangles() {
    let pane = [[[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]]];
    let sky = Sky {
        zenith: Vec3::splat(2.0),
        nadir: Vec3::ZERO,
    };
    let light = |up: f64| 1.0 + up;
    let stage = Stage::default().with(&pane, GLASS);
    for (lean, is_front) in [(0.2_f64, true), (0.35, true), (0.2, false), (-0.3, false)] {
        // Within the pane when seen from behind: corners run clockwise there.
        let (side, index) = if is_front {
            (1.0, 1.0 / 1.5)
        } else {
            (-1.0, 1.5_f64)
        };
        let normal = [0.0, lean.sin(), side * lean.cos()];
        let lighting = stage
            .lighting(sky)
            .with_normals(vec![[normal.map(|part| part as f32); 3]]);
        let eye = Vec3::new(0.0, 0.0, side as f32 * 5.0);
        let camera = Camera::new(eye, Vec3::ZERO, Vec3::Y, 0.01, 8, 8).expect("a camera");
        let picture = stage.render_with(&camera, &lighting, 1024, 1);
        let (cosine, sine) = (lean.cos(), lean.sin());
        let inside = (1.0 - sine * sine * index * index).sqrt();
        let parallel = (cosine - index * inside) / (cosine + index * inside);
        let across = (index * cosine - inside) / (index * cosine + inside);
        let part = 0.5 * (parallel * parallel + across * across);
        // Heights of the mirrored and of the refracted direction.
        let mirrored = 2.0 * cosine * normal[1];
        let refracted = (index * cosine - inside) * normal[1];
        let expected = part * light(mirrored) + (1.0 - part) * light(refracted);
        let (found, error) = mean(&picture);
        println!("{lean} {is_front}: {found} +- {error} for {expected}");
        assert!(
            (found - expected).abs() < 4.0 * error + 1e-3,
            "{lean} {is_front}: {found} {expected}"
        );
        assert!(
            (expected - 1.0).abs() > 0.03,
            "a flat pane has no such light"
        );
    }
}
