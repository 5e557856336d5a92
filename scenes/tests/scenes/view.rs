//! Views: what a file may say, what it may not, and that what is written reads back.

use crate::table::{lines, rows};
use glam::{DVec3, Vec3};
use heapwood_scenes::{
    Bounds, Camera, CameraView, EnvironmentFile, Lights, PointLight, Sky, SpotLight, Sun, View,
    read_view, view_of,
};

fn refusal(text: &str) -> String {
    let message = view_of("v.toml", text).unwrap_err().to_string();
    assert!(!message.contains(['\n', '\r']), "{message}");
    message
}

#[test]
fn everything_that_is_given_is_read() {
    let text = "# A picture.\n[camera]\neye = [1, 2.5, -3]\nlook_at = [0, 0, 0]\nup = [0, 0, 1]\n\
        fov = 30\nsize = [640, 480]\n[sky]\ncolour = [1, 1, 2]\n[[sun]]\ndirection = [0, 1, 0]\n\
        irradiance = [3, 2, 1]\nangle = 0.5\n[[sun]]\ndirection = [1, 0, 0]\nirradiance = [1, 1, 1]\n\
        [[point]]\nposition = [5, 5, 5]\nintensity = [100, 0, 0]\n[[spot]]\nposition = [0, 4, 0]\n\
        direction = [0, -2, 0]\nintensity = [9, 8, 7]\nangle = 40\ninner_angle = 40\n[[spot]]\n\
        position = [1, 1, 1]\ndirection = [1, 0, 0]\nintensity = [1, 1, 1]\nangle = 180\n";
    let expected = View {
        camera: CameraView {
            eye: Some(DVec3::new(1.0, 2.5, -3.0)),
            look_at: Some(DVec3::ZERO),
            up: Some(Vec3::Z),
            fov_degrees: Some(30.0),
            size: Some([640, 480]),
        },
        lights: Lights {
            sky: Some(Sky {
                zenith: Vec3::new(1.0, 1.0, 2.0),
                nadir: Vec3::new(1.0, 1.0, 2.0),
            }),
            environment: None,
            suns: vec![
                Sun {
                    direction: Vec3::Y,
                    irradiance: Vec3::new(3.0, 2.0, 1.0),
                    angle_degrees: 0.5,
                },
                Sun {
                    direction: Vec3::X,
                    irradiance: Vec3::ONE,
                    angle_degrees: 0.0,
                },
            ],
            points: vec![PointLight {
                position: DVec3::splat(5.0),
                intensity: Vec3::new(100.0, 0.0, 0.0),
            }],
            spots: vec![
                SpotLight {
                    position: DVec3::new(0.0, 4.0, 0.0),
                    direction: Vec3::new(0.0, -2.0, 0.0),
                    intensity: Vec3::new(9.0, 8.0, 7.0),
                    angle_degrees: 40.0,
                    inner_degrees: 40.0,
                },
                SpotLight {
                    position: DVec3::ONE,
                    direction: Vec3::X,
                    intensity: Vec3::ONE,
                    angle_degrees: 180.0,
                    inner_degrees: 0.0,
                },
            ],
        },
    };
    assert_eq!(view_of("v", text).unwrap(), expected);
    assert_eq!(view_of("v", "").unwrap(), View::default());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v.toml.gz");
    std::fs::write(&path, heapwood_files::compress(text.as_bytes()).unwrap()).unwrap();
    assert_eq!(read_view(&path).unwrap(), expected);
    let missing = read_view(folder.path().join("no.toml"))
        .unwrap_err()
        .to_string();
    assert!(
        missing.starts_with("cannot read ") && missing.contains("no.toml"),
        "{missing}"
    );
    let folder = read_view(folder.path()).unwrap_err().to_string();
    assert!(folder.contains(" is a directory"), "{folder}");
}

/// A spot, with further lines from line 5 on.
fn spot(rest: &str) -> String {
    let start = "[[spot]]\nposition = [0, 3, 0]\ndirection = [0, -1, 0]\nintensity = [1, 1, 1]\n";
    start.to_owned() + rest + "\n"
}

#[track_caller]
fn refused(text: &str, line: &str, words: &str) {
    let message = refusal(text);
    let start = format!("v.toml:{line}: ");
    assert!(message.starts_with(&start), "{text}: {message}");
    assert!(message.contains(words), "{text}: {message}");
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for [text, line, words] in rows(
        r#"[camera]; eye = [0, 0, 0]; zoom = 2 | 3 | unknown field `zoom`
           [lamp] | 1 | unknown field `lamp`
           [[sun]]; direction = [0, 1, 0]; irradiance = [1, 1, 1]; colour = 1 | 4 | unknown field
           [camera]; eye = [0, 0] | 2 | expected an array of length 3
           [camera]; eye = "here" | 2 | invalid type
           [camera | 1 | v.toml
          ; [camera]; fov = 45; fov = 50 | 4 | duplicate key
           [camera]; eye = [nan, 0, 0] | 2 | eye must be three numbers of at most 1e18
           [camera]; look_at = [0, 1e30, 0] | 2 | look_at must be three numbers
           [camera]; eye = [1, 2, 3]; look_at = [1.0, 2, 3] | 3 | eye and look_at are the same point
           [camera]; up = [0, 0, 0] | 2 | up must be three finite numbers, not all of them 0
           [camera]; fov = 180 | 2 | fov must be from 0.001 to 179.9 degrees
           [camera]; size = [0, 10] | 2 | size must be two whole numbers from 1 to 65536
           [camera]; size = [10, -1] | 2 | invalid value
          ; [sky]; zenith = [1, 1, 1] | 2 | sky takes a colour, or a zenith and a nadir
           [sky]; colour = [1, -1, 1] | 2 | colour must be three finite numbers of at least 0
           [[sun]]; irradiance = [1, 1, 1] | 1 | missing field `direction`
           [[sun]]; direction = [0, 1, 0]; irradiance = [1, 1, inf] | 3 | irradiance must be
           [[sun]]; direction = [0, 1, 0]; irradiance = [1, 1, 1]; angle = 91 | 4 | 0 to 90 degrees
           [sky]; colour = [1, 1, 1]; [environment]; image = "a.hdr" | 3 | an environment takes the place of the sky
           [environment]; image = "a.hdr"; scale = -1 | 3 | scale must be from 0 to 1000000
           [environment]; image = "a.hdr"; turn = 400 | 3 | turn must be from -360 to 360 degrees
           [environment]; scale = 1 | 1 | missing field `image`
           [environment]; image = "" | 2 | the path of a file
           [[point]]; position = [0, 0, 2e18]; intensity = [1, 1, 1] | 2 | position must be"#,
    ) {
        refused(&lines(text), line, words);
    }
    for [rest, line, words] in rows(
        "angle = 0 | 5 | angle must be above 0 and at most 180 degrees
         angle = 180.1 | 5 | at most 180 degrees
         angle = nan | 5 | at most 180 degrees
         angle = 40; inner_angle = 40.5 | 6 | inner_angle must be from 0 to angle, 40 degrees
         angle = 40; inner_angle = -1 | 6 | inner_angle must be
         inner_angle = 1 | 1 | missing field `angle`
         angle = 40; blend = 1 | 6 | unknown field `blend`",
    ) {
        refused(&spot(&lines(rest)), line, words);
    }
    refused(
        &spot("angle = 40").replace("[0, -1, 0]", "[0, 0, 0]"),
        "3",
        "direction must be",
    );
}

#[test]
fn an_environment_is_beside_its_view() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v.toml");
    let absolute = std::path::absolute("far.exr").unwrap();
    for (image, expected) in [
        ("sky/dusk.hdr", folder.path().join("sky/dusk.hdr")),
        (absolute.to_str().unwrap(), absolute.clone()),
    ] {
        let text = format!("[environment]\nimage = {image:?}\nscale = 2\nturn = -45.5\n");
        std::fs::write(&path, text).unwrap();
        let environment = EnvironmentFile {
            scale: 2.0,
            turn_degrees: -45.5,
            ..EnvironmentFile::new(expected)
        };
        let lights = read_view(&path).unwrap().lights;
        assert_eq!(lights.environment, Some(environment));
    }
    let view = view_of("v", "[environment]\nimage = \"a.png\"\n").unwrap();
    assert_eq!(view.lights.environment, Some(EnvironmentFile::new("a.png")));
}

#[test]
fn what_is_not_given_is_filled_in() {
    let bounds = Bounds {
        min: Vec3::ZERO,
        max: Vec3::splat(2.0),
    };
    let framed = Camera::frame(bounds, 800, 600, 45.0).unwrap();
    assert_eq!(
        CameraView::default().camera(bounds, DVec3::ZERO).unwrap(),
        framed
    );
    let flags = CameraView {
        fov_degrees: Some(30.0),
        ..CameraView::default()
    };
    let file = CameraView {
        eye: Some(DVec3::splat(9.0)),
        fov_degrees: Some(60.0),
        size: Some([64, 32]),
        ..CameraView::default()
    };
    let camera = flags.or(file).camera(bounds, DVec3::ZERO).unwrap();
    let expected = Camera::new(Vec3::splat(9.0), Vec3::ONE, Vec3::Y, 30.0, 64, 32).unwrap();
    assert_eq!(camera, expected);
    // All of it gives the same camera, whatever the scene is.
    let elsewhere = Bounds {
        min: Vec3::splat(-500.0),
        max: Vec3::splat(9.0),
    };
    for offset in [DVec3::ZERO, DVec3::new(524_288.0, -4_718_592.0, 2.0)] {
        let all = CameraView::of(&camera, offset);
        assert_eq!(all.eye, Some(DVec3::splat(9.0) + offset));
        assert_eq!(all.camera(elsewhere, offset).unwrap(), camera);
    }
}

#[test]
fn coordinates_have_the_digits_of_doubles() {
    let text = "[camera]\neye = [4765432.123, 0.1, 1e18]\nlook_at = [4765432.0, 0.1, 3]\n\
        [[point]]\nposition = [-4765432.01, 2, 3]\nintensity = [1, 1, 1]\n";
    let view = view_of("v", text).unwrap();
    let eye = DVec3::new(4_765_432.123, 0.1, 1e18);
    assert_eq!(view.camera.eye, Some(eye));
    assert_eq!(view.lights.points[0].position.x, -4_765_432.01);
    assert_eq!(view_of("v", &view.to_toml()).unwrap(), view);
    let offset = DVec3::new(4_765_432.0, 0.0, 0.0);
    let bounds = Bounds::of([Vec3::ZERO, Vec3::ONE]);
    let camera = view.camera.camera(bounds, offset).unwrap();
    assert_eq!(camera.eye(), (eye - offset).as_vec3());
    // Those of a picture near the origin have the digits of floats.
    let camera = Camera::new(Vec3::new(0.1, -2.3, 1e-7), Vec3::X, Vec3::Y, 40.0, 8, 6).unwrap();
    let view = View {
        camera: CameraView::of(&camera, DVec3::ZERO),
        ..View::default()
    };
    let text = view.to_toml();
    assert!(text.contains("eye = [0.1, -2.3, 1e-7]"), "{text}");
    let again = view_of("v", &text).unwrap().camera;
    assert_eq!(again.camera(bounds, DVec3::ZERO).unwrap(), camera);
}
