//! How the defaults differ from the published code that they stand beside, in more than their
//! language. [docs/allocators.md](../../../docs/allocators.md) has the whole.

/// Allocators, and how they differ.
const DIFFERENCES: [&str; 5] = [
    "`cmalloc` and `cfmalloc`: ours walk from tickets that spread requests over regions, the \
     published code from one offset for all (Algorithm 3)",
    "`cmmalloc` and `cfmmalloc`: ours walk from tickets counted by each multiprocessor, the \
     published code from one offset a multiprocessor",
    "`ouroboros-p-*`: in ours the lanes of a warp make one request of semaphore and queue, in \
     the published code each thread makes its own, and walks the list of `-vl`, where ours \
     has skip pointers",
    "`ouroboros-c-*`: in ours a chunk has one holder at a time, in the published code all \
     threads share the chunk at the front (Algorithm 5)",
    "`scatteralloc`: in ours requests of more than half a page take pages from a map of bits, \
     in the published code they take a lock",
];

/// The differences as a list.
pub fn list() -> String {
    let lines = DIFFERENCES.map(|difference| format!("- {difference}.\n"));
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_difference_is_a_sentence() {
        assert_eq!(list().matches(".\n").count(), DIFFERENCES.len());
    }
}
