//! Histories of calls, and whether each refusal in one is right.
//!
//! An allocator with `EXACT_NULL` refuses a request only if no memory that was unowned during the
//! whole call could have served it. A block has an owner from the call of its `malloc`, which may
//! take it at once, to the return of its `free`. Memory outside all such blocks during a refused
//! call was free all the time, even while a thread held it briefly to inspect, split or merge it.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

use heapwood_device::allocator::{Allocator, Handle};
use heapwood_device::device_heap::AnyHeap;
use heapwood_device::simt::Warp;

use super::pool::{AnyPool, Pool};
use crate::lockstep::{self, Lockstep, Plan, Policy, Random};

/// A block, by its place in the history that recorded it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted(usize);

/// A block and when it had an owner.
#[derive(Clone, Debug)]
struct Owned {
    bits: u64,
    /// Bytes that were asked for.
    bytes: u64,
    memory: Range<usize>,
    /// From the call of `malloc` to the return of `free`; for ever if it lives.
    time: Range<u64>,
    /// When `malloc` returned.
    granted: u64,
    /// When `free` was called.
    freed: u64,
}

/// A call of `malloc` that was refused.
#[derive(Clone, Debug)]
struct Refusal {
    bytes: u64,
    time: Range<u64>,
}

/// Which memory serves a request.
#[derive(Clone, Debug)]
pub enum Fit {
    /// The memory of a block that was granted for a request of as many bytes.
    SameBlock,
    /// As `SameBlock`, of blocks that are alike: each call that was served in the meantime
    /// owned one from its start on, whichever it was given in the end. A chunk has blocks
    /// of one size.
    SomeBlock {
        /// Where the first chunk starts.
        base: usize,
        /// Bytes of a chunk.
        chunk: usize,
        /// Bytes that the allocator may need for itself.
        spare: usize,
    },
    /// Any units of so many bytes that lie side by side in this memory.
    Run {
        /// The memory of all blocks.
        memory: Range<usize>,
        /// Bytes of a unit.
        unit: usize,
    },
}

/// A request that was refused although there was memory for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongRefusal {
    /// Bytes that were asked for.
    pub bytes: u64,
    /// Memory that was free during the whole call.
    pub memory: Range<usize>,
    /// The call, in ticks of the history's clock.
    pub time: Range<u64>,
}

#[derive(Debug, Default)]
struct Calls {
    blocks: Vec<Owned>,
    refusals: Vec<Refusal>,
}

/// The calls of all threads, and when each began and ended.
#[derive(Debug, Default)]
pub struct History {
    clock: AtomicU64,
    calls: Mutex<Calls>,
}

impl History {
    fn now(&self) -> u64 {
        self.clock.fetch_add(1, SeqCst)
    }

    fn calls<T>(&self, body: impl FnOnce(&mut Calls) -> T) -> T {
        // A thread that panics fails the test anyway.
        body(&mut self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Calls `malloc`, or `malloc_coalesced`, and records it.
    pub fn malloc<W: Warp>(
        &self,
        allocator: &AnyHeap<'_, W, u32>,
        warp: W,
        bytes: u64,
        coalesced: bool,
    ) -> Option<Granted> {
        let start = self.now();
        let handle = if coalesced {
            allocator.malloc_coalesced(warp, bytes)
        } else {
            allocator.malloc(warp, bytes)
        };
        let end = self.now();
        if handle.is_null() {
            let time = start..end;
            self.calls(|calls| calls.refusals.push(Refusal { bytes, time }));
            return None;
        }
        let address = allocator.address(handle) as usize;
        // SAFETY: the block was just requested.
        let granted = unsafe { allocator.granted(handle, bytes) } as usize;
        let block = Owned {
            bits: handle.to_bits(),
            bytes,
            memory: address..address + granted,
            time: start..u64::MAX,
            granted: end,
            freed: u64::MAX,
        };
        Some(self.calls(|calls| {
            calls.blocks.push(block);
            Granted(calls.blocks.len() - 1)
        }))
    }

    /// Calls `free`, or `free_coalesced`, for a block of this history, and
    /// records it.
    ///
    /// # Safety
    ///
    /// As for `Allocator::free`: the block is live and freed once.
    pub unsafe fn free<W: Warp>(
        &self,
        allocator: &AnyHeap<'_, W, u32>,
        warp: W,
        block: Granted,
        coalesced: bool,
    ) {
        let start = self.now();
        let bits = self.calls(|calls| {
            let block = &mut calls.blocks[block.0];
            block.freed = start;
            block.bits
        });
        let handle = u32::from_bits(bits);
        // SAFETY: the caller's promise.
        unsafe {
            if coalesced {
                allocator.free_coalesced(warp, handle);
            } else {
                allocator.free(warp, handle);
            }
        }
        let end = self.now();
        self.calls(|calls| calls.blocks[block.0].time.end = end);
    }

    /// Requests that were refused so far.
    pub fn refusals(&self) -> usize {
        self.calls(|calls| calls.refusals.len())
    }

    /// The refusals that were wrong, by what serves a request.
    pub fn wrong_refusals(&self, fit: &Fit) -> Vec<WrongRefusal> {
        self.calls(|calls| {
            let wrong = |refusal: &Refusal| {
                let memory = match fit {
                    Fit::SameBlock => calls.same_blocks(refusal).first().cloned(),
                    Fit::SomeBlock { base, chunk, spare } => {
                        let chunk_of = |memory: &Range<usize>| (memory.start - base) / chunk;
                        calls.some_block(refusal, chunk_of, *spare)
                    }
                    Fit::Run { memory, unit } => calls.run(refusal, memory, *unit),
                };
                memory.map(|memory| WrongRefusal {
                    bytes: refusal.bytes,
                    memory,
                    time: refusal.time.clone(),
                })
            };
            calls.refusals.iter().filter_map(wrong).collect()
        })
    }
}

fn overlap<T: PartialOrd>(a: &Range<T>, b: &Range<T>) -> bool {
    a.start < b.end && b.start < a.end
}

impl Calls {
    /// The memory of blocks that had an owner at some moment of a call, by address.
    fn owned_during(&self, time: &Range<u64>) -> Vec<Range<usize>> {
        let mut owned: Vec<_> = self
            .blocks
            .iter()
            .filter(|block| overlap(&block.time, time))
            .map(|block| block.memory.clone())
            .collect();
        owned.sort_unstable_by_key(|memory| memory.start);
        owned
    }

    /// Different blocks that were free all the time.
    fn same_blocks(&self, refusal: &Refusal) -> Vec<Range<usize>> {
        let owned = self.owned_during(&refusal.time);
        let was_free = |block: &&Owned| {
            block.bytes == refusal.bytes
                && block.time.end <= refusal.time.start
                && !owned.iter().any(|other| overlap(other, &block.memory))
        };
        let free = self.blocks.iter().filter(was_free);
        let mut free: Vec<_> = free.map(|block| block.memory.clone()).collect();
        free.sort_unstable_by_key(|memory| memory.start);
        free.dedup();
        free
    }

    fn some_block(
        &self,
        refusal: &Refusal,
        chunk_of: impl Fn(&Range<usize>) -> usize,
        spare: usize,
    ) -> Option<Range<usize>> {
        let promised = |length: usize| {
            let calls = self.blocks.iter().filter(|block| {
                block.memory.len() == length
                    && overlap(&(block.time.start..block.granted), &refusal.time)
            });
            calls.count()
        };
        let mut free = self.same_blocks(refusal);
        let length = free.first()?.len();
        // A chunk whose last block was of another size has free blocks of that size: these
        // may be promised, or others in use.
        free.retain(|memory| {
            let before = |block: &&Owned| block.time.start < refusal.time.end;
            let mates = self.blocks.iter().filter(before);
            let mates = mates.filter(|block| chunk_of(&block.memory) == chunk_of(memory));
            let last = mates.max_by_key(|block| block.granted);
            let last = last.map_or(length, |block| block.memory.len());
            last == length || promised(last) == 0
        });
        let memory = free.first()?.clone();
        (free.len() > promised(length) + spare / length).then_some(memory)
    }

    fn run(&self, refusal: &Refusal, area: &Range<usize>, unit: usize) -> Option<Range<usize>> {
        let wanted = (refusal.bytes.max(1) as usize).checked_next_multiple_of(unit)?;
        let mut start = area.start;
        for owned in self.owned_during(&refusal.time) {
            if owned.start.saturating_sub(start) >= wanted {
                return Some(start..owned.start);
            }
            start = start.max(owned.end);
        }
        (area.end.saturating_sub(start) >= wanted).then_some(start..area.end)
    }
}

/// How lanes attack a heap while some of them stall.
#[derive(Clone, Copy, Debug)]
pub struct Attack<'a> {
    /// Bytes of the pool.
    pub pool_bytes: u64,
    /// The allocator's parameters.
    pub parameters: &'a [(&'a str, &'a str)],
    /// Sizes of requests, as parts of the largest block: 5 is a fifth of it.
    pub parts: &'a [u64],
    /// Lanes that make requests.
    pub lanes: u32,
    /// Requests and releases that each makes.
    pub turns: u32,
    /// Which of them are coalesced, one in so many; 0 for none.
    pub coalesced: u64,
}

/// The results of an attack.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Requests that were refused.
    pub refusals: usize,
    /// Those that were wrong, with the seed that shows it again.
    pub wrong: Vec<(u64, WrongRefusal)>,
}

/// A schedule in which lanes stall for long in front of some atomic operation.
fn stalling(seed: u64, lanes: u32) -> Plan {
    let mut random = Random::new(seed);
    let stall = Policy::Stall {
        period: random.choose(&[1, 4, 16]),
        lanes: 1 + random.below(3) as u32,
        among: lanes,
        horizon: random.choose(&[20, 100, 400]),
        length: random.choose(&[100, 1000, 10_000]),
    };
    Plan::new(1, stall, seed)
}

/// Runs an attack on allocator `A` under the schedules of some seeds; `fit` says
/// which memory of the heap serves a request.
///
/// # Panics
///
/// If the heap is too small or a lane fails.
pub fn attack<A: Allocator<Handle = u32>>(
    attack: Attack,
    seeds: Range<u64>,
    fit: impl FnOnce(&AnyPool<Lockstep>) -> Fit,
) -> Findings {
    let pool = Pool::<A>::new(attack.pool_bytes, 4, attack.parameters).expect("a pool");
    let most = A::max_block(pool.heap());
    let pool = pool.erased();
    let fit = fit(&pool);
    attack_pool(attack, seeds, &pool, &fit, most)
}

/// The attack on a pool whose largest block has `most` bytes.
fn attack_pool(
    attack: Attack,
    seeds: Range<u64>,
    pool: &AnyPool<Lockstep>,
    fit: &Fit,
    most: u64,
) -> Findings {
    let mut findings = Findings::default();
    let allocator = pool.allocator();
    for seed in seeds {
        let init = Plan::new(1, Policy::Random { period: 64 }, seed);
        // SAFETY: a launch of all lanes, and no block survives the last round.
        lockstep::run(init, |warp| unsafe { allocator.init(warp) }).expect("init");
        let history = History::default();
        let kernel = |warp: Lockstep| {
            if warp.lane() >= attack.lanes {
                return;
            }
            let mut random = Random::new(seed << 8 | u64::from(warp.lane()));
            let mut blocks = Vec::new();
            for _ in 0..attack.turns {
                let together = attack.coalesced != 0 && random.one_in(attack.coalesced);
                if blocks.len() > 3 || (!blocks.is_empty() && random.one_in(2)) {
                    let block = blocks.swap_remove(random.below(blocks.len() as u64) as usize);
                    // SAFETY: a block of this lane, which has given it up.
                    unsafe { history.free(allocator, warp, block, together) };
                } else {
                    let bytes = most / random.choose(attack.parts);
                    blocks.extend(history.malloc(allocator, warp, bytes, together));
                }
            }
        };
        lockstep::run(stalling(seed, attack.lanes), kernel)
            .unwrap_or_else(|error| panic!("{error}"));
        findings.refusals += history.refusals();
        let wrong = history.wrong_refusals(fit);
        findings
            .wrong
            .extend(wrong.into_iter().map(|wrong| (seed, wrong)));
    }
    findings
}
