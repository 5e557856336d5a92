//! The ranks of allocators in a replay beside those in the live runs.

use serde::{Deserialize, Serialize};

use crate::{Report, Table, milliseconds};

/// An allocator in both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankedAllocator {
    /// The allocator, as on the command line.
    pub allocator: String,
    /// Its mean time in the replay, in milliseconds.
    pub replayed_ms: f64,
    /// Its rank there: 1 is the fastest. Those that tie have the mean of their ranks.
    pub replayed_rank: f64,
    /// Its mean time in the live run.
    pub live_ms: f64,
    /// Its rank there.
    pub live_rank: f64,
}

/// How well a replay ranks allocators.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RanksReport {
    /// The file of the comparison of replays.
    pub replayed: String,
    /// The file of the comparison of live runs.
    pub live: String,
    /// Spearman's coefficient of the ranks; null with fewer than three allocators, or where all tie in
    /// one of the files.
    pub spearman: Option<f64>,
    /// Allocators that free, from the fastest live one on.
    pub allocators: Vec<RankedAllocator>,
}

impl Report for RanksReport {
    /// A row an allocator.
    fn table(&self) -> Table {
        let mut table = Table::new(&[
            "allocator",
            "#live ms",
            "#live rank",
            "#replayed ms",
            "#replayed rank",
        ]);
        for row in &self.allocators {
            table.push(vec![
                row.allocator.clone(),
                milliseconds(row.live_ms),
                row.live_rank.to_string(),
                milliseconds(row.replayed_ms),
                row.replayed_rank.to_string(),
            ]);
        }
        table
    }

    fn text(&self) -> String {
        let coefficient = match self.spearman {
            Some(coefficient) => format!("{coefficient:.3}"),
            None => "unknown".to_owned(),
        };
        let table = self.table().text();
        format!("{table}Spearman's coefficient of the ranks: {coefficient}\n")
    }
}
