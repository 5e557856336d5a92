//! Workloads in steps, alone and in comparisons.

use heapwood_results::compare::ComparedRow;
use heapwood_results::steps::{
    AgentsResult, ParticlesResult, ReplayResult, StepsReport, StepsResult, WorkgenResult,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::adder::{Adder, Row};
use super::parsed;
use super::tree::{compared, failed};
use crate::error::PageFault;
use crate::{Command, Section};
use heapwood_results::Status;

/// The name of work that produces into one block, by a prefix sum.
const NO_ALLOCATOR: &str = "none (prefix sum)";

/// The parts of a result that name its case.
trait Named: StepsResult {
    const SECTION: Section;

    /// The size of the work.
    fn size(&self) -> String;
}

impl Named for AgentsResult {
    const SECTION: Section = Section::Agents;

    fn size(&self) -> String {
        format!("{}x{} cells", self.width, self.height)
    }
}

impl Named for ParticlesResult {
    const SECTION: Section = Section::Particles;

    fn size(&self) -> String {
        let Self {
            width,
            height,
            depth,
            particles_per_cell,
            ..
        } = self;
        format!("{width}x{height}x{depth} cells, {particles_per_cell} particles a cell")
    }
}

impl Named for WorkgenResult {
    const SECTION: Section = Section::Workgen;

    fn size(&self) -> String {
        let Self {
            threads,
            min_bytes,
            max_bytes,
            ..
        } = self;
        let written = if self.writes { ", written" } else { "" };
        format!("{threads} threads, {min_bytes} to {max_bytes} B{written}")
    }
}

impl Named for ReplayResult {
    const SECTION: Section = Section::Replay;

    fn size(&self) -> String {
        let pauses = match self.pauses {
            0.0 => String::new(),
            part => format!(", {part} of its pauses"),
        };
        let touched = if self.touches { ", touched" } else { "" };
        format!("{} with {} calls{pauses}{touched}", self.trace, self.calls)
    }
}

/// Adds a report.
pub fn add(adder: &mut Adder, row: Value) -> Result<(), PageFault> {
    match row.get("result") {
        Some(result) if result.get("fish").is_some() => alone::<AgentsResult>(adder, row),
        Some(result) if result.get("particles").is_some() => alone::<ParticlesResult>(adder, row),
        Some(result) if result.get("trace").is_some() => alone::<ReplayResult>(adder, row),
        _ => alone::<WorkgenResult>(adder, row),
    }
}

fn alone<R: Named>(adder: &mut Adder, row: Value) -> Result<(), PageFault>
where
    StepsReport<R>: DeserializeOwned,
{
    let report: StepsReport<R> = parsed(1, row)?;
    let mut command = Command::new(R::COMMAND);
    command
        .words
        .extend(report.result.input().map(|(name, _)| name.to_owned()));
    let command = command
        .word(format!("--allocator={}", report.allocator))
        .word(format!("--steps={}", report.steps))
        .word(format!("--pool={}", report.pool_bytes));
    push(adder, &report, command);
    Ok(())
}

/// Adds rows of a comparison.
pub fn add_compared(adder: &mut Adder, rows: Vec<Value>) -> Result<(), PageFault> {
    let has = |key: &str| {
        let pointer = format!("/result/result/{key}");
        rows.iter().any(|row| row.pointer(&pointer).is_some())
    };
    if has("fish") {
        all::<AgentsResult>(adder, rows)
    } else if has("particles") {
        all::<ParticlesResult>(adder, rows)
    } else if has("trace") {
        all::<ReplayResult>(adder, rows)
    } else {
        all::<WorkgenResult>(adder, rows)
    }
}

fn all<R: Named>(adder: &mut Adder, rows: Vec<Value>) -> Result<(), PageFault>
where
    StepsReport<R>: DeserializeOwned,
{
    let rows = (1..).zip(rows).map(|(number, row)| parsed(number, row));
    let rows: Vec<ComparedRow<StepsReport<R>>> = rows.collect::<Result<_, _>>()?;
    let mut results = rows.iter().filter_map(|row| row.outcome.result.as_ref());
    let input = results.find_map(|report| report.result.input());
    let input = input.map(|(name, _)| name);
    for row in &rows {
        let command = compared(R::COMMAND, input, &row.options, &row.allocator);
        match &row.outcome.result {
            Some(report) => push(adder, report, command),
            None => failed(adder, R::SECTION, row, command),
        }
    }
    Ok(())
}

/// Adds a row of a comparison in which no case has a result.
pub fn add_failed(adder: &mut Adder, row: ComparedRow<Value>) {
    let command = compared("WORK", None, &row.options, &row.allocator);
    failed(adder, Section::Unknown, &row, command);
}

fn push<R: Named>(adder: &mut Adder, report: &StepsReport<R>, command: Command) {
    let row = Row {
        section: R::SECTION,
        allocator: &report.allocator,
        device: &report.device,
        meta: &report.meta,
        status: Status::Ok,
        error: None,
        command,
        memory: Some(report.high_water_bytes as f64),
        hash: Some(&report.hash),
    };
    let case = format!("a step, {}", report.result.size());
    adder.time(&row, case.clone(), Some(&report.step_ms), Vec::new());
    // Each allocator's run has measured the same without one: the first is shown.
    if let Some(baseline) = &report.baseline_ms
        && !adder.has(NO_ALLOCATOR, &case)
    {
        let row = Row {
            allocator: NO_ALLOCATOR,
            memory: None,
            ..row
        };
        adder.time(&row, case, Some(baseline), Vec::new());
    }
}
