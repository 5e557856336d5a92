//! The kernel `Trace`: the closest hits of rays in memory.

use glam::Vec3;

use super::ray::Ray;
use super::search::Hit;
use super::window::SceneArguments;
use crate::arguments;
use crate::kernel::PlainKernel;
use crate::simt::Warp;

/// Numbers of a ray in memory: its origin, its direction (of any length).
pub const RAY_FLOATS: usize = 6;

arguments! {
    /// A tree and the rays to trace through it.
    pub struct TraceArguments {
        nested {
            /// The tree.
            scene: SceneArguments,
        }
        pointers {
            /// The rays.
            rays: [f32; RAY_FLOATS],
            /// For each ray the triangle that it hits first, or `u32::MAX`.
            hits: u32,
            /// For each ray the parameter of that hit, or infinity.
            parameters: f32,
        }
        integers {
            /// Number of rays.
            count: u32,
        }
    }
}

/// Finds the closest hit of every ray of an array.
pub struct Trace;

impl PlainKernel for Trace {
    type Arguments = TraceArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: TraceArguments) {
        // SAFETY: the arguments' contract.
        let (tree, bounds) = unsafe { arguments.scene.read() };
        let mut index = u64::from(warp.thread());
        while index < u64::from(arguments.count) {
            // SAFETY: the arguments' contract: there is a ray of this index, and the tree is
            // whole.
            unsafe {
                let [ox, oy, oz, dx, dy, dz] = arguments.rays.add(index as usize).read();
                let ray = Ray::new(Vec3::new(ox, oy, oz), Vec3::new(dx, dy, dz), &bounds);
                let hit = match ray {
                    Some(ray) => tree.closest_hit(&ray),
                    None => Hit::NONE,
                };
                arguments.hits.add(index as usize).write(hit.triangle);
                arguments.parameters.add(index as usize).write(hit.t);
            }
            index += u64::from(warp.threads());
        }
    }
}
