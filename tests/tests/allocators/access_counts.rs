//! How many atomic operations the calls of each allocator make, one lane alone, and
//! that docs/allocators.md says the same.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use heapwood::allocators::{all, short_form};
use heapwood_device::allocator::{Allocator, Handle};
use heapwood_device::allocators::{
    AtomicMalloc, AwMalloc, BuddyAlloc, CMalloc, CfMalloc, CfmMalloc, CmMalloc, Collaborative,
    CudaMalloc, FdgMalloc, FlatterScatter, Gallatin, Halloc, LlvmLibc, OuroborosCS, OuroborosCVa,
    OuroborosCVl, OuroborosPS, OuroborosPVa, OuroborosPVl, PageRuns, PageSearch, ScatterAlloc,
    SpreadMalloc, XMalloc,
};
use heapwood_device::description::Described;
use heapwood_tests::conformance::{Bench, Machine, OsThreads, case, plain};

/// The most that a warm `malloc` or `free` of a small block takes.
const MAX_ACCESSES: u64 = 20;
/// Small and large requests, in bytes.
const SMALL: u64 = 64;
const LARGE: u64 = 1 << 20;

/// Atomic operations of a `malloc` and of the `free` of its block; whether there is one.
fn request<H: Handle>(bench: &Bench<OsThreads, H>, bytes: u64) -> ([u64; 2], bool) {
    let block = Mutex::new(H::NULL.to_bits());
    let malloc = bench.machine.count_atomics(&|warp| {
        let handle = bench.pool.allocator().malloc(warp, bytes);
        *block.lock().expect("one thread") = handle.to_bits();
    });
    let bits = *block.lock().expect("one thread");
    let free = bench.machine.count_atomics(&|warp| {
        let handle = H::from_bits(bits);
        // SAFETY: the block was just allocated, or is null.
        unsafe { bench.pool.allocator().free(warp, handle) };
    });
    ([malloc, free], bits != H::NULL.to_bits())
}

/// The same of a request that is served.
fn pair<H: Handle>(bench: &Bench<OsThreads, H>, bytes: u64) -> [u64; 2] {
    let (counts, is_served) = request(bench, bytes);
    assert!(is_served, "{bytes} bytes");
    counts
}

/// Those of a `malloc` that a full heap refuses: filled by another thread, and where that
/// leaves something to this one, by this one.
fn refusal<H: Handle>(bench: &Bench<OsThreads, H>) -> u64 {
    bench.alone(|warp| while !bench.pool.allocator().malloc(warp, SMALL).is_null() {});
    loop {
        let ([malloc, _], is_served) = request(bench, SMALL);
        if !is_served {
            return malloc;
        }
        assert!(!bench.properties.frees, "a full heap serves what was freed");
    }
}

/// The name of an allocator, and the two lines of the page about its costs.
fn costs<A: Allocator + Described>() -> (&'static str, String) {
    let traits = plain();
    let bench = Bench::new::<A>(case(64 << 20, &[]), &OsThreads, &traits);
    let cold = pair(&bench, SMALL);
    for _ in 0..600 {
        pair(&bench, SMALL);
    }
    let warm = pair(&bench, SMALL);
    assert!(
        warm[0] <= MAX_ACCESSES && warm[1] <= MAX_ACCESSES,
        "{warm:?}"
    );
    let large = pair(&bench, LARGE);
    let mut refused = "never refused".to_owned();
    if !A::MAY_OVERWRITE {
        refused = format!("{} refused", refusal(&bench));
    }
    let [malloc, free] = [0, 1].map(|index| {
        let [warm, cold, large] = [warm, cold, large].map(|counts| counts[index]);
        format!("{warm} accesses warm, {cold} cold, {large} for 1 MiB")
    });
    let costs = format!("malloc: {malloc}, {refused}\nfree:   {free}\n");
    (A::DESCRIPTION.name, costs)
}

#[test]
fn the_page_says_what_calls_cost() {
    let counted = [
        costs::<AtomicMalloc>(),
        costs::<SpreadMalloc>(),
        costs::<AwMalloc>(),
        costs::<CMalloc>(),
        costs::<CfMalloc>(),
        costs::<CmMalloc>(),
        costs::<CfmMalloc>(),
        costs::<OuroborosPS>(),
        costs::<OuroborosPVa>(),
        costs::<OuroborosPVl>(),
        costs::<OuroborosCS>(),
        costs::<OuroborosCVa>(),
        costs::<OuroborosCVl>(),
        costs::<ScatterAlloc>(),
        costs::<FlatterScatter>(),
        costs::<CudaMalloc>(),
        costs::<FdgMalloc>(),
        costs::<Gallatin>(),
        costs::<XMalloc>(),
        costs::<BuddyAlloc>(),
        costs::<Halloc<PageRuns>>(),
        costs::<LlvmLibc>(),
        costs::<PageSearch<Collaborative>>(),
    ];
    let names: Vec<_> = counted.iter().map(|(name, _)| *name).collect();
    let expected: Vec<_> = all().map(|allocator| allocator.description.name).collect();
    assert_eq!(names, expected, "the calls of every allocator are counted");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/allocators.md");
    let page = fs::read_to_string(page).expect("the page");
    let wrong: Vec<_> = counted
        .iter()
        .filter(|(name, costs)| {
            let section = page.split_once(&format!("\n## {name}\n"));
            let section = section.and_then(|(_, behind)| behind.split("\n## ").next());
            // The program prints the same.
            let printed = short_form(name).unwrap_or_default();
            !printed.contains(costs) || !section.is_some_and(|text| text.contains(costs))
        })
        .map(|(name, costs)| format!("{name}\n{costs}"))
        .collect();
    assert!(
        wrong.is_empty(),
        "docs/allocators.md needs, in the section `## NAME` before its first `###`, these lines:\n{}",
        wrong.join("\n")
    );
}
