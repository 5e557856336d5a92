//! Requests and frees on a full heap: launches of the churn kernel, one after the other.
//!
//! About half of the requests are to be refused, all the time. An allocator whose free
//! memory breaks up into small pieces soon holds small blocks only, and can hold nearly
//! all that the places ask for: then each thread gets more places.

use std::time::Instant;

use heapwood::backend::Grid;
use heapwood_device::bench::{
    self as kernels, CHURN_WORDS, ChurnArguments, ChurnCounts, PLACE_WORDS,
};
use heapwood_device::launch::Call;

use rayon::prelude::*;

use super::{Trial, memory};

/// The percentage of requests refused in a launch below which each thread gets more
/// places, a quarter of what it has.
const MIN_REFUSED_PERCENT: u64 = 40;
/// How many times as many places a thread may have in the end as at first.
const MAX_GROWTH: u32 = 16;

/// How to work on a full heap; see the churn kernel.
#[derive(Clone, Copy, Debug)]
pub struct Churn {
    /// Threads of a launch.
    pub threads: u32,
    /// Places of each at first.
    pub kept: u32,
    /// Turns of each in a launch.
    pub turns: u32,
    /// The largest of the smallest requests.
    pub least_bytes: u32,
    /// Octaves of sizes.
    pub octaves: u32,
    /// Requests and frees until it ends.
    pub operations: u64,
}

impl Trial<'_> {
    /// Requests and frees at exhaustion in one kernel after another, until
    /// `operations` are done; then frees what is left. Returns the counts, and the bytes for
    /// which the blocks that were left had been requested.
    ///
    /// # Panics
    ///
    /// If a kernel fails.
    pub fn churn(&self, churn: Churn) -> (ChurnCounts, u64) {
        // The CPU's workers would run so many threads one after the other: there each
        // is one thread, with the work of many.
        let (threads, shape) = match self.backend.solo_workers() {
            0 => (churn.threads, Grid::Threads(churn.threads)),
            workers => (workers, Grid::Persistent),
        };
        let share =
            |count: u32| (u64::from(churn.threads) * u64::from(count)).div_ceil(u64::from(threads));
        let turns = share(churn.turns) as u32;
        let mut kept = share(churn.kept) as u32;
        let kept_most = kept * MAX_GROWTH;
        let place_bytes = 8 * PLACE_WORDS as u64;
        let places = u64::from(threads) * u64::from(kept_most);
        let places = memory(self.backend, place_bytes * places);
        let mut seed = 0;
        let mut run = |turns: u32, kept: u32| {
            seed += 1;
            let args = ChurnArguments {
                places: places.address().cast(),
                counters: self.counters.address().cast(),
                kept,
                turns,
                least_bytes: churn.least_bytes,
                octaves: churn.octaves,
                seed,
            };
            self.launch(Call::of::<kernels::Churn>(args), shape);
            let words: Vec<u64> = self.counts(CHURN_WORDS);
            ChurnCounts::from_words(&words.try_into().expect("the number of words"))
        };
        let mut total = ChurnCounts::default();
        let (begun, mut tenths) = (Instant::now(), 0);
        while total.operations() < churn.operations && total.corrupt == 0 {
            let counts = run(turns, kept);
            add(&mut total, counts);
            let requests = counts.granted + counts.refused;
            if 100 * counts.refused < MIN_REFUSED_PERCENT * requests {
                kept = kept_most.min(kept + kept.div_ceil(4));
            }
            // A long run says how far it is, and whether it slows down.
            if 10 * total.operations() / churn.operations > tenths {
                tenths = 10 * total.operations() / churn.operations;
                let seconds = begun.elapsed().as_secs_f64();
                println!(
                    "{} operations in {seconds:.1} s, {kept} places a thread",
                    total.operations()
                );
            }
        }
        let used = threads as usize * kept as usize;
        let words = places.download::<[u64; PLACE_WORDS]>(0, used);
        let words = words.unwrap_or_else(|error| self.fail("download", &error));
        let live = words
            .into_par_iter()
            .map(|words| ChurnArguments::live_bytes(words, churn.least_bytes, churn.octaves))
            .sum();
        add(&mut total, run(0, kept));
        (total, live)
    }
}

/// Adds a launch's counts to a sum.
fn add(total: &mut ChurnCounts, counts: ChurnCounts) {
    total.granted += counts.granted;
    total.refused += counts.refused;
    total.freed += counts.freed;
    total.corrupt += counts.corrupt;
}
