//! How large a block is for a request, and which cached blocks serve it.
//!
//! Small requests, up to [`MAX_CLASS`], have classes of a fixed size: multiples of 512 B
//! up to 2 KiB, then four a doubling, equally far apart (the spacing of jemalloc; the powers
//! of two of the caching pool that this one follows are among them). A block of a class
//! serves every request of the class, so that a look at one list decides.
//!
//! Large requests have a block of their own size, rounded up to [`PAGE`], in which the driver
//! maps memory anyway. A cached block serves the requests that leave no more than an eighth
//! of their size unused, and the smallest such block does.
//!
//! # Internal fragmentation
//!
//! A request of `n` bytes, above 2 KiB, lies within a doubling (2^e, 2^(e+1)], whose classes
//! are 2^e / 4 apart. So less than 2^e / 4 < n / 4 bytes are unused, a fifth of the block;
//! classes of powers of two leave up to a half. Up to 2 KiB fewer than 512 bytes are unused.
//! Large blocks have at most n / 8 bytes unused, and less than 2 MiB if they are new.

/// The smallest block, and the distance of the smallest classes, in bytes.
pub const GRANULE: u64 = 512;
/// The largest block of a class, in bytes.
pub const MAX_CLASS: u64 = 32 << 20;
/// Sizes of large blocks are multiples of this, in bytes.
pub const PAGE: u64 = 2 << 20;
/// Number of classes.
pub(super) const CLASSES: usize = (STEPS * (DOUBLINGS + 1)) as usize;

/// Classes of a doubling.
const STEPS: u64 = 4;
/// Doublings from `STEPS` granules to the largest class.
const DOUBLINGS: u64 = (MAX_CLASS / (STEPS * GRANULE)).ilog2() as u64;
/// The part of a large request that may be unused in a cached block.
const LARGE_SLACK: u64 = 8;

/// Which blocks serve a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// Blocks of a class.
    Class {
        /// Its number, by size.
        class: usize,
        /// The size of its blocks, in bytes.
        bytes: u64,
    },
    /// Blocks between these sizes.
    Large {
        /// The smallest, and the size of a new block, in bytes.
        bytes: u64,
        /// The largest, in bytes.
        most: u64,
    },
}

impl Fit {
    /// For a request of so many bytes.
    pub(super) fn of(bytes: u64) -> Self {
        if bytes > MAX_CLASS {
            let most = bytes.saturating_add(bytes / LARGE_SLACK);
            // Any provider refuses a size that cannot be rounded.
            let bytes = bytes.checked_next_multiple_of(PAGE).unwrap_or(bytes);
            return Self::Large { bytes, most };
        }
        let granules = bytes.div_ceil(GRANULE).max(1);
        let (class, granules) = match granules {
            0..=STEPS => (granules - 1, granules),
            _ => {
                let exponent = (granules - 1).ilog2();
                let (base, step) = (1 << exponent, (1 << exponent) / STEPS);
                let steps = (granules - base).div_ceil(step);
                let doubling = u64::from(exponent - STEPS.ilog2());
                (STEPS * (1 + doubling) + steps - 1, base + steps * step)
            }
        };
        let (class, bytes) = (class as usize, granules * GRANULE);
        Self::Class { class, bytes }
    }

    /// The size of a new block, in bytes.
    pub(super) fn block_bytes(self) -> u64 {
        match self {
            Self::Class { bytes, .. } | Self::Large { bytes, .. } => bytes,
        }
    }
}

/// Bytes of a new block for a request of so many.
pub fn block_bytes(bytes: u64) -> u64 {
    Fit::of(bytes).block_bytes()
}

/// The largest request whose new block takes no more than so many bytes; 0 if there is none.
pub fn largest_request(block_bytes: u64) -> u64 {
    if block_bytes > MAX_CLASS {
        return block_bytes - block_bytes % PAGE;
    }
    let granules = block_bytes / GRANULE;
    let step = match granules {
        0..=STEPS => 1,
        _ => (1 << granules.ilog2()) / STEPS,
    };
    (granules - granules % step) * GRANULE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_numbered_by_size_without_gaps() {
        let mut sizes = vec![];
        for granules in 0..=MAX_CLASS / GRANULE {
            let Fit::Class { class, bytes } = Fit::of(granules * GRANULE) else {
                panic!("{granules} granules have no class");
            };
            assert!(bytes >= granules * GRANULE);
            if class == sizes.len() {
                sizes.push(bytes);
            }
            // The class of the size is the last one begun: none is skipped or comes again.
            assert_eq!((class, bytes), (sizes.len() - 1, sizes[class]));
        }
        assert_eq!(sizes.len(), CLASSES);
        assert!(sizes.is_sorted());
        assert_eq!(sizes[..6], [512, 1024, 1536, 2048, 2560, 3072]);
        assert_eq!(sizes[CLASSES - 2..], [28 << 20, 32 << 20]);
        let powers = (9..=25).map(|exponent| 1 << exponent);
        assert!(powers.into_iter().all(|power: u64| sizes.contains(&power)));
    }

    #[test]
    fn a_class_serves_itself() {
        for bytes in (1..=MAX_CLASS).step_by(509) {
            let fit = Fit::of(bytes);
            assert_eq!(Fit::of(fit.block_bytes()), fit, "{bytes}");
        }
    }

    #[test]
    fn what_is_unused_keeps_its_bound() {
        for bytes in (1..=MAX_CLASS).step_by(97) {
            let unused = block_bytes(bytes) - bytes;
            let bound = if bytes <= 2048 {
                512
            } else {
                bytes.div_ceil(4)
            };
            assert!(unused < bound, "{unused} of {bytes}");
        }
        let large = (MAX_CLASS + 1..1 << 30).step_by(1_000_003);
        for bytes in large.chain([(1 << 40) + 1]) {
            let Fit::Large { bytes: new, most } = Fit::of(bytes) else {
                panic!("{bytes} has a class");
            };
            assert!(new >= bytes && new - bytes < PAGE && new % PAGE == 0);
            assert!(
                most >= new && most - bytes <= bytes / 8,
                "{most} for {bytes}"
            );
        }
    }

    #[test]
    fn the_largest_request_is_the_last_whose_block_fits() {
        let small = (0..MAX_CLASS + 3 * PAGE).step_by(509);
        let edges = (1..=CLASSES as u64).flat_map(|class| {
            let base = largest_request(class << 20);
            [base.saturating_sub(1), base, base + 1]
        });
        for bytes in small.chain(edges).chain([(1 << 40) + 1]) {
            let request = largest_request(bytes);
            assert!(request <= bytes && block_bytes(request + 1) > bytes);
            // A request of nothing has the smallest block.
            assert!(request == 0 || block_bytes(request) <= bytes, "{bytes}");
        }
        assert_eq!((largest_request(511), largest_request(512)), (0, 512));
        assert_eq!(largest_request(u64::MAX), u64::MAX - (PAGE - 1));
    }

    #[test]
    fn sizes_that_no_memory_has_do_not_wrap() {
        for bytes in [u64::MAX, u64::MAX - 1, u64::MAX - PAGE] {
            assert!(block_bytes(bytes) >= bytes);
        }
    }
}
