//! Where light comes from: triangles that emit it and lamps, as a shadow ray looks for them.

use cuda_std::math::sqrt;
use glam::Vec3;

use super::direction::{Frame, circle};
use super::environment::Environment;
use super::material::{
    LAMP_FLOATS, LIGHT_WORDS, Lamp, LightEntry, MATERIAL_FLOATS, SurfaceMaterial, spot_falloff,
};
use super::random::Sampler;
use super::surface::{SurfacePoint, point_of, rounded};
use super::traverse::Tree;
use crate::kdtree::bounds::Bounds;

/// What the surfaces of a scene are like.
pub(super) trait Surfaces: Copy {
    /// Whether light may be scattered by other normals than those of triangles.
    const IS_SMOOTH: bool;

    /// The material of the point of a triangle with these weights of its corners.
    ///
    /// # Safety
    ///
    /// The arrays are as the kernel's arguments say, and there is a triangle of this number.
    unsafe fn at(&self, triangle: u32, weights: [f32; 3]) -> SurfaceMaterial;

    /// The emission of the same point.
    ///
    /// # Safety
    ///
    /// As for `at`.
    unsafe fn emission_at(&self, triangle: u32, weights: [f32; 3]) -> Vec3;

    /// The unit normal of the same point by which it scatters light: at the side from which
    /// `surface`, the point, is seen, and towards the eye, which is along the unit vector `back`.
    /// Where it is not smooth, that of the triangle.
    ///
    /// # Safety
    ///
    /// As for `at`.
    #[inline(always)]
    unsafe fn normal_at(
        &self,
        _triangle: u32,
        _weights: [f32; 3],
        surface: &SurfacePoint,
        _back: Vec3,
    ) -> Vec3 {
        surface.normal
    }
}

/// The materials of a scene without textures.
#[derive(Clone, Copy)]
pub(super) struct Materials {
    /// As in `PathArguments`.
    pub materials: *const [f32; MATERIAL_FLOATS],
    /// As in `PathArguments`.
    pub material_of: *const u32,
}

impl Surfaces for Materials {
    const IS_SMOOTH: bool = false;

    #[inline(always)]
    unsafe fn at(&self, triangle: u32, _: [f32; 3]) -> SurfaceMaterial {
        // SAFETY: the caller's promise.
        unsafe {
            let number = self.material_of.add(triangle as usize).read();
            SurfaceMaterial::from_floats(self.materials.add(number as usize).read())
        }
    }

    #[inline(always)]
    unsafe fn emission_at(&self, triangle: u32, weights: [f32; 3]) -> Vec3 {
        // SAFETY: the caller's promise.
        unsafe { self.at(triangle, weights).emission }
    }
}

/// All lights of a scene.
#[derive(Clone, Copy)]
pub(super) struct Lights<S, E> {
    pub tree: Tree,
    pub bounds: Bounds,
    pub surfaces: S,
    /// The last of the lamps, if shadow rays look for it and for lamps.
    pub environment: E,
    /// As in `PathArguments`, as the others are.
    pub lights: *const [u32; LIGHT_WORDS],
    pub light_count: u32,
    pub light_area: f32,
    pub lamps: *const [f32; LAMP_FLOATS],
    pub lamp_count: u32,
}

/// A point of a light, seen from where light is scattered.
pub(super) struct LightSample {
    /// Along the shadow ray.
    pub way: Vec3,
    /// The parameter of the shadow ray at the light.
    pub end: f32,
    /// Along the shadow ray, of length 1.
    pub direction: Vec3,
    /// What is divided by the density: radiance, or the irradiance of a lamp.
    pub light: Vec3,
    /// The density of the direction; of a lamp that no ray hits, the chance that it is chosen, or
    /// 0 if it sends no light here, so that no shadow ray looks for it.
    pub density: f32,
    /// Whether rays that go on may find it, too.
    pub is_hit: bool,
}

/// The weight of what was found with one density where another way has the `other`: the power
/// heuristic, of a ratio that may be infinite.
#[inline(always)]
pub(super) fn weight(density: f32, other: f32) -> f32 {
    let ratio = other / density;
    1.0 / (1.0 + ratio * ratio)
}

#[inline(always)]
fn length(v: Vec3) -> f32 {
    sqrt(v.dot(v))
}

/// A lamp that is a point, chosen with this density.
#[inline(always)]
fn point_sample(position: Vec3, intensity: Vec3, origin: Vec3, density: f32) -> LightSample {
    let way = position - origin;
    let square = way.dot(way);
    LightSample {
        way,
        end: 1.0,
        direction: way / sqrt(square),
        light: intensity / square,
        density,
        is_hit: false,
    }
}

impl<S: Surfaces, E: Environment> Lights<S, E> {
    /// Whether there is anything to look for.
    #[inline(always)]
    pub fn has_any(&self) -> bool {
        self.light_count > 0 || self.lamp_count > 0
    }

    /// The part of shadow rays that look for a triangle, and not for a lamp.
    #[inline(always)]
    fn triangle_part(&self) -> f32 {
        match (self.light_count, self.lamp_count) {
            (_, 0) => 1.0,
            (0, _) => 0.0,
            _ => 0.5,
        }
    }

    /// The density, over directions, of a point on a light at a distance whose normal has this
    /// cosine with the direction.
    #[inline(always)]
    pub fn light_density(&self, distance: f32, cosine: f32) -> f32 {
        let density = distance * distance / (cosine * self.light_area);
        density * self.triangle_part()
    }

    /// The chance that a shadow ray looks for a lamp that is one of them all.
    #[inline(always)]
    fn lamp_part(&self) -> f32 {
        (1.0 - self.triangle_part()) / self.lamp_count as f32
    }

    /// The density of a direction to the environment; 0 if no shadow ray looks for it.
    ///
    /// # Safety
    ///
    /// What the environment points to is there.
    #[inline(always)]
    pub unsafe fn environment_density(&self, direction: Vec3) -> f32 {
        if self.lamp_count == 0 || !self.environment.is_sampled() {
            return 0.0;
        }
        // SAFETY: the caller's promise.
        unsafe { self.environment.density(direction) * self.lamp_part() }
    }

    /// A point of a light or a lamp for a path at `origin`.
    ///
    /// # Safety
    ///
    /// The arrays are as `PathArguments` says, and there is a light or a lamp.
    #[inline(always)]
    pub unsafe fn sample(&self, origin: Vec3, sampler: &mut Sampler) -> LightSample {
        // SAFETY: the caller's promise. Where there is no triangle its part is 0, which no
        // number is below.
        unsafe {
            if self.lamp_count > 0 && sampler.number() >= self.triangle_part() {
                self.sample_lamp(origin, sampler)
            } else {
                self.sample_triangle(origin, sampler)
            }
        }
    }

    /// A lamp, or a direction to a point of its disc or to the environment.
    ///
    /// # Safety
    ///
    /// As for `sample`, and there is a lamp.
    #[inline(always)]
    unsafe fn sample_lamp(&self, origin: Vec3, sampler: &mut Sampler) -> LightSample {
        let count = self.lamp_count;
        let entry = (sampler.number() * count as f32) as u32;
        let entry = if entry < count { entry } else { count - 1 };
        if self.environment.is_sampled() && entry == count - 1 {
            // SAFETY: the caller's promise.
            let sample = unsafe { self.environment.sample(sampler) };
            return LightSample {
                way: sample.direction,
                end: f32::INFINITY,
                direction: sample.direction,
                light: sample.radiance,
                density: sample.density * self.lamp_part(),
                is_hit: true,
            };
        }
        // SAFETY: the caller's promise: there is this entry, which is not the environment.
        let lamp = Lamp::from_floats(unsafe { self.lamps.add(entry as usize).read() });
        let density = self.lamp_part();
        let [turn, height] = sampler.pair();
        match lamp {
            Lamp::Sun {
                direction,
                irradiance,
                cosine,
            } => {
                // Uniform over the cone. The disc's radiance by pi sin^2 is its irradiance, and
                // that by 2 pi (1 - cos), the cone, is what one direction stands for.
                let z = 1.0 - height * (1.0 - cosine);
                let rest = 1.0 - z * z;
                let radius = if rest > 0.0 { sqrt(rest) } else { 0.0 };
                let [x, y] = circle(turn);
                let local = Vec3::new(x * radius, y * radius, z);
                let direction = Frame::new(direction).to_scene(local);
                LightSample {
                    way: direction,
                    end: f32::INFINITY,
                    direction,
                    light: irradiance * (2.0 / (1.0 + cosine)),
                    density,
                    is_hit: false,
                }
            }
            Lamp::Point {
                position,
                intensity,
            } => point_sample(position, intensity, origin, density),
            Lamp::Spot {
                position,
                intensity,
                axis,
                inner,
                outer,
            } => {
                let point = point_sample(position, intensity, origin, density);
                let falloff = spot_falloff(-point.direction.dot(axis), inner, outer);
                LightSample {
                    light: point.light * falloff,
                    density: if falloff > 0.0 { density } else { 0.0 },
                    ..point
                }
            }
        }
    }

    /// A point of a triangle that emits light.
    ///
    /// A texture of its emission is looked up at the point, which is chosen as if there were none:
    /// with a density that depends on areas alone. Rays that hit the triangle find the same
    /// emission at the same point, and weigh it by that density. So the two weights of a point add
    /// up to 1 whatever the texture, and where it is dark, 0 counts as often from both sides. The
    /// estimate is not biased; a texture that is dark almost everywhere makes it noisy.
    ///
    /// # Safety
    ///
    /// As for `sample`, and there is such a triangle.
    #[inline(always)]
    unsafe fn sample_triangle(&self, origin: Vec3, sampler: &mut Sampler) -> LightSample {
        let [entry, number] = sampler.pair();
        let [u, v] = sampler.pair();
        let last = self.light_count - 1;
        let entry = (entry * self.light_count as f32) as u32;
        let entry = if entry < last { entry } else { last };
        // Uniform over the triangle: Turk's square root.
        let root = sqrt(u);
        let weights = [1.0 - root, root * (1.0 - v), root * v];
        // SAFETY: the caller's promise: there is this entry, and its triangles are there.
        let (triangle, emission) = unsafe {
            let words = self.lights.add(entry as usize).read();
            let number = LightEntry::from_words(words).choose(number);
            let triangle = self.tree.address(number).read();
            (triangle, self.surfaces.emission_at(number, weights))
        };
        // Their sum is 1 in `f64`, so that the point is in the triangle's plane.
        let [_, second, third] = weights.map(f64::from);
        let point = rounded(point_of(&triangle, [1.0 - (second + third), second, third]));
        let seen = SurfacePoint::seen(&triangle, point, point - origin);
        let way = seen.beside_from(origin, &self.bounds) - origin;
        let distance = length(way);
        let direction = way / distance;
        LightSample {
            way,
            // Beside the light.
            end: 1.0,
            direction,
            light: emission,
            is_hit: true,
            density: self.light_density(distance, -seen.normal.dot(direction)),
        }
    }
}
