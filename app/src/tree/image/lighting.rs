//! The materials, lights and sky of a scene, as kernels read them.

use heapwood_device::render::{
    LAMP_FLOATS, LIGHT_WORDS, Lamp, LightEntry, MATERIAL_FLOATS, Sky, SurfaceMaterial, Triangle,
};
use heapwood_scenes::{Material, Scene};

use super::super::triangles;

/// What reflects and emits the light of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Lighting {
    pub(super) materials: Vec<[f32; MATERIAL_FLOATS]>,
    pub(super) material_of: Vec<u32>,
    pub(super) lights: Vec<[u32; LIGHT_WORDS]>,
    pub(super) light_area: f32,
    pub(super) lamps: Vec<[f32; LAMP_FLOATS]>,
    pub(super) sky: Sky,
}

impl Lighting {
    /// That of a scene under a sky.
    pub fn of(scene: &Scene, sky: Sky) -> Self {
        let materials = scene.materials().iter().map(surface_of).collect::<Vec<_>>();
        Self::new(&triangles(scene), &materials, scene.material_of(), sky)
    }

    /// That of triangles, each with the number of its material.
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
            lights: table(&emitting)
                .into_iter()
                .map(LightEntry::to_words)
                .collect(),
            light_area: light_area as f32,
            lamps: Vec::new(),
            sky,
        }
    }

    /// The same with these lamps.
    pub fn with_lamps(self, lamps: &[Lamp]) -> Self {
        Self {
            lamps: lamps.iter().map(|lamp| lamp.to_floats()).collect(),
            ..self
        }
    }

    /// The same with lights that paths find by chance alone: without shadow rays, with more
    /// noise, and without lamps.
    pub fn by_chance(self) -> Self {
        Self {
            lights: Vec::new(),
            lamps: Vec::new(),
            ..self
        }
    }

    /// Triangles that emit light and are looked for.
    pub fn lights(&self) -> usize {
        self.lights.len()
    }
}

/// A renderer's material from a file's. MTL's highlight of exponent `Ns` is a lobe of about the
/// width sqrt(2 / (Ns + 2)), and what is not opaque is not there.
fn surface_of(material: &Material) -> SurfaceMaterial {
    let most = (material.diffuse + material.specular)
        .max_element()
        .max(1.0);
    SurfaceMaterial {
        diffuse: material.diffuse / most,
        specular: material.specular / most,
        emission: material.emission,
        roughness: (2.0 / (material.shininess + 2.0)).sqrt(),
        transmission: 0.0,
        refraction: 1.5,
        transparency: 1.0 - material.opacity,
    }
}

fn area([a, b, c]: &Triangle) -> f64 {
    let side = |to: &[f32; 3]| [0, 1, 2].map(|axis| f64::from(to[axis]) - f64::from(a[axis]));
    let ([ux, uy, uz], [vx, vy, vz]) = (side(b), side(c));
    let normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    0.5 * normal.iter().map(|part| part * part).sum::<f64>().sqrt()
}

/// Vose's table: entries of equal weight, each of at most two triangles.
fn table(weights: &[(u32, f64)]) -> Vec<LightEntry> {
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
    let mean = sum / weights.len() as f64;
    let mut left: Vec<f64> = weights.iter().map(|(_, weight)| weight / mean).collect();
    let mut entries: Vec<LightEntry> = weights
        .iter()
        .map(|&(triangle, _)| LightEntry {
            triangle,
            other: triangle,
            threshold: 1.0,
        })
        .collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) =
        (0..weights.len()).partition(|&index| left[index] < 1.0);
    while let (Some(less), Some(&more)) = (small.pop(), large.last()) {
        entries[less].threshold = left[less] as f32;
        entries[less].other = weights[more].0;
        left[more] -= 1.0 - left[less];
        if left[more] < 1.0 {
            large.pop();
            small.push(more);
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn triangles_are_chosen_in_proportion_to_their_area() {
        let weights: Vec<(u32, f64)> = [3.0, 0.5, 0.0625, 7.0, 1.0, 1.0, 0.25]
            .into_iter()
            .zip([10, 4, 2, 9, 3, 30, 1])
            .map(|(weight, triangle)| (triangle, weight))
            .collect();
        let entries = table(&weights);
        assert_eq!(entries.len(), weights.len());
        let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
        for (triangle, weight) in weights {
            let part: f64 = entries
                .iter()
                .map(|entry| {
                    let first = f64::from(entry.threshold);
                    let is = |other: u32| f64::from(u8::from(other == triangle));
                    first * is(entry.triangle) + (1.0 - first) * is(entry.other)
                })
                .sum();
            let part = part / entries.len() as f64;
            assert!((part - weight / sum).abs() < 1e-6, "{triangle}: {part}");
        }
        assert_eq!(table(&[]), []);
        assert_eq!(table(&[(5, 0.1)])[0].choose(0.999), 5);
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
}
