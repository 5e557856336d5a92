//! The time in which the host obtains memory of a backend and gives it back: the caching
//! [`pool`](crate::pool) beside the backend's own calls.
//!
//! ```
//! use heapwood::backend::{Choice, Options};
//! use heapwood::workload::host_pool::{Pattern, Suite, run};
//!
//! let suite = Suite {
//!     patterns: vec![Pattern::Pairs],
//!     bytes: vec![4096],
//!     threads: vec![1, 4],
//!     operations: 100,
//!     budget_s: 1.0,
//!     memory_bytes: 1 << 20,
//!     backend: Options { choice: Choice::Cpu, ..Options::default() },
//! };
//! let rows = run(&suite, |_| ())?;
//! assert_eq!(rows.len(), 6);
//! let pooled = rows.iter().find(|row| row.source == "pool").unwrap();
//! assert_eq!((pooled.hits, pooled.misses), (Some(pooled.pairs), Some(0)));
//! # Ok::<(), heapwood::backend::BackendError>(())
//! ```

mod measure;
mod row;

use crate::backend::{BackendError, MemorySource, Options, SourceVisitor, visit_sources};
use crate::meta::{self, Meta};

pub use heapwood_results::host_pool::{HostPoolRow as Row, Latency, Pattern};

/// Patterns over sizes and numbers of threads.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The patterns. `Cold` and `Warm` have one thread, `Mixed` has sizes of its own.
    pub patterns: Vec<Pattern>,
    /// Sizes of a block, in bytes.
    pub bytes: Vec<u64>,
    /// Numbers of threads.
    pub threads: Vec<u32>,
    /// Pairs of a thread that are measured.
    pub operations: u32,
    /// Seconds after which a thread measures no more pairs.
    pub budget_s: f64,
    /// The most that `Cold` and `Warm` hold at a time, in bytes; at least one block.
    pub memory_bytes: u64,
    /// Where, once decided.
    pub backend: Options,
}

/// A pattern at one size with so many threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// The pattern.
    pub pattern: Pattern,
    /// Bytes of a block; nothing for mixed sizes.
    pub bytes: Option<u64>,
    /// Threads that obtain memory at the same time.
    pub threads: u32,
}

impl Suite {
    /// Its cases, in the order of tables.
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for &pattern in &self.patterns {
            let bytes: Vec<Option<u64>> = match pattern {
                Pattern::Mixed => vec![None],
                _ => self.bytes.iter().copied().map(Some).collect(),
            };
            let threads: &[u32] = match pattern {
                Pattern::Cold | Pattern::Warm => &[1],
                _ => &self.threads,
            };
            for &threads in threads {
                cases.extend(bytes.iter().map(|&bytes| Case {
                    pattern,
                    bytes,
                    threads,
                }));
            }
        }
        cases
    }
}

/// Measures every case with every memory source of the backend, and calls `before` with a line
/// about it first.
///
/// # Errors
///
/// When the backend cannot run. The outcome of a case is in its row.
pub fn run(suite: &Suite, before: impl FnMut(&str)) -> Result<Vec<Row>, BackendError> {
    let meta = meta::of_device(&suite.backend.info()?);
    let mut runner = Runner {
        suite,
        meta,
        before,
        rows: Vec::new(),
    };
    visit_sources(&suite.backend, &mut runner)?;
    Ok(runner.rows)
}

struct Runner<'s, Before> {
    suite: &'s Suite,
    meta: Meta,
    before: Before,
    rows: Vec<Row>,
}

impl<Before: FnMut(&str)> SourceVisitor for Runner<'_, Before> {
    fn visit(&mut self, source: &impl MemorySource) {
        for case in self.suite.cases() {
            (self.before)(&format!("{} {}", source.name(), case.pattern.name()));
            let row = row::new(source.name(), case, self.meta.clone());
            self.rows.push(measure::measure(source, self.suite, row));
        }
    }
}
