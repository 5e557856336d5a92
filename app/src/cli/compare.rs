//! `heapwood compare`: real work over a set of allocators, side by side.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde::Serialize;

use super::common::{BackendArguments, different_files, load_scene, parse_seconds, progress};
use super::tree::{TreeArguments, refuse_coalesce};
use crate::Error;
use crate::allocators::{self, Spec};
use crate::bench::Status;
use crate::output::{self, Output};
use crate::process::{self, Ended};
use crate::report::{Format, Table, TreeReport, json, milliseconds};
use crate::size::display;

/// The work.
#[derive(Debug, Subcommand)]
pub enum What {
    /// Build the k-d tree of a scene
    Kdtree(Arguments),
}

/// Arguments of `heapwood compare kdtree`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    tree: TreeArguments,
    /// Allocators with their parameters, separated by commas, or `all`
    #[arg(long, value_name = "LIST", default_value = "all")]
    allocators: String,
    /// Check every block for double frees and writes past its end
    #[arg(long)]
    check_heap: bool,
    /// Timed builds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), default_value_t = 5)]
    runs: u32,
    /// Seconds after which an allocator is given up
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "120")]
    timeout: f64,
    #[command(flatten)]
    backend: BackendArguments,
    /// How to write the results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write the results to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// An allocator's result; the ratio is to AtomicMalloc, if that succeeded.
#[derive(Serialize)]
struct Row {
    allocator: String,
    status: Status,
    error: Option<String>,
    ratio: Option<f64>,
    result: Option<TreeReport>,
}

/// The allocator that the others are compared with.
const BASE: &str = "atomicmalloc";

/// Builds over each allocator in a process of its own and writes the table.
pub fn run(what: What) -> Result<(), Error> {
    let What::Kdtree(arguments) = what;
    let specs = allocators::parse_list(&arguments.allocators).map_err(Error::Usage)?;
    specs.iter().try_for_each(refuse_coalesce)?;
    let output = arguments.output.as_deref();
    different_files([arguments.tree.scene.as_path()].into_iter().chain(output))?;
    let file = output.map(Output::open).transpose()?;
    // Every process reads the scene; that it can be read is known, and what
    // is odd about it said, once.
    drop(load_scene(
        &arguments.tree.scene,
        arguments.tree.keep_duplicates,
    )?);
    let backend = arguments.backend.resolved()?;

    let bar = progress(specs.len());
    let mut rows = Vec::new();
    for spec in &specs {
        bar.set_message(spec.to_string());
        rows.push(measure(spec, &arguments, &backend)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    set_ratios(&mut rows);
    let text = match arguments.format {
        Format::Json => json(&rows)?,
        Format::Table => table(&rows).text(),
        Format::Csv => table(&rows).csv(),
        Format::Markdown => table(&rows).markdown(),
    };
    match file {
        Some(file) => file.write(text.as_bytes())?,
        None => output::print(&text)?,
    }
    verdict(&rows)
}

fn measure(spec: &Spec, arguments: &Arguments, backend: &[String]) -> Result<Row, Error> {
    let mut row = Row {
        allocator: spec.to_string(),
        status: Status::Ok,
        error: None,
        ratio: None,
        result: None,
    };
    let timeout = Duration::from_secs_f64(arguments.timeout);
    match process::run(&command(spec, arguments, backend), timeout)? {
        Ended::Well(answer) => match serde_json::from_str(&answer) {
            Ok(result) => row.result = Some(result),
            Err(error) => {
                return Err(Error::Failed(format!(
                    "{spec}: no result came back: {error}"
                )));
            }
        },
        // What is wrong with the arguments or the scene is so for all.
        Ended::Badly {
            code: Some(code @ 2..=3),
            message,
        } => {
            return Err(Error::Relayed { code, message });
        }
        Ended::Badly { code, message } => {
            row.status = if code == Some(4) {
                Status::Oom
            } else {
                Status::Fault
            };
            row.error = Some(message);
        }
        Ended::Timeout => {
            row.status = Status::Timeout;
            row.error = Some(format!("not done after {} s", arguments.timeout));
        }
    }
    Ok(row)
}

/// The arguments of `heapwood kdtree` for one allocator.
fn command(spec: &Spec, arguments: &Arguments, backend: &[String]) -> Vec<std::ffi::OsString> {
    let tree = &arguments.tree;
    let mut command: Vec<std::ffi::OsString> = vec!["kdtree".into()];
    let mut option = |name: &str, value: String| command.push(format!("--{name}={value}").into());
    option("format", "json".to_owned());
    option("allocator", spec.to_string());
    option("runs", arguments.runs.to_string());
    option("pool", tree.pool.to_string());
    option("traversal-cost", tree.traversal_cost.to_string());
    option("intersection-cost", tree.intersection_cost.to_string());
    option("empty-bonus", tree.empty_bonus.to_string());
    option("finish", tree.finish.to_string());
    if let Some(depth) = tree.max_depth {
        option("max-depth", depth.to_string());
    }
    for (name, set) in [
        ("--alloc-per-split", tree.alloc_per_split),
        ("--no-clip", tree.no_clip),
        ("--keep-duplicates", tree.keep_duplicates),
        ("--check-heap", arguments.check_heap),
    ] {
        if set {
            command.push(name.into());
        }
    }
    command.extend(backend.iter().map(Into::into));
    command.push("--".into());
    command.push(tree.scene.clone().into());
    command
}

fn set_ratios(rows: &mut [Row]) {
    let time = |row: &Row| row.result.as_ref().map(|result| result.build_ms.median);
    let Some(base) = rows.iter().find(|row| row.allocator == BASE).and_then(time) else {
        return;
    };
    for row in rows {
        row.ratio = time(row).map(|median| median / base);
    }
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "allocator",
        "#build ms",
        "#ratio",
        "#pool",
        "#used",
        "#internal",
        "#external",
        "status",
    ]);
    for row in rows {
        let cell = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        let result = row.result.as_ref();
        table.push(vec![
            row.allocator.clone(),
            cell(result.map(|result| milliseconds(result.build_ms.median))),
            cell(row.ratio.map(|ratio| format!("{ratio:.2}"))),
            cell(result.map(|result| display(result.pool_bytes))),
            cell(result.map(|result| display(result.pool_high_water_bytes))),
            cell(result.map(|result| format!("{:.4}", result.internal_fragmentation))),
            cell(
                result
                    .and_then(|result| result.external_fragmentation)
                    .map(|part| format!("{part:.4}")),
            ),
            match &row.error {
                Some(why) => format!("{}: {why}", row.status.name()),
                None => row.status.name().to_owned(),
            },
        ]);
    }
    table
}

/// All trees must be the same, and one at least must be there.
fn verdict(rows: &[Row]) -> Result<(), Error> {
    let mut results = rows.iter().filter_map(|row| row.result.as_ref());
    let Some(first) = results.next() else {
        return Err(Error::Failed(format!(
            "none of the {} allocators succeeded",
            rows.len()
        )));
    };
    if let Some(other) = results.find(|other| other.tree_hash != first.tree_hash) {
        return Err(Error::Verification(format!(
            "{} and {} built different trees: {} and {}",
            first.allocator, other.allocator, first.tree_hash, other.tree_hash
        )));
    }
    Ok(())
}
