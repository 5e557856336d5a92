//! How random page search divides its pool into pages, in numbers.

use heapwood_device::allocator::SetupError;
use heapwood_device::host::allocator;

use super::pools::{setup, walk};

const NAME: &str = "pagesearch";

/// The pages of the first tier of a pool, the logarithm of their bytes, and the number of tiers.
fn plan(pool_bytes: u64, parameters: &[(&str, &str)]) -> [u64; 3] {
    let layout = setup(NAME, pool_bytes, parameters)
        .expect("a pool")
        .integers[0];
    [layout & 0xffff_ffff, layout >> 32 & 0xff, layout >> 40]
}

#[test]
fn pages_fill_a_pool() {
    // 256 pages of 16 bytes, and 22 rows for the tables of five tiers.
    let needed = 4096 + 22 * 64;
    let small = setup(NAME, needed - 1, &[]).unwrap_err();
    assert_eq!(small, SetupError::PoolTooSmall { needed });
    assert_eq!(plan(needed, &[]), [256, 4, 5]);
    for pool in [100_000, 1 << 20, 123_456_789, 1 << 30, 80 << 30] {
        let [pages, shift, _] = plan(pool, &[]);
        let left = pool - (pages << shift);
        // Tables of 44 bits for 32 pages, some rows more of each tier, and part of a page of the fifth tier.
        let tables = (pages * 44).div_ceil(32 * 8) + 16 * 256;
        assert!(left <= tables + (256 << shift), "{left} of {pool} bytes");
    }
    // So many pages as 30 bits number, and larger ones.
    assert_eq!(plan(15 << 30, &[])[1], 4);
    assert_eq!(plan(17 << 30, &[])[1], 5);
    assert_eq!(plan(1 << 40, &[("page", "16")]), [(1 << 30) - 256, 4, 14]);
    for bad in [
        ("page", "8"),
        ("page", "96"),
        ("page", "8192"),
        ("share", "75"),
    ] {
        let refused = setup(NAME, 1 << 30, &[bad]);
        assert!(
            matches!(refused, Err(SetupError::BadParameter { .. })),
            "{bad:?}"
        );
    }
}

#[test]
fn the_last_tier_has_eight_pages_or_more() {
    for (pool, tiers) in [(130_000, 5), (140_000, 6), (550_000, 7), (2 << 30, 12)] {
        let [pages, shift, found] = plan(pool, &[]);
        assert_eq!(found, tiers, "{pool} bytes");
        let last = pages >> (2 * (tiers - 1));
        assert!(tiers == 5 || (8..32).contains(&last), "{last} pages");
        let heap = setup(NAME, pool, &[]).expect("a pool");
        let largest = (allocator(NAME).expect("its name").max_block)(&heap);
        assert_eq!(largest, 3 << (shift + 2 * (tiers - 1)));
    }
}

#[test]
fn a_block_has_one_to_three_pages_of_a_tier() {
    let found = |sizes: &[u64]| walk(NAME, &[], sizes);
    assert_eq!(found(&[]).used_bytes, 0);
    let served = [
        1, 16, 17, 48, 49, 65, 192, 193, 768, 769, 3073, 12_289, 49_152,
    ];
    let granted = [
        16, 16, 32, 48, 64, 128, 192, 256, 768, 1024, 4096, 16_384, 49_152,
    ];
    assert_eq!(served.map(|bytes| found(&[bytes]).used_bytes), granted);
}
