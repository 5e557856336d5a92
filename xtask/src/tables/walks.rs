//! Captions that say whose algorithm a figure is of, where ours stand beside
//! published code: the defaults differ from what was published in more than their
//! language.

/// Allocators, by what their names begin with, and how the default differs from the
/// published code. [docs/allocators.md] has the whole.
///
/// [docs/allocators.md]: ../../../../docs/allocators.md
const DIFFERENCES: [(&[&str], &str); 5] = [
    (
        &["cmalloc", "cfmalloc"],
        "`cmalloc` and `cfmalloc`: ours walk from tickets that spread requests over regions, the \
         published code from one offset for all (Algorithm 3)",
    ),
    (
        &["cmmalloc", "cfmmalloc"],
        "`cmmalloc` and `cfmmalloc`: ours walk from tickets counted by each multiprocessor, the \
         published code from one offset a multiprocessor",
    ),
    (
        &["ouroboros-p-s", "ouroboros-p-va", "ouroboros-p-vl"],
        "`ouroboros-p-*`: in ours the lanes of a warp make one request of semaphore and queue, in \
         the published code each thread makes its own, and walks the list of `-vl`, where ours \
         has skip pointers",
    ),
    (
        &["ouroboros-c-s", "ouroboros-c-va", "ouroboros-c-vl"],
        "`ouroboros-c-*`: in ours a chunk has one holder at a time, in the published code all \
         threads share the chunk at the front (Algorithm 5)",
    ),
    (
        &["scatteralloc"],
        "`scatteralloc`: in ours requests of more than half a page take pages from a map of bits, \
         in the published code they take a lock",
    ),
];

/// Whose algorithms the figures of these allocators are of; nothing if none differs.
pub fn caption<'a>(shown: impl IntoIterator<Item = &'a str>) -> String {
    let shown: Vec<&str> = shown.into_iter().collect();
    let differences: Vec<&str> = DIFFERENCES
        .iter()
        .filter(|(names, _)| names.iter().any(|name| shown.contains(name)))
        .map(|(_, difference)| *difference)
        .collect();
    if differences.is_empty() {
        return String::new();
    }
    format!("\nWhose algorithm: {}.\n", differences.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_speak_of_what_is_shown() {
        assert_eq!(caption(["atomicmalloc", "awmalloc"]), "");
        let text = caption(["awmalloc", "cfmalloc", "ouroboros-c-va"]);
        assert!(text.contains("one offset for all"), "{text}");
        assert!(text.contains("one holder at a time"), "{text}");
        assert!(!text.contains("skip pointers"), "{text}");
        assert!(text.ends_with(".\n"), "{text}");
    }
}
