//! How Gallatin divides its pool into segments, and segments into slices, in numbers.

use heapwood_device::allocator::SetupError;

use super::pools::{setup, tables, walk};

const NAME: &str = "gallatin";

#[test]
fn segments_and_their_records_fill_a_pool() {
    // Segments of 16 KiB, with a record of 1,024 bits and 32 blocks each. Five sliced classes have
    // four buffers each, for three processors; a count follows, and seven trees of a word.
    let fixed = (5 * 4 * 8 + 64 + 7 * 8_u64).next_multiple_of(64);
    let each = 16_384 + (128 + 16 + 12 * 32_u64).next_multiple_of(64);
    for segments in [10, 61, 64] {
        let pool = fixed + segments * each;
        let parameters = [("segment", "16384")];
        let heap = setup(NAME, pool, &parameters).unwrap();
        assert_eq!(heap.integers[0] as u32, segments as u32);
        assert_eq!(tables(&heap)[0] as u64, segments << 14);
        assert_eq!(tables(&heap)[1] as u64, (segments << 14) + fixed);
        let less = setup(NAME, pool - 1, &parameters).unwrap();
        assert_eq!(less.integers[0] as u32, segments as u32 - 1);
    }
    // A 64th of the pool, within limits.
    for (pool, segment_bytes) in [
        (1_u64 << 16, 1_u64 << 12),
        (1 << 20, 1 << 14),
        (64 << 20, 1 << 20),
        (8 << 30, 1 << 24),
        (100 << 30, 1 << 24),
    ] {
        let heap = setup(NAME, pool, &[]).unwrap();
        let segments = u64::from(heap.integers[0] as u32);
        assert_eq!(tables(&heap)[0] as u64, segments * segment_bytes, "{pool}");
        let most = pool / segment_bytes;
        assert!(segments <= most && segments * 100 >= most * 92, "{pool}");
        let unit_shift = heap.integers[0] >> 40 & 0xff;
        assert_eq!(unit_shift, if pool == 100 << 30 { 5 } else { 4 });
    }
    // Trees of three levels have 2^18 segments.
    let Err(SetupError::PoolTooLarge { limit }) = setup(NAME, 1 << 60, &[]) else {
        panic!("2^60 bytes are not refused");
    };
    assert!((1 << 42..(1 << 42) + (1 << 38)).contains(&limit), "{limit}");
    for bad in ["512", "5000", "536870912", "x", ""] {
        let refused = setup(NAME, 1 << 30, &[("segment", bad)]);
        assert!(
            matches!(refused, Err(SetupError::BadParameter { .. })),
            "{bad}"
        );
    }
}

#[test]
fn blocks_are_divided_and_runs_lie_side_by_side() {
    let found = |sizes: &[u64]| walk(NAME, &[], sizes);
    let all = 61 * 16_384;
    assert_eq!(found(&[]).free_bytes, all);
    assert_eq!(found(&[]).largest_free_bytes, all);
    let served = [1, 16, 17, 129, 256, 257, 513, 8192, 8193, 20_000];
    let slices = [16, 16, 32, 256, 256, 512, 1024, 8192, 16_384, 32_768];
    assert_eq!(served.map(|bytes| found(&[bytes]).used_bytes), slices);
    // A block is of the class, and the other segments are one run, behind it or in front.
    let one = found(&[100]);
    assert_eq!(one.free_bytes, all - 128);
    assert_eq!(one.largest_free_bytes, 60 * 16_384);
    assert_eq!(found(&[20_000]).largest_free_bytes, 59 * 16_384);
    // As many as a block has share it, and as many runs of blocks as a segment has share that.
    assert_eq!(found(&[100; 4]).free_bytes, all - 512);
    assert_eq!(found(&[640; 16]).largest_free_bytes, 60 * 16_384);
    assert_eq!(found(&[640; 17]).largest_free_bytes, 59 * 16_384);
    // A block leaves half a segment for a run of blocks, and no more.
    let rest = found(&[&[16_384; 60][..], &[1, 8192]].concat());
    assert_eq!(rest.free_bytes, 16_384 - 8192 - 16);
    assert_eq!(rest.largest_free_bytes, 4096);
}
