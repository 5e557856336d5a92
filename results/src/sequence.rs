//! The result of rendering a sequence of pictures.

use serde::{Deserialize, Serialize};

use crate::milliseconds;
use crate::picture::{PictureReport, Pictures, RayCounts, rays_text};

/// Pictures of one scene and one size, and what they took together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SequenceReport {
    /// Each picture.
    pub frames: Vec<PictureReport>,
    /// Rays of all of them.
    pub rays: RayCounts,
    /// Milliseconds for all rays.
    pub render_ms: f64,
    /// Rays per second.
    pub rays_per_second: f64,
}

impl SequenceReport {
    /// For these pictures.
    pub fn new(frames: Vec<PictureReport>) -> Self {
        let mut rays = RayCounts::default();
        let mut render_ms = 0.0;
        for frame in &frames {
            rays.primary += frame.rays.primary;
            rays.shadow += frame.rays.shadow;
            rays.secondary += frame.rays.secondary;
            render_ms += frame.render_ms.median;
        }
        Self {
            frames,
            rays,
            render_ms,
            rays_per_second: rays.total() as f64 / (render_ms.max(1e-6) * 1e-3),
        }
    }
}

impl Pictures for SequenceReport {
    fn all(&self) -> &[PictureReport] {
        &self.frames
    }

    /// For people, in a line; nothing without a picture.
    fn text(&self) -> String {
        let (Some(first), Some(last)) = (self.frames.first(), self.frames.last()) else {
            return String::new();
        };
        let samples = self.frames.iter().map(|frame| frame.samples);
        let (least, most) = (samples.clone().min(), samples.max());
        let samples = match (least, most) {
            (Some(1), Some(1)) => String::new(),
            (Some(least), Some(most)) if least < most => {
                format!("{least} to {most} samples a pixel, ")
            }
            _ => format!("{} samples a pixel, ", first.samples),
        };
        let names = match self.frames.len() {
            1 => format!("{}: 1 picture", first.output),
            count => format!("{} to {}: {count} pictures", first.output, last.output),
        };
        format!(
            "{names}, {}x{} {}, {samples}{} ms, {:.1} million rays/s{}\n",
            first.width,
            first.height,
            first.shade,
            milliseconds(self.render_ms),
            self.rays_per_second * 1e-6,
            rays_text(&self.rays)
        )
    }
}
