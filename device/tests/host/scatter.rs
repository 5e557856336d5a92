//! How ScatterAlloc divides its pool into pages, and pages into chunks, in numbers.

use heapwood_device::allocator::SetupError;

use super::pools::{setup, tables, walk};

#[test]
fn pages_and_their_super_blocks_fill_a_pool() {
    const NAME: &str = "scatteralloc";
    // 64 places, the pages, and for 512 of them two words each and two for each 32.
    let bytes = |pages: u64, page: u64| 512 + pages * page + pages.div_ceil(512) * (4096 + 128);
    for page in [1024_u64, 4096, 16_384, 1 << 26] {
        let parameters = [("page", &*page.to_string())];
        for pages in [1, 2, 511, 512, 513, 514, 1024, 1025] {
            let pool = bytes(pages, page);
            let heap = setup(NAME, pool, &parameters).unwrap();
            assert_eq!(heap.integers[0], pages, "{page}");
            assert_eq!(heap.integers[1], u64::from(page.ilog2()), "{page}");
            assert_eq!(tables(&heap)[0] as u64, pages * page);
            match setup(NAME, pool - 1, &parameters) {
                Ok(heap) => assert_eq!(heap.integers[0], pages - 1),
                Err(error) => {
                    assert_eq!(
                        (error, pages),
                        (SetupError::PoolTooSmall { needed: pool }, 1)
                    );
                }
            }
        }
    }
    // A page has 256 units of 16 bytes. Units are numbered in 32 bits, and one number is null. That
    // limits the number of pages; a larger pool needs larger pages.
    let limit = bytes((1 << 24) - 1, 4096);
    let parameters = [("page", "4096")];
    assert_eq!(setup(NAME, limit, &parameters).unwrap().integers[1], 12);
    let large = setup(NAME, limit + 4096, &parameters).unwrap_err();
    assert_eq!(large, SetupError::PoolTooLarge { limit });
    assert_eq!(setup(NAME, limit, &[]).unwrap().integers[1], 12);
    assert_eq!(setup(NAME, 100 << 30, &[]).unwrap().integers[1], 15);
    for bad in ["512", "5000", "134217728", "x", ""] {
        let refused = setup(NAME, 1 << 30, &[("page", bad)]);
        assert!(
            matches!(refused, Err(SetupError::BadParameter { .. })),
            "{bad}"
        );
    }
}

#[test]
fn chunks_are_as_large_as_a_page_has_room_for() {
    let found = |sizes: &[u64]| walk("scatteralloc", &[], sizes);
    let pages = found(&[]).free_bytes;
    assert_eq!(pages, 254 * 4096);
    // 254 chunks and their bits; 31 chunks; six; two; a page; two pages.
    let served = [1, 16, 17, 129, 640, 2048, 2049, 4097];
    let chunks = [16, 16, 32, 144, 672, 2048, 4096, 8192];
    assert_eq!(served.map(|bytes| found(&[bytes]).used_bytes), chunks);
    // The rest of the page is free, and so are the pages on both sides.
    let one = found(&[640]);
    assert_eq!(one.free_bytes, pages - 4096 + 5 * 672);
    assert!(one.largest_free_bytes >= 127 * 4096);
    // As many small ones as a page has share it.
    assert_eq!(found(&[640; 6]).free_bytes, pages - 4096);
}
