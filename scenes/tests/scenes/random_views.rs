//! Views of any content: what is written reads back, and no text is more than an error.

use glam::{DVec3, Vec3};
use heapwood_scenes::{
    CameraView, EnvironmentFile, Lights, PointLight, Sky, SpotLight, Sun, View, view_of,
};
use proptest::prelude::*;

fn vector(values: impl Strategy<Value = f32> + Clone) -> impl Strategy<Value = Vec3> {
    (values.clone(), values.clone(), values).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn position() -> impl Strategy<Value = DVec3> {
    let coordinate = any::<f64>().prop_filter("a coordinate", |x| x.abs() <= 9.9e17);
    prop::array::uniform3(coordinate).prop_map(DVec3::from_array)
}

fn light() -> impl Strategy<Value = Vec3> {
    let finite = any::<f32>().prop_filter("finite", |x| x.is_finite());
    vector(finite.prop_map(f32::abs))
}

prop_compose! {
    fn view()(
        eye in prop::option::of(position()),
        look_at in prop::option::of(position()),
        up in prop::option::of(vector(1_f32..2.0)),
        fov_degrees in prop::option::of(0.001_f32..179.9),
        size in prop::option::of((1_u32..65536, 1_u32..65536)),
        sky in prop::option::of((light(), light())),
        environment in prop::option::of(("\\PC{1,9}|[\"'\\\\\n\t]{1,3}", 0_f32..1e6, -360_f32..360.0)),
        suns in prop::collection::vec((vector(1_f32..9.0), light(), 0_f32..90.0), 0..3),
        points in prop::collection::vec((position(), light()), 0..3),
        spots in prop::collection::vec((
            position(), vector(-9_f32..-1.0), light(), 1e-30_f32..=180.0, 0_f32..=1.0,
        ), 0..3),
    ) -> View {
        View {
            camera: CameraView {
                eye,
                // No view looks at its eye.
                look_at: look_at.filter(|&look_at| eye != Some(look_at)),
                up,
                fov_degrees,
                size: size.map(|(w, h)| [w, h]),
            },
            lights: Lights {
                // One takes the place of the other.
                sky: sky.filter(|_| environment.is_none()).map(|(zenith, nadir)| Sky { zenith, nadir }),
                environment: environment.map(|(file, scale, turn_degrees)| EnvironmentFile {
                    scale, turn_degrees, ..EnvironmentFile::new(file)
                }),
                suns: suns.into_iter().map(|(direction, irradiance, angle_degrees)| Sun {
                    direction, irradiance, angle_degrees,
                }).collect(),
                points: points.into_iter().map(|(position, intensity)| PointLight {
                    position, intensity,
                }).collect(),
                spots: spots.into_iter().map(|(position, direction, intensity, angle, part)| SpotLight {
                    position, direction, intensity, angle_degrees: angle, inner_degrees: part * angle,
                }).collect(),
            },
        }
    }
}

/// Everything that a view may have.
const FULL: &str = "[camera]\neye = [1, 2, 3]\nlook_at = [4, 5, 6]\nup = [0, 1, 0]\nfov = 50.5\n\
    size = [80, 60]\n[sky]\nzenith = [1, 1, 1]\nnadir = [0, 0, 0]\n[[sun]]\ndirection = [1, 1, 1]\n\
    irradiance = [1, 2, 3]\nangle = 1\n[[point]]\nposition = [7, 8, 9]\nintensity = [1, 1, 1]\n\
    [[spot]]\nposition = [3, 2, 1]\ndirection = [0, -1, 0]\nintensity = [1, 1, 1]\nangle = 50\n\
    inner_angle = 9\n";

fn survives(text: &str) {
    match view_of("any", text) {
        Err(error) => assert!(!error.to_string().contains(['\n', '\r']), "{error}"),
        Ok(view) => {
            assert_eq!(view_of("again", &view.to_toml()).unwrap(), view);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back(view in view()) {
        prop_assert_eq!(view_of("v", &view.to_toml()).unwrap(), view);
    }

    #[test]
    fn random_text(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        survives(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn mutated_text(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = FULL.as_bytes().to_vec();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        survives(&String::from_utf8_lossy(&bytes));
        bytes.truncate(cut.index(bytes.len()));
        survives(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn deep_nesting_needs_no_stack() {
    for text in [
        "[".repeat(500_000),
        format!("a = {}", "[".repeat(500_000)),
        "a.".repeat(400_000),
    ] {
        survives(&text);
    }
    assert!(view_of("full", FULL).is_ok());
}
