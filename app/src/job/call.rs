//! The cost of a call of an allocator of the user's: the same bump allocator as such a one
//! ([`Link::reference`](crate::link::Link::reference)) and in the kernels (AtomicMalloc), by the
//! kernel of `threads`.

use super::bench::Runner;
use crate::Error;
use crate::allocators::Spec;
use crate::backend::Options;
use crate::meta::CallCost;
use crate::workload::Status;
use crate::workload::micro::{Case, HeapState, Microbenchmark, Plan, Row};

/// Requests of a launch: so few that the launch itself shows, and so many that it does not.
const THREADS: [u32; 2] = [10_000, 1_000_000];
/// Bytes of a request.
const BYTES: u64 = 16;
/// The pool: four times what is requested, in bytes.
const POOL: u64 = 64 << 20;
/// In the kernels, and called.
const PAIR: [&str; 2] = ["atomicmalloc", "external:free=no"];

/// Measures the cost of a call on the backend of these options, once decided, whatever they link; nothing for
/// a number of threads that could not be measured.
///
/// # Errors
///
/// As for the runner, which `runner` makes, and for [`Runner::run`].
pub fn call_costs(
    options: &Options,
    plan: Plan,
    runner: impl FnOnce(&Options) -> Result<Runner, Error>,
) -> Result<Vec<CallCost>, Error> {
    let options = Options {
        reference: true,
        ..options.clone()
    };
    let mut runner = runner(&options)?;
    let mut costs = Vec::new();
    for threads in THREADS {
        let mut rows = Vec::new();
        for allocator in PAIR {
            let spec = Spec::parse(allocator)?;
            rows.push(runner.run(&case(spec, threads, plan, &options))?);
        }
        costs.extend(call_cost(&rows[0], &rows[1]));
    }
    Ok(costs)
}

/// By rows of the two.
fn call_cost(inlined: &Row, called: &Row) -> Option<CallCost> {
    let median = |row: &Row| {
        let samples = row.alloc_ms.as_ref().filter(|_| row.status == Status::Ok)?;
        Some(samples.median)
    };
    let (inlined_ms, called_ms) = (median(inlined)?, median(called)?);
    Some(CallCost {
        threads: called.threads,
        bytes: BYTES,
        inlined_ms,
        called_ms,
        more_ns: (called_ms - inlined_ms) * 1e6 / f64::from(called.threads),
    })
}

fn case(allocator: Spec, threads: u32, plan: Plan, options: &Options) -> Case {
    Case {
        workload: Microbenchmark::Threads,
        allocator,
        heap: HeapState::Warm,
        pool_bytes: POOL,
        threads,
        bytes: BYTES,
        kept: 1,
        draws: None,
        turns: None,
        plan: Plan {
            verify: false,
            ..plan
        },
        backend: options.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Choice;

    #[test]
    fn the_two_are_measured_on_the_cpu() {
        let options = Options {
            choice: Choice::Cpu,
            ..Options::default()
        };
        let plan = Plan {
            warmup: 1,
            runs: 5,
            budget_s: 1.0,
            verify: true,
        };
        let costs = call_costs(&options, plan, Runner::in_this_process).unwrap();
        assert_eq!(costs.len(), 2, "{costs:?}");
        for (cost, threads) in costs.iter().zip(THREADS) {
            assert_eq!((cost.threads, cost.bytes), (threads, BYTES));
            assert!(cost.inlined_ms > 0.0 && cost.called_ms > 0.0, "{cost:?}");
            let more_ms = cost.more_ns * f64::from(threads) / 1e6;
            assert!(
                (cost.called_ms - cost.inlined_ms - more_ms).abs() < 1e-9,
                "{cost:?}"
            );
        }
    }
}
