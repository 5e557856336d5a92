//! How many registers an entry may use, where the assembler has to be told.
//!
//! The limits are to become constants of the allocators. Until then they are listed
//! here, by the beginnings of the allocators' names.

/// Registers that the kernels of one `malloc` and one `free` may use, by the
/// beginning of the allocator's name. They need no more, but an assembler that is
/// not told takes what does not cost occupancy. Those of Ouroboros are what the
/// published implementation uses.
const PAIR_REGISTERS: [(&str, u32); 7] = [
    ("ouroboros_p_s", 40),
    ("ouroboros_p_va", 32),
    ("ouroboros_p_vl", 40),
    ("ouroboros_c_s", 56),
    ("ouroboros_c_va", 64),
    ("ouroboros_c_vl", 64),
    ("", 24),
];

/// Registers that the other kernels with `malloc` may use in the benchmarks, likewise:
/// three blocks fit a multiprocessor, four of `ouroboros-p-va`.
/// With fewer, of 100,000 threads those that are to bring a chunk wait until others are
/// done that wait for it: 1.3 ms, where it takes 0.1. The other allocators need no
/// telling.
const MALLOC_REGISTERS: [(&str, u32); 3] = [
    ("ouroboros_p_va", 64),
    ("ouroboros_p_vl", 80),
    ("ouroboros_c_v", 80),
];

/// The registers that an entry may use, if there is a limit.
pub(super) fn register_limit(head: &str) -> Option<u32> {
    let (kernel, allocator) = head.split_once("bench__")?.1.split_once("__")?;
    let limits: &[_] = if kernel.starts_with("pair") {
        &PAIR_REGISTERS
    } else if kernel.starts_with("threads_malloc") || kernel.starts_with("alloc") {
        &MALLOC_REGISTERS
    } else {
        &[]
    };
    let limit = |&&(start, _): &&(&str, u32)| allocator.starts_with(start);
    limits.iter().find(limit).map(|&(_, limit)| limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_limited_by_allocator() {
        assert_eq!(register_limit("bench__pair__cmalloc("), Some(24));
        assert_eq!(
            register_limit("bench__pair_coalesced__ouroboros_p_va("),
            Some(32)
        );
        assert_eq!(register_limit("bench__stress__ouroboros_p_va("), None);
        let queues = |name| register_limit(&format!("bench__threads_malloc__ouroboros_{name}("));
        let found = ["p_va", "p_vl", "c_vl", "c_s"].map(queues);
        assert_eq!(found, [Some(64), Some(80), Some(80), None]);
    }
}
