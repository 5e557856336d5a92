//! The materials, lights and sky of a scene, as kernels read them. Textures are in `textured`.

use heapwood_device::render::{
    CornerNormals, DELTA_LIGHT_FLOATS, DeltaLight, LIGHT_WORDS, LightAliasEntry, MATERIAL_FLOATS,
    Sky, SurfaceMaterial, Triangle,
};
use heapwood_scenes::{Lights, Material, Panorama, Scene};

use super::super::triangles;
use super::alias::choices;
use super::delta_lights::{delta_lights, floats};
use super::environment::EnvironmentWords;
use super::parameters::parameters_of;
use super::textured::Textured;

/// The surfaces and lights of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Lighting {
    pub(super) materials: Vec<[f32; MATERIAL_FLOATS]>,
    pub(super) material_of: Vec<u32>,
    pub(super) lights: Vec<[u32; LIGHT_WORDS]>,
    /// In squares of the scene's lengths, of all lights together.
    pub(super) light_area: f64,
    pub(super) delta_lights: Vec<[f32; DELTA_LIGHT_FLOATS]>,
    pub(super) sky: Sky,
    /// The textures that replace materials, where there are some.
    pub(super) textured: Option<Textured>,
    /// The environment that replaces the sky.
    pub(super) environment: Option<EnvironmentWords>,
    /// For each triangle the normals of its corners; empty where all are flat.
    pub(super) normals: Vec<CornerNormals>,
    /// Whether those that the scene has were left out.
    pub(super) is_flat: bool,
}

impl Lighting {
    /// The lighting of a scene and of the lights in its file under a sky.
    pub fn of(scene: &Scene, sky: Sky) -> Self {
        let materials = scene.materials().iter().map(surface_of).collect::<Vec<_>>();
        Self {
            textured: Textured::of(scene),
            delta_lights: floats(&delta_lights(scene.lights(), scene.offset())),
            normals: (scene.normals().iter())
                .map(|corners| corners.map(|normal| normal.to_array()))
                .collect(),
            ..Self::new(&triangles(scene), &materials, scene.material_of(), sky)
        }
    }

    /// The lighting of a scene with lights beside those of its file, under `sky` where they have
    /// none.
    pub fn with_lights(scene: &Scene, lights: &Lights, sky: Sky) -> Self {
        let sky = lights.sky.map_or(sky, |given| Sky {
            zenith: given.zenith,
            nadir: given.nadir,
        });
        let of_scene = Self::of(scene, sky);
        let delta_lights = [
            of_scene.delta_lights,
            floats(&delta_lights(lights, scene.offset())),
        ]
        .concat();
        Self {
            delta_lights,
            ..of_scene
        }
    }

    /// The lighting of triangles, each with the number of its material.
    ///
    /// # Panics
    ///
    /// If there is not one number for each triangle, or one is of no material.
    pub fn new(
        triangles: &[Triangle],
        materials: &[SurfaceMaterial],
        material_of: &[u32],
        sky: Sky,
    ) -> Self {
        assert_eq!(triangles.len(), material_of.len());
        let emitting = (0_u32..).zip(triangles.iter().zip(material_of));
        let emitting: Vec<(u32, f64)> = emitting
            .filter(|(_, (_, material))| materials[**material as usize].is_light())
            .map(|(number, (triangle, _))| (number, area(triangle)))
            .filter(|(_, area)| *area > 0.0)
            .collect();
        let light_area: f64 = emitting.iter().map(|(_, area)| area).sum();
        Self {
            materials: materials
                .iter()
                .map(|material| material.to_floats())
                .collect(),
            material_of: material_of.to_vec(),
            lights: table(&emitting),
            light_area,
            delta_lights: Vec::new(),
            sky,
            textured: None,
            environment: None,
            normals: Vec::new(),
            is_flat: false,
        }
    }

    /// The material of the point of a triangle with these weights of its corners.
    ///
    /// # Panics
    ///
    /// If there is no such triangle.
    pub(super) fn material_at(&self, triangle: u32, weights: [f32; 3]) -> SurfaceMaterial {
        match &self.textured {
            Some(textured) => textured.at(triangle, weights),
            None => {
                let number = self.material_of[triangle as usize];
                SurfaceMaterial::from_floats(self.materials[number as usize])
            }
        }
    }

    /// The same with these delta lights in place of others.
    pub fn with_delta_lights(self, delta_lights: &[DeltaLight]) -> Self {
        Self {
            delta_lights: floats(delta_lights),
            ..self
        }
    }

    /// The same with this image around the scene, so many times as bright, in place of the sky;
    /// not turned, its middle is at -z and its right half at +x. A turn is to the left, as seen
    /// from within, and in degrees.
    pub fn with_environment(self, image: &Panorama, scale: f32, turn_degrees: f32) -> Self {
        Self {
            environment: Some(EnvironmentWords::new(image, scale, turn_degrees)),
            ..self
        }
    }

    /// The same with lights that paths find by chance alone: without shadow rays, with more
    /// noise, and without delta lights.
    pub fn without_next_event_estimation(self) -> Self {
        Self {
            lights: Vec::new(),
            delta_lights: Vec::new(),
            environment: self
                .environment
                .map(EnvironmentWords::without_next_event_estimation),
            ..self
        }
    }

    /// Delta lights, with an environment that shadow rays look for.
    pub(super) fn delta_light_count(&self) -> usize {
        let environment = self.environment.as_ref();
        let is_sampled = environment.is_some_and(|environment| environment.is_looked_for);
        self.delta_lights.len() + usize::from(is_sampled)
    }

    /// Triangles that emit light and are looked for.
    pub fn lights(&self) -> usize {
        self.lights.len()
    }
}

/// A renderer's material from a file's.
fn surface_of(material: &Material) -> SurfaceMaterial {
    parameters_of(material).surface()
}

fn area([a, b, c]: &Triangle) -> f64 {
    let side = |to: &[f32; 3]| [0, 1, 2].map(|axis| f64::from(to[axis]) - f64::from(a[axis]));
    let ([ux, uy, uz], [vx, vy, vz]) = (side(b), side(c));
    let normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    0.5 * normal.iter().map(|part| part * part).sum::<f64>().sqrt()
}

/// The table of triangles with their areas.
fn table(emitting: &[(u32, f64)]) -> Vec<[u32; LIGHT_WORDS]> {
    let areas: Vec<f64> = emitting.iter().map(|(_, area)| *area).collect();
    let entries = emitting.iter().zip(choices(&areas));
    let entries = entries.map(|(&(triangle, _), choice)| LightAliasEntry {
        triangle,
        other: emitting[choice.other as usize].0,
        threshold: choice.threshold,
    });
    entries.map(LightAliasEntry::to_words).collect()
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};
    use heapwood_scenes::PointLight;

    use super::*;

    #[test]
    fn triangles_are_chosen_in_proportion_to_their_area() {
        let entries = table(&[(10, 3.0), (4, 1.0)])
            .into_iter()
            .map(LightAliasEntry::from_words);
        // Of the sixteen middles of equal parts of both entries, the larger one has three quarters.
        let middles = (0_u8..8).map(|part| (f32::from(part) + 0.5) / 8.0);
        let chosen = entries.flat_map(|entry| middles.clone().map(move |at| entry.choose(at)));
        assert_eq!(chosen.filter(|&triangle| triangle == 10).count(), 12);
    }

    #[test]
    fn lights_are_the_triangles_that_emit() {
        let scene = heapwood_scenes::generate::courtyard();
        let sky = Sky {
            zenith: Vec3::ZERO,
            nadir: Vec3::ZERO,
        };
        let lighting = Lighting::of(&scene, sky);
        let emits = |&&number: &&u32| scene.materials()[number as usize].emission != Vec3::ZERO;
        let count = scene.material_of().iter().filter(emits).count();
        assert!(count > 0);
        assert_eq!(lighting.lights(), count);
        assert_eq!(lighting.material_of.len(), scene.len());
        assert!(lighting.light_area > 0.0);
    }

    #[test]
    fn no_material_gives_back_more_than_it_gets() {
        let bright = Material {
            specular: Vec3::new(0.9, 0.2, 0.5),
            shininess: 6.0,
            opacity: 0.75,
            ..Material::matt("bright", Vec3::new(0.7, 0.2, 0.9))
        };
        let surface = surface_of(&bright);
        let both = surface.diffuse + surface.specular;
        assert!((both.max_element() - 1.0).abs() < 1e-6, "{both}");
        assert_eq!((surface.roughness, surface.transparency), (0.5, 0.25));
    }

    #[test]
    fn a_roughness_makes_metals_and_dielectrics() {
        let base = Vec3::new(1.0, 0.5, 0.25);
        let of = |metallic: f32, roughness: f32| {
            surface_of(&Material {
                metallic,
                roughness: Some(roughness),
                // Those of MTL, which a roughness overrides.
                specular: Vec3::ONE,
                shininess: 6.0,
                ..Material::matt("rough", base)
            })
        };
        let metal = of(1.0, 0.5);
        assert_eq!((metal.diffuse, metal.specular), (Vec3::ZERO, base));
        assert_eq!(metal.roughness, 0.25);
        let plastic = of(0.0, 1.0);
        assert_eq!(plastic.diffuse, 0.96 * base);
        assert_eq!(plastic.specular, Vec3::splat(0.04));
        assert_eq!(plastic.roughness, 1.0);
        let half = of(0.5, 0.0);
        assert!((half.diffuse - 0.48 * base).length() < 1e-6);
        assert!((half.specular - (0.5 * base + 0.02)).length() < 1e-6);
        for tenth in 0_u8..=10 {
            let surface = of(f32::from(tenth) / 10.0, 0.3);
            assert!((surface.diffuse + surface.specular).max_element() < 1.0 + 1e-6);
        }
    }

    #[test]
    fn glass_has_its_index_of_refraction() {
        let glass = surface_of(&Material {
            transmission: 0.75,
            ior: 1.33,
            ..Material::matt("water", Vec3::ONE)
        });
        assert_eq!((glass.transmission, glass.refraction), (0.75, 1.33));
    }

    #[test]
    fn lights_of_the_scene_and_of_the_view_shine() {
        let point = |x: f32| PointLight {
            position: DVec3::X * f64::from(x),
            intensity: Vec3::ONE,
        };
        let lights = |x: f32| Lights {
            points: vec![point(x)],
            ..Lights::default()
        };
        let sky = Sky {
            zenith: Vec3::ONE,
            nadir: Vec3::ONE,
        };
        let scene = heapwood_scenes::generate::courtyard().with_lights(lights(1.0));
        let both = Lighting::with_lights(&scene, &lights(2.0), sky).delta_lights;
        assert_eq!(
            both,
            floats(
                &[
                    delta_lights(&lights(1.0), DVec3::ZERO),
                    delta_lights(&lights(2.0), DVec3::ZERO)
                ]
                .concat()
            )
        );
        assert_eq!(Lighting::of(&scene, sky).delta_lights, both[..1]);
        let bright = delta_lights(&lights(1.0).scaled(2.0), DVec3::ZERO);
        let DeltaLight::Point { intensity, .. } = bright[0] else {
            panic!("{bright:?}");
        };
        assert_eq!(intensity, Vec3::splat(2.0));
    }

    #[test]
    fn the_sky_of_a_view_is_that_of_its_picture() {
        let scene = heapwood_scenes::generate::courtyard();
        let sky = |zenith: f32| Sky {
            zenith: Vec3::splat(zenith),
            nadir: Vec3::ZERO,
        };
        let mut lights = Lights::default();
        let chosen = Lighting::with_lights(&scene, &lights, sky(0.5));
        assert_eq!(chosen, Lighting::of(&scene, sky(0.5)));
        lights.sky = Some(heapwood_scenes::Sky {
            zenith: Vec3::splat(0.25),
            nadir: Vec3::ZERO,
        });
        let given = Lighting::with_lights(&scene, &lights, sky(0.5));
        assert_eq!(given, Lighting::of(&scene, sky(0.25)));
    }
}
