//! Reports of steps for people, and as a row for programs.

use super::{StepsReport, StepsResult};
use crate::cells::{self, fraction, option, percent};
use crate::{Line, Report, Table, display};

/// Characters of the longest name.
const NAMES: usize = 14;

impl<R: StepsResult> StepsReport<R> {
    fn lines(&self) -> Vec<Line> {
        let mut lines = self.result.lines();
        lines.extend([
            ("backend", format!("{}, {}", self.backend, self.device)),
            ("allocator", self.allocator.clone()),
            (
                "pool",
                format!(
                    "{}, {} of it in blocks at most",
                    display(self.pool_bytes),
                    display(self.high_water_bytes),
                ),
            ),
            (
                "",
                format!(
                    "fragmentation {} internal, {} external after the last step; {}",
                    fraction(self.internal_fragmentation),
                    fraction(self.external_fragmentation),
                    match self.left_bytes {
                        Some(left) =>
                            format!("{} in use after all blocks were freed", display(left)),
                        None => "the allocator cannot be walked".to_owned(),
                    }
                ),
            ),
            (
                "steps",
                format!(
                    "{} at {}, {:.0} a second",
                    self.steps, self.step_ms, self.steps_per_second
                ),
            ),
        ]);
        if let Some(baseline) = &self.baseline_ms {
            lines.push(("no allocator", baseline.to_string()));
        }
        lines.extend([
            (
                "requests",
                format!(
                    "{} a step, {} refused; {} of a step's time in the allocator",
                    self.requests_per_step().round(),
                    self.refused,
                    percent(self.allocator_share)
                ),
            ),
            (
                "hash",
                match self.verified {
                    true => format!("{}, that of the sequential reference", self.hash),
                    false => self.hash.clone(),
                },
            ),
        ]);
        lines.extend(self.meta.link_line());
        lines
    }
}

impl<R: StepsResult> Report for StepsReport<R> {
    fn table(&self) -> Table {
        cells::table(self.lines())
    }

    fn records(&self) -> Table {
        let mut table = Table::new(&[
            "backend",
            "device",
            "allocator",
            "parameters",
            "#pool_bytes",
            "#steps",
            "#step_ms",
            "#steps_per_second",
            "#baseline_ms",
            "#requests",
            "#refused",
            "#freed",
            "#allocator_share",
            "#high_water_bytes",
            "#allocated_bytes",
            "#internal_fragmentation",
            "#external_fragmentation",
            "#left_bytes",
            "hash",
            "commit",
        ]);
        table.push(vec![
            self.backend.clone(),
            self.device.clone(),
            self.allocator.clone(),
            cells::parameters(&self.parameters),
            self.pool_bytes.to_string(),
            self.steps.to_string(),
            self.step_ms.median.to_string(),
            self.steps_per_second.to_string(),
            cells::median(self.baseline_ms.as_ref()),
            self.requests.to_string(),
            self.refused.to_string(),
            self.freed.to_string(),
            option(self.allocator_share),
            self.high_water_bytes.to_string(),
            self.allocated_bytes.to_string(),
            option(self.internal_fragmentation),
            option(self.external_fragmentation),
            option(self.left_bytes),
            self.hash.clone(),
            option(self.meta.commit.as_ref()),
        ]);
        table
    }

    fn text(&self) -> String {
        cells::text(&self.lines(), NAMES)
    }
}
