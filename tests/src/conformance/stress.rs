//! The device's own stress kernel, compiled with the device crate, on OS
//! threads: long random mixes.

use std::thread;

use heapwood_device::allocator::{Faults, Heap, Observe, Request};
use heapwood_device::bench::{STRESS_WORDS, Stress, StressArguments, StressCounts};
use heapwood_device::heap::{Init, Nothing, Report, ReportArguments, STATE_WORDS, State};
use heapwood_device::host::{self, HostAllocator};
use heapwood_device::launch::Call;
use heapwood_device::simt::{SCRATCH_BYTES, Solo};

use super::external;
use super::pool::Memory;
use crate::fences;

const THREADS: u32 = 4;

/// Bytes of a pool, slots that blocks lie in, and turns of each thread: a pool with
/// room, and one that is full most of the time.
type Plan = (u64, usize, u32);

/// Fewer turns where an access takes some hundred times as long, and few where it takes
/// some ten thousand times as long.
const PLANS: &[Plan] = if cfg!(miri) {
    &[(1 << 16, 16, 40)]
} else if cfg!(feature = "tsan") {
    &[(4 << 20, 1000, 5000), (1 << 20, 8000, 5000)]
} else {
    &[(4 << 20, 1000, 125_000), (1 << 20, 8000, 125_000)]
};

#[repr(C, align(16))]
struct Scratch([u8; SCRATCH_BYTES]);

/// A launch whose heap and arguments outlive it.
struct Launch<'a> {
    allocator: &'a HostAllocator,
    heap: Heap,
    call: Call,
}

// SAFETY: kernels access what the pointers name by atomic operations only.
unsafe impl Sync for Launch<'_> {}

impl Launch<'_> {
    /// Runs one warp.
    ///
    /// # Safety
    ///
    /// As for [`HostAllocator::run`].
    unsafe fn run(&self, warp: Solo) {
        let (kernel, args) = (self.call.kernel(), self.call.args());
        // SAFETY: the caller's promise.
        unsafe { self.allocator.run(kernel, warp, &self.heap, &args) }
    }
}

fn launch(allocator: &HostAllocator, heap: Heap, call: Call) {
    let launch = &Launch {
        allocator,
        heap,
        call,
    };
    thread::scope(|scope| {
        for warp in 0..THREADS {
            scope.spawn(move || {
                fences::show();
                let mut scratch = Scratch([0; SCRATCH_BYTES]);
                // SAFETY: the scratch memory is this thread's; the arguments
                // name arrays of the sizes that the kernels ask for.
                unsafe {
                    let warp = Solo::new(warp, THREADS, warp, scratch.0.as_mut_ptr());
                    launch.run(warp);
                }
            });
        }
    });
}

/// Some 10^6 operations on the allocator `name` of the table. Nothing but the allocator
/// and an exchange orders the owners of a block, so that race detectors see all that
/// the allocator has to order: the other clauses' ledger is behind a lock.
pub fn stress(name: &str) {
    let allocator = host::allocator(name).expect("an allocator of the table");
    let properties = allocator.properties;
    for &(pool_bytes, slot_count, turns) in PLANS {
        let memory = Memory::new(pool_bytes as usize);
        let heap = (allocator.setup)(&Request {
            base: memory.start(),
            pool_bytes,
            processors: THREADS,
            parameters: &[],
            observe: Observe::GUARDS,
        });
        let mut heap = heap.expect("a heap");
        if properties.external {
            memory.zero_external(&heap);
            heap = external::bind(heap, &[("name", "freelist")]);
        }
        launch(allocator, heap, Call::of::<Init>(Nothing));
        let mut slots = vec![u64::from(u32::MAX); slot_count];
        if allocator.handle_bytes == 8 {
            slots.fill(u64::MAX);
        }
        let mut counters = [0; STRESS_WORDS];
        let mut words = [0; STATE_WORDS];
        for turns in [turns, 0] {
            let arguments = StressArguments {
                slots: slots.as_mut_ptr(),
                counters: counters.as_mut_ptr(),
                slot_count: slot_count as u32,
                turns,
                least_bytes: 8,
                most_bytes: 3000,
                seed: slot_count as u32,
            };
            launch(allocator, heap, Call::of::<Stress>(arguments));
        }
        let report = ReportArguments {
            words: words.as_mut_ptr(),
        };
        launch(allocator, heap, Call::of::<Report>(report));
        let counts = StressCounts::from_words(&counters);
        let state = State::from_words(&words);
        assert!(counts.served > u64::from(turns) / 125, "{name}: {counts:?}");
        assert_eq!(counts.served, counts.freed, "{name}: {counts:?}");
        assert!(memory.guards_intact(), "{name}");
        if !properties.may_overwrite {
            assert_eq!(counts.corrupt, 0, "{name}: {counts:?}");
            assert_eq!(state.faults, Faults::default(), "{name}");
        }
        if properties.frees && properties.walkable {
            assert_eq!(state.occupancy.used_bytes, 0, "{name}: {counts:?}");
        }
    }
}
