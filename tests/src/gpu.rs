//! The program's own backends under test: tests that run on a GPU, and on the CPU at a
//! smaller scale, so that their logic is tried everywhere.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use heapwood::allocators::{Spec, parse_list};
use heapwood::backend::{Backend, Choice, Options};
use heapwood::link::LinkOptions;

mod trial;

pub use trial::{Churn, Lanes, Stress, Trial};

/// How long a launch on the GPU may take before the test fails: far longer than
/// any does, since a launch that never ends is what it is for.
const LIMIT: Duration = Duration::from_secs(100);

/// One test at a time: they fill the memory of a device.
static TURN: Mutex<()> = Mutex::new(());

/// Waits for this test's turn.
pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn options(choice: Choice, threads: Option<usize>) -> Options {
    Options {
        link: LinkOptions::default(),
        reference: false,
        choice,
        device: 0,
        threads,
        limit: LIMIT,
    }
}

/// The GPU, or nothing and a printed line that says why.
///
/// # Panics
///
/// If there is one and it does not open.
pub fn gpu() -> Option<Box<dyn Backend>> {
    match options(Choice::Cuda, None).decide() {
        Ok((options, _)) => Some(options.open().expect("the GPU opens")),
        Err(why) => {
            println!("skipped: {why}");
            None
        }
    }
}

/// The CPU backend with so many workers.
///
/// # Panics
///
/// If they cannot be started.
pub fn cpu(workers: usize) -> Box<dyn Backend> {
    let options = options(Choice::Cpu, Some(workers));
    options.open().expect("the CPU backend opens")
}

/// Runs `clause` on the GPU, if there is one; at the small scale if
/// `HEAPWOOD_TEST_SCALE` asks for it.
pub fn on_gpu<Scale>(clause: fn(&dyn Backend, Scale), full: Scale, small: Scale) {
    let _turn = turn();
    if let Some(backend) = gpu() {
        let is_small = std::env::var("HEAPWOOD_TEST_SCALE").is_ok_and(|scale| scale == "small");
        clause(&*backend, if is_small { small } else { full });
    }
}

/// Runs `clause` on the CPU, with more workers than there may be cores. It needs no turn: at the
/// scale of the CPU there is memory for several, and each leaves cores idle while it compares.
pub fn on_cpu<Scale>(clause: fn(&dyn Backend, Scale), scale: Scale) {
    clause(&*cpu(4), scale);
}

/// A test of each clause on each backend: at the first scale on the GPU, at the
/// second there for tools that take long, at the third on the CPU.
#[macro_export]
macro_rules! clauses {
    ($full:expr, $small_on_gpu:expr, $on_cpu:expr; $($clause:ident)*) => {
        mod on_the_gpu {
            use super::*;
            $(#[test] fn $clause() {
                $crate::gpu::on_gpu(super::$clause, $full, $small_on_gpu);
            })*
        }
        mod on_the_cpu {
            use super::*;
            $(#[test] fn $clause() { $crate::gpu::on_cpu(super::$clause, $on_cpu); })*
        }
    };
}

/// Every allocator with its default parameters, the checked ones and the published
/// forms too; or those that `HEAPWOOD_TEST_ALLOCATORS` lists, separated by commas,
/// for tools under which all of them would take too long.
///
/// # Panics
///
/// If one of them cannot be named.
pub fn specs() -> Vec<Spec> {
    let names = std::env::var("HEAPWOOD_TEST_ALLOCATORS");
    let names = names.as_deref().unwrap_or("all,published");
    let plain = parse_list(names).expect("a list of allocators");
    plain
        .into_iter()
        .flat_map(|spec| {
            let checked = spec.checked();
            std::iter::once(spec).chain(checked)
        })
        .collect()
}

/// Those of them with pools: where tests make heaps of many sizes. The heap of the system has
/// one in a process.
///
/// # Panics
///
/// As [`specs`].
pub fn specs_with_pools() -> impl Iterator<Item = Spec> {
    specs()
        .into_iter()
        .filter(|spec| !spec.allocator.properties.system_heap)
}
