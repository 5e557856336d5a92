//! The share of a workload's time that is calls of its allocator, from runs with delayed calls.
//!
//! If each call takes `1 + s` times as long, a run takes `T + s * b`: `b` is the time that calls
//! take where the run waits for them. Runs with several stretches `s` give `b` by a fit, and `b / T`
//! is the share. docs/traces.md says under which conditions.

mod fit;

use heapwood_device::allocators::CallTimes;
use heapwood_results::sensitivity::StretchedTimes;

pub use fit::ShareFit;

use crate::Error;
use crate::samples::Samples;

/// Stretches of calls, as parts of the time of each. With 0 there are delays of no time.
pub const STRETCHES: [f32; 5] = [0.0, 0.5, 1.0, 1.5, 2.0];
/// How often the run without delays and that of each stretch are made.
const ROUNDS: usize = 3;
/// All runs: two at first, so that the others are warm, and those of the rounds.
pub const RUNS: usize = 2 + ROUNDS * (1 + STRETCHES.len());

/// The mean times of calls without delays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanCalls {
    /// Nanoseconds of a request.
    pub malloc_ns: f64,
    /// Nanoseconds of a free.
    pub free_ns: f64,
}

impl MeanCalls {
    /// Those of sums, in cycles of a clock of so many ticks a second.
    pub fn of(times: &CallTimes, clock_hz: u64) -> Self {
        let mean = |cycles: u64, calls: u64| {
            cycles as f64 / calls.max(1) as f64 * 1e9 / clock_hz.max(1) as f64
        };
        Self {
            malloc_ns: mean(times.request_cycles, times.requests),
            free_ns: mean(times.free_cycles, times.frees),
        }
    }
}

/// The times of all runs.
pub struct Sweep {
    /// Of runs without delays, in milliseconds.
    pub plain_ms: Samples,
    /// Of runs with delays.
    pub stretched: Vec<StretchedTimes>,
    /// The share that follows; none where runs take no time.
    pub fit: Option<ShareFit>,
}

impl Sweep {
    /// Makes the runs of all rounds: `time` makes one with calls that are stretched so, or without
    /// delays. Each other round has them in reverse order, so that a slow drift of the machine has no
    /// slope.
    ///
    /// # Errors
    ///
    /// Those of runs.
    pub fn new(mut time: impl FnMut(Option<f32>) -> Result<f64, Error>) -> Result<Self, Error> {
        let mut plain_ms = Vec::new();
        let mut times = STRETCHES.map(|_| Vec::new());
        for round in 0..ROUNDS {
            plain_ms.push(time(None)?);
            let mut order: Vec<usize> = (0..STRETCHES.len()).collect();
            if round % 2 == 1 {
                order.reverse();
            }
            for place in order {
                times[place].push(time(Some(STRETCHES[place]))?);
            }
        }
        let mut points = Vec::new();
        let mut stretched = Vec::new();
        for (stretch, times) in STRETCHES.into_iter().zip(times) {
            points.extend(times.iter().map(|&ms| (f64::from(stretch), ms)));
            stretched.push(StretchedTimes {
                stretch,
                ms: Samples::new(times).unwrap_or_default(),
            });
        }
        let fit = ShareFit::new(&points);
        Ok(Self {
            plain_ms: Samples::new(plain_ms).unwrap_or_default(),
            stretched,
            fit,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of 20 ms that waits for calls for 6 of them.
    #[test]
    fn the_share_of_calls_in_sequence_is_found() {
        let sweep = Sweep::new(|stretch| Ok(20.0 + 6.0 * f64::from(stretch.unwrap_or_default())));
        let sweep = sweep.unwrap();
        let fit = sweep.fit.unwrap();
        assert!((fit.share - 0.3).abs() < 1e-9, "{fit:?}");
        assert_eq!(sweep.plain_ms.samples.len(), ROUNDS);
        let longest = sweep.stretched.last().unwrap();
        assert_eq!((longest.stretch, longest.ms.median), (2.0, 32.0));
        let runs: usize = sweep.stretched.iter().map(|of| of.ms.samples.len()).sum();
        assert_eq!(2 + sweep.plain_ms.samples.len() + runs, RUNS);
    }

    #[test]
    fn runs_of_no_time_have_no_share() {
        let sweep = Sweep::new(|_| Ok(0.0)).unwrap();
        assert!(sweep.fit.is_none());
    }

    #[test]
    fn calls_of_no_time_have_a_share_of_0() {
        let calls = MeanCalls::of(&CallTimes::default(), 1_000_000_000);
        assert_eq!((calls.malloc_ns, calls.free_ns), (0.0, 0.0));
        let sweep = Sweep::new(|_| Ok(20.0)).unwrap();
        assert_eq!(sweep.fit.unwrap().share, 0.0);
    }

    #[test]
    fn means_are_in_nanoseconds() {
        let times = CallTimes {
            request_cycles: 8_000,
            requests: 4,
            free_cycles: 600,
            frees: 3,
        };
        let calls = MeanCalls::of(&times, 2_000_000_000);
        assert_eq!((calls.malloc_ns, calls.free_ns), (1000.0, 100.0));
    }
}
