//! Microbenchmarks: their rows, and what was measured in each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cells::{self, median, option, or_dash};
use crate::meta::linked_below;
use crate::{Meta, Report, Samples, Status, Table, milliseconds};

/// The microbenchmarks of an allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Microbenchmark {
    /// One block of a size a thread, `malloc` and `free` in kernels of their own.
    Threads,
    /// As `Threads`, with a size of 16 to 8192 bytes for each thread.
    Mixed,
    /// A block a warp, `malloc` and `free` in one kernel.
    AllocDealloc,
    /// Several blocks a warp, then all freed, in one kernel.
    AllocCycleDealloc,
    /// A kernel that allocates or frees a block a warp with a probability, launched several
    /// times.
    Probability,
    /// Several blocks a thread, one after the other, each allocated and freed, in one kernel.
    Turns,
    /// As `Threads`, over a range of sizes.
    Sizes,
    /// As `Threads`, over numbers of threads.
    Scaling,
}

impl Microbenchmark {
    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Mixed => "mixed",
            Self::AllocDealloc => "alloc-dealloc",
            Self::AllocCycleDealloc => "alloc-cycle-dealloc",
            Self::Probability => "probability",
            Self::Turns => "turns",
            Self::Sizes => "sizes",
            Self::Scaling => "scaling",
        }
    }

    /// Whether one lane of each warp works, instead of every thread.
    pub fn is_by_warps(self) -> bool {
        matches!(
            self,
            Self::AllocDealloc | Self::AllocCycleDealloc | Self::Probability
        )
    }

    /// Whether `malloc` and `free` are in one kernel, so that requests and frees overlap.
    pub fn is_one_kernel(self) -> bool {
        self.is_by_warps() || self == Self::Turns
    }
}

/// The state of the heap before a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeapState {
    /// Just initialised.
    Cold,
    /// Used by earlier rounds.
    Warm,
    /// Filled with blocks of the case's size, so that requests are refused: how
    /// long it takes to say no.
    Full,
}

impl HeapState {
    /// Its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
            Self::Full => "full",
        }
    }
}

/// The parameters of `probability`. The default is what Vinkler and Havran state (2014, section
/// 6 and Table 2).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draws {
    /// Launches of the kernel, one after the other, which a sample times together.
    pub launches: u32,
    /// Probability that a warp without a block requests one, in each launch.
    pub p_alloc: f64,
    /// Probability that a warp with a block frees it, in each launch.
    pub p_free: f64,
}

impl Default for Draws {
    fn default() -> Self {
        Self {
            launches: 10,
            p_alloc: 0.75,
            p_free: 0.75,
        }
    }
}

/// The result of a case; the keys are stable, what does not apply is null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MicroRow {
    /// The workload.
    pub workload: Microbenchmark,
    /// The allocator.
    pub allocator: String,
    /// All of its parameters.
    pub parameters: BTreeMap<String, String>,
    /// `cpu` or `cuda`.
    pub backend: String,
    /// The product.
    pub device: String,
    /// The heap.
    pub heap: HeapState,
    /// Its pool, in bytes.
    pub pool_bytes: u64,
    /// Threads launched for the workload.
    pub threads: u32,
    /// Blocks of 256 threads.
    pub blocks: u32,
    /// Bytes of a request; null for mixed sizes.
    pub bytes: Option<u64>,
    /// Blocks that a lane keeps (`alloc-cycle-dealloc`).
    pub kept: Option<u32>,
    /// The launches and their probabilities (`probability`).
    pub draws: Option<Draws>,
    /// Blocks that a thread allocates and frees, one after the other (`turns`).
    pub turns: Option<u32>,
    /// How it ended.
    pub status: Status,
    /// The error of a case that did not end well.
    pub error: Option<String>,
    /// Initialisation of the heap, in milliseconds.
    pub init_ms: Option<Samples>,
    /// The kernel that allocates and frees, in milliseconds.
    pub kernel_ms: Option<Samples>,
    /// The kernel that allocates, in milliseconds.
    pub alloc_ms: Option<Samples>,
    /// The kernel that frees, in milliseconds.
    pub free_ms: Option<Samples>,
    /// Requests in the timed rounds that were not served.
    pub nulls: Option<u64>,
    /// Blocks that were allocated in the round that counts, which is not timed, where
    /// a kernel frees while others allocate.
    pub counted_allocations: Option<u64>,
    /// Blocks that were freed in that round.
    pub counted_frees: Option<u64>,
    /// Requests that were not served in that round; where there is none, in all the
    /// timed ones.
    pub counted_nulls: Option<u64>,
    /// Those among them during which a free was under way: memory may have come free
    /// a moment later.
    pub overlapping_nulls: Option<u64>,
    /// The part of blocks, as granted, that was not requested, in the round that verifies; null if
    /// there was none, for mixed sizes, and of an allocator that cannot be walked.
    pub internal_fragmentation: Option<f64>,
    /// The part of the free bytes outside the largest free block, behind the timed rounds, which have
    /// freed all blocks (Vinkler and Havran, section 8); null of an allocator that cannot free or be
    /// walked.
    pub external_fragmentation: Option<f64>,
    /// Blocks with wrong contents in the round that verifies; null if there was none, or no block
    /// in it.
    pub corrupt: Option<u64>,
    /// Machine and program.
    pub meta: Meta,
}

impl Report for [MicroRow] {
    fn table(&self) -> Table {
        short(self)
    }

    fn records(&self) -> Table {
        full(self)
    }

    fn text(&self) -> String {
        short(self).text() + &linked_below(self.iter().map(|row| &row.meta))
    }
}

/// Rounded medians, and only the columns that say something.
fn short(rows: &[MicroRow]) -> Table {
    let by_warps = rows.iter().any(|row| row.workload.is_by_warps());
    let one_kernel = rows.iter().any(|row| row.workload.is_one_kernel());
    let turns = rows.iter().any(|row| row.turns.is_some());
    let cycles = rows
        .iter()
        .any(|row| row.workload == Microbenchmark::AllocCycleDealloc);
    let draws = rows.iter().any(|row| row.draws.is_some());
    // The figures of the papers are of this one.
    let fragmentation = rows
        .iter()
        .any(|row| row.workload == Microbenchmark::AllocDealloc);
    let pools = rows.iter().any(|row| row.pool_bytes != rows[0].pool_bytes);
    let mut titles = vec![
        "allocator",
        "heap",
        if by_warps { "#blocks" } else { "#threads" },
    ];
    titles.push("#bytes");
    titles.extend(pools.then_some("#pool bytes"));
    titles.extend(cycles.then_some("#kept"));
    titles.extend(turns.then_some("#turns"));
    titles.push("#init ms");
    if one_kernel {
        titles.push("#kernel ms");
    } else {
        titles.extend(["#malloc ms", "#free ms"]);
    }
    if draws {
        titles.extend(["#allocations", "#frees"]);
    }
    if fragmentation {
        titles.extend(["#internal", "#external"]);
    }
    titles.push("#nulls");
    titles.extend(one_kernel.then_some("#counted nulls"));
    titles.extend(["#overlapping nulls", "#corrupt", "status"]);
    let mut table = Table::new(&titles);
    for row in rows {
        let median = |samples: &Option<Samples>| {
            or_dash(samples.as_ref().map(|samples| milliseconds(samples.median)))
        };
        let counted = |count: Option<u64>| or_dash(count.map(|count| count.to_string()));
        let count = if by_warps { row.blocks } else { row.threads };
        let mut row_cells = vec![
            cells::allocator(&row.allocator, &row.parameters),
            row.heap.name().to_owned(),
            count.to_string(),
        ];
        row_cells.push(
            row.bytes
                .map_or("mixed".to_owned(), |bytes| bytes.to_string()),
        );
        if pools {
            row_cells.push(row.pool_bytes.to_string());
        }
        if cycles {
            row_cells.push(counted(row.kept.map(u64::from)));
        }
        if turns {
            row_cells.push(counted(row.turns.map(u64::from)));
        }
        row_cells.push(median(&row.init_ms));
        if one_kernel {
            row_cells.push(median(&row.kernel_ms));
        } else {
            row_cells.extend([median(&row.alloc_ms), median(&row.free_ms)]);
        }
        if draws {
            row_cells.extend([counted(row.counted_allocations), counted(row.counted_frees)]);
        }
        if fragmentation {
            let parts = [row.internal_fragmentation, row.external_fragmentation];
            row_cells.extend(parts.map(|part| or_dash(part.map(|part| format!("{part:.2}")))));
        }
        row_cells.push(counted(row.nulls));
        row_cells.extend(one_kernel.then(|| counted(row.counted_nulls)));
        row_cells.extend([counted(row.overlapping_nulls), counted(row.corrupt)]);
        row_cells.push(cells::status(row.status, row.error.as_deref()));
        table.push(row_cells);
    }
    table
}

fn full(rows: &[MicroRow]) -> Table {
    let mut table = Table::new(&[
        "workload",
        "allocator",
        "parameters",
        "backend",
        "device",
        "heap",
        "#pool_bytes",
        "#threads",
        "#blocks",
        "#bytes",
        "#kept",
        "#launches",
        "#p_alloc",
        "#p_free",
        "#turns",
        "status",
        "error",
        "#init_ms",
        "#kernel_ms",
        "#alloc_ms",
        "#free_ms",
        "#nulls",
        "#counted_allocations",
        "#counted_frees",
        "#counted_nulls",
        "#overlapping_nulls",
        "#internal_fragmentation",
        "#external_fragmentation",
        "#corrupt",
    ]);
    for row in rows {
        table.push(vec![
            row.workload.name().to_owned(),
            row.allocator.clone(),
            cells::parameters(&row.parameters),
            row.backend.clone(),
            row.device.clone(),
            row.heap.name().to_owned(),
            row.pool_bytes.to_string(),
            row.threads.to_string(),
            row.blocks.to_string(),
            option(row.bytes),
            option(row.kept),
            option(row.draws.map(|draws| draws.launches)),
            option(row.draws.map(|draws| draws.p_alloc)),
            option(row.draws.map(|draws| draws.p_free)),
            option(row.turns),
            row.status.name().to_owned(),
            row.error.clone().unwrap_or_default(),
            median(row.init_ms.as_ref()),
            median(row.kernel_ms.as_ref()),
            median(row.alloc_ms.as_ref()),
            median(row.free_ms.as_ref()),
            option(row.nulls),
            option(row.counted_allocations),
            option(row.counted_frees),
            option(row.counted_nulls),
            option(row.overlapping_nulls),
            option(row.internal_fragmentation),
            option(row.external_fragmentation),
            option(row.corrupt),
        ]);
    }
    table
}
