//! The last steps for the rows of hubs, when all their codes are there.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::SharedU32;

use super::{DENSE_WORDS, GRANULE, HubArguments, PADDING, word};
use crate::kernel::PlainKernel;
use crate::simt::Warp;

/// Fills rows of codes up to a granule, and makes dense rows.
pub struct HubRows;

impl HubRows {
    /// Makes the dense row of a hub, a word for each 32 codes up to its own: its successors
    /// have lower codes.
    ///
    /// # Safety
    ///
    /// The arguments' contract holds, `HubOrient` has run, the hub has a dense row, `bits` is
    /// the scratch memory of the warp, and all its lanes make the call.
    #[inline(always)]
    unsafe fn make_dense<W: Warp>(warp: W, graph: &HubArguments, code: u32, bits: *mut u32) {
        let words = (code / 32 + 1).next_multiple_of(W::LANES);
        // SAFETY: the scratch memory has a bit for each code; lanes write words of their own, then
        // access them as atomics, then read them, with a `sync` in between.
        unsafe {
            let mut at = warp.lane();
            while at < words {
                bits.add(at as usize).write(0);
                at += W::LANES;
            }
            warp.sync(W::FULL);
            let list = *graph.slots.add(code as usize);
            let mut position = warp.lane();
            while position < list.length {
                let other = u32::from(*graph.code_at(list.start, position));
                let word = &*bits.add(other as usize / 32).cast::<SharedU32>();
                // Relaxed: `sync` orders it before it is read.
                word.fetch_or(1 << (other % 32), Relaxed);
                position += W::LANES;
            }
            warp.sync(W::FULL);
            let row = graph.dense.add((code * DENSE_WORDS) as usize);
            let mut at = warp.lane();
            while at < words {
                row.add(at as usize).write(*bits.add(at as usize));
                at += W::LANES;
            }
            warp.sync(W::FULL);
        }
    }
}

impl PlainKernel for HubRows {
    type Arguments = HubArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, graph: HubArguments) {
        let bits: *mut u32 = warp.scratch().cast();
        // SAFETY: the kernel's contract; codes below the number of hubs have slots, and there is
        // room up to a granule. Relaxed: written by an earlier launch.
        unsafe {
            let hubs = graph.header(word::HUBS).load(Relaxed);
            let mut code = warp.warp();
            while code < hubs {
                let list = *graph.slots.add(code as usize);
                let mut position = list.length + warp.lane();
                while position < list.length.next_multiple_of(GRANULE) {
                    graph.code_at(list.start, position).write(PADDING);
                    position += W::LANES;
                }
                if code < graph.most_dense {
                    Self::make_dense(warp, &graph, code, bits);
                }
                code += warp.warps();
            }
        }
    }
}
