//! The list of benchmarks of Winter, Mlakar, Parger and Steinberger, "Are dynamic memory managers on
//! GPUs slow? A survey and benchmarks" (PPoPP 2021): its figures, and their rows.
//!
//! The figures have the numbers of the table "Data to Plot" in the README of the authors' framework
//! (GPUPeople/GPUMemManSurvey).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cells::{self, option, or_dash};
use crate::meta::linked_below;
use crate::{Meta, Report, Status, Table, milliseconds};

/// A test of the survey, in the order of its figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SurveyFigure {
    /// Registers of a kernel with one `malloc` and one `free`.
    Registers,
    /// Initialization of the heap.
    Initialization,
    /// One block per thread.
    ThreadAllocation,
    /// One block per warp.
    WarpAllocation,
    /// One block per thread, of mixed sizes.
    MixedAllocation,
    /// One block per thread, over numbers of threads.
    Scaling,
    /// The addresses of one block per thread.
    AddressRange,
    /// The part of a pool that is granted until a request is refused.
    OutOfMemory,
    /// Threads produce 4 to 64 bytes each.
    SmallWork,
    /// Threads produce 4 to 4096 bytes each.
    LargeWork,
    /// Threads produce 4 to 64 bytes each, and write them.
    WrittenWork,
    /// A graph is loaded.
    GraphInitialization,
    /// Edges with neighbouring sources are inserted and deleted.
    GraphUpdates,
    /// Edges with any sources are inserted and deleted.
    UniformGraphUpdates,
}

impl SurveyFigure {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Registers,
        Self::Initialization,
        Self::ThreadAllocation,
        Self::WarpAllocation,
        Self::MixedAllocation,
        Self::Scaling,
        Self::AddressRange,
        Self::OutOfMemory,
        Self::SmallWork,
        Self::LargeWork,
        Self::WrittenWork,
        Self::GraphInitialization,
        Self::GraphUpdates,
        Self::UniformGraphUpdates,
    ];

    /// Its short name, as on the command line.
    pub fn name(self) -> &'static str {
        self.parts().0
    }

    /// Its number in the survey. The framework has one command for 9.a and 9.b, and no figure of
    /// updates with uniform sources.
    pub fn number(self) -> &'static str {
        self.parts().1
    }

    /// The test.
    pub fn test(self) -> &'static str {
        self.parts().2
    }

    fn parts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Registers => ("registers", "Sec. 4.1", "registers"),
            Self::Initialization => ("initialization", "Sec. 4.1", "initialization"),
            Self::ThreadAllocation => ("9ab", "Fig. 9.a/b", "thread allocation"),
            Self::WarpAllocation => ("9c", "Fig. 9.c", "warp allocation"),
            Self::MixedAllocation => ("9d", "Fig. 9.d", "mixed allocation"),
            Self::Scaling => ("10", "Fig. 10", "scaling"),
            Self::AddressRange => ("11a", "Fig. 11.a", "address range"),
            Self::OutOfMemory => ("11b", "Fig. 11.b", "out of memory"),
            Self::SmallWork => ("11c", "Fig. 11.c", "work generation"),
            Self::LargeWork => ("11d", "Fig. 11.d", "work generation"),
            Self::WrittenWork => ("11e", "Fig. 11.e", "work generation, written"),
            Self::GraphInitialization => ("11f", "Fig. 11.f", "graph initialization"),
            Self::GraphUpdates => ("11g", "Fig. 11.g", "graph updates, pressure"),
            Self::UniformGraphUpdates => ("uniform", "no figure", "graph updates, uniform"),
        }
    }
}

/// A quantity that a test measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SurveyQuantity {
    /// Registers of a thread.
    Registers,
    /// Time to initialize a heap.
    Init,
    /// Time of the kernel that allocates.
    Malloc,
    /// Time of the kernel that frees.
    Free,
    /// Bytes from the lowest address to the highest end.
    Range,
    /// The range, divided by the fewest bytes that could hold the blocks.
    RangePerLeast,
    /// The part of the pool that the requested bytes of all blocks are.
    Granted,
    /// Time in which threads produce and others consume.
    Step,
    /// The same by a prefix sum, without an allocator.
    PrefixSum,
    /// Time to make the heap and load the graph.
    Load,
    /// Time to insert a batch.
    Insert,
    /// Time to delete a batch.
    Delete,
}

impl SurveyQuantity {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Registers => "registers",
            Self::Init => "init",
            Self::Malloc => "malloc",
            Self::Free => "free",
            Self::Range => "range",
            Self::RangePerLeast => "range / least",
            Self::Granted => "granted",
            Self::Step => "step",
            Self::PrefixSum => "prefix sum",
            Self::Load => "load",
            Self::Insert => "insert",
            Self::Delete => "delete",
        }
    }

    /// Its unit; empty for a number.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Registers | Self::RangePerLeast => "",
            Self::Range => "B",
            Self::Granted => "%",
            _ => "ms",
        }
    }
}

/// The parameters of a test; what does not apply is null.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurveyPoint {
    /// Bytes of the pool.
    pub pool_bytes: Option<u64>,
    /// Threads that allocate: one of each warp in warp allocation.
    pub threads: Option<u32>,
    /// The fewest bytes of a request.
    pub min_bytes: Option<u64>,
    /// The most bytes of a request.
    pub max_bytes: Option<u64>,
    /// The graph.
    pub graph: Option<String>,
    /// Edges of a batch.
    pub batch_edges: Option<u64>,
}

impl SurveyPoint {
    /// The sizes of requests for people.
    fn bytes(&self) -> Option<String> {
        let (min, max) = (self.min_bytes?, self.max_bytes?);
        Some(match min == max {
            true => min.to_string(),
            false => format!("{min} to {max}"),
        })
    }
}

/// A quantity of an allocator at a point of a figure; the keys are stable.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SurveyRow {
    /// The number of the figure.
    pub figure: String,
    /// The test.
    pub test: String,
    /// The allocator.
    pub allocator: String,
    /// All of its parameters.
    pub parameters: BTreeMap<String, String>,
    /// `cpu` or `cuda`.
    pub backend: String,
    /// The product.
    pub device: String,
    /// The parameters of the test.
    #[serde(flatten)]
    pub point: SurveyPoint,
    /// The quantity.
    pub quantity: SurveyQuantity,
    /// The quantity, the median of several samples; null if it was not measured.
    pub value: Option<f64>,
    /// Its unit; empty for a number.
    pub unit: String,
    /// All samples.
    pub samples: Vec<f64>,
    /// How the case ended.
    pub status: Status,
    /// The reason, if it did not end well.
    pub error: Option<String>,
    /// Machine and program.
    pub meta: Meta,
}

impl SurveyRow {
    /// The value for people.
    fn shown(&self) -> Option<String> {
        let value = self.value?;
        Some(match self.quantity {
            SurveyQuantity::Registers | SurveyQuantity::Range => value.to_string(),
            SurveyQuantity::RangePerLeast | SurveyQuantity::Granted => format!("{value:.2}"),
            _ => milliseconds(value),
        })
    }
}

impl Report for [SurveyRow] {
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

fn short(rows: &[SurveyRow]) -> Table {
    let mut table = Table::new(&[
        "figure",
        "test",
        "allocator",
        "#threads",
        "#bytes",
        "graph",
        "quantity",
        "#value",
        "unit",
        "status",
    ]);
    for row in rows {
        table.push(vec![
            row.figure.clone(),
            row.test.clone(),
            cells::allocator(&row.allocator, &row.parameters),
            or_dash(row.point.threads.map(|threads| threads.to_string())),
            or_dash(row.point.bytes()),
            or_dash(row.point.graph.clone()),
            row.quantity.name().to_owned(),
            or_dash(row.shown()),
            row.unit.clone(),
            cells::status(row.status, row.error.as_deref()),
        ]);
    }
    table
}

fn full(rows: &[SurveyRow]) -> Table {
    let mut table = Table::new(&[
        "figure",
        "test",
        "allocator",
        "parameters",
        "backend",
        "device",
        "#pool_bytes",
        "#threads",
        "#min_bytes",
        "#max_bytes",
        "graph",
        "#batch_edges",
        "quantity",
        "#value",
        "unit",
        "#samples",
        "status",
        "error",
    ]);
    for row in rows {
        let point = &row.point;
        table.push(vec![
            row.figure.clone(),
            row.test.clone(),
            row.allocator.clone(),
            cells::parameters(&row.parameters),
            row.backend.clone(),
            row.device.clone(),
            option(point.pool_bytes),
            option(point.threads),
            option(point.min_bytes),
            option(point.max_bytes),
            option(point.graph.as_ref()),
            option(point.batch_edges),
            row.quantity.name().to_owned(),
            option(row.value),
            row.unit.clone(),
            row.samples.len().to_string(),
            row.status.name().to_owned(),
            row.error.clone().unwrap_or_default(),
        ]);
    }
    table
}
