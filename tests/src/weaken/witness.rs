//! Refusals over weak memory, and whether each of them is right.
//!
//! There is no one order of events, and so no clock of all lanes ([`crate::conformance::history`]
//! has one). The happens-before relation decides. Memory was free during a whole call if each owner
//! released it before or received it after, in every order that the run allows. A refusal with such
//! memory for it is wrong, however much a lane is out of date.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use heapwood_device::allocator::Handle;
use heapwood_device::device_heap::AnyHeap;

use crate::lockstep::{Lockstep, Moment, moment, writes};

/// A block, by its place in the record that has it.
#[derive(Clone, Copy, Debug)]
pub struct Block(usize);

/// An owner of memory, from the call of `malloc` to the return of `free`.
struct Owner {
    bits: u64,
    bytes: u64,
    memory: Range<usize>,
    from: Moment,
    /// When `malloc` returned.
    served: Moment,
    to: Option<Moment>,
}

/// A call that was refused.
struct Refusal {
    bytes: u64,
    from: Moment,
    to: Moment,
}

/// Which memory would have served a request.
#[derive(Clone, Debug)]
pub enum Enough {
    /// That of a block of as many bytes. Such blocks are alike: a call that was served
    /// meanwhile owned one of them from its start on, whichever it was given in the end.
    SomeBlock,
    /// Any units of so many bytes that lie side by side in this memory.
    Run(Range<usize>, usize),
    /// There is enough for all requests.
    Always,
}

#[derive(Default)]
struct Calls {
    owners: Vec<Owner>,
    refusals: Vec<Refusal>,
}

/// The calls of all lanes of a run.
#[derive(Default)]
pub struct Record(Mutex<Calls>);

impl Record {
    fn calls<T>(&self, body: impl FnOnce(&mut Calls) -> T) -> T {
        body(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Calls `malloc`, or `malloc_coalesced`, and records it.
    pub fn malloc(
        &self,
        allocator: &AnyHeap<'_, Lockstep, u32>,
        warp: Lockstep,
        bytes: u64,
        coalesced: bool,
    ) -> Option<Block> {
        let from = moment();
        let handle = if coalesced {
            allocator.malloc_coalesced(warp, bytes)
        } else {
            allocator.malloc(warp, bytes)
        };
        if handle.is_null() {
            let to = moment();
            self.calls(|calls| calls.refusals.push(Refusal { bytes, from, to }));
            return None;
        }
        let served = moment();
        let start = allocator.address(handle) as usize;
        // SAFETY: the block was just requested.
        let granted = unsafe { allocator.granted(handle, bytes) };
        let memory = start..start + granted as usize;
        writes(start, memory.len());
        let owner = Owner {
            bits: handle.to_bits(),
            bytes,
            memory,
            from,
            served,
            to: None,
        };
        Some(self.calls(|calls| {
            calls.owners.push(owner);
            Block(calls.owners.len() - 1)
        }))
    }

    /// Calls `free`, or `free_coalesced`, for a block of this record.
    ///
    /// # Safety
    ///
    /// As for `Allocator::free`: the block is live and freed once.
    pub unsafe fn free(
        &self,
        allocator: &AnyHeap<'_, Lockstep, u32>,
        warp: Lockstep,
        block: Block,
        coalesced: bool,
    ) {
        let (bits, memory) = self.calls(|calls| {
            let owner = &calls.owners[block.0];
            (owner.bits, owner.memory.clone())
        });
        writes(memory.start, memory.len());
        let handle = u32::from_bits(bits);
        // SAFETY: the caller's promise.
        unsafe {
            if coalesced {
                allocator.free_coalesced(warp, handle);
            } else {
                allocator.free(warp, handle);
            }
        }
        let to = moment();
        self.calls(|calls| calls.owners[block.0].to = Some(to));
    }

    /// How many requests were refused, and the first of them that was wrong: its bytes,
    /// and the memory for it.
    pub fn judge(&self, enough: &Enough) -> (usize, Option<(u64, Range<usize>)>) {
        self.calls(|calls| {
            let wrong = |refusal: &Refusal| Some((refusal.bytes, calls.free_for(refusal, enough)?));
            let first = calls.refusals.iter().find_map(wrong);
            (calls.refusals.len(), first)
        })
    }
}

impl Calls {
    /// Memory without an owner during a call that would have served it.
    fn free_for(&self, refusal: &Refusal, enough: &Enough) -> Option<Range<usize>> {
        let is_over = |owner: &Owner| {
            let to = owner.to.as_ref();
            to.is_some_and(|to| to.is_before(&refusal.from))
        };
        let owners = self.owners.iter();
        let owned = owners.filter(|owner| !is_over(owner) && !refusal.to.is_before(&owner.from));
        match enough {
            Enough::Always => Some(0..0),
            Enough::SomeBlock => self.some_block(refusal, is_over),
            Enough::Run(all, unit) => {
                let mut owned: Vec<_> = owned.map(|owner| owner.memory.clone()).collect();
                let wanted = refusal.bytes.max(1).next_multiple_of(*unit as u64) as usize;
                owned.sort_unstable_by_key(|memory| memory.start);
                owned.push(all.end..all.end);
                let mut start = all.start;
                owned.into_iter().find_map(|other| {
                    let gap = start..other.start;
                    start = start.max(other.end);
                    (gap.start + wanted <= gap.end).then_some(gap)
                })
            }
        }
    }

    /// A block that was there before the call, if there were more of these than owners
    /// that had one of them, or were about to get one.
    fn some_block(
        &self,
        refusal: &Refusal,
        is_over: impl Fn(&Owner) -> bool,
    ) -> Option<Range<usize>> {
        let alike = self
            .owners
            .iter()
            .filter(|owner| owner.bytes == refusal.bytes);
        let (mut free, mut kept, mut promised) = (BTreeMap::new(), Vec::new(), 0);
        for owner in alike {
            let memory = &owner.memory;
            if is_over(owner) {
                free.insert(memory.start, memory.clone());
            } else if owner.served.is_before(&refusal.from) {
                kept.push(memory.start);
            } else if !refusal.to.is_before(&owner.from) {
                promised += 1;
            }
        }
        for start in kept {
            free.remove(&start);
        }
        (free.len() > promised).then(|| free.into_values().next())?
    }
}
