//! Particles in a lattice.

use serde::{Deserialize, Serialize};

use super::StepsResult;
use crate::Line;

/// A lattice, and its particles in the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ParticlesResult {
    /// Cells along x.
    pub width: u32,
    /// Cells along y.
    pub height: u32,
    /// Cells along z.
    pub depth: u32,
    /// Particles that a cell began with.
    pub particles_per_cell: u32,
    /// Mean square of velocities along an axis, in squares of cells a step.
    pub temperature: f64,
    /// Seed.
    pub seed: u32,
    /// Particles after the last step.
    pub particles: u64,
    /// Particles that came through a face.
    pub injected: u64,
    /// Particles that left through a face.
    pub absorbed: u64,
}

impl StepsResult for ParticlesResult {
    const COMMAND: &'static str = "particles";

    fn lines(&self) -> Vec<Line> {
        vec![
            (
                "lattice",
                format!(
                    "{}x{}x{} cells of {} particles in the begin, temperature {}, seed {}",
                    self.width,
                    self.height,
                    self.depth,
                    self.particles_per_cell,
                    self.temperature,
                    self.seed
                ),
            ),
            (
                "particles",
                format!(
                    "{} in the end, {} injected and {} absorbed",
                    self.particles, self.injected, self.absorbed
                ),
            ),
        ]
    }
}
