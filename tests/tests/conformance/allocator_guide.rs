//! The worked example of docs/adding-an-allocator.md: its code compiles, keeps
//! the contract of allocators, and is what the page shows.

#[path = "../../../docs/examples/bitmap.rs"]
mod bitmap;

use std::fs;
use std::path::Path;

use bitmap::BitmapMalloc;
use heapwood_device::allocator::{Allocator, Observe, Request, SetupError};
use heapwood_tests::conformance;
use heapwood_tests::conformance::{Case, case, plain};

const POOLS: &[Case] = &[
    case(1 << 18, &[]),
    case(1 << 20, &[]),
    case(1 << 20, &[("block", "4096")]),
    case(1_000_003, &[("block", "2064")]),
];

conformance!(bitmap_malloc: BitmapMalloc, plain(), POOLS, POOLS);

fn setup(pool_bytes: u64, parameters: &[(&str, &str)]) -> Result<u64, SetupError> {
    let request = Request {
        base: std::ptr::null_mut(),
        pool_bytes,
        processors: 1,
        parameters,
        observe: Observe::GUARDS,
    };
    BitmapMalloc::setup(&request).map(|heap| BitmapMalloc::max_block(&heap))
}

#[test]
fn parameters_are_read_and_checked() {
    assert_eq!(setup(1 << 20, &[]), Ok(1024));
    assert_eq!(setup(1 << 20, &[("block", "64")]), Ok(64));
    for wrong in [
        ("block", "0"),
        ("block", "17"),
        ("block", "9223372036854775808"),
        ("block", "18446744073709551600"),
        ("block", "x"),
        ("page", "16"),
    ] {
        let result = setup(1 << 20, &[wrong]);
        assert!(
            matches!(result, Err(SetupError::BadParameter { .. })),
            "{wrong:?}"
        );
    }
    let most = 1_u64 << 48;
    let needed = 32 * most + 4;
    assert_eq!(
        setup(1 << 20, &[("block", &most.to_string())]),
        Err(SetupError::PoolTooSmall { needed })
    );
    let needed = 32 * 1024 + 4;
    assert_eq!(
        setup(needed - 1, &[]),
        Err(SetupError::PoolTooSmall { needed })
    );
    assert_eq!(setup(needed, &[]), Ok(1024));
}

#[test]
fn the_page_shows_the_code_that_is_tested() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let page = fs::read_to_string(docs.join("adding-an-allocator.md")).expect("the page");
    let code = fs::read_to_string(docs.join("examples/bitmap.rs")).expect("the example");
    let shown: Vec<&str> = page
        .split("\n```rust\n")
        .skip(1)
        .map(|block| block.split("\n```").next().unwrap_or(""))
        .collect();
    assert!(shown.len() > 3, "{} blocks", shown.len());
    // Blank lines part the pieces.
    let without_blanks = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(str::to_owned).collect()
    };
    assert_eq!(without_blanks(&shown.join("\n")), without_blanks(&code));
}
