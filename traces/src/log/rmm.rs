//! Logs of RMM's logging resource adaptor: CSV, a line a call.
//!
//! The columns are those of RMM's `logging_resource_adaptor` and of its replay benchmark:
//! `Thread,Time,Action,Pointer,Size,Stream`. The time is that of the day, or seconds of an epoch.

use std::io::BufRead;

use super::ids::{BlockIds, Threads};
use super::lines::{LogLines, not_a, pointer};
use crate::{Header, HeapOperation, LogProblem, TraceEntry, TraceError};

/// The columns in the order of logs without a first line that names them.
const COLUMNS: [&str; 6] = ["Thread", "Time", "Action", "Pointer", "Size", "Stream"];
const DAY_NS: u64 = 24 * 3600 * 1_000_000_000;

/// Reads a log as entries. Threads become warps, and failures refused requests.
pub struct RmmLog<R> {
    lines: LogLines<R>,
    /// Where the columns are in a line, in the order of [`COLUMNS`]: time and stream may be absent.
    columns: [Option<usize>; 6],
    /// The first line, if it is not one of titles.
    first: Option<String>,
    ids: BlockIds<u64>,
    threads: Threads,
    /// The time of the line before, in nanoseconds.
    last_ns: Option<u64>,
}

impl<R: BufRead> RmmLog<R> {
    /// Reads the titles of the columns. Unknown ones are ignored, and missing titles are the usual
    /// ones.
    ///
    /// # Errors
    ///
    /// [`TraceError::NoEvents`] for an empty log, [`TraceError::Line`] and [`TraceError::Read`].
    pub fn new(input: R) -> Result<Self, TraceError> {
        let mut lines = LogLines::new(input);
        let first = lines.next()?.ok_or(TraceError::NoEvents)?;
        let titles: Vec<&str> = first.split(',').map(str::trim).collect();
        let place = |column: &&str| {
            titles
                .iter()
                .position(|title| title.eq_ignore_ascii_case(column))
        };
        let has_titles = COLUMNS.iter().any(|column| place(column).is_some());
        let mut columns = [0, 1, 2, 3, 4, 5].map(Some);
        if has_titles {
            columns = COLUMNS.map(|column| place(&column));
            for needed in [2, 3, 4] {
                if columns[needed].is_none() {
                    return Err(lines.error(LogProblem::NoColumn(COLUMNS[needed])));
                }
            }
        }
        Ok(Self {
            lines,
            columns,
            first: Some(first).filter(|_| !has_titles),
            ids: BlockIds::default(),
            threads: Threads::default(),
            last_ns: None,
        })
    }

    /// The header of a trace of this log.
    pub fn header(&self, file: String) -> Header {
        Header {
            workload: file,
            allocator: "rmm".to_owned(),
            backend: "host".to_owned(),
            clock_hz: self.columns[1].map(|_| 1_000_000_000),
            ..Header::default()
        }
    }

    fn entry(&mut self, line: &str) -> Result<Option<TraceEntry>, LogProblem> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let field = |column: usize| {
            let place = self.columns[column];
            let text =
                place.map(|place| fields.get(place).copied().filter(|text| !text.is_empty()));
            text.map(|text| text.ok_or(LogProblem::NoField(COLUMNS[column])))
                .transpose()
        };
        let number = |text: &str| text.parse::<u64>().map_err(|_| not_a("number", text));
        let required = |column| field(column)?.ok_or(LogProblem::NoField(COLUMNS[column]));
        let thread = field(0)?.map(number).transpose()?.unwrap_or_default();
        let time = field(1)?.map(time_ns).transpose()?.unwrap_or_default();
        let (action, pointer) = (required(2)?, pointer(required(3)?)?);
        let bytes = number(required(4)?)?;
        let clock = self.clock(time);
        let operation = match action {
            "allocate" if pointer == 0 && bytes > 0 => return Err(LogProblem::Null(bytes)),
            "allocate" => HeapOperation::Grant {
                bytes,
                block: self
                    .ids
                    .grant(pointer, bytes)
                    .ok_or(LogProblem::Live(pointer))?,
            },
            "allocate failure" => HeapOperation::Refusal { bytes },
            "free" | "deallocate" => match self.ids.free(pointer) {
                Some(block) => HeapOperation::Free { block },
                None if pointer == 0 => return Ok(None),
                None => return Err(LogProblem::NotLive(pointer)),
            },
            other => return Err(not_a("known action", other)),
        };
        let event = self.threads.event(thread, clock, operation);
        Ok(Some(TraceEntry::Event(event)))
    }

    /// The clock at a time of day, on the day that is nearest to the line before: threads log a little
    /// out of order, and past midnight. The first day has a day before it.
    fn clock(&mut self, time: u64) -> u64 {
        let last = self.last_ns.unwrap_or(DAY_NS + time % DAY_NS);
        let day = last / DAY_NS;
        let days = [day.saturating_sub(1), day, day + 1];
        let clocks = days.map(|day| day.saturating_mul(DAY_NS).saturating_add(time));
        let clock = match time < DAY_NS {
            true => clocks
                .into_iter()
                .min_by_key(|clock| clock.abs_diff(last))
                .unwrap_or(time),
            false => time,
        };
        self.last_ns = Some(clock);
        clock
    }
}

impl<R: BufRead> Iterator for RmmLog<R> {
    type Item = Result<TraceEntry, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.first.take() {
                Some(first) => first,
                None => match self.lines.next() {
                    Ok(line) => line?,
                    Err(error) => return Some(Err(error)),
                },
            };
            let entry = self
                .entry(&line)
                .map_err(|problem| self.lines.error(problem));
            if let Some(entry) = entry.transpose() {
                return Some(entry);
            }
        }
    }
}

/// Nanoseconds of `HH:MM:SS.ffffff`, of `HH:MM:SS:ffffff` as older versions write it, or of seconds.
fn time_ns(text: &str) -> Result<u64, LogProblem> {
    let bad = || not_a("time", text);
    let parts: Vec<&str> = text.split([':', '.']).collect();
    let number = |text: &str| text.parse::<u64>().map_err(|_| bad());
    let (seconds, fraction) = match parts[..] {
        [hours, minutes, seconds, ref rest @ ..] if rest.len() <= 1 => {
            let [hours, minutes, seconds] = [number(hours)?, number(minutes)?, number(seconds)?];
            if hours >= 24 || minutes >= 60 || seconds > 60 {
                return Err(bad());
            }
            let seconds = (hours * 60 + minutes) * 60 + seconds;
            (seconds, rest.first().copied())
        }
        [seconds] => (number(seconds)?, None),
        [seconds, fraction] if !text.contains(':') => (number(seconds)?, Some(fraction)),
        _ => return Err(bad()),
    };
    let fraction = match fraction {
        Some(digits) if digits.len() <= 9 => number(&format!("{digits:0<9}"))?,
        Some(_) => return Err(bad()),
        None => 0,
    };
    let ns = seconds.checked_mul(1_000_000_000);
    ns.and_then(|ns| ns.checked_add(fraction)).ok_or_else(bad)
}
