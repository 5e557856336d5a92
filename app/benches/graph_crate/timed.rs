//! The time that work takes.

use std::time::{Duration, Instant};

/// The result of `work`, and its time on the wall.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begun = Instant::now();
    let result = work();
    (result, begun.elapsed())
}
