//! The kernel `Path`: light that arrives over any number of surfaces (Kajiya's path tracing).
//!
//! At each surface that spreads light, a point of a light is looked for with a shadow ray, and a
//! direction is chosen in which the path goes on. Light that both could have found is weighted
//! by the power heuristic (Veach and Guibas, 1995), so that it counts once. From the third
//! bounce on paths end by chance, in proportion to what they still carry.

use glam::Vec3;

use super::direction::{Frame, circle};
use super::material::{
    LAMP_FLOATS, LIGHT_WORDS, Lamp, LightEntry, MATERIAL_FLOATS, Sky, SurfaceMaterial,
};
use super::pixels::{CameraRays, Pixels};
use super::random::Sampler;
use super::ray::Ray;
use super::scatter::Lobes;
use super::shade::unit;
use super::surface::{SurfacePoint, point_of};
use super::traverse::Tree;
use crate::arguments;
use crate::kdtree::bounds::{Bounds, Triangle};
use crate::kdtree::node::Node;
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use cuda_std::math::sqrt;

/// Surfaces from which a path goes on in any case.
const SURE_BOUNCES: u32 = 3;
/// The most of chances to go on.
const SUREST: f32 = 0.95;

arguments! {
    /// A tree with its materials and lights, and the window to make of it.
    pub struct PathArguments {
        pointers {
            /// As in `Tree::new`.
            nodes: Node,
            /// As in `Tree::new`.
            references: u32,
            /// As in `Tree::new`.
            triangles: Triangle,
            /// As in `RenderArguments`.
            bounds: Bounds,
            /// As in `RenderArguments`.
            camera: [f32; 3],
            /// The window: sums of linear radiance over samples.
            pixels: [f32; 3],
            /// For each pixel of the window the shadow rays, and the rays that go on from a
            /// surface.
            rays: [u32; 2],
            /// Materials: `SurfaceMaterial::to_floats`.
            materials: [f32; MATERIAL_FLOATS],
            /// For each triangle the number of its material.
            material_of: u32,
            /// The table of lights: `LightEntry::to_words`. Its triangles have an area.
            lights: [u32; LIGHT_WORDS],
            /// The sky: two vectors, from above and from below.
            sky: [f32; 3],
            /// Lamps: `Lamp::to_floats`.
            lamps: [f32; LAMP_FLOATS],
        }
        integers {
            /// As in `RenderArguments`.
            width: u32,
            /// As in `RenderArguments`.
            height: u32,
            /// As in `RenderArguments`.
            left: u32,
            /// As in `RenderArguments`.
            top: u32,
            /// Number of the launch's first sample; if it is not 0, sums and counts are added
            /// to.
            first: u32,
            /// Samples of the launch.
            samples: u32,
            /// Whether samples are spread over their pixel, and not all in its middle.
            is_spread: bool,
            /// The most surfaces at which a path goes on.
            bounces: u32,
            /// What random numbers depend on.
            seed: u32,
            /// Entries of `lights`.
            light_count: u32,
            /// The area of all lights together.
            light_area: f32,
            /// Entries of `lamps`.
            lamp_count: u32,
        }
    }
}

/// Sums up the light of paths.
pub struct Path;

/// What paths run through.
#[derive(Clone, Copy)]
struct Lit {
    tree: Tree,
    bounds: Bounds,
    sky: Sky,
    arguments: PathArguments,
}

/// The light of a path, and its rays.
#[derive(Clone, Copy)]
struct Traced {
    light: Vec3,
    shadow: u32,
    secondary: u32,
}

/// A point of a light, seen from where light is scattered.
struct LightSample {
    /// Along the shadow ray.
    way: Vec3,
    /// The parameter of the shadow ray at the light.
    end: f32,
    /// Along the shadow ray, of length 1.
    direction: Vec3,
    /// What is divided by the density: radiance, or the irradiance of a lamp.
    light: Vec3,
    /// The density of the direction; of a lamp the chance that it is chosen.
    density: f32,
    /// Whether rays that go on may find it, too.
    is_hit: bool,
}

/// The weight of what was found with one density where another way has the `other`: the power
/// heuristic, of a ratio that may be infinite.
#[inline(always)]
fn weight(density: f32, other: f32) -> f32 {
    let ratio = other / density;
    1.0 / (1.0 + ratio * ratio)
}

#[inline(always)]
fn length(v: Vec3) -> f32 {
    sqrt(v.dot(v))
}

impl Lit {
    /// The material of a triangle.
    ///
    /// # Safety
    ///
    /// There is a triangle of this number.
    #[inline(always)]
    unsafe fn material(&self, triangle: u32) -> SurfaceMaterial {
        // SAFETY: the arguments' contract and the caller's promise.
        unsafe {
            let number = self.arguments.material_of.add(triangle as usize).read();
            let floats = self.arguments.materials.add(number as usize).read();
            SurfaceMaterial::from_floats(floats)
        }
    }

    /// The part of shadow rays that look for a triangle, and not for a lamp.
    #[inline(always)]
    fn triangle_part(&self) -> f32 {
        match (self.arguments.light_count, self.arguments.lamp_count) {
            (_, 0) => 1.0,
            (0, _) => 0.0,
            _ => 0.5,
        }
    }

    /// The density, over directions, of a point on a light at a distance whose normal has this
    /// cosine with the direction.
    #[inline(always)]
    fn light_density(&self, distance: f32, cosine: f32) -> f32 {
        let density = distance * distance / (cosine * self.arguments.light_area);
        density * self.triangle_part()
    }

    /// A point of a light or a lamp for a path at `origin`.
    #[inline(always)]
    fn sample_light(&self, origin: Vec3, sampler: &mut Sampler) -> LightSample {
        if self.arguments.lamp_count > 0 && sampler.number() >= self.triangle_part() {
            self.sample_lamp(origin, sampler)
        } else {
            self.sample_triangle(origin, sampler)
        }
    }

    /// A lamp, or a direction to a point of its disc.
    #[inline(always)]
    fn sample_lamp(&self, origin: Vec3, sampler: &mut Sampler) -> LightSample {
        let count = self.arguments.lamp_count;
        let entry = (sampler.number() * count as f32) as u32;
        let entry = if entry < count { entry } else { count - 1 };
        // SAFETY: the arguments' contract: there is this entry.
        let lamp = Lamp::from_floats(unsafe { self.arguments.lamps.add(entry as usize).read() });
        let density = (1.0 - self.triangle_part()) / count as f32;
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
            } => {
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
        }
    }

    /// A point of a triangle that emits light.
    #[inline(always)]
    fn sample_triangle(&self, origin: Vec3, sampler: &mut Sampler) -> LightSample {
        let [entry, number] = sampler.pair();
        let [u, v] = sampler.pair();
        let last = self.arguments.light_count - 1;
        let entry = (entry * self.arguments.light_count as f32) as u32;
        let entry = if entry < last { entry } else { last };
        // SAFETY: the arguments' contract: there is this entry, and its triangles are there.
        let (triangle, emission) = unsafe {
            let words = self.arguments.lights.add(entry as usize).read();
            let number = LightEntry::from_words(words).choose(number);
            let triangle = self.tree.address(number).read();
            (triangle, self.material(number).emission)
        };
        // Uniform over the triangle: Turk's square root.
        let root = sqrt(u);
        let point = point_of(&triangle, [1.0 - root, root * (1.0 - v), root * v]);
        let seen = SurfacePoint::seen(&triangle, point, point - origin);
        let way = seen.beside(&self.bounds) - origin;
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

    /// Light along a ray from the eye.
    #[inline(always)]
    fn trace(&self, ray: Ray, sampler: &mut Sampler) -> Traced {
        let mut traced = Traced {
            light: Vec3::ZERO,
            shadow: 0,
            secondary: 0,
        };
        let has_lights = self.arguments.light_count > 0;
        let has_any = has_lights || self.arguments.lamp_count > 0;
        let mut ray = ray;
        let mut direction = unit(ray.direction());
        // What light from here on is multiplied by, and the density of the direction: 0 where no
        // shadow ray has looked for the same light.
        let (mut carried, mut density) = (Vec3::ONE, 0.0);
        let mut bounce = 0;
        loop {
            let hit = self.tree.closest_hit(&ray);
            if !hit.is_some() {
                traced.light += carried * self.sky.radiance(direction);
                return traced;
            }
            // SAFETY: what a ray hits is in a leaf, and a triangle of the scene.
            let (surface, material) = unsafe {
                let surface = SurfacePoint::hit(&ray, self.tree.address(hit.triangle));
                (surface, self.material(hit.triangle))
            };
            let cosine = -surface.normal.dot(direction);
            if material.is_light() {
                // Directions have length 1, so that parameters are distances.
                let share = if density > 0.0 && has_lights {
                    weight(density, self.light_density(hit.t, cosine))
                } else {
                    1.0
                };
                traced.light += carried * material.emission * share;
            }
            if bounce == self.arguments.bounces {
                return traced;
            }
            bounce += 1;

            let frame = Frame::new(surface.normal);
            let mut out = frame.to_local(-direction);
            out.z = if out.z > 0.0 { out.z } else { 0.0 };
            let lobes = Lobes::new(material, out);
            let beside = surface.beside(&self.bounds);
            if has_any && lobes.is_spread() {
                let light = self.sample_light(beside, sampler);
                let from = frame.to_local(light.direction);
                if from.z > 0.0 && light.density > 0.0 && light.density < f32::INFINITY {
                    let (factor, chosen) = lobes.evaluate(from);
                    let chosen = if light.is_hit { chosen } else { 0.0 };
                    let share = weight(light.density, chosen) / light.density;
                    traced.shadow += 1;
                    let shadow = Ray::leaving(beside, light.way, &self.bounds);
                    if shadow.is_some_and(|ray| !self.tree.any_hit(&ray, light.end)) {
                        traced.light += carried * factor * light.light * share;
                    }
                }
            }

            let Some(scattered) = lobes.scatter(surface.is_front, sampler) else {
                return traced;
            };
            carried *= scattered.factor;
            density = scattered.density;
            if bounce >= SURE_BOUNCES {
                let larger = if carried.x < carried.y {
                    carried.y
                } else {
                    carried.x
                };
                let chance = if larger < carried.z {
                    carried.z
                } else {
                    larger
                };
                let chance = if chance < SUREST { chance } else { SUREST };
                // A chance of 0 ends the path, as one that is no number does.
                let goes_on = sampler.number() < chance;
                if !goes_on {
                    return traced;
                }
                carried /= chance;
            }
            direction = frame.to_scene(scattered.direction);
            let origin = if scattered.direction.z < 0.0 {
                surface.behind(&self.bounds)
            } else {
                beside
            };
            let Some(next) = Ray::leaving(origin, direction, &self.bounds) else {
                return traced;
            };
            traced.secondary += 1;
            ray = next;
        }
    }
}

impl PlainKernel for Path {
    type Arguments = PathArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: PathArguments) {
        // SAFETY: the arguments' contract.
        let (camera, lit) = unsafe {
            let bounds = arguments.bounds.read();
            let tree = Tree::new(
                arguments.nodes,
                arguments.references,
                arguments.triangles,
                bounds,
            );
            let sky = Sky {
                zenith: Vec3::from_array(arguments.sky.read()),
                nadir: Vec3::from_array(arguments.sky.add(1).read()),
            };
            let lit = Lit {
                tree,
                bounds,
                sky,
                arguments,
            };
            (CameraRays::read(arguments.camera), lit)
        };
        let is_added = arguments.first > 0;
        let mut pixels = Pixels::new(warp, arguments.width, arguments.height);
        while let Some((x, y)) = pixels.next() {
            let (column, row) = (x + arguments.left, y + arguments.top);
            let index = y as usize * arguments.width as usize + x as usize;
            let (pixel, counts) = (
                arguments.pixels.wrapping_add(index),
                arguments.rays.wrapping_add(index),
            );
            // SAFETY: x and y are within the window, pixels are one lane's each, and an earlier
            // launch has written them if this one adds.
            let (mut sum, [mut shadow, mut secondary]) = unsafe {
                if is_added {
                    (Vec3::from_array(pixel.read()), counts.read())
                } else {
                    (Vec3::ZERO, [0, 0])
                }
            };
            // One after the other onto the sum, so that it does not depend on how samples are
            // divided among launches.
            for sample in 0..arguments.samples {
                let number = arguments.first + sample;
                let mut sampler = Sampler::new(column, row, number, arguments.seed);
                let [across, down] = sampler.pair();
                let [across, down] = if arguments.is_spread {
                    [across, down]
                } else {
                    [0.5, 0.5]
                };
                let direction = camera.direction(column as f32 + across, row as f32 + down);
                let light = match Ray::new(camera.origin, direction, &lit.bounds) {
                    Some(ray) => {
                        let traced = lit.trace(ray, &mut sampler);
                        shadow += traced.shadow;
                        secondary += traced.secondary;
                        traced.light
                    }
                    None => lit.sky.radiance(unit(direction)),
                };
                sum += light;
            }
            // SAFETY: as above.
            unsafe {
                pixel.write(sum.to_array());
                counts.write([shadow, secondary]);
            }
        }
    }
}
