//! Replay logs of Umpire: a line of JSON a call, among lines of other kinds.
//!
//! `UMPIRE_REPLAY=On` logs `allocate` before the call and, with its result, after it. A request
//! without a result was refused. The event store of later versions logs one line after the call, with
//! its arguments under `numeric_args` and `string_args`, and no refusals.

use std::io::BufRead;

use serde_json::Value;

use super::ids::{BlockIds, Threads};
use super::lines::{LogLines, pointer};
use crate::{Header, HeapOperation, LogProblem, TraceEntry, TraceError};

/// A request whose outcome is not logged yet.
struct Pending {
    process: u64,
    allocator: String,
    bytes: u64,
    clock: u64,
}

/// Reads a log as entries. Processes become warps, each with addresses of its own.
pub struct UmpireLog<R> {
    lines: LogLines<R>,
    ids: BlockIds<(u64, u64)>,
    threads: Threads,
    pending: Vec<Pending>,
    /// An entry that follows the one before from the same line.
    held: Option<TraceEntry>,
}

impl<R: BufRead> UmpireLog<R> {
    /// Reads a log from its begin.
    pub fn new(input: R) -> Self {
        Self {
            lines: LogLines::new(input),
            ids: BlockIds::default(),
            threads: Threads::default(),
            pending: Vec::new(),
            held: None,
        }
    }

    /// The header of a trace of this log.
    pub fn header(&self, file: String) -> Header {
        Header {
            workload: file,
            allocator: "umpire".to_owned(),
            backend: "host".to_owned(),
            clock_hz: Some(1_000_000_000),
            ..Header::default()
        }
    }

    /// The event of a call, if the line has one that was made, after the refusal that the line shows.
    fn entries(&mut self, line: &str) -> Result<[Option<TraceEntry>; 2], LogProblem> {
        let row: Value =
            serde_json::from_str(line).map_err(|error| LogProblem::Json(error.to_string()))?;
        let name = row["event"].as_str().or(row["name"].as_str());
        if !matches!(name, Some("allocate" | "deallocate")) {
            return Ok([None, None]);
        }
        let process = row["uid"].as_u64().unwrap_or_default();
        let clock = row["timestamp"]
            .as_u64()
            .ok_or(LogProblem::NoField("timestamp"))?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let (given, now) = (&row["payload"], &row["string_args"]);
        let pending = self
            .pending
            .iter()
            .position(|pending| pending.process == process);
        let pending = pending.map(|at| self.pending.swap_remove(at));
        if name == Some("deallocate") {
            let freed = text(&given["memory_ptr"]).or(text(&now["pointer"]));
            let freed = pointer(&freed.ok_or(LogProblem::NoField("memory_ptr"))?)?;
            let refusal = pending.map(|pending| self.refusal(&pending));
            let free = match self.ids.free((process, freed)) {
                Some(block) => Some(self.event(process, clock, HeapOperation::Free { block })),
                None if freed == 0 => None,
                None => return Err(LogProblem::NotLive(freed)),
            };
            return Ok([refusal, free]);
        }
        let is_paired = !given.is_null();
        let bytes = given["size"]
            .as_u64()
            .or(row["numeric_args"]["size"].as_u64());
        let bytes = bytes.ok_or(LogProblem::NoField("size"))?;
        let allocator = text(&given["allocator_ref"]).unwrap_or_default();
        let Some(got) = text(&row["result"]["memory_ptr"]).or(text(&now["pointer"])) else {
            if !is_paired {
                return Err(LogProblem::NoField("pointer"));
            }
            self.pending.push(Pending {
                process,
                allocator,
                bytes,
                clock,
            });
            return Ok([pending.map(|pending| self.refusal(&pending)), None]);
        };
        let is_answer = |of: &Pending| of.allocator == allocator && of.bytes == bytes;
        if is_paired && !pending.is_some_and(|pending| is_answer(&pending)) {
            return Err(LogProblem::NoRequest);
        }
        let got = pointer(&got)?;
        if got == 0 && bytes > 0 {
            return Err(LogProblem::Null(bytes));
        }
        let block = self
            .ids
            .grant((process, got), bytes)
            .ok_or(LogProblem::Live(got))?;
        let grant = self.event(process, clock, HeapOperation::Grant { bytes, block });
        Ok([Some(grant), None])
    }

    fn refusal(&mut self, pending: &Pending) -> TraceEntry {
        let bytes = pending.bytes;
        self.event(
            pending.process,
            pending.clock,
            HeapOperation::Refusal { bytes },
        )
    }

    fn event(&mut self, process: u64, clock: u64, operation: HeapOperation) -> TraceEntry {
        TraceEntry::Event(self.threads.event(process, clock, operation))
    }
}

impl<R: BufRead> Iterator for UmpireLog<R> {
    type Item = Result<TraceEntry, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(held) = self.held.take() {
                return Some(Ok(held));
            }
            let line = match self.lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => {
                    let pending = self.pending.pop()?;
                    return Some(Ok(self.refusal(&pending)));
                }
                Err(error) => return Some(Err(error)),
            };
            // Other output of the program, and comments.
            if !line.starts_with('{') || !line.contains("\"replay\"") {
                continue;
            }
            match self.entries(&line) {
                Ok([Some(first), held]) => {
                    self.held = held;
                    return Some(Ok(first));
                }
                Ok([None, held]) => self.held = held,
                Err(problem) => return Some(Err(self.lines.error(problem))),
            }
        }
    }
}
