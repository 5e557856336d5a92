//! Rendering a finished tree: the kernels `Render`, which makes an image, and
//! `Trace`, which traces rays from memory.
//!
//! Every lane traces rays of its own, and no lane depends on another. Images are
//! linear RGB; [`plan`] turns them into bytes, because the conversion needs a
//! power function, whose bits differ between machines.

mod image;
mod ray;
mod shade;
mod trace;
mod traverse;

#[cfg(not(target_arch = "nvptx64"))]
pub mod plan;

pub use crate::kdtree::bounds::{Bounds, Triangle};
pub use image::{Render, RenderArguments};
pub use ray::Ray;
pub use shade::{Mode, normal};
pub use trace::{RAY_FLOATS, Trace, TraceArguments};
pub use traverse::{Hit, MAX_TRAVERSAL_DEPTH, Tree};
