//! How fast memory is copied within a device: what kernels that do little but
//! move data are held against.

use std::time::Instant;

use rayon::prelude::*;

use super::LAUNCH_LIMIT;
use crate::cuda::{Buffer, CudaError, Gpu};
use crate::samples::Samples;

/// Bytes that are copied at a time, at most: many times what caches hold.
const BYTES: u64 = 1 << 30;
/// The same on the host, whose memory others need.
const HOST_BYTES: usize = 1 << 28;
/// Copies whose median counts, after a first one that does not.
const COPIES: usize = 10;

/// Bytes read and written a second, in GB, by copies on all cores.
pub fn of_host() -> f64 {
    let from = vec![1_u8; HOST_BYTES];
    let mut to = vec![0_u8; HOST_BYTES];
    let part = HOST_BYTES.div_ceil(rayon::current_num_threads());
    let copy = |_| {
        let begin = Instant::now();
        let parts = to.par_chunks_mut(part).zip(from.par_chunks(part));
        parts.for_each(|(to, from)| to.copy_from_slice(from));
        begin.elapsed().as_secs_f64() * 1e3
    };
    let times: Vec<f64> = (0..=COPIES).map(copy).collect();
    rate(HOST_BYTES as u64, &times)
}

/// The same on a GPU, by the driver's copies.
///
/// # Errors
///
/// A GPU that is not there, too little free memory, and faults of the driver.
pub fn of_gpu(ordinal: u32) -> Result<f64, CudaError> {
    let gpu = Gpu::open(ordinal)?;
    // Two of them, and room for others; a multiple of what copies are made in.
    let bytes = BYTES.min(gpu.free_memory()? / 4) & !4095;
    let (from, to) = (Buffer::new(&gpu, bytes)?, Buffer::new(&gpu, bytes)?);
    from.zero()?;
    let copies = (0..=COPIES).map(|_| || to.copy_from(&from));
    let times = gpu.time_parts(LAUNCH_LIMIT, copies)?;
    Ok(rate(bytes, &times))
}

/// The rate of copies of `bytes` that take these milliseconds; the first copy does not count.
fn rate(bytes: u64, times: &[f64]) -> f64 {
    let samples = Samples::new(times[1..].to_vec()).expect("copies");
    2.0 * bytes as f64 / samples.median * 1e-6
}

#[cfg(test)]
mod tests {
    use super::{of_gpu, rate};

    #[test]
    fn both_directions_count_and_the_first_copy_does_not() {
        assert_eq!(rate(1_000_000, &[100.0, 2.0, 1.0, 4.0]), 1.0);
    }
    #[test]
    fn a_gpu_that_is_not_there_has_no_rate() {
        assert!(of_gpu(u32::MAX).is_err());
    }
}
