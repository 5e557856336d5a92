//! How XMalloc divides its pool into superblocks, in numbers.

use heapwood_device::allocator::SetupError;

use super::pools::{setup, tables};

const NAME: &str = "xmalloc";

#[test]
fn superblocks_fill_a_pool() {
    for shift in [10_u32, 12, 16, 26] {
        let bytes = 1_u64 << shift;
        let units = (bytes / 16).min(4096);
        let classes = 4 * (u64::from(units.ilog2()) - 2);
        // A line a class and one for the heap; slots of the bins, of the queue of unused
        // superblocks, and of those of home blocks; a word a superblock and the map, in rows
        // of 64 bytes; and a bit a unit.
        let needed = |superblocks: u64| {
            let slots = (superblocks << shift >> 15).max(1);
            let slots = 1 << slots.ilog2().clamp(4, 17);
            let queues = (classes + 1) * (128 + 8 * slots) + classes * 8 * slots.min(1024);
            let words = (4 * superblocks).next_multiple_of(64);
            let map = (4 * superblocks.div_ceil(32)).next_multiple_of(64);
            superblocks * bytes + queues + words + map + superblocks * units / 8
        };
        let parameters = [("superblock", &*bytes.to_string())];
        for superblocks in [1, 2, 16, 17, 511, 512, 513, 1024, 10_000] {
            let pool = needed(superblocks);
            let heap = setup(NAME, pool, &parameters).unwrap();
            assert_eq!(heap.integers[..2], [superblocks, u64::from(shift)]);
            assert_eq!(tables(&heap)[0] as u64, superblocks * bytes);
            match setup(NAME, pool - 1, &parameters) {
                Ok(heap) => assert_eq!(heap.integers[0], superblocks - 1),
                Err(error) => {
                    assert_eq!(
                        (error, superblocks),
                        (SetupError::PoolTooSmall { needed: pool }, 1)
                    );
                }
            }
        }
        // Units are numbered in 32 bits, and one number is null.
        let most = (1 << 32) / units - 1;
        let limit = needed(most + 1) - 1;
        let heap = setup(NAME, limit, &parameters).unwrap();
        assert_eq!(heap.integers[0], most);
        let large = setup(NAME, limit + 1, &parameters).unwrap_err();
        assert_eq!(large, SetupError::PoolTooLarge { limit });
    }
}

#[test]
fn superblocks_suit_the_pool() {
    // Of 4 KiB to 64 KiB, and larger ones in pools with more units than can be numbered.
    let pools = [1 << 16, 1 << 20, 1 << 22, 1 << 30, 100 << 30];
    let shifts = pools.map(|pool| setup(NAME, pool, &[]).unwrap().integers[1]);
    assert_eq!(shifts, [12, 12, 14, 16, 17]);
    for bad in ["512", "5000", "134217728", "x", ""] {
        let refused = setup(NAME, 1 << 30, &[("superblock", bad)]);
        assert!(
            matches!(refused, Err(SetupError::BadParameter { .. })),
            "{bad}"
        );
    }
}
