//! How SpreadMalloc divides its pool into tables and slabs, in numbers.

use heapwood_device::allocator::SetupError;

use super::pools::setup;

const NAME: &str = "spread";

#[test]
fn the_pool_lies_behind_words_and_rests() {
    // Four lines for three multiprocessors, a word for each of 25 rests, and the pool's header.
    let tables = (4 * 128 + 25 * 8_u64).next_multiple_of(256);
    let needed = tables + 256 + 16;
    assert_eq!(setup(NAME, needed, &[]).unwrap().integers[0], 1);
    let small = setup(NAME, needed - 1, &[]).unwrap_err();
    assert_eq!(small, SetupError::PoolTooSmall { needed });
    assert_eq!(setup(NAME, 0, &[]).unwrap_err(), small);

    // 24 slabs of 32 KiB fit, and no 24 of 64 KiB.
    let heap = setup(NAME, 1 << 20, &[]).unwrap();
    let tables = (4 * 128 + 33 * 8_u64).next_multiple_of(256);
    let units = ((1 << 20) - tables - 256) / 16;
    assert_eq!(heap.integers[..5], [units, 4, 3, 33, 11]);
    // Units of a page: slabs are one unit at least, and none is smaller than 1 KiB.
    let heap = setup(NAME, 1 << 14, &[("unit", "4096")]).unwrap();
    assert_eq!(heap.integers[1..5], [12, 3, 25, 0]);
}

#[test]
fn slabs_of_the_largest_pool_are_few_enough_to_look_at() {
    // 2^16 slabs of 2^16 units, less what two numbers are for.
    let limit = 256 + ((1_u64 << 32) - 2) * 16;
    let limit = limit + (4 * 128 + 65_537 * 8_u64).next_multiple_of(256);
    let unit = [("unit", "16")];
    let heap = setup(NAME, limit, &unit).unwrap();
    assert_eq!(heap.integers[..5], [(1 << 32) - 2, 4, 3, 65_537, 16]);
    let large = setup(NAME, limit + 1, &unit).unwrap_err();
    assert_eq!(large, SetupError::PoolTooLarge { limit });
    assert_eq!(setup(NAME, limit + 1, &[]).unwrap().integers[1], 5);
}
