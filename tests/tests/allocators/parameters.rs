//! Every parameter of every allocator, set to any value that a user may write. The heap serves
//! requests inside its pool, or an error of one line names the valid values.

use std::collections::BTreeSet;

use heapwood::allocators::{Spec, all};
use heapwood_device::allocator::{Heap, SetupError};
use heapwood_device::bench::{
    Fill, ThreadsArguments, ThreadsFree, ThreadsMalloc, Verify, VerifyArguments,
};
use heapwood_device::heap::{Init, Nothing, Report, ReportArguments, STATE_WORDS, State};
use heapwood_device::launch::Call;
use heapwood_device::simt::{SCRATCH_BYTES, Solo};
use heapwood_tests::buffer::Buffer;

/// Multiprocessors of the machine that the heaps are for.
const PROCESSORS: u32 = 7;
/// Blocks that a heap is asked for.
const THREADS: u32 = 5;
/// Bytes before and behind a pool that no allocator may write.
const GUARD: usize = 1 << 16;
/// The byte that fills them.
const FRESH: u8 = 0xa5;

/// Pools: less than any allocator needs, odd ones, whole ones.
const POOLS: [u64; 5] = [1000, 12_345, 1 << 16, 1_000_003, 3 << 20];

/// Values for parameters: powers of two and their neighbours, the limits of machine words, and
/// invalid numbers.
fn values() -> Vec<String> {
    let powers = (0..64).map(|bits| 1_u64 << bits);
    let numbers: BTreeSet<u64> = powers
        .flat_map(|power| [power - 1, power, power + 1, 3 * (power / 2)])
        .chain([10, 100, 1000, 1_000_000, u64::MAX - 1, u64::MAX])
        .collect();
    let words = [
        "",
        " ",
        "-1",
        "-0",
        "+16",
        "0x10",
        "16 ",
        "1e3",
        "1e308",
        "1e-300",
        "-1e9",
        "NaN",
        "nan",
        "inf",
        "-inf",
        "0.0",
        "0.999",
        "1.0",
        "1.0625",
        "15.99",
        "16.0",
        "16.01",
        "tail",
        "heap",
        "uniform",
        "Tail",
        "true",
        "18446744073709551616",
        "340282366920938463463374607431768211456",
        "garbage",
        "\u{0}",
        "16\n",
        "\u{ff11}",
    ];
    let numbers = numbers.iter().map(u64::to_string);
    numbers.chain(words.map(str::to_owned)).collect()
}

/// A pool with guards.
struct Memory {
    buffer: Buffer,
    pool_bytes: u64,
}

impl Memory {
    fn new(pool_bytes: u64) -> Self {
        let buffer = Buffer::new(pool_bytes as usize + 2 * GUARD);
        // SAFETY: the buffer has that many bytes, and no other thread uses it.
        unsafe {
            let bytes = pool_bytes as usize + 2 * GUARD;
            buffer.address().write_bytes(FRESH, bytes);
        }
        Self { buffer, pool_bytes }
    }

    fn base(&self) -> *mut u8 {
        self.buffer.address().wrapping_add(GUARD)
    }

    fn guards_intact(&self) -> bool {
        let behind = GUARD + self.pool_bytes as usize;
        let guards = [0, behind].map(|offset| self.buffer.read::<u8>(offset, GUARD));
        guards.iter().flatten().all(|&byte| byte == FRESH)
    }
}

/// Runs a kernel over a heap on one warp of one lane.
fn launch(spec: &Spec, heap: Heap, call: Call) {
    #[repr(align(16))]
    struct Scratch([u8; SCRATCH_BYTES]);
    let mut scratch = Scratch([0; SCRATCH_BYTES]);
    // SAFETY: the scratch memory is this warp's, and the callers pass arguments
    // that the kernel asks for.
    unsafe {
        let warp = Solo::new(0, 1, 0, scratch.0.as_mut_ptr());
        spec.allocator.run(call.kernel(), warp, &heap, &call.args());
    }
}

/// Blocks of `bytes` are allocated, written, read and freed by `threads`.
fn serve(spec: &Spec, memory: &Memory, heap: Heap, bytes: u64, threads: u32) {
    let what = format!("{spec} in {} bytes: {bytes} bytes", memory.pool_bytes);
    let mut blocks = vec![u64::MAX; threads as usize];
    let mut counters = [0_u32; 2];
    let mut words = [0; STATE_WORDS];
    launch(spec, heap, Call::of::<Init>(Nothing));
    let threads_arguments = ThreadsArguments {
        blocks: blocks.as_mut_ptr().cast(),
        threads,
        bytes,
    };
    launch(spec, heap, Call::of::<ThreadsMalloc>(threads_arguments));
    let verify = VerifyArguments {
        blocks: blocks.as_mut_ptr().cast(),
        counters: counters.as_mut_ptr(),
        threads,
        bytes,
    };
    launch(spec, heap, Call::of::<Fill>(verify));
    launch(spec, heap, Call::of::<Verify>(verify));
    assert!(counters[0] < threads, "{what}: nothing served");
    assert_eq!(counters[1], 0, "{what}: blocks lost their contents");
    launch(spec, heap, Call::of::<ThreadsFree>(threads_arguments));
    let report = ReportArguments {
        words: words.as_mut_ptr(),
    };
    launch(spec, heap, Call::of::<Report>(report));
    let state = State::from_words(&words);
    assert_eq!(state.faults, Default::default(), "{what}");
    if spec.allocator.properties.walkable && spec.allocator.properties.frees {
        assert_eq!(state.occupancy.used_bytes, 0, "{what}");
        let free = state.occupancy.free_bytes;
        assert!(free > 0 && free <= memory.pool_bytes, "{what}: {state:?}");
    }
    assert!(memory.guards_intact(), "{what}: wrote outside the pool");
}

/// Threads whose blocks fit into a pool of `largest` bytes, if one that is used up is
/// overwritten from the start.
fn threads_of(spec: &Spec, largest: u64) -> u32 {
    if !spec.allocator.properties.may_overwrite {
        return THREADS;
    }
    let parameters = spec.parameters();
    let unit = parameters.get("unit");
    // The default is a phrase; in small pools it is 16.
    let unit = unit.and_then(|unit| unit.parse().ok()).unwrap_or(16_u64);
    THREADS.min((largest / unit) as u32)
}

/// Sets a heap up and uses it, if there is one and none with the same layout was
/// used before.
fn attempt(spec: &Spec, memory: &Memory, known: &mut BTreeSet<[u64; 7]>) {
    let what = format!("{spec} in {} bytes", memory.pool_bytes);
    match spec.setup(memory.base(), memory.pool_bytes, PROCESSORS) {
        Ok(heap) => {
            if known.insert(heap.integers) {
                let largest = (spec.allocator.max_block)(&heap);
                assert!(largest <= memory.pool_bytes, "{what}: {largest}");
                serve(spec, memory, heap, 16, threads_of(spec, largest));
                serve(spec, memory, heap, largest, 1);
            }
        }
        Err(SetupError::PoolTooSmall { needed }) => {
            assert!(needed > memory.pool_bytes, "{what}: {needed} needed");
            // That much suffices, which tables alone may be too large to try.
            let enough = spec.setup(std::ptr::null_mut(), needed, PROCESSORS);
            assert!(enough.is_ok(), "{what}: {needed} bytes: {enough:?}");
        }
        Err(SetupError::PoolTooLarge { limit }) => {
            assert!(limit < memory.pool_bytes, "{what}: {limit} at most");
            let most = spec.setup(std::ptr::null_mut(), limit, PROCESSORS);
            assert!(most.is_ok(), "{what}: {limit} bytes: {most:?}");
        }
        Err(SetupError::BadParameter { expected }) => {
            panic!("{what}: takes {expected}, which was no objection before")
        }
    }
}

#[test]
fn every_value_serves_or_is_refused_in_a_line() {
    let values = values();
    for pool_bytes in POOLS {
        let memory = Memory::new(pool_bytes);
        for allocator in all() {
            let name = allocator.description.name;
            let mut known = BTreeSet::new();
            let plain = Spec::parse(name).expect("its own name");
            attempt(&plain, &memory, &mut known);
            for parameter in allocator.description.parameters {
                for value in &values {
                    let text = format!("{name}:{}={value}", parameter.name);
                    match Spec::parse(&text) {
                        Ok(spec) => attempt(&spec, &memory, &mut known),
                        Err(error) => {
                            let message = error.to_string();
                            assert!(message.contains(parameter.name), "{text}: {message}");
                            assert_eq!(message.lines().count(), 1, "{text}: {message}");
                        }
                    }
                }
            }
        }
    }
}

/// Two parameters at a time, each of them possibly at a limit.
#[test]
fn parameters_together_serve_or_are_refused() {
    let memory = Memory::new(1 << 16);
    let limits = [
        "1",
        "16",
        "32",
        "64",
        "4096",
        "65536",
        "1048576",
        "8589934592",
        "17179869152",
    ];
    for name in ["cmalloc", "cfmmalloc"] {
        let mut known = BTreeSet::new();
        let mut served = 0;
        for split in ["tail", "uniform", "heap"] {
            for region in limits {
                for chunk in limits {
                    let text = format!("{name}:split={split},region={region},chunk={chunk}");
                    if let Ok(spec) = Spec::parse(&text) {
                        attempt(&spec, &memory, &mut known);
                        served += 1;
                    }
                }
            }
        }
        assert!(served > 100, "{name}: {served} were allowed");
    }
}

/// Parsing refuses a flag with a value, and one that occurs twice.
#[test]
fn coalesce_takes_no_value_and_stands_once() {
    for text in [
        "cfmalloc:coalesce=1",
        "cfmalloc:coalesce=false",
        "awmalloc:coalesce=x",
    ] {
        let message = Spec::parse(text).map(|spec| spec.to_string());
        assert!(message.is_err(), "{text}: {message:?}");
    }
    let message = Spec::parse("cfmalloc:coalesce,coalesce").map(|spec| spec.to_string());
    assert!(message.is_err_and(|error| error.to_string().contains("twice")));
}
