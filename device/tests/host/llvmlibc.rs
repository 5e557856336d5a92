//! How LLVM libc's malloc divides its pool into slabs, and slabs into chunks, in numbers.

use heapwood_device::allocator::SetupError;

use super::pools::{setup, tables, walk};

const NAME: &str = "llvmlibc";

/// Bytes of so many slabs with their tables.
fn bytes(slabs: u64, slab: u64) -> u64 {
    320 + slabs * (slab + 12)
}

#[test]
fn slabs_and_their_tables_fill_a_pool() {
    for slab in [1024_u64, 4096, 2 << 20, 1 << 24] {
        let parameters = [("slab", &*slab.to_string())];
        for slabs in [1, 2, 15, 16, 17, 1025] {
            let pool = bytes(slabs, slab);
            let heap = setup(NAME, pool, &parameters).unwrap();
            assert_eq!(heap.integers[..2], [slabs, u64::from(slab.ilog2())]);
            assert_eq!(tables(&heap)[0] as u64, slabs * slab);
            match setup(NAME, pool - 1, &parameters) {
                Ok(heap) => assert_eq!(heap.integers[0], slabs - 1),
                Err(error) => {
                    let small = SetupError::PoolTooSmall { needed: pool };
                    assert_eq!((error, slabs), (small, 1));
                }
            }
        }
    }
}

#[test]
fn slabs_grow_with_pools_up_to_those_of_llvm_and_beyond_64_gib() {
    let shift = |pool| setup(NAME, pool, &[]).unwrap().integers[1];
    assert_eq!(shift(1 << 16), 12);
    assert_eq!(shift(64 << 20), 17);
    assert_eq!(shift((1 << 30) - 1), 20);
    assert_eq!(shift(1 << 30), 21);
    assert_eq!(shift(63 << 30), 21);
    assert_eq!(shift(100 << 30), 22);
    // A slab has 131072 units of 16 bytes, which are numbered in 32 bits; one number is null.
    let limits = [("2097152", 2 << 20, (1 << 15) - 1), ("1024", 1024, 65535)];
    for (text, slab, slabs) in limits {
        let (limit, parameters) = (bytes(slabs, slab), [("slab", text)]);
        assert!(setup(NAME, limit, &parameters).is_ok());
        let large = setup(NAME, limit + slab + 12, &parameters).unwrap_err();
        assert_eq!(large, SetupError::PoolTooLarge { limit });
    }
    for bad in [
        &[("slab", "512")][..],
        &[("slab", "5000")],
        &[("slab", "33554432")],
        &[("slab", "x")],
        &[("unit", "16")],
        &[("slab", "4096"), ("slab", "4096")],
    ] {
        let refused = setup(NAME, 1 << 30, bad);
        assert!(
            matches!(refused, Err(SetupError::BadParameter { .. })),
            "{bad:?}"
        );
    }
}

#[test]
fn chunks_are_of_the_class_of_a_request() {
    let found = |sizes: &[u64]| walk(NAME, &[], sizes);
    let slabs = found(&[]).free_bytes;
    assert_eq!(slabs, 255 * 4096);
    assert_eq!(found(&[]).largest_free_bytes, slabs);
    // Powers of two, 3/4 and 7/8 of them; whole slabs above 7/16 of one.
    let served = [1, 16, 17, 65, 97, 113, 640, 1792, 1793, 4097];
    let used = [16, 16, 32, 96, 112, 128, 768, 1792, 4096, 8192];
    assert_eq!(served.map(|bytes| found(&[bytes]).used_bytes), used);
    // Four chunks of the slab are left, and the other slabs.
    let one = found(&[640]);
    assert_eq!(one.free_bytes, slabs - 4096 + 4 * 768);
}
