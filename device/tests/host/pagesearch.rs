//! How random page search divides its pool into pages and runs, in numbers.

use heapwood_device::allocator::SetupError;

use super::pools::{setup, walk};

const NAME: &str = "pagesearch";

/// The pages of the first tier of a pool, and the logarithm of their bytes.
fn pages(pool_bytes: u64, parameters: &[(&str, &str)]) -> [u64; 2] {
    let layout = setup(NAME, pool_bytes, parameters)
        .expect("a pool")
        .integers[0];
    [layout & 0xffff_ffff, layout >> 32]
}

#[test]
fn pages_and_runs_share_a_pool() {
    // A page of 64 bytes, a row of the map, a word in a line of its own, and a length.
    let large = 64 + 64 + 64 + 4;
    // Sixteen pages of 64 bytes, and in each of three tiers a row of bits and one of the summary.
    let needed = (1024 + 3 * 128_u64).next_multiple_of(256) + large;
    let small = setup(NAME, needed - 1, &[]).unwrap_err();
    assert_eq!(small, SetupError::PoolTooSmall { needed });
    for share in ["1", "50", "99"] {
        assert_eq!(pages(needed, &[("share", share)]), [16, 6]);
    }
    // Three fifths of the pool unless another part is asked for.
    assert_eq!(pages(1 << 30, &[])[1], 6);
    let bytes = |share: &str| pages(1 << 30, &[("share", share)])[0] << 6;
    for (share, percent) in [("60", 60), ("20", 20), ("90", 90)] {
        let tiers = (1_u64 << 30) / 100 * percent;
        let left = tiers - bytes(share);
        assert!(left * 1000 < 3 * tiers, "{left} of {tiers} bytes");
    }
    // So many pages as 30 bits number, and larger ones.
    assert_eq!(pages(106 << 30, &[])[1], 6);
    assert_eq!(pages(107 << 30, &[])[1], 7);
    assert_eq!(pages(1 << 40, &[("page", "16")]), [(1 << 30) - 16, 4]);
    for bad in [
        ("page", "8"),
        ("page", "96"),
        ("page", "8192"),
        ("share", "0"),
        ("share", "100"),
        ("share", "x"),
    ] {
        let refused = setup(NAME, 1 << 30, &[bad]);
        assert!(
            matches!(refused, Err(SetupError::BadParameter { .. })),
            "{bad:?}"
        );
    }
}

#[test]
fn a_block_has_one_to_three_pages_of_a_tier() {
    let found = |sizes: &[u64]| walk(NAME, &[], sizes);
    assert_eq!(found(&[]).used_bytes, 0);
    let served = [1, 64, 65, 192, 193, 256, 257, 768, 769, 1025, 3072];
    let granted = [64, 64, 128, 192, 256, 256, 512, 768, 1024, 2048, 3072];
    assert_eq!(served.map(|bytes| found(&[bytes]).used_bytes), granted);
}
