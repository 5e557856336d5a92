//! A sea of fish and sharks.

use serde::{Deserialize, Serialize};

use super::StepsResult;
use crate::Line;

/// A sea, and its population in the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgentsResult {
    /// Cells of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The part of the cells that began with a fish, 0 to 1.
    pub fish_share: f64,
    /// The part of those that began with a shark.
    pub shark_share: f64,
    /// Steps after a birth in which a fish has the next.
    pub fish_age: u32,
    /// The same of a shark.
    pub shark_age: u32,
    /// Steps without a meal after which a shark dies.
    pub hunger: u32,
    /// Seed.
    pub seed: u32,
    /// Fish after the last step.
    pub fish: u64,
    /// Sharks after the last step.
    pub sharks: u64,
}

impl StepsResult for AgentsResult {
    const COMMAND: &'static str = "agents";

    fn lines(&self) -> Vec<Line> {
        vec![
            (
                "sea",
                format!(
                    "{}x{} cells, seed {}; births after {} and {} steps, deaths after {}",
                    self.width, self.height, self.seed, self.fish_age, self.shark_age, self.hunger
                ),
            ),
            (
                "population",
                format!("{} fish and {} sharks in the end", self.fish, self.sharks),
            ),
        ]
    }
}
