//! Where light comes from, as a shadow ray looks for it: triangles that emit it, delta lights and
//! the environment.

use cuda_std::math::sqrt;
use glam::Vec3;

use super::direction::{Frame, cos_sin_turns};
use super::environment::Environment;
use super::material::{
    DELTA_LIGHT_FLOATS, DeltaLight, LIGHT_WORDS, LightAliasEntry, MATERIAL_FLOATS, SurfaceMaterial,
    spot_falloff,
};
use super::random::Sampler;
use super::surface::{SurfacePoint, point_of, rounded};
use super::traverse::{SceneTriangle, Tree};
use crate::kdtree::bounds::Bounds;

/// The materials of a scene's surfaces.
pub(super) trait Materials: Copy {
    /// Whether light may be scattered by other normals than those of triangles.
    const IS_SMOOTH: bool;

    /// The material of the point of a triangle with these weights of its corners.
    fn at(&self, triangle: SceneTriangle, weights: [f32; 3]) -> SurfaceMaterial;

    /// The emission of the same point.
    fn emission_at(&self, triangle: SceneTriangle, weights: [f32; 3]) -> Vec3;

    /// The unit normal of the same point by which it scatters light: at the side from which
    /// `surface`, the point, is seen, and towards the eye, which is along the unit vector `back`.
    /// Where it is not smooth, that of the triangle.
    #[inline(always)]
    fn normal_at(
        &self,
        _triangle: SceneTriangle,
        _weights: [f32; 3],
        surface: &SurfacePoint,
        _back: Vec3,
    ) -> Vec3 {
        surface.normal
    }
}

/// The materials of a scene without textures.
#[derive(Clone, Copy)]
pub(super) struct MaterialTable {
    materials: *const [f32; MATERIAL_FLOATS],
    material_of: *const u32,
}

impl MaterialTable {
    /// The materials of a scene.
    ///
    /// # Safety
    ///
    /// While this value or a copy of it is in use, the memory can be read and does not change.
    /// There is a number for each triangle, and a material of that number.
    #[inline(always)]
    pub unsafe fn new(materials: *const [f32; MATERIAL_FLOATS], material_of: *const u32) -> Self {
        Self {
            materials,
            material_of,
        }
    }
}

impl Materials for MaterialTable {
    const IS_SMOOTH: bool = false;

    #[inline(always)]
    fn at(&self, triangle: SceneTriangle, _: [f32; 3]) -> SurfaceMaterial {
        // SAFETY: the contract of `new`.
        unsafe {
            let number = self.material_of.add(triangle.index()).read();
            SurfaceMaterial::from_floats(self.materials.add(number as usize).read())
        }
    }

    #[inline(always)]
    fn emission_at(&self, triangle: SceneTriangle, weights: [f32; 3]) -> Vec3 {
        self.at(triangle, weights).emission
    }
}

/// All lights of a scene.
#[derive(Clone, Copy)]
pub(super) struct Lights<M, E> {
    pub tree: Tree,
    pub bounds: Bounds,
    pub materials: M,
    /// The last of the delta lights, if shadow rays look for it and for delta lights.
    pub environment: E,
    /// As in `PathArguments`, as the others are.
    pub lights: *const [u32; LIGHT_WORDS],
    pub light_count: u32,
    pub light_area: f32,
    pub delta_lights: *const [f32; DELTA_LIGHT_FLOATS],
    pub delta_light_count: u32,
}

/// A point of a light, seen from where light is scattered.
pub(super) struct LightSample {
    /// Along the shadow ray.
    pub to_light: Vec3,
    /// The parameter of the shadow ray at the light.
    pub t_max: f32,
    /// Along the shadow ray, of length 1.
    pub direction: Vec3,
    /// The numerator over the pdf: radiance, or the irradiance of a delta light.
    pub light: Vec3,
    /// The density of the direction; of a delta light that no ray hits, the chance that it is
    /// chosen, or 0 if it sends no light here, so that no shadow ray looks for it.
    pub pdf: f32,
    /// Whether no ray that goes on can find it.
    pub is_delta: bool,
}

/// The weight of a sample of the density `pdf` where another strategy has the density `other_pdf`
/// (Veach and Guibas, 1995). Their ratio may be infinite.
#[inline(always)]
pub(super) fn power_heuristic(pdf: f32, other_pdf: f32) -> f32 {
    let ratio = other_pdf / pdf;
    1.0 / (1.0 + ratio * ratio)
}

#[inline(always)]
fn length(v: Vec3) -> f32 {
    sqrt(v.dot(v))
}

/// A delta light that is a point, chosen with this density.
#[inline(always)]
fn point_sample(position: Vec3, intensity: Vec3, origin: Vec3, pdf: f32) -> LightSample {
    let to_light = position - origin;
    let square = to_light.dot(to_light);
    LightSample {
        to_light,
        t_max: 1.0,
        direction: to_light / sqrt(square),
        light: intensity / square,
        pdf,
        is_delta: true,
    }
}

impl<M: Materials, E: Environment> Lights<M, E> {
    /// Whether there is anything to look for.
    #[inline(always)]
    pub fn has_any(&self) -> bool {
        self.light_count > 0 || self.delta_light_count > 0
    }

    /// The part of shadow rays that look for a triangle, and not for a delta light.
    #[inline(always)]
    fn triangle_part(&self) -> f32 {
        match (self.light_count, self.delta_light_count) {
            (_, 0) => 1.0,
            (0, _) => 0.0,
            _ => 0.5,
        }
    }

    /// The density, over directions, of a point on a light at a distance whose normal has this
    /// cosine with the direction.
    #[inline(always)]
    pub fn light_pdf(&self, distance: f32, cosine: f32) -> f32 {
        let pdf = distance * distance / (cosine * self.light_area);
        pdf * self.triangle_part()
    }

    /// The chance that a shadow ray looks for a delta light that is one of them all.
    #[inline(always)]
    fn selection_probability(&self) -> f32 {
        (1.0 - self.triangle_part()) / self.delta_light_count as f32
    }

    /// The density of a direction to the environment; 0 if no shadow ray looks for it.
    #[inline(always)]
    pub fn environment_pdf(&self, direction: Vec3) -> f32 {
        if self.delta_light_count == 0 || !self.environment.is_sampled() {
            return 0.0;
        }
        self.environment.pdf(direction) * self.selection_probability()
    }

    /// A point of a light or a delta light for a path at `origin`.
    ///
    /// # Safety
    ///
    /// The arrays are as `PathArguments` says, and there is a light or a delta light.
    #[inline(always)]
    pub unsafe fn sample(&self, origin: Vec3, sampler: &mut Sampler) -> LightSample {
        // SAFETY: there is a light of the kind. Where there is no triangle its part is 0, which no
        // number is below.
        unsafe {
            if self.delta_light_count > 0 && sampler.get_1d() >= self.triangle_part() {
                self.sample_delta_or_environment(origin, sampler)
            } else {
                self.sample_triangle(origin, sampler)
            }
        }
    }

    /// A delta light, or a direction to a point of its disc or to the environment.
    ///
    /// # Safety
    ///
    /// As for `sample`, and there is a delta light.
    #[inline(always)]
    unsafe fn sample_delta_or_environment(
        &self,
        origin: Vec3,
        sampler: &mut Sampler,
    ) -> LightSample {
        let count = self.delta_light_count;
        let entry = (sampler.get_1d() * count as f32) as u32;
        let entry = if entry < count { entry } else { count - 1 };
        if self.environment.is_sampled() && entry == count - 1 {
            let sample = self.environment.sample(sampler);
            return LightSample {
                to_light: sample.direction,
                t_max: f32::INFINITY,
                direction: sample.direction,
                light: sample.radiance,
                pdf: sample.pdf * self.selection_probability(),
                is_delta: false,
            };
        }
        // SAFETY: there is this entry, which is not the environment.
        let delta_light =
            DeltaLight::from_floats(unsafe { self.delta_lights.add(entry as usize).read() });
        let pdf = self.selection_probability();
        let [turn, height] = sampler.get_2d();
        match delta_light {
            DeltaLight::Sun {
                direction,
                irradiance,
                cosine,
            } => {
                // Uniform over the cone. The disc's radiance by pi sin^2 is its irradiance, and
                // that by 2 pi (1 - cos), the cone, is what one direction stands for.
                let z = 1.0 - height * (1.0 - cosine);
                let rest = 1.0 - z * z;
                let radius = if rest > 0.0 { sqrt(rest) } else { 0.0 };
                let [x, y] = cos_sin_turns(turn);
                let local = Vec3::new(x * radius, y * radius, z);
                let direction = Frame::new(direction).to_scene(local);
                LightSample {
                    to_light: direction,
                    t_max: f32::INFINITY,
                    direction,
                    light: irradiance * (2.0 / (1.0 + cosine)),
                    pdf,
                    is_delta: true,
                }
            }
            DeltaLight::Point {
                position,
                intensity,
            } => point_sample(position, intensity, origin, pdf),
            DeltaLight::Spot {
                position,
                intensity,
                axis,
                inner,
                outer,
            } => {
                let point = point_sample(position, intensity, origin, pdf);
                let falloff = spot_falloff(-point.direction.dot(axis), inner, outer);
                LightSample {
                    light: point.light * falloff,
                    pdf: if falloff > 0.0 { pdf } else { 0.0 },
                    ..point
                }
            }
        }
    }

    /// A point of a triangle that emits light.
    ///
    /// A texture of its emission is looked up at the point, which is chosen as if there were none:
    /// with a pdf that depends on areas alone. Rays that hit the triangle find the same
    /// emission at the same point, and weigh it by that density. So the two weights of a point add
    /// up to 1 whatever the texture, and where it is dark, 0 counts as often from both sides. The
    /// estimate is not biased; a texture that is dark almost everywhere makes it noisy.
    ///
    /// # Safety
    ///
    /// As for `sample`, and there is such a triangle.
    #[inline(always)]
    unsafe fn sample_triangle(&self, origin: Vec3, sampler: &mut Sampler) -> LightSample {
        let [entry, number] = sampler.get_2d();
        let [u, v] = sampler.get_2d();
        let last = self.light_count - 1;
        let entry = (entry * self.light_count as f32) as u32;
        let entry = if entry < last { entry } else { last };
        // Uniform over the triangle: Turk's square root.
        let root = sqrt(u);
        let weights = [1.0 - root, root * (1.0 - v), root * v];
        // SAFETY: there is this entry, and its triangles are there.
        let triangle = unsafe {
            let words = self.lights.add(entry as usize).read();
            SceneTriangle::new(LightAliasEntry::from_words(words).choose(number))
        };
        let emission = self.materials.emission_at(triangle, weights);
        let triangle = self.tree.triangle(triangle);
        // Their sum is 1 in `f64`, so that the point is in the triangle's plane.
        let [_, second, third] = weights.map(f64::from);
        let point = rounded(point_of(triangle, [1.0 - (second + third), second, third]));
        let seen = SurfacePoint::seen(triangle, point, point - origin);
        let to_light = seen.offset_target(origin, &self.bounds) - origin;
        let distance = length(to_light);
        let direction = to_light / distance;
        LightSample {
            to_light,
            // Beside the light.
            t_max: 1.0,
            direction,
            light: emission,
            is_delta: false,
            pdf: self.light_pdf(distance, -seen.normal.dot(direction)),
        }
    }
}
