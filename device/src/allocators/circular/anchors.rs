//! Where a walk goes on that comes to a region: the entry of the region's first unit, its anchor, leads
//! to the first chunk there, or behind the chunk that the whole region lies in.

use super::heap::{Circular, Offsets};
use super::links::{ABSORBED, Links, Unit};

impl<L: Links, O: Offsets> Circular<L, O> {
    /// Makes the regions that start inside a block from `unit` on lead behind it, to `rest`; and those that
    /// start in what is left up to `cut`, if that is shorter than the block: the next request, as large, does
    /// not fit there.
    ///
    /// Their entries would lead walks as far as a chunk that was there before, past all that is free
    /// between: at first to the end of the pool. A walk comes to them when it has found nothing in the
    /// region where the chunk starts.
    ///
    /// # Safety
    ///
    /// The caller owns the units from `unit` to `cut`.
    #[inline(always)]
    pub(super) unsafe fn lead_behind(&self, unit: u32, rest: u32, cut: u32) {
        let end = if cut - rest < rest - unit { cut } else { rest };
        let mut anchor = self.anchor_of(unit) + self.layout.region_units;
        while anchor < end {
            let next = if anchor < rest { rest } else { cut };
            // SAFETY: the first unit of a region is one of the caller's; what it leads to is behind it.
            unsafe { self.links.put(Unit::new(anchor), next, ABSORBED) };
            anchor += self.layout.region_units;
        }
    }

    /// Makes the region of `head` lead to it, where `head` starts a chunk
    /// inside a chunk that the caller owns from `unit` on.
    ///
    /// If the region starts inside the owned chunk its first entry is an
    /// absorbed one, and `head` is now the first chunk of the region.
    ///
    /// # Safety
    ///
    /// The caller owns the units from `unit` up to `head`.
    #[inline(always)]
    pub(super) unsafe fn anchor(&self, unit: u32, head: u32) {
        // SAFETY: the anchor is one of these units.
        unsafe {
            let anchor = self.anchor_of(head);
            if anchor > unit && anchor < head {
                self.links.put(Unit::new(anchor), head, ABSORBED);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::CfMalloc;
    use super::*;
    use crate::allocator::{Allocator, Handle, Observe, Request};
    use crate::simt::{SCRATCH_BYTES, Solo};

    const REGION: u32 = 4096 / 16;

    /// 256 bytes, aligned as a pool is.
    #[repr(C, align(256))]
    #[derive(Clone)]
    struct Line([u8; 256]);

    #[test]
    fn regions_in_a_large_block_lead_behind_it() {
        let mut pool = vec![Line([0xa5; 256]); 1 << 14];
        let mut scratch = vec![Line([0; 256]); SCRATCH_BYTES / 256];
        let heap = CfMalloc::setup(&Request {
            base: pool.as_mut_ptr().cast(),
            pool_bytes: 256 * pool.len() as u64,
            processors: 1,
            parameters: &[("region", "4096")],
            observe: Observe::GUARDS,
        });
        // SAFETY: the memory outlives the allocator. One lane alone makes all calls, and it has
        // scratch memory of its own. Entries are those of units of the heap.
        unsafe {
            let heap = CfMalloc::new(heap.expect("a pool of 4 MiB"));
            let warp = Solo::new(0, 1, 0, scratch.as_mut_ptr().cast());
            heap.init(warp);
            for regions in [3, 17, 2, 40] {
                let bytes = u64::from(regions * REGION * 16 - 1024);
                let block = heap.malloc(warp, bytes);
                assert!(!block.is_null());
                let end = heap.links.end(Unit::new(block));
                let mut inside = 0;
                let mut anchor = heap.anchor_of(block) + REGION;
                while anchor < end {
                    let link = heap.links.peek(Unit::new(anchor));
                    assert_eq!(
                        (link.state, link.next),
                        (ABSORBED, end),
                        "{regions} regions"
                    );
                    anchor += REGION;
                    inside += 1;
                }
                assert!(inside + 1 >= regions, "{inside}");
            }
        }
    }
}
