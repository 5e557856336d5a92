//! The kernel `Path`: light that arrives over any number of surfaces (Kajiya's path tracing).
//!
//! At each surface whose BSDF is not specular, a shadow ray samples a light (next event
//! estimation), and the BSDF samples the direction in which the path goes on. The power heuristic
//! (Veach and Guibas, 1995) weighs light that both strategies find. From the third bounce on
//! Russian roulette ends paths by their throughput.

use glam::Vec3;

use super::direction::Frame;
use super::environment::Environment;
use super::light::{Lights, MaterialTable, Materials, power_heuristic};
use super::material::{DELTA_LIGHT_FLOATS, LIGHT_WORDS, MATERIAL_FLOATS, Sky};
use super::random::Sampler;
use super::ray::Ray;
use super::scatter::{Bsdf, max_component};
use super::shade::unit;
use super::smooth::{reflected_part, scattered_part};
use super::surface::SurfacePoint;
use super::traverse::{SceneTriangle, Tree};
use super::window::{Pixel, PixelShader, PixelValues, Window, WindowArguments};
use crate::arguments;
use crate::kdtree::bounds::Bounds;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

/// The surface from which Russian roulette may end a path.
const ROULETTE_START_BOUNCE: u32 = 3;
/// The largest probability with which Russian roulette lets a path go on.
const MAX_SURVIVAL_PROBABILITY: f32 = 0.95;

arguments! {
    /// The image to make, sums of linear radiance over samples, and what light depends on.
    pub struct PathArguments {
        nested {
            /// The tree and the window.
            window: WindowArguments,
        }
        pointers {
            /// For each pixel of the window the shadow rays, and the rays that go on from a
            /// surface.
            rays: [u32; 2],
            /// Materials: `SurfaceMaterial::to_floats`.
            materials: [f32; MATERIAL_FLOATS],
            /// For each triangle the number of its material.
            material_of: u32,
            /// The table of lights: `LightAliasEntry::to_words`. Its triangles have an area.
            lights: [u32; LIGHT_WORDS],
            /// The sky: two vectors, from above and from below.
            sky: [f32; 3],
            /// Delta lights: `DeltaLight::to_floats`, except for an environment, which is the last
            /// of them.
            delta_lights: [f32; DELTA_LIGHT_FLOATS],
        }
        integers {
            /// Number of the launch's first sample; if it is not 0, sums and counts are added
            /// to.
            first: u32,
            /// Samples of the launch.
            samples: u32,
            /// Whether samples are spread over their pixel, and not all in its middle.
            is_spread: bool,
            /// The most surfaces at which a path goes on.
            bounces: u32,
            /// The seed of random numbers.
            seed: u32,
            /// Entries of `lights`.
            light_count: u32,
            /// The area of all lights together.
            light_area: f32,
            /// Delta lights, with the environment if shadow rays look for one.
            delta_light_count: u32,
        }
    }
}

/// Sums up the light of paths.
pub struct Path;

/// The scene of paths. Its pointers and counts are those of the kernel's arguments.
#[derive(Clone, Copy)]
struct PathScene<M, E> {
    tree: Tree,
    bounds: Bounds,
    materials: M,
    environment: E,
    lights: Lights<M, E>,
    bounces: u32,
}

/// The light of a path, and its rays.
#[derive(Clone, Copy)]
struct PathSample {
    light: Vec3,
    shadow: u32,
    secondary: u32,
}

impl<M: Materials, E: Environment> PathScene<M, E> {
    /// Light along a ray from the eye.
    #[inline(always)]
    fn trace(&self, ray: Ray, sampler: &mut Sampler) -> PathSample {
        let mut path = PathSample {
            light: Vec3::ZERO,
            shadow: 0,
            secondary: 0,
        };
        let has_lights = self.lights.light_count > 0;
        let mut ray = ray;
        let mut direction = unit(ray.direction());
        // The density of the direction is 0 where no shadow ray has looked for the same light.
        let (mut throughput, mut bsdf_pdf) = (Vec3::ONE, 0.0);
        let mut bounce = 0;
        loop {
            let hit = self.tree.closest_hit(&ray);
            if !hit.is_some() {
                let radiance = self.environment.radiance(direction);
                let light_pdf = self.lights.environment_pdf(direction);
                let mis_weight = if bsdf_pdf > 0.0 && light_pdf > 0.0 {
                    power_heuristic(bsdf_pdf, light_pdf)
                } else {
                    1.0
                };
                path.light += throughput * radiance * mis_weight;
                return path;
            }
            // SAFETY: what a ray hits is in a leaf, and a triangle of the scene.
            let triangle = unsafe { SceneTriangle::new(hit.triangle) };
            let (surface, weights) =
                SurfacePoint::hit_and_weights(&ray, self.tree.triangle(triangle));
            let shading_normal = self
                .materials
                .normal_at(triangle, weights, &surface, -direction);
            let material = self.materials.at(triangle, weights);
            let is_smooth = M::IS_SMOOTH && shading_normal != surface.normal;
            let cosine = -surface.normal.dot(direction);
            if material.is_light() {
                // Directions have length 1, so that parameters are distances.
                let mis_weight = if bsdf_pdf > 0.0 && has_lights {
                    power_heuristic(bsdf_pdf, self.lights.light_pdf(hit.t, cosine))
                } else {
                    1.0
                };
                path.light += throughput * material.emission * mis_weight;
            }
            if bounce == self.bounces {
                return path;
            }
            bounce += 1;

            let frame = Frame::new(shading_normal);
            let mut out = frame.to_local(-direction);
            out.z = if out.z > 0.0 { out.z } else { 0.0 };
            let bsdf = Bsdf::new(material, out);
            let origin = surface.offset_origin(&self.bounds);
            if self.lights.has_any() && !bsdf.is_specular() {
                // SAFETY: the arguments' contract; there is a light or a delta light.
                let light = unsafe { self.lights.sample(origin, sampler) };
                let from = frame.to_local(light.direction);
                let part = if is_smooth {
                    reflected_part(surface.normal, shading_normal, light.direction)
                } else {
                    1.0
                };
                if from.z > 0.0 && part > 0.0 && light.pdf > 0.0 && light.pdf < f32::INFINITY {
                    let (f, pdf) = bsdf.f_and_pdf(from);
                    let pdf = if light.is_delta { 0.0 } else { pdf };
                    let mis_weight = power_heuristic(light.pdf, pdf) / light.pdf;
                    path.shadow += 1;
                    // No closure, as in `ambient`.
                    let is_lit = match Ray::spawn(origin, light.to_light, &self.bounds) {
                        Some(ray) => {
                            let ray = ray.excluding_triangle(hit.triangle);
                            !self.tree.any_hit(&ray, light.t_max)
                        }
                        None => false,
                    };
                    if is_lit {
                        path.light += throughput * f * light.light * (mis_weight * part);
                    }
                }
            }

            let Some(sample) = bsdf.sample(surface.is_front, sampler) else {
                return path;
            };
            throughput *= sample.factor;
            bsdf_pdf = sample.pdf;
            if is_smooth {
                let (is_through, is_spread) = (sample.direction.z < 0.0, bsdf_pdf > 0.0);
                let towards = frame.to_scene(sample.direction);
                let part = scattered_part(
                    surface.normal,
                    shading_normal,
                    towards,
                    is_through,
                    is_spread,
                );
                if part <= 0.0 {
                    return path;
                }
                throughput *= part;
            }
            if bounce >= ROULETTE_START_BOUNCE {
                let survival = max_component(throughput);
                let survival = if survival > MAX_SURVIVAL_PROBABILITY {
                    MAX_SURVIVAL_PROBABILITY
                } else {
                    survival
                };
                // Throughput 0 ends the path, and so does NaN, which compares false.
                let is_sound = throughput.x + throughput.y + throughput.z >= 0.0;
                let goes_on = sampler.get_1d() < survival && is_sound;
                if !goes_on {
                    return path;
                }
                throughput /= survival;
            }
            direction = frame.to_scene(sample.direction);
            let origin = if sample.direction.z < 0.0 {
                surface.offset_origin_behind(&self.bounds)
            } else {
                origin
            };
            let Some(next) = Ray::spawn(origin, direction, &self.bounds) else {
                return path;
            };
            path.secondary += 1;
            ray = next.excluding_triangle(hit.triangle);
        }
    }
}

impl PlainKernel for Path {
    type Arguments = PathArguments;

    // Latency decides, and so the warps that a multiprocessor holds: with the 236 registers that
    // the assembler takes by itself, these are 8, and bounces take 2.4 times as long.
    const REGISTERS: u32 = 72;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: PathArguments) {
        // SAFETY: the arguments' contract.
        unsafe {
            let materials = MaterialTable::new(arguments.materials, arguments.material_of);
            render(warp, arguments, materials, sky_of(arguments));
        }
    }
}

/// The sky of a scene without an image of what is around it.
///
/// # Safety
///
/// The arguments' contract.
#[inline(always)]
pub(super) unsafe fn sky_of(arguments: PathArguments) -> Sky {
    // SAFETY: the arguments have two colours of a sky.
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
/// The arguments' contract, but for materials, which `materials` has, and the sky.
#[inline(always)]
pub(super) unsafe fn render<W: Warp, M: Materials, E: Environment>(
    warp: W,
    arguments: PathArguments,
    materials: M,
    environment: E,
) {
    let is_added = arguments.first > 0;
    // SAFETY: the arguments' contract: an earlier launch has written what this one adds to.
    let (window, rays) = unsafe {
        (
            Window::read(arguments.window, is_added),
            PixelValues::new(arguments.rays, is_added),
        )
    };
    let (tree, bounds) = (window.tree, window.bounds);
    let lights = Lights {
        tree,
        bounds,
        materials,
        environment,
        lights: arguments.lights,
        light_count: arguments.light_count,
        light_area: arguments.light_area,
        delta_lights: arguments.delta_lights,
        delta_light_count: arguments.delta_light_count,
    };
    let scene = PathScene {
        tree,
        bounds,
        materials,
        environment,
        lights,
        bounces: arguments.bounces,
    };
    let shader = PathShader {
        arguments,
        rays,
        scene,
    };
    window.shade_pixels(warp, &shader);
}

/// Sums up the paths of a pixel.
struct PathShader<M, E> {
    arguments: PathArguments,
    rays: PixelValues<[u32; 2]>,
    scene: PathScene<M, E>,
}

impl<M: Materials, E: Environment> PixelShader for PathShader<M, E> {
    #[inline(always)]
    fn shade(&self, window: &Window, pixel: Pixel) {
        let (arguments, scene) = (self.arguments, self.scene);
        let mut sum = Vec3::from_array(window.pixels.before(pixel, [0.0; 3]));
        let [mut shadow, mut secondary] = self.rays.before(pixel, [0, 0]);
        // One after the other onto the sum, so that it does not depend on how samples are
        // divided among launches.
        for sample in 0..arguments.samples {
            let number = arguments.first + sample;
            let mut sampler = Sampler::new(pixel.column, pixel.row, number, arguments.seed);
            let point = sampler.get_2d();
            let point = if arguments.is_spread {
                point
            } else {
                [0.5, 0.5]
            };
            let direction = window.direction(pixel, point);
            sum += match window.ray(direction) {
                Some(ray) => {
                    let path = scene.trace(ray, &mut sampler);
                    shadow += path.shadow;
                    secondary += path.secondary;
                    path.light
                }
                None => scene.environment.radiance(unit(direction)),
            };
        }
        window.pixels.write(pixel, sum.to_array());
        self.rays.write(pixel, [shadow, secondary]);
    }
}
