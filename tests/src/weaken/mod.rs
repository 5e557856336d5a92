//! A campaign against the orderings of the device code: each acquire, release,
//! fence and `sync` that some workload makes is weakened in turn, and workloads
//! are run under many schedules until one of them fails.
//!
//! An ordering without which no schedule fails may be unnecessary, or necessary for a reason
//! outside the model and the workloads. `docs/memory-model.md` argues each such ordering.

mod evidence;
mod heaps;
mod list;
mod queues;
mod tree;
mod witness;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{self, AssertUnwindSafe};
use std::time::{Duration, Instant};

use crate::lockstep::orders::{Request, Strength, Weakening, record, with_weakened};

pub use list::{Finding, Row, parse};

/// Something to run under the schedules of a seed; panics if anything is wrong.
pub struct Workload {
    /// Its name.
    pub name: &'static str,
    /// The workload.
    pub run: fn(u64),
}

/// All workloads, the quick ones first.
pub fn workloads() -> Vec<Workload> {
    let mut all = queues::workloads();
    all.extend(evidence::workloads());
    all.extend(heaps::workloads());
    all.extend(tree::workloads());
    all
}

/// The sources whose orderings are weakened. The tree's other orderings concern scratch memory and
/// records, which the model does not track.
const SUBJECTS: [&str; 3] = [
    "device/src/allocators/",
    "device/src/kdtree/queue.rs",
    "device/src/kdtree/build/large_node.rs",
];

/// The failure that a workload reports under a seed, if it fails.
pub fn failure(workload: &Workload, seed: u64) -> Option<String> {
    let run = AssertUnwindSafe(|| (workload.run)(seed));
    panic::catch_unwind(run).err().map(|panic| text(&*panic))
}

fn text(panic: &(dyn Any + Send)) -> String {
    let literal = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let formatted = || panic.downcast_ref::<String>().cloned();
    literal.or_else(formatted).unwrap_or_default()
}

/// The orderings of the subjects, and the workloads that make them.
///
/// # Errors
///
/// A workload that fails though nothing is weakened.
pub fn requests(
    workloads: &[Workload],
    seeds: u64,
) -> Result<BTreeMap<Request, Vec<usize>>, String> {
    let mut all: BTreeMap<Request, Vec<usize>> = BTreeMap::new();
    for (index, workload) in workloads.iter().enumerate() {
        let mut made = BTreeSet::new();
        for seed in 0..seeds {
            let (failed, requests) = record(|| failure(workload, seed));
            if let Some(failed) = failed {
                let name = workload.name;
                return Err(format!("{name} fails under seed {seed} as it is: {failed}"));
            }
            made.extend(requests.into_keys());
        }
        for request in made {
            let file = request.site.file;
            if SUBJECTS.iter().any(|subject| file.starts_with(subject)) {
                all.entry(request).or_default().push(index);
            }
        }
    }
    Ok(all)
}

/// The weakenings of a request: one for each half of what it asks for.
pub fn weakenings(request: Request) -> impl Iterator<Item = Weakening> {
    let weaker: &[Strength] = request.strength.weaker();
    weaker.iter().map(move |&to| Weakening { request, to })
}

/// The first failure under a weakening: workload by workload, seed by seed, within
/// a time for each workload.
pub fn search(
    weakening: Weakening,
    workloads: &[&Workload],
    time: Duration,
) -> Option<(Finding, String)> {
    workloads.iter().find_map(|workload| {
        let start = Instant::now();
        (0..)
            .take_while(|_| start.elapsed() < time)
            .find_map(|seed| {
                let text = with_weakened(weakening, || failure(workload, seed))?;
                // A workload that also fails without the weakening, for want of steps, is no
                // evidence.
                if failure(workload, seed).is_some() {
                    return None;
                }
                let workload = workload.name.to_owned();
                Some((Finding { workload, seed }, text))
            })
    })
}
