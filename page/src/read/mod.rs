//! Files of results. The keys of the first row say which command wrote it.

mod adder;
mod benches;
mod fragmentation;
mod graph;
mod micro;
mod sensitivity;
mod steps;
mod survey;
mod tree;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use heapwood_results::allocators::AllocatorRow;
use heapwood_results::devices::DeviceRow;
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::adder::Adder;
use crate::collection::{Picture, place};
use crate::error::{PageError, PageFault};
use crate::{Collection, embedded};

/// The first bytes of a PNG file.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

impl Collection {
    /// Adds a file of this name and content: results in JSON, a page, or a PNG picture.
    ///
    /// # Errors
    ///
    /// If it is nothing that a page shows.
    pub fn add(&mut self, file: &str, content: &[u8]) -> Result<(), PageError> {
        let refused = |why| PageError {
            file: file.to_owned(),
            why,
        };
        add(self, file, content).map_err(refused)
    }
}

/// Adds a file to a collection.
fn add(collection: &mut Collection, file: &str, content: &[u8]) -> Result<(), PageFault> {
    if content.starts_with(PNG) {
        let picture = Picture {
            file: file.to_owned(),
            base64: STANDARD.encode(content),
        };
        place(&mut collection.pictures, picture);
        return Ok(());
    }
    let text = std::str::from_utf8(content);
    let text = text.map_err(|_| PageFault::NotJson("the bytes are no text".to_owned()))?;
    let text = text.trim();
    if text.is_empty() {
        return Err(PageFault::Empty);
    }
    if text.starts_with('<') {
        collection.merge(embedded::decode(text)?);
        return Ok(());
    }
    let json: Value =
        serde_json::from_str(text).map_err(|error| PageFault::NotJson(error.to_string()))?;
    let rows = match json {
        Value::Array(rows) => rows,
        one => vec![one],
    };
    rows_of(&mut Adder::new(collection, file), rows)
}

/// Adds rows, which are all of one kind.
fn rows_of(adder: &mut Adder, rows: Vec<Value>) -> Result<(), PageFault> {
    let first = rows.first().ok_or(PageFault::NoRow)?;
    let has = |keys: &[&str]| keys.iter().all(|key| first.get(key).is_some());
    // A comparison has the kind of its cases in the results of those that succeeded.
    let mut results = rows.iter().filter_map(|row| row.get("result"));
    let result = results.find(|result| result.is_object());
    let compares = |keys: &[&str]| {
        has(&["allocator", "status", "options"])
            && result.is_some_and(|result| keys.iter().all(|key| result.get(key).is_some()))
    };
    if has(&["workload", "heap"]) {
        each(rows, |row| micro::add(adder, row))
    } else if has(&["figure", "quantity"]) {
        each(rows, |row| survey::add(adder, row))
    } else if has(&["fill", "range"]) {
        each(rows, |row| fragmentation::add(adder, row))
    } else if has(&["source", "pattern"]) {
        each(rows, |row| benches::add_host_pool(adder, row))
    } else if has(&["ours_ms", "theirs_ms"]) {
        benches::add(adder, rows)
    } else if has(&["what", "paper", "handle_bytes"]) {
        each(rows, |row: AllocatorRow| {
            let cost = row.costs.plain.map(|cost| cost.registers);
            let registers = &mut adder.collection.registers;
            registers.extend(cost.map(|cost| (row.name, cost)));
        })
    } else if has(&["copy_gb_per_s", "processors"]) {
        each(rows, |row: DeviceRow| adder.device(&row))
    } else if has(&["layout", "status"]) {
        each(rows, |row| graph::add_compared(adder, row))
    } else if has(&["gap", "layout"]) {
        each(rows, |row| graph::add_gap(adder, row))
    } else if has(&["layout", "graph", "memory"]) {
        each(rows, |row| graph::add(adder, row))
    } else if has(&["scene", "build_ms", "tree_hash"]) {
        each(rows, |row| tree::add(adder, row))
    } else if has(&["frames", "build_ms_median"]) {
        each(rows, |row| tree::add_frames(adder, row))
    } else if has(&["step_ms", "result"]) {
        rows.into_iter().try_for_each(|row| steps::add(adder, row))
    } else if compares(&["tree_hash"]) {
        let scene = result.and_then(|result| result.get("scene")?.as_str());
        let scene = scene.unwrap_or_default().to_owned();
        each(rows, |row| tree::add_compared(adder, row, &scene))
    } else if compares(&["frames"]) {
        each(rows, |row| tree::add_compared_frames(adder, row))
    } else if compares(&["stretched"]) {
        let text = |key: &str| Some(result?.get(key)?.as_str()?.to_owned());
        let (work, input) = (text("command").unwrap_or_default(), text("input"));
        let workload = (work.as_str(), input.as_deref());
        each(rows, |row| sensitivity::add_compared(adder, row, workload))
    } else if compares(&["step_ms"]) {
        steps::add_compared(adder, rows)
    } else if has(&["allocator", "status", "options"]) && result.is_none() {
        each(rows, |row| steps::add_failed(adder, row))
    } else {
        let keys = first.as_object().map(|row| row.keys().take(6).cloned());
        let keys: Vec<String> = keys.map(Iterator::collect).unwrap_or_default();
        Err(PageFault::Unknown(match keys.is_empty() {
            true => "none".to_owned(),
            false => keys.join(", "),
        }))
    }
}

/// Whether the first row has a key.
fn rows_have(rows: &[Value], key: &str) -> bool {
    rows.first().is_some_and(|row| row.get(key).is_some())
}

/// Reads rows of a type, and adds each.
fn each<T: DeserializeOwned>(rows: Vec<Value>, mut add: impl FnMut(T)) -> Result<(), PageFault> {
    for (number, row) in (1..).zip(rows) {
        add(parsed(number, row)?);
    }
    Ok(())
}

/// The row of this number.
fn parsed<T: DeserializeOwned>(number: usize, row: Value) -> Result<T, PageFault> {
    let commit = commit(&row);
    serde_path_to_error::deserialize(row).map_err(|error| {
        let key = match error.path().to_string().as_str() {
            "." => String::new(),
            key => format!(", {key}"),
        };
        PageFault::Version(format!("row {number}{key}: {}{commit}", error.into_inner()))
    })
}

/// The commit that a row names, for messages.
fn commit(row: &Value) -> String {
    let meta = [row.get("meta"), row.pointer("/result/meta")];
    let mut commits = meta
        .into_iter()
        .flatten()
        .filter_map(|meta| meta.get("commit"));
    let commit = commits.find_map(Value::as_str);
    commit.map_or(String::new(), |commit| format!("; its commit is {commit}"))
}
