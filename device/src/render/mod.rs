//! Rendering a finished tree: the kernel `Render` makes an image of what rays hit, `Cost` counts
//! what that takes, `Ambient` looks for what is near, and `Trace` traces rays from memory.
//!
//! Every lane traces rays of its own, and no lane depends on another. Images are
//! linear RGB; [`plan`] turns them into bytes, because the conversion needs a
//! power function, whose bits differ between machines.

mod ambient;
mod cost;
mod direction;
mod image;
mod pixels;
mod random;
mod ray;
mod shade;
mod surface;
mod trace;
mod traverse;

#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;

pub use crate::kdtree::bounds::{Bounds, Triangle};
pub use ambient::{Ambient, AmbientArguments};
pub use cost::{Cost, CostArguments};
pub use direction::{Frame, circle, cosine_direction};
pub use image::{Render, RenderArguments};
pub use random::{Sampler, hash};
pub use ray::Ray;
pub use shade::{Mode, normal};
pub use surface::SurfacePoint;
pub use trace::{RAY_FLOATS, Trace, TraceArguments};
pub use traverse::{Counter, Hit, MAX_TRAVERSAL_DEPTH, Tree, Uncounted, Visits};
