//! How FlatterScatter divides its pool into pages, and pages into chunks, in numbers.

use heapwood_device::allocator::SetupError;

use super::pools::{setup, tables, walk};

const NAME: &str = "flatterscatter";

/// Bytes of so many pages with their words, behind a header.
fn bytes(pages: u64, page: u64) -> u64 {
    128 + pages * (page + 8)
}

#[test]
fn pages_and_their_words_fill_a_pool() {
    for page in [1024_u64, 4096, 131_072, 1 << 26] {
        let parameters = [("page", &*page.to_string())];
        for pages in [1, 2, 1023, 1024, 1025] {
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
}

#[test]
fn pages_grow_with_pools_up_to_those_of_mallocmc_and_beyond_64_gib() {
    // The logarithms of a page's bytes and of the pages of an access block, and the waste factor.
    let shape = |pool, parameters| setup(NAME, pool, parameters).unwrap().integers[1..4].to_vec();
    assert_eq!(shape(1 << 20, &[]), [12, 15, 2]);
    assert_eq!(shape(64 << 20, &[]), [16, 11, 2]);
    assert_eq!(shape(128 << 20, &[]), [17, 10, 2]);
    assert_eq!(shape(1 << 30, &[]), [17, 10, 2]);
    assert_eq!(shape(100 << 30, &[]), [18, 9, 2]);
    assert_eq!(shape(1 << 30, &[("block", "65536")]), [16, 0, 2]);
    let chosen = [("waste", "3"), ("block", "4096"), ("page", "1024")];
    assert_eq!(shape(1 << 30, &chosen), [10, 2, 3]);
    // A page has 8192 units of 16 bytes, which are numbered in 32 bits; one number is null.
    let limit = bytes((1 << 19) - 1, 1 << 17);
    let parameters = [("page", "131072")];
    assert!(setup(NAME, limit, &parameters).is_ok());
    let large = setup(NAME, limit + (1 << 17) + 8, &parameters).unwrap_err();
    assert_eq!(large, SetupError::PoolTooLarge { limit });
    for bad in [
        &[("page", "512")][..],
        &[("page", "5000")],
        &[("page", "134217728")],
        &[("page", "8192"), ("block", "4096")],
        &[("block", "5000")],
        &[("waste", "0")],
        &[("waste", "17")],
        &[("waste", "x")],
        &[("unit", "16")],
    ] {
        let refused = setup(NAME, 1 << 30, bad);
        assert!(
            matches!(refused, Err(SetupError::BadParameter { .. })),
            "{bad:?}"
        );
    }
}

#[test]
fn chunks_are_as_large_as_the_first_request() {
    let found = |sizes: &[u64]| walk(NAME, &[], sizes);
    let pages = found(&[]).free_bytes;
    assert_eq!(pages, 255 * 4096);
    assert_eq!(found(&[]).largest_free_bytes, pages);
    // Chunks in units of 16 bytes up to half a page, where two do not fit beside their bits; pages.
    let served = [1, 16, 17, 129, 640, 2032, 2033, 4097];
    let used = [16, 16, 32, 144, 640, 2032, 4096, 8192];
    assert_eq!(served.map(|bytes| found(&[bytes]).used_bytes), used);
    // Five chunks of the page are left, and the other pages.
    let one = found(&[640]);
    assert_eq!(one.free_bytes, pages - 4096 + 5 * 640);
}
