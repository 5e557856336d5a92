//! A case of the survey: the work that measures it, and its rows.

use heapwood_results::survey::{SurveyFigure, SurveyPoint, SurveyQuantity, SurveyRow};
use serde::{Deserialize, Serialize};

use super::SurveyMeasurement;
use crate::Error;
use crate::allocators::Spec;
use crate::backend::{self, Backend, DeviceInfo};
use crate::job::{GraphJob, Job, Progress, StepsJob};
use crate::samples::Samples;
use crate::size::Pool;
use crate::word;
use crate::workload::workgen::Workgen;
use crate::workload::{BenchRow, Status, fragmentation, micro};

/// The sizes that `micro::Case` has where it has no bytes.
const MIXED_BYTES: (u64, u64) = (16, 8192);

/// A case of one figure, or of two that have the same work.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SurveyJob {
    pub(super) figures: Vec<SurveyFigure>,
    pub(super) work: SurveyWork,
}

/// The work of a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum SurveyWork {
    /// The registers that calls of an allocator cost.
    Registers {
        /// The allocator.
        #[serde(with = "word")]
        allocator: Spec,
        /// The backend, once decided.
        backend: backend::Options,
    },
    /// A microbenchmark.
    Micro(micro::Case),
    /// The addresses of blocks, and filling a pool.
    Fragmentation(fragmentation::Case),
    /// Work generation.
    Workgen(StepsJob<Workgen>),
    /// A graph that is loaded, and perhaps updated.
    Graph(Box<GraphJob>),
}

impl SurveyJob {
    /// The measurement before anything is measured.
    pub(in crate::job) fn before(&self, info: &DeviceInfo) -> SurveyMeasurement {
        SurveyMeasurement::new(self.work.allocator(), info)
    }

    /// Whether the next of a list of jobs begins another figure than this one.
    pub fn ends_figure(&self, next: Option<&Self>) -> bool {
        next.is_none_or(|next| next.figures != self.figures)
    }

    /// The parameters of a figure's test.
    fn point(&self, figure: SurveyFigure) -> SurveyPoint {
        let point = self.work.point();
        match figure {
            // A case of one block measures it.
            SurveyFigure::Initialization => SurveyPoint {
                pool_bytes: point.pool_bytes,
                ..SurveyPoint::default()
            },
            _ => point,
        }
    }

    /// A row for each quantity of each figure. A quantity that is missing has the reason.
    pub(super) fn rows(&self, found: &SurveyMeasurement) -> Vec<(SurveyFigure, SurveyRow)> {
        let spec = self.work.allocator();
        let mut rows = Vec::new();
        for &figure in &self.figures {
            for &quantity in quantities(figure) {
                let samples = found.values.get(&quantity);
                let (status, error) = match (found.status, samples) {
                    (Status::Ok, None) => {
                        let why = missing(quantity, spec).to_owned();
                        (Status::Unsupported, Some(why))
                    }
                    (status, _) => (status, found.error.clone()),
                };
                let row = SurveyRow {
                    figure: figure.number().to_owned(),
                    test: figure.test().to_owned(),
                    allocator: spec.label(),
                    parameters: spec.parameters(),
                    backend: found.backend.clone(),
                    device: found.device.clone(),
                    point: self.point(figure),
                    quantity,
                    value: samples.and_then(Samples::measured),
                    unit: quantity.unit().to_owned(),
                    samples: samples.map_or(Vec::new(), |samples| samples.samples.clone()),
                    status,
                    error,
                    meta: found.meta.clone(),
                };
                rows.push((figure, row));
            }
        }
        rows
    }
}

impl std::fmt::Display for SurveyJob {
    /// Its figure, its allocator and its point.
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        let figure = self.figures.first().map_or("", |figure| figure.number());
        let point = self.work.point();
        write!(out, "{figure} {}", self.work.allocator())?;
        if let Some(threads) = point.threads {
            write!(out, ", {threads} threads")?;
        }
        if let Some(bytes) = point.max_bytes {
            write!(out, ", {bytes} B")?;
        }
        match point.graph {
            Some(graph) => write!(out, ", {graph}"),
            None => Ok(()),
        }
    }
}

/// The quantities of a figure, in the order of its rows.
fn quantities(figure: SurveyFigure) -> &'static [SurveyQuantity] {
    use SurveyQuantity as Quantity;
    match figure {
        SurveyFigure::Registers => &[Quantity::Registers],
        SurveyFigure::Initialization => &[Quantity::Init],
        SurveyFigure::ThreadAllocation | SurveyFigure::MixedAllocation | SurveyFigure::Scaling => {
            &[Quantity::Malloc, Quantity::Free]
        }
        // The kernel that frees one block per warp is not timed.
        SurveyFigure::WarpAllocation => &[Quantity::Malloc],
        SurveyFigure::AddressRange => &[Quantity::Range, Quantity::RangePerLeast],
        SurveyFigure::OutOfMemory => &[Quantity::Granted],
        SurveyFigure::SmallWork | SurveyFigure::LargeWork | SurveyFigure::WrittenWork => {
            &[Quantity::Step, Quantity::PrefixSum]
        }
        SurveyFigure::GraphInitialization => &[Quantity::Load],
        SurveyFigure::GraphUpdates | SurveyFigure::UniformGraphUpdates => {
            &[Quantity::Insert, Quantity::Delete]
        }
    }
}

/// Why a case that ended well has no such quantity.
fn missing(quantity: SurveyQuantity, spec: &Spec) -> &'static str {
    match quantity {
        SurveyQuantity::Free if !spec.allocator.properties.frees => "it does not free blocks",
        SurveyQuantity::Registers => "threads of this device have no registers of their own",
        _ => "it was not measured",
    }
}

impl SurveyWork {
    fn allocator(&self) -> &Spec {
        match self {
            Self::Registers { allocator, .. } => allocator,
            Self::Micro(case) => &case.allocator,
            Self::Fragmentation(case) => &case.allocator,
            Self::Workgen(job) => &job.allocator,
            Self::Graph(job) => &job.storage.allocator,
        }
    }

    fn backend(&self) -> &backend::Options {
        match self {
            Self::Registers { backend, .. } => backend,
            Self::Micro(case) => &case.backend,
            Self::Fragmentation(case) => &case.backend,
            Self::Workgen(job) => &job.backend,
            Self::Graph(job) => &job.backend,
        }
    }

    fn point(&self) -> SurveyPoint {
        let bytes_of = |pool| match pool {
            Pool::Bytes(bytes) => Some(bytes),
            _ => None,
        };
        match self {
            Self::Registers { .. } => SurveyPoint::default(),
            Self::Micro(case) => {
                let (min, max) = match case.bytes {
                    0 => MIXED_BYTES,
                    bytes => (bytes, bytes),
                };
                let lanes = if case.workload.is_by_warps() { 32 } else { 1 };
                SurveyPoint {
                    pool_bytes: Some(case.pool_bytes),
                    threads: Some(case.threads / lanes),
                    min_bytes: Some(min),
                    max_bytes: Some(max),
                    ..SurveyPoint::default()
                }
            }
            Self::Fragmentation(case) => SurveyPoint {
                pool_bytes: Some(case.pool_bytes),
                threads: Some(case.threads),
                min_bytes: Some(case.bytes),
                max_bytes: Some(case.bytes),
                ..SurveyPoint::default()
            },
            Self::Workgen(job) => SurveyPoint {
                pool_bytes: bytes_of(job.steps.pool),
                threads: Some(job.stepped.threads),
                min_bytes: Some(job.stepped.min_bytes.into()),
                max_bytes: Some(job.stepped.max_bytes.into()),
                ..SurveyPoint::default()
            },
            Self::Graph(job) => SurveyPoint {
                pool_bytes: bytes_of(job.work.pool),
                graph: Some(job.work.input.name()),
                batch_edges: job.work.updates.counts().next().map(|edges| edges as u64),
                ..SurveyPoint::default()
            },
        }
    }

    /// Does the work, and adds its quantities.
    fn measure(
        &self,
        backend: &dyn Backend,
        progress: &mut dyn Progress,
        found: &mut SurveyMeasurement,
    ) -> Result<(), Error> {
        use SurveyQuantity as Quantity;
        match self {
            Self::Registers { allocator, .. } => {
                let costs = micro::allocator_costs(allocator.allocator, backend)?;
                let cost = match allocator.coalesce {
                    true => costs.coalesced,
                    false => costs.plain,
                };
                if let Some(cost) = cost {
                    found.add_one(Quantity::Registers, cost.registers.into());
                }
            }
            Self::Micro(case) => {
                let row = case.run(backend, progress)?;
                (found.status, found.error, found.meta) = (row.status, row.error, row.meta);
                found.is_wrong = row.corrupt.is_some_and(|blocks| blocks > 0);
                found.add(Quantity::Init, row.init_ms);
                found.add(Quantity::Malloc, row.alloc_ms.or(row.kernel_ms));
                found.add(Quantity::Free, row.free_ms);
            }
            Self::Fragmentation(case) => {
                let row = case.run(backend, progress)?;
                (found.status, found.error, found.meta) = (row.status, row.error, row.meta);
                found.is_wrong = row.overlap.is_some();
                if let Some(range) = row.range {
                    found.add_one(Quantity::Range, range.range_bytes as f64);
                    found.add_one(Quantity::RangePerLeast, range.ratio);
                }
                if let Some(fill) = row.fill {
                    found.add_one(Quantity::Granted, 100.0 * fill.pool_share);
                }
            }
            Self::Workgen(job) => {
                let report = job.run(backend, progress)?;
                found.meta = report.meta;
                found.add(Quantity::Step, Some(report.step_ms));
                found.add(Quantity::PrefixSum, report.baseline_ms);
            }
            Self::Graph(job) => {
                let report = job.run(backend, progress)?;
                let of_kind = |kind: &str| {
                    let updates = report.updates.iter().filter(|update| update.kind == kind);
                    let samples = updates.flat_map(|update| &update.ms.total.samples);
                    Samples::new(samples.copied().collect())
                };
                found.add(Quantity::Insert, of_kind("insert"));
                found.add(Quantity::Delete, of_kind("delete"));
                found.add(Quantity::Load, Some(report.init_ms));
                found.meta = report.meta;
            }
        }
        Ok(())
    }

    /// Whether requests of warps are made together, which the work has no use for.
    fn is_coalesced_in_vain(&self) -> bool {
        matches!(self, Self::Workgen(_) | Self::Graph(_)) && self.allocator().coalesce
    }
}

impl Job for SurveyJob {
    const KIND: &'static str = "survey";

    type Report = SurveyMeasurement;

    fn backend(&self) -> &backend::Options {
        self.work.backend()
    }

    /// An error of the work is in the measurement, as are those of benchmarks.
    fn run(
        &self,
        backend: &dyn Backend,
        progress: &mut dyn Progress,
    ) -> Result<SurveyMeasurement, Error> {
        let mut found = self.before(&backend.info());
        if self.work.is_coalesced_in_vain() {
            let why = "coalesce has no effect here: the workload has no requests of whole warps";
            return Ok(found.ended(Status::Unsupported, why));
        }
        Ok(match self.work.measure(backend, progress, &mut found) {
            Ok(()) => found,
            Err(error) => found.failed(error),
        })
    }
}
