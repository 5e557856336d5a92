//! How Halloc divides its pool into slabs and pages, and slabs into chunks, in numbers.

use heapwood_device::allocator::SetupError;

use super::pools::{setup, walk};

const NAME: &str = "halloc";

/// The number of slabs of a pool, and the logarithms of their bytes, of a unit's, and of the heads
/// of a class.
fn slabs(pool_bytes: u64, parameters: &[(&str, &str)]) -> [u64; 4] {
    let layout = setup(NAME, pool_bytes, parameters)
        .expect("a pool")
        .integers[0];
    let byte = |index: u32| layout >> (32 + 8 * index) & 0xff;
    [layout & 0xffff_ffff, byte(0), byte(1), byte(2)]
}

#[test]
fn slabs_and_large_blocks_share_a_pool() {
    // A page of 64 bytes, a row of the map, a word in a line of its own, and a length.
    let large = 64 + 64 + 64 + 4;
    // A slab of 8 KiB and its bits, 16 heads, a word in a line of its own, and a row of each of
    // 46 sets.
    let needed = 8192 + 64 + 16 * 32 + 64 + 46 * 64 + large;
    let small = setup(NAME, needed - 1, &[]).unwrap_err();
    assert_eq!(small, SetupError::PoolTooSmall { needed });
    assert_eq!(slabs(needed, &[]), [1, 13, 4, 0]);
    for share in ["1", "50", "99"] {
        assert_eq!(slabs(needed, &[("share", share)]), [1, 13, 4, 0]);
    }
    // Three fifths of the pool unless another part is asked for, and with 256 slabs or more of 4 MiB some heads for each class.
    assert_eq!(slabs(2 << 30, &[]), [304, 22, 4, 2]);
    let most = &[("share", "75")];
    assert_eq!(slabs(2 << 30, most), [381, 22, 4, 2]);
    assert_eq!(slabs(8 << 30, most), [1524, 22, 4, 3]);
    assert_eq!(slabs(2 << 30, &[("share", "50")]), [254, 22, 4, 1]);
    assert_eq!(slabs(2 << 30, &[("slab", "1048576")])[1], 20);
    // So many slabs of 16 bytes a unit as 31 bits number, and larger units.
    assert_eq!(slabs(42 << 30, most)[2], 4);
    assert_eq!(slabs(43 << 30, most)[2], 5);
    assert_eq!(slabs(100 << 30, most)[2], 6);
    let limit = 1 << 40;
    let large = setup(NAME, limit + 1, &[]).unwrap_err();
    assert_eq!(large, SetupError::PoolTooLarge { limit });
    let limit = 8192 << 18;
    let large = setup(NAME, limit + 1, &[("slab", "8192")]).unwrap_err();
    assert_eq!(large, SetupError::PoolTooLarge { limit });
    for bad in [
        ("slab", "4096"),
        ("slab", "12288"),
        ("slab", "33554432"),
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
fn a_slab_is_divided_into_chunks_of_a_class() {
    let found = |sizes: &[u64]| walk(NAME, &[("slab", "65536")], sizes);
    let empty = found(&[]);
    assert_eq!(empty.used_bytes, 0);
    let served = [1, 16, 17, 33, 49, 65, 100, 129, 200, 2049, 3072, 3073];
    let granted = [16, 16, 32, 48, 64, 96, 128, 192, 256, 3072, 3072, 3136];
    assert_eq!(served.map(|bytes| found(&[bytes]).used_bytes), granted);
    // 1365 chunks of 48 bytes leave 16. With 1138 of them the slab is replaced as the head of its
    // class.
    let left = |count: usize| found(&vec![48; count]).free_bytes;
    assert_eq!(left(1), empty.free_bytes - 48 - 16);
    assert_eq!(left(1138), empty.free_bytes - 1138 * 48 - 16);
    assert_eq!(left(1139), empty.free_bytes - 1139 * 48 - 32);
}

/// The number of pages for large blocks, and the logarithm of their bytes.
fn pages(pool_bytes: u64, parameters: &[(&str, &str)]) -> [u64; 2] {
    let layout = setup(NAME, pool_bytes, parameters)
        .expect("a pool")
        .integers[1];
    [layout & 0xffff_ffff, layout >> 32]
}

#[test]
fn large_blocks_are_runs_of_pages() {
    // A quarter here, of pages with a length and a bit each.
    let quarter = &[("share", "75")];
    assert_eq!(pages(1 << 20, quarter), [3846, 6]);
    assert_eq!(pages(2 << 30, quarter), [130_940, 12]);
    assert_eq!(pages(100 << 30, quarter)[1], 15);
    assert!(pages(1 << 40, &[("share", "1")])[0] <= 1 << 20);

    let found = |sizes: &[u64]| walk(NAME, &[("slab", "65536"), ("share", "75")], sizes);
    let all = 3846 * 64;
    assert_eq!(found(&[]).largest_free_bytes, all);
    assert_eq!(found(&[all]).used_bytes, all);
    assert_eq!(found(&[all]).largest_free_bytes, 3072);
    assert_eq!(found(&[all + 1]).used_bytes, 0);
    // Each begins where the one before it ends.
    let two = found(&[100_000, 100_000]);
    assert_eq!(two.used_bytes, 2 * 100_032);
    assert_eq!(two.largest_free_bytes, all - 2 * 100_032);
    // The third goes around to the first page, and is refused where the others are.
    assert_eq!(found(&[100_000; 3]).used_bytes, 2 * 100_032);
    assert_eq!(found(&[all - 64, 3073]).used_bytes, all - 64);
}
