//! How allocators divide their pools, in numbers, and what a walk finds in pools that were
//! just made empty.

use std::ptr::null_mut;

use heapwood_device::allocator::{Heap, Observe, Occupancy, Request, SetupError};
use heapwood_device::bench::{ThreadsArguments, ThreadsMalloc};
use heapwood_device::heap::{Init, Nothing, Report, ReportArguments, STATE_WORDS, State};
use heapwood_device::host::{HostAllocator, allocator};
use heapwood_device::launch::Call;
use heapwood_device::simt::{SCRATCH_BYTES, Solo};

/// The heap of the allocator `name` in a pool that lies nowhere.
pub fn setup(name: &str, pool_bytes: u64, parameters: &[(&str, &str)]) -> Result<Heap, SetupError> {
    setup_at(null_mut(), name, pool_bytes, parameters)
}

fn setup_at(
    base: *mut u8,
    name: &str,
    pool_bytes: u64,
    parameters: &[(&str, &str)],
) -> Result<Heap, SetupError> {
    let request = Request {
        base,
        pool_bytes,
        processors: 3,
        parameters,
        observe: Observe::GUARDS,
    };
    (allocator(name).unwrap().setup)(&request)
}

/// The halves of a heap's words.
fn halves(heap: &Heap) -> [[u64; 2]; 7] {
    heap.integers.map(|word| [word & 0xffff_ffff, word >> 32])
}

/// Where the tables of a heap begin behind its blocks.
pub fn tables(heap: &Heap) -> [usize; 2] {
    [heap.pointers[1] as usize, heap.pointers[2] as usize]
}

#[test]
fn circular_pools_are_divided_into_regions_tickets_and_an_index() {
    // A unit of 32 bytes has a header of 8 and a bit of the index: 321 eighths of a byte.
    let needed = (1 + 33) * 32 + 512 + 128 * 321 / 8 + 3 * 64;
    let small = setup("cmalloc", needed - 1, &[]).unwrap_err();
    assert_eq!(small, SetupError::PoolTooSmall { needed });
    // One of 16 bytes has a header of 4, and three processors have tickets.
    let needed = (3 + 33) * 32 + 512 + 256 * 161 / 8 + 3 * 64;
    let small = setup("cfmmalloc", needed - 1, &[]).unwrap_err();
    assert_eq!(small, SetupError::PoolTooSmall { needed });

    let heap = setup("cmalloc", 1 << 20, &[]).unwrap();
    let table = (25_750_u64 * 32).next_multiple_of(256);
    let hints = table + 25_750 * 8;
    assert_eq!(tables(&heap), [table as usize, hints as usize]);
    let expected = [
        // Units and their regions. Half of the regions are for small requests.
        [25_750, 202],
        [100, 7],
        [128, 100],
        // The least chunk and the fragmentation.
        [1, 16],
        [1, 202],
        // Units of 32 bytes; a binary heap of 12 levels of 2,048 of them.
        [5 << 16 | 11 << 8, 12 * 2048],
        [7, (hints + (202 + 1 + 33) * 32).div_ceil(64)],
    ];
    assert_eq!(halves(&heap), expected);

    // A binary heap for each of three processors: 11 levels of 1,024 units.
    let heap = setup("cfmmalloc", 1 << 20, &[("split", "heap")]).unwrap();
    let table = (51_341_u64 * 16).next_multiple_of(256);
    let hints = table + 51_341 * 4;
    assert_eq!(tables(&heap), [table as usize, hints as usize]);
    let expected = [
        [51_341, 201],
        [201, 8],
        [256, 0],
        [1, 16],
        [3, 201],
        [4 << 16 | 10 << 8 | 2, 11 * 1024],
        [8, (hints + (201 + 3 + 33) * 32).div_ceil(64)],
    ];
    assert_eq!(halves(&heap), expected);

    // Of a large pool a span has 2^16 units, and a region is one of 16,384 parts or more.
    let heap = setup("cmalloc", 3 << 30, &[]).unwrap();
    let [[units, regions], [_, region_bits], .., [span_bits, _]] = halves(&heap);
    assert_eq!([units, regions], [80_246_520, 19_592]);
    assert_eq!([region_bits, span_bits], [12, 16]);

    // Regions have at most 512 KiB, 2^12 units of 128 bytes in 100 GiB.
    let heap = setup("cmalloc", 100 << 30, &[]).unwrap();
    let [[_, regions], [_, region_bits], .., [_, _]] = halves(&heap);
    assert_eq!([regions, region_bits], [192_553, 12]);
}

#[test]
fn pools_of_the_published_walk_are_divided_into_pieces_and_offsets() {
    let needed = 32 + 512 + 128 * 40;
    let small = setup("cmalloc_walk_paper", needed - 1, &[]).unwrap_err();
    assert_eq!(small, SetupError::PoolTooSmall { needed });
    let divided = |name, pool_bytes, split| {
        let heap = setup(name, pool_bytes, &[("split", split)]).unwrap();
        let [units, least, pieces, shape, largest, ..] = halves(&heap);
        assert_eq!(least, [1, 16]);
        (units, pieces, shape, largest)
    };
    let name = "cmalloc_walk_paper";
    // 102 pieces of 128 units are the first half; what is behind them is the largest.
    let tail = divided(name, 1 << 20, "tail");
    let behind = 26_200 - 102 * 128;
    let shape = [11 << 8, 12 * 2048];
    assert_eq!(tail, ([26_200, 1], [102, 7], shape, [behind, 0]));
    let uniform = divided(name, 1 << 20, "uniform");
    let shape = [11 << 8 | 1, 12 * 2048];
    assert_eq!(uniform, ([26_200, 1], [204, 7], shape, [128, 0]));
    let heap = divided(name, 1 << 20, "heap");
    let shape = [11 << 8 | 2, 12 * 2048];
    assert_eq!(heap, ([26_200, 1], [0, 7], shape, [2048, 0]));
    // Three binary heaps of 11 levels, and what they leave.
    let heap = divided("cfmmalloc_walk_paper", 1 << 20, "heap");
    let (behind, shape) = (52_398 - 3 * 11_264, [10 << 8 | 2, 11_264]);
    assert_eq!(heap, ([52_398, 3], [0, 8], shape, [behind, 0]));
    let (_, pieces, ..) = divided(name, 3 << 30, "tail");
    assert_eq!(pieces, [9830, 12]);
}

#[test]
fn pools_of_chunks_hold_as_many_as_fit_with_their_tables() {
    // Rows of 1,024 bytes for 13 heads, two bits a chunk, the queue of reused chunks, and
    // a word for the queue of each class.
    let tables_at = |chunks: u64| (chunks * (8192 + 128)).next_multiple_of(1024);
    let bytes = |chunks: u64| {
        let reuse = 13 * 1024 + 8 * chunks.div_ceil(32);
        let storage = (reuse + 4 * chunks.next_power_of_two()).next_multiple_of(128);
        tables_at(chunks) + storage + 10 * 4
    };
    for chunks in [1, 2, 31, 32, 33, 100, 512, 1000, 4096] {
        let heap = setup("ouroboros_c_vl", bytes(chunks), &[]).unwrap();
        assert_eq!(heap.integers[0], chunks);
        assert_eq!(heap.pointers[1] as u64, tables_at(chunks));
        let bits = u64::from(chunks.next_power_of_two().ilog2());
        assert_eq!(heap.integers[1], chunks | bits << 32 | 2 << 48);
        match setup("ouroboros_c_vl", bytes(chunks) - 1, &[]) {
            Ok(heap) => assert_eq!(heap.integers[0], chunks - 1),
            Err(error) => assert_eq!(
                (error, chunks),
                (SetupError::PoolTooSmall { needed: bytes(1) }, 1)
            ),
        }
    }
    // Pages of 16 bytes are counted in 31 bits, and some more may be asked for.
    let limit = bytes(((1 << 31) - (1 << 22)) >> 9);
    assert!(setup("ouroboros_c_vl", limit, &[]).is_ok());
    let unit = [("unit", "16")];
    let large = setup("ouroboros_c_vl", limit + 1, &unit).unwrap_err();
    assert_eq!(large, SetupError::PoolTooLarge { limit });
    let integers = |parameters| setup("ouroboros_c_vl", limit, parameters).unwrap().integers;
    assert_eq!(integers(&unit), integers(&[]));
}

/// Every allocator takes a pool of 100 GiB, with units as large as it needs there and no
/// larger, and grants nearly all of it but for its tables.
#[test]
fn units_grow_with_pools_that_have_too_many() {
    const GIB: u64 = 1 << 30;
    for (name, unit_of_100, tables) in [
        ("atomicmalloc", 32, 0),
        ("spread", 32, 0),
        ("awmalloc", 128, 0),
        ("cmalloc", 128, 8),
        ("cfmalloc", 128, 4),
        ("cmmalloc", 128, 8),
        ("cfmmalloc", 128, 4),
        ("ouroboros_p_s", 64, 2),
        ("ouroboros_p_va", 64, 2),
        ("ouroboros_p_vl", 64, 2),
        ("ouroboros_c_s", 64, 2),
        ("ouroboros_c_va", 64, 2),
        ("ouroboros_c_vl", 64, 2),
    ] {
        let heap = setup(name, 100 * GIB, &[]).expect(name);
        let unit = unit_of_100.to_string();
        let same = setup(name, 100 * GIB, &[("unit", &unit)]).expect(name);
        assert_eq!(same.integers, heap.integers, "{name}");
        let less = (unit_of_100 / 2).to_string();
        let refused = setup(name, 100 * GIB, &[("unit", &less)]);
        let Err(SetupError::PoolTooLarge { limit }) = refused else {
            panic!("{name}: {refused:?}");
        };
        assert!(
            limit < 100 * GIB && limit > 50 * GIB * 9 / 10,
            "{name}: {limit}"
        );
        let most = (allocator(name).expect(name).max_block)(&heap);
        assert!(most > (100 - tables) * GIB * 97 / 100, "{name}: {most}");
    }
    for (name, bad) in [
        ("atomicmalloc", "8"),
        ("spread", "8"),
        ("awmalloc", "24"),
        ("cmalloc", "16"),
        ("cfmalloc", "8192"),
        ("ouroboros_p_s", "x"),
        ("ouroboros_c_s", "0"),
    ] {
        let refused = setup(name, GIB, &[("unit", bad)]);
        assert!(
            matches!(refused, Err(SetupError::BadParameter { expected }) if expected.contains("unit=")),
            "{name}: {refused:?}"
        );
    }
}

/// Memory as a device gives it, which only kernels read.
#[derive(Clone)]
#[repr(align(256))]
#[expect(dead_code, reason = "only kernels read it")]
struct Line([u8; 256]);

/// Runs a kernel over a heap on one warp of one lane.
///
/// # Safety
///
/// The arguments are what the kernel asks for, and the heap is in memory.
unsafe fn launch(allocator: &HostAllocator, heap: Heap, call: Call) {
    // SAFETY: the caller's promise.
    unsafe { launch_warp(allocator, heap, call, 0, 1) };
}

/// Runs one warp of a kernel.
///
/// # Safety
///
/// As for [`launch`].
unsafe fn launch_warp(allocator: &HostAllocator, heap: Heap, call: Call, warp: u32, warps: u32) {
    #[repr(align(16))]
    struct Scratch([u8; SCRATCH_BYTES]);
    let mut scratch = Scratch([0; SCRATCH_BYTES]);
    // SAFETY: the scratch memory is this warp's; the rest is the caller's promise.
    unsafe {
        let warp = Solo::new(warp, warps, 0, scratch.0.as_mut_ptr());
        allocator.run(call.kernel(), warp, &heap, &call.args());
    }
}

/// The occupancy of a pool of 1 MiB after a request for a block of each of these sizes.
pub fn walk(name: &str, parameters: &[(&str, &str)], sizes: &[u64]) -> Occupancy {
    let mut memory = vec![Line([0; 256]); 4096];
    let heap = setup_at(memory.as_mut_ptr().cast(), name, 1 << 20, parameters).unwrap();
    let allocator = allocator(name).unwrap();
    let mut words = [0; STATE_WORDS];
    let report = ReportArguments {
        words: words.as_mut_ptr(),
    };
    // SAFETY: the words are there, and a handle for the one thread.
    unsafe {
        launch(allocator, heap, Call::of::<Init>(Nothing));
        for &bytes in sizes {
            let mut block = 0_u64;
            let arguments = ThreadsArguments {
                blocks: (&raw mut block).cast(),
                threads: 1,
                bytes,
            };
            launch(allocator, heap, Call::of::<ThreadsMalloc>(arguments));
        }
        launch(allocator, heap, Call::of::<Report>(report));
    }
    State::from_words(&words).occupancy
}

/// Free bytes, and those of the largest free block, of an empty pool.
fn free(name: &str, split: &str) -> [u64; 2] {
    let found = walk(name, &[("split", split)], &[]);
    assert_eq!(found.used_bytes, 0);
    [found.free_bytes, found.largest_free_bytes]
}

#[test]
fn an_empty_pool_has_the_chunks_of_its_split() {
    for (name, unit, units, nursery, heaps) in [
        ("cmalloc", 32, 25_750, 100 * 128, 12 * 2048),
        ("cmalloc_walk_paper", 32, 26_200, 102 * 128, 12 * 2048),
        ("cfmmalloc", 16, 51_341, 100 * 256, 3 * 11 * 1024),
        ("cfmmalloc_walk_paper", 16, 52_398, 102 * 256, 3 * 11 * 1024),
    ] {
        let bytes = units * unit;
        assert_eq!(free(name, "tail"), [bytes, (units - nursery) * unit]);
        assert_eq!(free(name, "uniform"), [bytes, 4096]);
        // The root of a binary heap, or what the heaps leave.
        let root = if unit == 32 { 2048 } else { 1024 };
        let largest = (units - heaps).max(root) * unit;
        assert_eq!(free(name, "heap"), [bytes, largest]);
    }
}

#[test]
fn pages_and_runs_of_chunks_are_the_least_that_hold_a_request() {
    let used = |name, bytes| walk(name, &[], &[bytes]).used_bytes;
    let served = [1, 16, 17, 4096, 4097, 8192, 8193, 100_000];
    let runs = [16, 16, 32, 4096, 8192, 8192, 16_384, 13 * 8192];
    assert_eq!(served.map(|bytes| used("ouroboros_c_vl", bytes)), runs);
    let pages = [16, 16, 32, 4096, 8192, 8192, 16_384, 131_072];
    let stacked = "ouroboros_p_s_large_paper";
    assert_eq!(served.map(|bytes| used(stacked, bytes)), pages);
    // Of 124 chunks, one becomes the queue of the class and one is divided into pages.
    let chunks = |count: u64| 8192 * count;
    let empty = walk("ouroboros_c_vl", &[], &[]);
    assert_eq!(empty.largest_free_bytes, chunks(124));
    assert_eq!(empty.free_bytes, chunks(124));
    let one = walk("ouroboros_c_vl", &[], &[16]);
    assert_eq!(one.largest_free_bytes, chunks(122));
    assert_eq!(one.free_bytes, chunks(123) - 16);
    assert_eq!(walk(stacked, &[], &[16]).free_bytes, chunks(108) - 16);
    let most = |name, chunks| {
        let heap = Heap {
            pointers: [null_mut(); 4],
            integers: [chunks, 0, 0, 0, 0, 0, 0],
        };
        (allocator(name).unwrap().max_block)(&heap)
    };
    let counts = [0, 1, 5, 1000];
    assert_eq!(
        counts.map(|count| most("ouroboros_c_vl", count)),
        counts.map(chunks)
    );
    assert_eq!(
        counts.map(|count| most(stacked, count)),
        [0, 1, 4, 512].map(chunks)
    );
}

/// The first pieces of the processors are a third of all pieces apart.
#[test]
fn offsets_of_the_published_walk_begin_far_apart() {
    let mut memory = vec![Line([0; 256]); 4096];
    let name = "cfmmalloc_walk_paper";
    let heap = setup_at(memory.as_mut_ptr().cast(), name, 1 << 20, &[]).unwrap();
    // SAFETY: the heap is in memory, and its third table has an offset every 32 bytes.
    let offsets = unsafe {
        launch(allocator(name).unwrap(), heap, Call::of::<Init>(Nothing));
        [0, 32, 64].map(|byte| heap.pointers[2].add(byte).cast::<u32>().read())
    };
    assert_eq!(offsets, [0, 34 * 256, 68 * 256]);
}

/// From 8,192 chunks on queues have a chunk from the start, which the warp that owns it and
/// the one that empties the pool both write to.
#[test]
fn the_order_of_warps_does_not_matter_to_an_empty_heap() {
    const LINES: usize = 68 << 12;
    let name = "ouroboros_c_vl";
    let empty = |warps: &[u32]| {
        let mut memory = vec![Line([0; 256]); LINES];
        let base = memory.as_mut_ptr().cast::<u8>();
        let heap = setup_at(base, name, 68 << 20, &[]).unwrap();
        assert!(heap.integers[0] >= 8192);
        for &warp in warps {
            let warps = warps.len() as u32;
            // SAFETY: the heap is in memory.
            unsafe {
                launch_warp(
                    allocator(name).unwrap(),
                    heap,
                    Call::of::<Init>(Nothing),
                    warp,
                    warps,
                )
            };
        }
        // SAFETY: all of the memory was written when it was made.
        unsafe { std::slice::from_raw_parts(base, LINES * 256) }.to_vec()
    };
    let alone = empty(&[0]);
    assert!(alone == empty(&[0, 1]));
    assert!(alone == empty(&[1, 0]));
}
