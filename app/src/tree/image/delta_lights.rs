//! Suns, points and spots of a view or a file, as kernels read them.

use glam::{DVec3, Vec3};
use heapwood_device::render::{DELTA_LIGHT_FLOATS, DeltaLight};
use heapwood_scenes::Lights;

/// The delta lights of a view or a file in a scene with this offset. Directions become units, and
/// angles across a disc or a cone the cosines of their halves.
pub(super) fn delta_lights(lights: &Lights, offset: DVec3) -> Vec<DeltaLight> {
    let relative = |position: DVec3| (position - offset).as_vec3();
    let suns = lights.suns.iter().map(|sun| DeltaLight::Sun {
        direction: unit(sun.direction),
        irradiance: sun.irradiance,
        cosine: cosine_of_half(sun.angle_degrees),
    });
    let points = lights.points.iter().map(|point| DeltaLight::Point {
        position: relative(point.position),
        intensity: point.intensity,
    });
    let spots = lights.spots.iter().map(|spot| DeltaLight::Spot {
        position: relative(spot.position),
        intensity: spot.intensity,
        axis: unit(spot.direction),
        inner: cosine_of_half(spot.inner_degrees),
        outer: cosine_of_half(spot.angle_degrees),
    });
    suns.chain(points).chain(spots).collect()
}

fn cosine_of_half(degrees: f32) -> f32 {
    (0.5 * f64::from(degrees)).to_radians().cos() as f32
}

/// Their words on the device.
pub(super) fn floats(delta_lights: &[DeltaLight]) -> Vec<[f32; DELTA_LIGHT_FLOATS]> {
    delta_lights.iter().map(|light| light.to_floats()).collect()
}

/// A direction's unit vector; its square may be more than an `f32` holds, or less.
pub(super) fn unit(direction: Vec3) -> Vec3 {
    let parts = direction.to_array().map(f64::from);
    let length = parts.iter().map(|part| part * part).sum::<f64>().sqrt();
    Vec3::from_array(parts.map(|part| (part / length) as f32))
}

#[cfg(test)]
mod tests {
    use heapwood_scenes::{PointLight, SpotLight, Sun};

    use super::*;

    #[test]
    fn suns_points_and_spots_become_delta_lights() {
        let offset = DVec3::new(4_718_592.0, -0.5, 0.0);
        let sun = |direction: Vec3, angle_degrees: f32| Sun {
            direction,
            irradiance: Vec3::new(3.0, 2.0, 1.0),
            angle_degrees,
        };
        let lights = Lights {
            sky: None,
            environment: None,
            suns: vec![
                sun(2.0_f32.powi(100) * Vec3::new(3.0, 4.0, 0.0), 60.0),
                sun(Vec3::new(0.0, 0.0, -1e-40), 0.0),
            ],
            points: vec![PointLight {
                position: offset + DVec3::new(1.0, 2.0, 3.0),
                intensity: Vec3::splat(5.0),
            }],
            spots: vec![SpotLight {
                position: offset + DVec3::new(3.0, 2.0, 1.0),
                direction: 2.0_f32.powi(-100) * Vec3::new(0.0, -4.0, 3.0),
                intensity: Vec3::splat(7.0),
                angle_degrees: 120.0,
                inner_degrees: 60.0,
            }],
        };
        let irradiance = Vec3::new(3.0, 2.0, 1.0);
        let expected = [
            DeltaLight::Sun {
                direction: Vec3::new(0.6, 0.8, 0.0),
                irradiance,
                cosine: 0.75_f32.sqrt(),
            },
            DeltaLight::Sun {
                direction: Vec3::NEG_Z,
                irradiance,
                cosine: 1.0,
            },
            DeltaLight::Point {
                position: Vec3::new(1.0, 2.0, 3.0),
                intensity: Vec3::splat(5.0),
            },
            DeltaLight::Spot {
                position: Vec3::new(3.0, 2.0, 1.0),
                intensity: Vec3::splat(7.0),
                axis: Vec3::new(0.0, -0.8, 0.6),
                inner: 0.75_f32.sqrt(),
                outer: 0.5,
            },
        ];
        let found = delta_lights(&lights, offset);
        assert_eq!(found, expected);
        for delta_light in found {
            assert_eq!(
                DeltaLight::from_floats(delta_light.to_floats()),
                delta_light
            );
        }
    }
}
