//! Particles in cells: a lattice of cells, each with a list of frames of 256 particles that the heap
//! grants. `heapwood_device::workload::particles` has the rules.

mod reference;
mod run;
#[cfg(test)]
mod tests;

use heapwood_device::workload::mix64;
use heapwood_device::workload::particles::{FRAME_BYTES, FRAME_PARTICLES, Flows};
use heapwood_results::steps::ParticlesResult;
use serde::{Deserialize, Serialize};

use crate::backend::{Backend, BackendError};
use crate::heap::DeviceHeap;
use crate::workload::steps::{BetweenSteps, Stepped};

pub use run::ParticlesRun;

/// Cells of a lattice, at the most.
const MAX_CELLS: u64 = 1 << 26;
/// Particles that all cells begin with, at the most: random numbers are drawn by 32-bit numbers of them.
const MAX_PARTICLES: u64 = 1 << 31;
/// The highest temperature: no velocity reaches half a cell a step.
const MAX_TEMPERATURE: f64 = 0.02;

/// A lattice with particles.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(
    feature = "cli",
    derive(clap::Args),
    command(next_help_heading = "Lattice")
)]
#[serde(rename_all = "kebab-case")]
pub struct Particles {
    /// Cells along x
    ///
    /// This axis has two faces, where particles leave and come. The others are periodic.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 32))]
    pub width: u32,
    /// Cells along y
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 32))]
    pub height: u32,
    /// Cells along z
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 32))]
    pub depth: u32,
    /// Particles that a cell begins with
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 500))]
    pub particles: u32,
    /// Mean square of velocities along an axis, 0 to 0.02
    ///
    /// The unit of velocities is a cell a step.
    #[cfg_attr(feature = "cli", arg(long, value_name = "T", value_parser = parse_temperature, default_value_t = 0.01))]
    pub temperature: f64,
    /// Seed of all random numbers
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 1))]
    pub seed: u32,
}

impl Default for Particles {
    fn default() -> Self {
        Self {
            width: 32,
            height: 32,
            depth: 32,
            particles: 500,
            temperature: 0.01,
            seed: 1,
        }
    }
}

#[cfg(feature = "cli")]
fn parse_temperature(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(temperature) if (0.0..=MAX_TEMPERATURE).contains(&temperature) => Ok(temperature),
        _ => Err(format!("write a number from 0 to {MAX_TEMPERATURE}")),
    }
}

impl Particles {
    fn cells(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height) * u64::from(self.depth)
    }

    /// The bound of velocities in 65,536ths of a cell a step. Velocities are sums of four uniform
    /// numbers, whose mean square is a twelfth of their bound's square.
    fn speed(&self) -> u32 {
        ((12.0 * self.temperature).sqrt() * 65_536.0) as u32
    }
}

/// The fingerprint of particles, by the sum of their hashes, and of those that crossed the faces.
fn fingerprint(hash: u64, flows: Flows) -> u64 {
    hash.wrapping_add(mix64(mix64(flows.absorbed) ^ flows.injected))
}

impl Stepped for Particles {
    type Result = ParticlesResult;
    type Run<'b> = ParticlesRun<'b>;

    const BETWEEN_STEPS: BetweenSteps = BetweenSteps::Keeps;
    const NEEDS_ALL: bool = true;

    fn check(&self) -> Result<(), String> {
        // Three factors of 32 bits may have a product of more than 64.
        let cells = u128::from(self.width) * u128::from(self.height) * u128::from(self.depth);
        if !(1..=u128::from(MAX_CELLS)).contains(&cells) {
            return Err("width: a lattice has from 1 to 2^26 cells".into());
        }
        if self.cells() * u64::from(self.particles) > MAX_PARTICLES {
            return Err("particles: all cells together begin with 2^31 at most".into());
        }
        if !(0.0..=MAX_TEMPERATURE).contains(&self.temperature) {
            return Err(format!("temperature: from 0 to {MAX_TEMPERATURE}"));
        }
        Ok(())
    }

    /// In each cell its particles, in one frame more than they need, and two outboxes. At the highest
    /// temperature, a seventeenth of the particles goes to one side.
    fn most_bytes(&self) -> u64 {
        let outbox = self.particles.div_ceil(16).div_ceil(FRAME_PARTICLES);
        let frames = self.particles.div_ceil(FRAME_PARTICLES) + 1 + 2 * outbox;
        self.cells() * u64::from(frames) * u64::from(FRAME_BYTES)
    }

    fn begin<'b>(
        &self,
        backend: &'b dyn Backend,
        heap: &DeviceHeap<'b>,
        tally: *mut u64,
    ) -> Result<ParticlesRun<'b>, BackendError> {
        ParticlesRun::new(self, backend, heap, tally)
    }

    fn reference(&self, steps: u32) -> u64 {
        let mut cells = reference::ReferenceLattice::new(self);
        for step in 1..=steps {
            cells.step(step);
        }
        cells.fingerprint()
    }
}
