//! The kernel `Path`: light that arrives over any number of surfaces (Kajiya's path tracing).
//!
//! At each surface that spreads light, a point of a light is looked for with a shadow ray, and a
//! direction is chosen in which the path goes on. Light that both could have found is weighted
//! by the power heuristic (Veach and Guibas, 1995), so that it counts once. From the third
//! bounce on paths end by chance, in proportion to what they still carry.

use glam::Vec3;

use super::direction::Frame;
use super::environment::Environment;
use super::light::{Lights, Materials, Surfaces, weight};
use super::material::{LAMP_FLOATS, LIGHT_WORDS, MATERIAL_FLOATS, Sky};
use super::pixels::{CameraRays, Pixels};
use super::random::Sampler;
use super::ray::Ray;
use super::scatter::Lobes;
use super::shade::unit;
use super::smooth::{reflected_part, scattered_part};
use super::surface::SurfacePoint;
use super::traverse::Tree;
use crate::arguments;
use crate::kdtree::bounds::{Bounds, Triangle};
use crate::kdtree::node::Node;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

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
            /// Lamps: `Lamp::to_floats`, but for an environment, which is the last of them.
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
            /// Lamps, with the environment if shadow rays look for one.
            lamp_count: u32,
        }
    }
}

/// Sums up the light of paths.
pub struct Path;

/// What paths run through. Its pointers and counts are those of the kernel's arguments.
#[derive(Clone, Copy)]
struct Lit<S, E> {
    tree: Tree,
    bounds: Bounds,
    surfaces: S,
    environment: E,
    lights: Lights<S, E>,
    bounces: u32,
}

/// The light of a path, and its rays.
#[derive(Clone, Copy)]
struct Traced {
    light: Vec3,
    shadow: u32,
    secondary: u32,
}

impl<S: Surfaces, E: Environment> Lit<S, E> {
    /// Light along a ray from the eye.
    #[inline(always)]
    fn trace(&self, ray: Ray, sampler: &mut Sampler) -> Traced {
        let mut traced = Traced {
            light: Vec3::ZERO,
            shadow: 0,
            secondary: 0,
        };
        let has_lights = self.lights.light_count > 0;
        let mut ray = ray;
        let mut direction = unit(ray.direction());
        // What light from here on is multiplied by, and the density of the direction: 0 where no
        // shadow ray has looked for the same light.
        let (mut carried, mut density) = (Vec3::ONE, 0.0);
        let mut bounce = 0;
        loop {
            let hit = self.tree.closest_hit(&ray);
            if !hit.is_some() {
                // SAFETY: the arguments' contract.
                let (radiance, other) = unsafe {
                    let radiance = self.environment.radiance(direction);
                    (radiance, self.lights.environment_density(direction))
                };
                let share = if density > 0.0 && other > 0.0 {
                    weight(density, other)
                } else {
                    1.0
                };
                traced.light += carried * radiance * share;
                return traced;
            }
            // SAFETY: what a ray hits is in a leaf, and a triangle of the scene.
            let (surface, material, normal) = unsafe {
                let triangle = self.tree.address(hit.triangle);
                let (surface, weights) = SurfacePoint::hit_and_weights(&ray, triangle);
                let normal = (self.surfaces).normal_at(hit.triangle, weights, &surface, -direction);
                (surface, self.surfaces.at(hit.triangle, weights), normal)
            };
            let is_smooth = S::IS_SMOOTH && normal != surface.normal;
            let cosine = -surface.normal.dot(direction);
            if material.is_light() {
                // Directions have length 1, so that parameters are distances.
                let share = if density > 0.0 && has_lights {
                    weight(density, self.lights.light_density(hit.t, cosine))
                } else {
                    1.0
                };
                traced.light += carried * material.emission * share;
            }
            if bounce == self.bounces {
                return traced;
            }
            bounce += 1;

            let frame = Frame::new(normal);
            let mut out = frame.to_local(-direction);
            out.z = if out.z > 0.0 { out.z } else { 0.0 };
            let lobes = Lobes::new(material, out);
            let beside = surface.beside(&self.bounds);
            if self.lights.has_any() && lobes.is_spread() {
                // SAFETY: the arguments' contract; there is a light or a lamp.
                let light = unsafe { self.lights.sample(beside, sampler) };
                let from = frame.to_local(light.direction);
                let part = if is_smooth {
                    reflected_part(surface.normal, normal, light.direction)
                } else {
                    1.0
                };
                if from.z > 0.0
                    && part > 0.0
                    && light.density > 0.0
                    && light.density < f32::INFINITY
                {
                    let (factor, chosen) = lobes.evaluate(from);
                    let chosen = if light.is_hit { chosen } else { 0.0 };
                    let share = weight(light.density, chosen) / light.density;
                    traced.shadow += 1;
                    // No closure, as in `ambient`.
                    let is_lit = match Ray::leaving(beside, light.way, &self.bounds) {
                        Some(ray) => {
                            let ray = ray.leaving_triangle(hit.triangle);
                            !self.tree.any_hit(&ray, light.end)
                        }
                        None => false,
                    };
                    if is_lit {
                        traced.light += carried * factor * light.light * (share * part);
                    }
                }
            }

            let Some(scattered) = lobes.scatter(surface.is_front, sampler) else {
                return traced;
            };
            carried *= scattered.factor;
            density = scattered.density;
            if is_smooth {
                let (is_through, is_spread) = (scattered.direction.z < 0.0, density > 0.0);
                let towards = frame.to_scene(scattered.direction);
                let own = surface.normal;
                let part = scattered_part(own, normal, towards, is_through, is_spread);
                if part <= 0.0 {
                    return traced;
                }
                carried *= part;
            }
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
            ray = next.leaving_triangle(hit.triangle);
        }
    }
}

impl PlainKernel for Path {
    type Arguments = PathArguments;

    // Latency decides, and so the warps that a multiprocessor holds: with the 236 registers that the
    // assembler takes by itself, these are 8, and bounces take 2.4 times as long.
    const REGISTERS: u32 = 72;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: PathArguments) {
        let materials = Materials {
            materials: arguments.materials,
            material_of: arguments.material_of,
        };
        // SAFETY: the arguments' contract.
        unsafe { render(warp, arguments, materials, sky_of(arguments)) }
    }
}

/// The sky of a scene without an image of what is around it.
///
/// # Safety
///
/// The arguments' contract.
#[inline(always)]
pub(super) unsafe fn sky_of(arguments: PathArguments) -> Sky {
    // SAFETY: the caller's promise.
    unsafe {
        Sky {
            zenith: Vec3::from_array(arguments.sky.read()),
            nadir: Vec3::from_array(arguments.sky.add(1).read()),
        }
    }
}

/// Sums up the light of paths over surfaces of any kind, from any environment.
///
/// # Safety
///
/// The arguments' contract, but for materials, which `surfaces` has, and the sky.
#[inline(always)]
pub(super) unsafe fn render<W: Warp, S: Surfaces, E: Environment>(
    warp: W,
    arguments: PathArguments,
    surfaces: S,
    environment: E,
) {
    // SAFETY: the arguments' contract.
    let (camera, lit) = unsafe {
        let bounds = arguments.bounds.read();
        let tree = Tree::new(
            arguments.nodes,
            arguments.references,
            arguments.triangles,
            bounds,
        );
        let lights = Lights {
            tree,
            bounds,
            surfaces,
            environment,
            lights: arguments.lights,
            light_count: arguments.light_count,
            light_area: arguments.light_area,
            lamps: arguments.lamps,
            lamp_count: arguments.lamp_count,
        };
        let lit = Lit {
            tree,
            bounds,
            surfaces,
            environment,
            lights,
            bounces: arguments.bounces,
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
                // SAFETY: the arguments' contract.
                None => unsafe { environment.radiance(unit(direction)) },
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
