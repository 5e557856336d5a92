//! Wa-Tor: fish and sharks on a torus, each a block of the heap.
//! `heapwood_device::workload::agents` has the rules.

mod reference;
mod run;
#[cfg(test)]
mod tests;

use heapwood_device::workload::agents::{FISH_BYTES, SHARK_BYTES};
use heapwood_results::steps::AgentsResult;
use serde::{Deserialize, Serialize};

use crate::backend::{Backend, BackendError};
use crate::heap::DeviceHeap;
use crate::workload::steps::{BetweenSteps, Stepped};

pub use run::SeaRun;

/// Cells of a sea, at the most.
const MAX_CELLS: u64 = 1 << 30;

/// A sea.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(
    feature = "cli",
    derive(clap::Args),
    command(next_help_heading = "Sea")
)]
#[serde(rename_all = "kebab-case")]
pub struct Agents {
    /// Cells of a row
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..), default_value_t = 512))]
    pub width: u32,
    /// Rows
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(3..), default_value_t = 512))]
    pub height: u32,
    /// Part of the cells that begin with a fish
    #[cfg_attr(feature = "cli", arg(long, value_name = "PART", value_parser = parse_part, default_value_t = 0.3))]
    pub fish: f64,
    /// Part of the cells that begin with a shark
    #[cfg_attr(feature = "cli", arg(long, value_name = "PART", value_parser = parse_part, default_value_t = 0.05))]
    pub sharks: f64,
    /// Steps after a birth in which a fish has the next
    #[cfg_attr(feature = "cli", arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..1 << 31), default_value_t = 3))]
    pub fish_age: u32,
    /// Steps after a birth in which a shark has the next
    #[cfg_attr(feature = "cli", arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..1 << 31), default_value_t = 8))]
    pub shark_age: u32,
    /// Steps without a meal after which a shark dies
    #[cfg_attr(feature = "cli", arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u32).range(1..1 << 31), default_value_t = 4))]
    pub hunger: u32,
    /// Seed of all random numbers
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 1))]
    pub seed: u32,
}

impl Default for Agents {
    fn default() -> Self {
        Self {
            width: 512,
            height: 512,
            fish: 0.3,
            sharks: 0.05,
            fish_age: 3,
            shark_age: 8,
            hunger: 4,
            seed: 1,
        }
    }
}

#[cfg(feature = "cli")]
fn parse_part(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(part) if (0.0..=1.0).contains(&part) => Ok(part),
        _ => Err("write a number from 0 to 1".to_owned()),
    }
}

/// A part as one of 2^32.
fn of_2_32(part: f64) -> u64 {
    (part * 4_294_967_296.0) as u64
}

impl Agents {
    fn cells(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

impl Stepped for Agents {
    type Result = AgentsResult;
    type Run<'b> = SeaRun<'b>;

    const BETWEEN_STEPS: BetweenSteps = BetweenSteps::Keeps;
    const NEEDS_ALL: bool = false;

    fn check(&self) -> Result<(), String> {
        if self.width < 3 || self.height < 3 || self.cells() > MAX_CELLS {
            return Err(
                "width: a sea has 3 columns and 3 rows at least, and 2^30 cells at most".into(),
            );
        }
        // Both thresholds are words of 32 bits.
        if of_2_32(self.fish) + of_2_32(self.sharks) > u64::from(u32::MAX) {
            return Err("fish: together with sharks it is less than 1".into());
        }
        if self.fish_age == 0 || self.shark_age == 0 || self.hunger == 0 {
            return Err("hunger: ages and hunger are at least 1".into());
        }
        Ok(())
    }

    /// Half of the cells with fish, a tenth with sharks.
    fn most_bytes(&self) -> u64 {
        let bytes = u64::from(FISH_BYTES) * 5 + u64::from(SHARK_BYTES);
        self.cells() * bytes / 10
    }

    fn begin<'b>(
        &self,
        backend: &'b dyn Backend,
        heap: &DeviceHeap<'b>,
        tally: *mut u64,
    ) -> Result<SeaRun<'b>, BackendError> {
        SeaRun::new(self, backend, heap, tally)
    }

    fn reference(&self, steps: u32) -> u64 {
        let mut sea = reference::Sea::new(self);
        for step in 1..=steps {
            sea.step(step);
        }
        sea.hash()
    }
}
