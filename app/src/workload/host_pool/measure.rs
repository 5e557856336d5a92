//! How a case is measured: in a round without a clock, whose throughput counts, and in one
//! with a clock around each call.
//!
//! `Pairs` and `Mixed` differ in how many blocks a thread keeps: one, or 64. It replaces one
//! at random, by a deallocation and an allocation. A round that does not count fills caches
//! before. Memory is never touched: what is measured is the call.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use super::{Latency, Row};
use super::{Pattern, Suite};
use crate::backend::{BackendError, MemorySource};
use crate::pool::Stats;
use crate::random::SplitMix64;
use crate::workload::Status;

/// Blocks that a thread keeps in `Mixed`.
const KEPT: u64 = 64;
/// The smallest of their sizes, in bytes.
const MIN_BYTES: u64 = 512;
/// The largest is this power of two of the smallest; all powers between are equally likely.
const DOUBLINGS: u64 = 11;
/// Pairs of a thread in the round that does not count, at most.
const WARM_UP: u32 = 1000;
/// Pairs between two looks at the budget.
const STRIDE: u32 = 16;

/// Times of calls, in nanoseconds.
#[derive(Default)]
struct Times {
    allocate: Vec<u64>,
    deallocate: Vec<u64>,
}

/// How long a round goes on.
#[derive(Clone, Copy)]
struct Length {
    pairs: u32,
    budget: Duration,
}

/// The work of a thread in a round.
struct Worked {
    pairs: u32,
    begun: Instant,
    ended: Instant,
    times: Times,
}

/// Measures a case; whatever happens is in the row.
pub(super) fn measure(source: &impl MemorySource, suite: &Suite, mut row: Row) -> Row {
    source.empty_cache();
    let length = Length {
        pairs: suite.operations,
        budget: Duration::from_secs_f64(suite.budget_s),
    };
    let result = match (row.pattern, row.bytes) {
        (Pattern::Pairs | Pattern::Mixed, _) => repeat(source, length, &mut row),
        (Pattern::Cold | Pattern::Warm, bytes) => {
            let bytes = bytes.unwrap_or(MIN_BYTES);
            let count = (suite.memory_bytes / bytes).clamp(1, u64::from(suite.operations));
            fill(source, bytes, count, &mut row)
        }
    };
    if let Err(error) = result {
        row.status = match error.is_out_of_memory() {
            true => Status::Oom,
            false => Status::Fault,
        };
        row.error = Some(error.to_string());
    }
    row
}

/// Obtains blocks, then gives them back, in the order in which they came.
fn fill(
    source: &impl MemorySource,
    bytes: u64,
    count: u64,
    row: &mut Row,
) -> Result<(), BackendError> {
    let round = || {
        let mut times = Times::default();
        let (mut blocks, mut result) = (Vec::new(), Ok(()));
        for _ in 0..count {
            match clocked::<true, _>(&mut times.allocate, || source.allocate(bytes)) {
                Ok(block) => blocks.push(block),
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        for block in blocks {
            clocked::<true, _>(&mut times.deallocate, || source.deallocate(block));
        }
        result.map(|()| times)
    };
    if row.pattern == Pattern::Warm {
        round()?;
    }
    let before = source.stats();
    let times = round()?;
    record(source, before, times, row);
    Ok(())
}

/// The rounds of `Pairs` and `Mixed`.
fn repeat(source: &impl MemorySource, length: Length, row: &mut Row) -> Result<(), BackendError> {
    let warm_up = Length {
        pairs: length.pairs.min(WARM_UP),
        ..length
    };
    round::<false, _>(source, warm_up, row)?;

    let worked = round::<false, _>(source, length, row)?;
    row.pairs_per_s = rate(&worked);

    let before = source.stats();
    let mut times = Times::default();
    for thread in round::<true, _>(source, length, row)? {
        times.allocate.extend(thread.times.allocate);
        times.deallocate.extend(thread.times.deallocate);
    }
    record(source, before, times, row);
    Ok(())
}

/// Pairs a second of all threads, from when the first begins until the last ends: where there
/// are fewer processors than threads, some begin when others have ended.
fn rate(worked: &[Worked]) -> Option<f64> {
    let begun = worked.iter().map(|thread| thread.begun).min()?;
    let ended = worked.iter().map(|thread| thread.ended).max()?;
    let pairs: u64 = worked.iter().map(|thread| u64::from(thread.pairs)).sum();
    Some(pairs as f64 / (ended - begun).as_secs_f64())
}

/// Writes the times of a round into its row.
fn record(source: &impl MemorySource, before: Option<Stats>, times: Times, row: &mut Row) {
    row.pairs = times.allocate.len() as u64;
    row.allocate = Latency::new(times.allocate);
    row.deallocate = Latency::new(times.deallocate);
    if let Some((before, after)) = before.zip(source.stats()) {
        row.hits = Some(after.hits - before.hits);
        row.misses = Some(after.misses - before.misses);
    }
}

/// Lets the threads of a row work at the same time.
fn round<const CLOCKED: bool, S: MemorySource>(
    source: &S,
    length: Length,
    row: &Row,
) -> Result<Vec<Worked>, BackendError> {
    let barrier = Barrier::new(row.threads as usize);
    let bytes = row.bytes;
    std::thread::scope(|scope| {
        let work = |thread| {
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                work::<CLOCKED, S>(source, length, bytes, thread)
            })
        };
        let threads: Vec<_> = (0..u64::from(row.threads)).map(work).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .map(|worked| worked.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// The work of a thread: it requests blocks of one size, one at a time, or of mixed sizes.
fn work<const CLOCKED: bool, S: MemorySource>(
    source: &S,
    length: Length,
    bytes: Option<u64>,
    thread: u64,
) -> Result<Worked, BackendError> {
    let kept = if bytes.is_some() { 1 } else { KEPT };
    let mut blocks: Vec<Option<S::Block>> = (0..kept).map(|_| None).collect();
    // The same for a thread in every round.
    let mut random = SplitMix64::new(thread);
    let (mut times, mut pairs) = (Times::default(), 0);
    let mut result = Ok(());
    let begun = Instant::now();
    while pairs < length.pairs {
        if pairs.is_multiple_of(STRIDE) && begun.elapsed() >= length.budget {
            break;
        }
        let size = bytes.unwrap_or_else(|| mixed_size(random.word()));
        let slot = &mut blocks[random.below(kept) as usize];
        if let Some(block) = slot.take() {
            clocked::<CLOCKED, _>(&mut times.deallocate, || source.deallocate(block));
        }
        match clocked::<CLOCKED, _>(&mut times.allocate, || source.allocate(size)) {
            Ok(block) => *slot = Some(block),
            Err(error) => {
                result = Err(error);
                break;
            }
        }
        pairs += 1;
    }
    for block in blocks.into_iter().flatten() {
        clocked::<CLOCKED, _>(&mut times.deallocate, || source.deallocate(block));
    }
    let ended = Instant::now();
    result.map(|()| Worked {
        pairs,
        begun,
        ended,
        times,
    })
}

/// Makes a call, with a clock around it or without.
fn clocked<const CLOCKED: bool, T>(times_ns: &mut Vec<u64>, call: impl FnOnce() -> T) -> T {
    if !CLOCKED {
        return call();
    }
    let begun = Instant::now();
    let result = call();
    times_ns.push(begun.elapsed().as_nanos() as u64);
    result
}

/// A size of 512 B to 1 MiB, by a random number.
fn mixed_size(random: u64) -> u64 {
    let base = MIN_BYTES << (random % DOUBLINGS);
    base + (random / DOUBLINGS) % (base + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_work_one_after_the_other_are_no_faster_than_one() {
        let start = Instant::now();
        let second = Duration::from_secs(1);
        let worked = |from: u32, to: u32| Worked {
            pairs: 100,
            begun: start + from * second,
            ended: start + to * second,
            times: Times::default(),
        };
        assert_eq!(rate(&[]), None);
        assert_eq!(rate(&[worked(0, 1)]), Some(100.0));
        assert_eq!(rate(&[worked(0, 1), worked(0, 1)]), Some(200.0));
        assert_eq!(rate(&[worked(1, 2), worked(0, 1)]), Some(100.0));
    }

    #[test]
    fn mixed_sizes_keep_their_range() {
        let mut random = SplitMix64::new(1);
        let sizes: Vec<u64> = (0..10_000).map(|_| mixed_size(random.word())).collect();
        assert!(sizes.iter().all(|size| (512..=1 << 20).contains(size)));
        for doubling in 0..DOUBLINGS {
            let range = MIN_BYTES << doubling..=MIN_BYTES << (doubling + 1);
            let count = sizes.iter().filter(|size| range.contains(size)).count();
            assert!((800..1100).contains(&count), "{count} in {range:?}");
        }
    }
}
