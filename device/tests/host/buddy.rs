//! How the 3L allocator divides its pool into units, and those into roots, in numbers.

use heapwood_device::allocator::SetupError;
use heapwood_device::host::allocator;

use super::pools::{setup, tables, walk};

const NAME: &str = "buddy";

/// Bytes of the blocks, and of the pool with its tables: counts and tickets of 32 levels, words
/// of all groups and one more a level, a slot for each group, in powers of two or four, and rows
/// of 16 names, one for 32 slots but from one to 256 a level, rounded up to one more a level.
fn bytes(units: u64, unit: u64) -> (u64, u64) {
    let blocks = (units * unit).next_multiple_of(256);
    let groups = 2 * (units / 32) + 32;
    let slots = 2 * (units / 32 + 1).next_power_of_two() + 4 * 32;
    let tables = (32 * (4 + 4 + 4 + 16) + 8 * (groups + slots)).next_multiple_of(256);
    let most = (units / 32 + 1).next_power_of_two() / 32;
    let full = most.max(1).ilog2().saturating_sub(8);
    // 31 levels, where those with 256 rows are counted apart, and one row of the last.
    let above = u64::from(31 - full);
    let rows = 256 * u64::from(full) + 2 * ((most >> full) - (most >> full >> above)) + above + 1;
    (blocks, blocks + tables + 64 * rows)
}

#[test]
fn units_and_their_tables_fill_a_pool() {
    for unit in [16_u64, 64, 4096] {
        let parameters = [("unit", &*unit.to_string())];
        for least in [1, 2, 31, 32, 33, 1000, 1023, 1024, 100_003] {
            let (_, pool) = bytes(least, unit);
            let heap = setup(NAME, pool, &parameters).unwrap();
            let units = heap.integers[0];
            assert!(units >= least && bytes(units, unit).1 <= pool);
            assert!(bytes(units + 1, unit).1 > pool, "{least} of {unit}");
            assert_eq!(heap.integers[1], u64::from(unit.ilog2()));
            assert_eq!(tables(&heap)[0] as u64, bytes(units, unit).0);
            let most = (allocator(NAME).unwrap().max_block)(&heap);
            assert_eq!(most, unit << units.ilog2());
        }
        let needed = bytes(1, unit).1;
        let small = setup(NAME, needed - 1, &parameters).unwrap_err();
        assert_eq!(small, SetupError::PoolTooSmall { needed });
    }
    // Handles are twice as large as numbers of units.
    let limit = bytes((1 << 31) - 1, 16).1;
    let unit = [("unit", "16")];
    assert_eq!(setup(NAME, limit, &unit).unwrap().integers[1], 4);
    let large = setup(NAME, limit + 1, &unit).unwrap_err();
    assert_eq!(large, SetupError::PoolTooLarge { limit });
    assert_eq!(setup(NAME, limit + 1, &[]).unwrap().integers[1], 5);
    let heap = setup(NAME, 100 << 30, &[]).unwrap();
    assert_eq!(heap.integers[1], 6);
    assert!(heap.integers[0] << 6 > (98 << 30), "tables of 2 %");
    for bad in ["8", "24", "8192", "x", ""] {
        let refused = setup(NAME, 1 << 30, &[("unit", bad)]);
        assert!(
            matches!(refused, Err(SetupError::BadParameter { .. })),
            "{bad}"
        );
    }
}

#[test]
fn blocks_are_the_least_power_of_two_that_holds_a_request() {
    let found = |sizes: &[u64]| walk(NAME, &[], sizes);
    let empty = found(&[]);
    let units = setup(NAME, 1 << 20, &[]).unwrap().integers[0];
    assert_eq!(empty.free_bytes, 16 * units);
    assert_eq!(empty.largest_free_bytes, 1 << 19);
    let served = [0, 1, 16, 17, 4096, 4097, 100_000, 1 << 19];
    let blocks = [16, 16, 16, 32, 4096, 8192, 1 << 17, 1 << 19];
    assert_eq!(served.map(|bytes| found(&[bytes]).used_bytes), blocks);
    assert_eq!(found(&[(1 << 19) + 1]), empty);
    // The smallest block that is large enough is split: not the largest root.
    let one = found(&[1]);
    assert_eq!(one.free_bytes, empty.free_bytes - 16);
    assert_eq!(one.largest_free_bytes, 1 << 19);
}
