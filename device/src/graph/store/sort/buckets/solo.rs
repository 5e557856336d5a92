//! A bucket by one thread: a radix sort of what its cache holds.

use super::super::rest::Rest;
use super::super::{Bucket, SortArguments};
use super::key;

/// The most bits of a digit.
const DIGIT_BITS: u32 = 11;
/// Buckets of fewer keys are sorted by comparisons: counters are not worth clearing.
const FEW: u32 = 256;

/// Sorts a bucket of any size.
///
/// An odd number of passes leads from the rests through the keys' memory back to the rests, and with
/// the last one to the keys.
///
/// # Safety
///
/// The arguments' contract holds, the bucket is listed, and `counts` are 2 to the power of
/// `DIGIT_BITS` words of this thread's.
#[inline(always)]
pub unsafe fn sort<R: Rest>(sort: &SortArguments, bucket: Bucket, counts: *mut u32) {
    let count = bucket.count as usize;
    // SAFETY: rests and keys of the bucket are this thread's. The counts of a
    // digit give each rest a position of its own.
    unsafe {
        let rests = sort.buffer::<R>(bucket.buffer).add(bucket.first as usize);
        let output = sort.output.add(bucket.first as usize);
        if bucket.count < FEW {
            core::slice::from_raw_parts_mut(rests, count).sort_unstable();
            for index in 0..count {
                output
                    .add(index)
                    .write(key(sort, bucket, *rests.add(index)));
            }
            return;
        }
        let passes = sort.shift.div_ceil(DIGIT_BITS) | 1;
        let bits = sort.shift.div_ceil(passes);
        let values = 1 << bits;
        for pass in 0..passes {
            let digit = |rest: R| (rest.bits() >> (pass * bits)) as usize & (values - 1);
            let (from, to) = match pass % 2 {
                0 => (rests, output.cast::<R>()),
                _ => (output.cast::<R>(), rests),
            };
            counts.write_bytes(0, values);
            for index in 0..count {
                *counts.add(digit(*from.add(index))) += 1;
            }
            let mut sum = 0;
            for value in 0..values {
                sum += core::ptr::replace(counts.add(value), sum);
            }
            for index in 0..count {
                let rest = *from.add(index);
                let position = counts.add(digit(rest));
                if pass + 1 == passes {
                    output
                        .add(*position as usize)
                        .write(key(sort, bucket, rest));
                } else {
                    to.add(*position as usize).write(rest);
                }
                *position += 1;
            }
        }
    }
}
