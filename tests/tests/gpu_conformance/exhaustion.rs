//! Requests and frees on a full heap, which is empty in the end.

use std::time::Instant;

use heapwood::backend::Backend;
use heapwood_device::bench::ChurnArguments;
use heapwood_tests::gpu::{Trial, specs_with_pools};

use super::{Scale, may_miss};

/// The percentage of the pool that requested bytes of live blocks are in a heap that is full
/// beyond doubt.
const MIN_FULL_PERCENT: f64 = 70.0;

/// The operations of the test at exhaustion, if they were set.
fn operations() -> Option<u64> {
    let text = std::env::var("HEAPWOOD_TEST_OPERATIONS").ok()?;
    Some(text.parse().expect("a number of operations"))
}

pub fn full_heaps_keep_contents_and_lose_nothing(backend: &dyn Backend, scale: Scale) {
    let mut churn = scale.churn;
    churn.operations = operations().unwrap_or(churn.operations);
    let places = u64::from(churn.threads) * u64::from(churn.kept);
    let mean = ChurnArguments::mean_bytes(churn.least_bytes, churn.octaves);
    let pool = places * mean / scale.demand;
    for spec in specs_with_pools() {
        let allocator = spec.allocator;
        if !allocator.properties.frees || allocator.properties.may_overwrite {
            continue;
        }
        let trial = Trial::new(backend, &spec, pool, 1);
        let name = trial.name;
        let empty = trial.state().0.free_bytes;
        let fresh = trial.fill_by_octaves(churn.octaves);
        trial.init();
        let begun = Instant::now();
        let (counts, live) = trial.churn(churn);
        let seconds = begun.elapsed().as_secs_f64();
        let requests = counts.granted + counts.refused;
        let refused = 100.0 * counts.refused as f64 / requests as f64;
        let full = 100.0 * live as f64 / pool as f64;
        println!(
            "{name}: {} operations in {pool} bytes, {refused:.1} % of {requests} requests \
             refused, in {seconds:.1} s; {full:.1} % of the pool were requested bytes of blocks",
            counts.operations()
        );
        assert_eq!(counts.corrupt, 0, "{name}: {counts:?}");
        assert_eq!(counts.granted, counts.freed, "{name}: {counts:?}");
        // Checked blocks have 32 bytes more, so that fewer fit.
        let is_checked = allocator.observed;
        let most = if is_checked { 90.0 } else { 75.0 };
        // An allocator that refuses more must show that it loses no memory. One that refuses all
        // sizes alike and rounds them up to powers of two fills three quarters of the heap and
        // refuses 76 %.
        let is_within = refused < most || full >= MIN_FULL_PERCENT;
        assert!(
            refused >= 25.0 && is_within,
            "{name}: {counts:?}, {full:.1} % full"
        );
        // The queues of VA and VL lie in chunks of the pool: each of ten classes may hold
        // one at the moment when others are refused, in either of the two fills.
        let is_virtualized = name.contains("_va") || name.contains("_vl");
        let queues = if is_virtualized { 10 * 8192 } else { 0 };
        assert_empty(&trial, allocator.properties.walkable, empty, queues);
        let again = trial.fill_by_octaves(churn.octaves);
        println!("{name}: {fresh} bytes granted when fresh, then {again}");
        // Between checked blocks are gaps that no other one fits into, by chance; the
        // published walk may miss chunks.
        if !is_checked && !may_miss(&spec) {
            assert!(again + queues >= fresh, "{name}: {fresh} B, then {again} B");
        }
    }
}

/// Nothing was done wrong, and in a heap that can be walked nothing is in use, and as much
/// is free as was at first but for the chunks of queues.
fn assert_empty(trial: &Trial, walkable: bool, empty: u64, queues: u64) {
    let name = trial.name;
    let (occupancy, faults) = trial.state();
    assert_eq!(faults, Default::default(), "{name}");
    if walkable {
        assert_eq!(occupancy.used_bytes, 0, "{name}");
        let free = occupancy.free_bytes;
        // Each free page of P-VA and P-VL has an entry of 4 bytes in such a chunk, which
        // comes free when the pages are used again: the fill below finds out.
        let entries = if name.contains("_p_v") { free / 4 } else { 0 };
        assert!(
            free + queues + entries >= empty,
            "{name}: {empty} B, then {free} B"
        );
    }
}
