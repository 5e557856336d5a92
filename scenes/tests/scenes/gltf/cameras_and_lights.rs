//! Cameras and lights: where nodes place them, in which units, and what is left out.

use glam::{DVec3, Vec3};
use heapwood_scenes::{Loaded, PointLight, SceneCamera, SpotLight, Sun};

use super::file::*;

/// The file with these nodes beside that of the mesh, cameras and lights.
fn lit(nodes: &str, cameras: &str, lights: &str) -> Loaded {
    let others = format!(
        r#", "cameras": [{cameras}], "extensionsUsed": ["KHR_lights_punctual"],
        "extensionsRequired": ["KHR_lights_punctual"],
        "extensions": {{"KHR_lights_punctual": {{"lights": [{lights}]}}}}"#
    );
    let nodes = format!(r#"{{"mesh": 0}}, {nodes}"#);
    let text = document(Some(&data_uri()), &nodes, LIST, &others);
    let loaded = read(text).unwrap();
    assert_eq!(loaded.scene.len(), 2);
    loaded
}

fn warnings(loaded: &Loaded) -> Vec<String> {
    loaded.warnings.iter().map(ToString::to_string).collect()
}

fn light(number: usize) -> String {
    format!(r#""extensions": {{"KHR_lights_punctual": {{"light": {number}}}}}"#)
}

#[test]
fn cameras_are_where_their_nodes_place_them() {
    // Blender turns cameras by a node above, here by 90 degrees about x: -z becomes y, and y z.
    let nodes = r#"{"name": "Rig", "rotation": [0.70710678, 0, 0, 0.70710678],
            "translation": [1, 2, 3], "scale": [2, 2, 2], "children": [2]},
        {"name": "Camera", "camera": 1, "translation": [0, 0, 4]}, {"camera": 0}"#;
    let cameras = r#"{"name": "wide", "type": "perspective", "perspective":
            {"yfov": 1.5, "znear": 0.1}},
        {"name": "Camera.001", "type": "perspective", "perspective":
            {"yfov": 0.7853982, "aspectRatio": 1.5, "zfar": 100, "znear": 0.1}}"#;
    let loaded = lit(nodes, cameras, "");
    assert_eq!(warnings(&loaded), [""; 0]);
    let [camera, wide] = loaded.scene.cameras() else {
        panic!("{:?}", loaded.scene.cameras());
    };
    assert_eq!((&camera.name[..], camera.aspect), ("Camera", Some(1.5)));
    assert!((camera.fov_degrees - 45.0).abs() < 1e-5);
    let near = |found: Vec3, expected: [f32; 3]| {
        assert!(
            (found - Vec3::from_array(expected)).length() < 1e-5,
            "{found}"
        );
    };
    near(camera.eye.as_vec3(), [1.0, -6.0, 3.0]);
    near(camera.forward, [0.0, 1.0, 0.0]);
    near(camera.up, [0.0, 0.0, 1.0]);
    let expected = SceneCamera {
        name: "wide".to_owned(),
        eye: DVec3::ZERO,
        forward: Vec3::NEG_Z,
        up: Vec3::Y,
        fov_degrees: 1.5_f64.to_degrees() as f32,
        aspect: None,
    };
    assert_eq!(*wide, expected);
    let bounds = loaded.scene.bounds();
    assert!(
        camera
            .view(bounds, DVec3::ZERO)
            .camera(bounds, DVec3::ZERO)
            .is_ok()
    );
}

#[test]
fn lights_are_where_their_nodes_place_them() {
    let nodes = format!(
        r#"{{"translation": [0, 5, 0], "scale": [3, 3, 3], "children": [2, 3]}},
        {{"translation": [1, 0, 0], {}}}, {{"rotation": [1, 0, 0, 1], {}}}"#,
        light(0),
        light(1)
    );
    // A lamp of 1000 W in Blender, and a sun of 3 W/m2, which its exporter writes so.
    let lights = r#"{"name": "Lamp", "type": "point", "color": [1, 0.5, 0],
            "intensity": 54351.41306588226, "range": 9},
        {"type": "directional", "intensity": 2049}"#;
    let loaded = lit(&nodes, "", lights);
    assert_eq!(warnings(&loaded), [""; 0]);
    let lights = loaded.scene.lights();
    let [
        PointLight {
            position,
            intensity,
        },
    ] = lights.points[..]
    else {
        panic!("{lights:?}");
    };
    assert_eq!(position, DVec3::new(3.0, 5.0, 0.0));
    let watts = 1000.0 / (4.0 * std::f32::consts::PI);
    assert!((intensity / watts - Vec3::new(1.0, 0.5, 0.0)).length() < 1e-5);
    let [
        Sun {
            direction,
            irradiance,
            angle_degrees,
        },
    ] = lights.suns[..]
    else {
        panic!("{lights:?}");
    };
    // The light goes along -z turned about x: upwards. Its sun is below.
    assert!((direction - Vec3::NEG_Y).length() < 1e-6, "{direction}");
    assert_eq!((irradiance, angle_degrees), (Vec3::splat(3.0), 0.0));
    assert_eq!(lights.sky, None);
}

#[test]
fn spots_shine_where_their_nodes_turn_them() {
    // Turned by 90 degrees about x, what goes along -z goes upwards.
    let turned = r#""rotation": [0.70710678, 0, 0, 0.70710678], "translation": [1, 2, 3]"#;
    let nodes = (0..4).map(|number| format!("{{{turned}, {}}}", light(number)));
    let lights = r#"{"type": "spot", "color": [1, 0.5, 0], "intensity": 1366, "spot":
            {"innerConeAngle": 0.5235988, "outerConeAngle": 1.57079632679}},
        {"type": "spot", "spot": {}}, {"type": "spot"},
        {"type": "spot", "spot": {"innerConeAngle": 0.25, "outerConeAngle": 0.25}}"#;
    let loaded = lit(&Vec::from_iter(nodes).join(", "), "", lights);
    assert_eq!(warnings(&loaded), [""; 0]);
    let spots = &loaded.scene.lights().spots;
    let angles = |spot: &SpotLight| (spot.inner_degrees, spot.angle_degrees);
    let expected = [(60.0, 180.0), (0.0, 90.0), (0.0, 90.0)];
    assert_eq!(spots.len(), 4);
    assert_eq!(Vec::from_iter(spots[..3].iter().map(angles)), expected);
    // A sharp edge, as Blender writes it.
    assert_eq!(spots[3].inner_degrees, spots[3].angle_degrees);
    for spot in spots {
        assert_eq!(spot.position, DVec3::new(1.0, 2.0, 3.0));
        assert!((spot.direction - Vec3::Y).length() < 1e-6, "{spot:?}");
    }
    assert_eq!(spots[0].intensity, Vec3::new(2.0, 1.0, 0.0));
}

#[test]
fn what_is_left_out_is_named() {
    let cameras = r#"{"name": "Plan", "type": "orthographic", "orthographic":
            {"xmag": 1, "ymag": 1, "zfar": 9, "znear": 0}},
        {"type": "perspective", "perspective": {"yfov": 4, "znear": 1}},
        {"type": "perspective", "perspective": {"yfov": 1, "znear": 1}}"#;
    let lights = r#"{"name": "Stage", "type": "spot", "spot": {"outerConeAngle": 1.6}},
        {"type": "point", "intensity": -1}, {"type": "area"},
        {"type": "spot", "spot": {"innerConeAngle": 0.8}},
        {"type": "spot", "spot": {"outerConeAngle": 0}},
        {"type": "spot", "spot": {"innerConeAngle": -0.1}}"#;
    for (node, expected) in [
        (
            r#""camera": 0"#,
            "camera `Plan` of nodes[1] is left out: it is orthographic",
        ),
        (
            r#""camera": 1, "name": "Top""#,
            "camera `Top` of nodes[1] is left out: its field of view is 229",
        ),
        (
            r#""camera": 2, "scale": [1, 1, 0]"#,
            "the camera of nodes[1] is left out: the transform of its node leaves it no direction",
        ),
        (
            r#""camera": 7"#,
            "the camera of nodes[1] is left out: cameras[7] does not exist",
        ),
        (
            &light(0),
            "light `Stage` of nodes[1] is left out: its cones have angles of 0 and 1.6: the outer one",
        ),
        (
            &light(1),
            "the light of nodes[1] is left out: its colour or its intensity is negative",
        ),
        (
            &light(2),
            "the light of nodes[1] is left out: it is of an unknown type",
        ),
        (
            &light(3),
            "the light of nodes[1] is left out: its cones have angles of 0.8 and 0.7853982: the",
        ),
        (
            &light(4),
            "the light of nodes[1] is left out: its cones have angles of 0 and 0: the",
        ),
        (
            &light(5),
            "the light of nodes[1] is left out: its cones have angles of -0.1 and 0.7853982: the",
        ),
        (
            &light(9),
            "the light of nodes[1] is left out: lights[9] does not exist",
        ),
    ] {
        let loaded = lit(&format!("{{{node}}}"), cameras, lights);
        let [warning] = &warnings(&loaded)[..] else {
            panic!("{node}: {:?}", loaded.warnings);
        };
        let rest = warning.strip_prefix("in.gltf: ");
        assert!(
            rest.is_some_and(|rest| rest.starts_with(expected)),
            "{node}: {warning}"
        );
        assert!(loaded.scene.cameras().is_empty());
        assert_eq!(*loaded.scene.lights(), heapwood_scenes::Lights::default());
    }
    let many = vec![r#"{"camera": 7}"#; 40].join(", ");
    let warnings = warnings(&lit(&many, "", ""));
    assert_eq!(warnings.len(), 17);
    let last = "in.gltf: each of 24 more cameras and lights is left out: for reasons like these";
    assert_eq!(warnings[16], last);
}

#[test]
fn far_cameras_and_lights_have_the_digits_of_doubles() {
    // The square is far away and small, so that the scene has an offset. Its light and its camera
    // are beside it, at places that floats do not hold.
    let nodes = format!(
        r#"{{"mesh": 0, "translation": [4000000.1, 0, 5000000], "scale": [0.3, 0.3, 0.3]}},
        {{"camera": 0, "translation": [4000000.2, 0.1, 5000003.3]}},
        {{"translation": [4000000.7, 2, 5000000.9], {}}}"#,
        light(0)
    );
    let others = r#", "cameras": [{"type": "perspective", "perspective": {"yfov": 1, "znear": 1}}],
        "extensionsUsed": ["KHR_lights_punctual"],
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point"}]}}"#;
    let loaded = read(document(Some(&data_uri()), &nodes, LIST, others)).unwrap();
    assert_eq!(warnings(&loaded), [""; 0]);
    let scene = loaded.scene;
    let offset = scene.offset();
    assert_eq!(offset, DVec3::new(4e6, 0.0, 5e6));
    let (eye, lamp) = (scene.cameras()[0].eye, scene.lights().points[0].position);
    assert_eq!(eye, DVec3::new(4_000_000.2, 0.1, 5_000_003.3));
    assert_eq!(lamp, DVec3::new(4_000_000.7, 2.0, 5_000_000.9));
    let view = scene.cameras()[0].view(scene.bounds(), offset);
    let camera = view.camera(scene.bounds(), offset).unwrap();
    assert_eq!(camera.eye(), (eye - offset).as_vec3());
    // It looks along -z, as far as the middle of the square is.
    let expected = Vec3::new(camera.eye().x, camera.eye().y, 0.0);
    assert!(
        (camera.look_at() - expected).length() < 1e-6,
        "{}",
        camera.look_at()
    );
}
