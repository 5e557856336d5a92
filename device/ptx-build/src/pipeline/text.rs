//! The text of a module: shorter than `llc` writes it, and with bounds of its launches.

use super::bounds::{Bounds, LaunchBounds};

/// Functions with long names that are called often, by part of their names, and
/// what they are called instead, with a number behind.
const LONG_NAMES: [(&str, &str); 41] = [
    ("observed5state12outlined_end", "observed_end_"),
    ("observed5state13outlined_free", "observed_free_"),
    ("observed5state14outlined_clock", "observed_clock_"),
    ("ouroboros5arena4task8outlined", "ouro_task_"),
    ("circular6search8outlined", "circular_search_"),
    ("scatter6search8outlined", "scatter_chunks_"),
    ("scatter4runs8outlined", "scatter_run_"),
    ("gallatin7buffers8outlined", "gallatin_task_slices_"),
    ("gallatin7buffers14outlined_serve", "gallatin_task_open_"),
    ("gallatin13drain_buffers8outlined", "gallatin_task_drain_"),
    ("gallatin8segments8outlined", "gallatin_task_block_"),
    ("gallatin4runs8outlined", "gallatin_task_run_"),
    ("gallatin4runs13outlined_free", "gallatin_task_give_"),
    ("gallatin6blocks13outlined_free", "gallatin_task_free_"),
    ("gallatin6blocks17outlined_complete", "gallatin_task_whole_"),
    ("gallatin6slices14outlined_range", "gallatin_task_range_"),
    (
        "gallatin14partial_blocks8outlined",
        "gallatin_task_partial_",
    ),
    ("gallatin4tree12outlined_set", "gallatin_task_set_"),
    ("gallatin4tree14outlined_clear", "gallatin_task_clear_"),
    ("gallatin4tree13outlined_find", "gallatin_task_find_"),
    ("xmalloc6refill8outlined", "xmalloc_blocks_"),
    ("xmalloc4runs8outlined", "xmalloc_run_"),
    ("xmalloc5flush8outlined", "xmalloc_flush_"),
    ("xmalloc4home8outlined", "xmalloc_home_"),
    ("buddy6search8outlined", "buddy_search_"),
    ("buddy5merge8outlined", "buddy_merge_"),
    ("xmalloc4home5taken", "xmalloc_take_"),
    ("xmalloc4runs5freed", "xmalloc_free_"),
    ("xmalloc11superblocks8obtained", "xmalloc_obtain_"),
    ("xmalloc11superblocks5given", "xmalloc_give_"),
    ("halloc5heads15outlined_refill", "halloc_refill_"),
    ("halloc6chunks16outlined_another", "halloc_another_"),
    ("halloc4sets14outlined_claim", "halloc_set_claim_"),
    ("halloc5heads16outlined_promote", "halloc_set_promote_"),
    ("halloc5slabs12outlined_try", "halloc_set_try_"),
    ("halloc5slabs19outlined_update_set", "halloc_set_update_"),
    ("halloc4sets15outlined_remove", "halloc_set_remove_"),
    ("halloc4sets13outlined_next", "halloc_set_next_"),
    ("halloc5relay15outlined_malloc", "halloc_large_malloc_"),
    ("halloc5relay13outlined_free", "halloc_large_free_"),
    ("pagesearch4pass8outlined", "pagesearch_pass_"),
];

/// The name of the entry or function that a line begins.
fn name_in(line: &str) -> Option<&str> {
    let (_, head) = line.split_once(".entry ").or(line.split_once(".func "))?;
    let is_part = |c: char| c.is_alphanumeric() || "_$".contains(c);
    let words = head.split(|c: char| !is_part(c) && c != '.');
    // Behind a result, which is declared in parentheses.
    let names = words.filter(|word| !word.is_empty() && !word.starts_with('.'));
    match head.trim_start().strip_prefix('(') {
        Some(_) => names.into_iter().next_back(),
        None => names.into_iter().next(),
    }
}

/// Shortens the names of parameters, which contain their function's name though no other function
/// sees them, and of the functions in `LONG_NAMES`.
pub(super) fn short_names(mut text: String) -> String {
    let mut names: Vec<String> = text
        .lines()
        .filter_map(name_in)
        .map(str::to_owned)
        .collect();
    names.sort_unstable();
    names.dedup();
    for name in &names {
        text = text.replace(&format!("{name}_param_"), "p_");
    }
    for (part, short) in LONG_NAMES {
        let mut long: Vec<&String> = names.iter().filter(|name| name.contains(part)).collect();
        // The longest first: a name may begin with another.
        long.sort_by_key(|name| std::cmp::Reverse(name.len()));
        for (number, name) in long.into_iter().enumerate() {
            text = text.replace(name, &format!("{short}{number}"));
        }
    }
    text
}

/// Shortens the labels, which are a hundredth of the text by their beginning.
pub(super) fn short_labels(text: &str) -> String {
    text.replace("$L__BB", "$L")
}

/// Adds the block size to each entry, and the limit of its registers, and drops comments, blank
/// lines, the tabs that the compiler lines up operands with, and the spaces between these.
pub(super) fn bound_launches(text: &str, bounds: &LaunchBounds) -> String {
    let mut bounded = String::with_capacity(text.len());
    let mut in_entry_head = false;
    let mut entry = Bounds::default();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or("").trim_end();
        if line.trim().is_empty() {
            continue;
        }
        if line.contains(".entry ") {
            in_entry_head = true;
            let own = name_in(line).and_then(|name| bounds.get(name));
            entry = own.copied().unwrap_or_default();
        }
        if in_entry_head && line.trim() == "{" {
            bounded.push_str(&format!(".maxntid {}, 1, 1\n", entry.threads));
            if entry.registers > 0 {
                bounded.push_str(&format!(".maxnreg {}\n", entry.registers));
            }
            in_entry_head = false;
        }
        bounded.push_str(&line.replace(" \t", " ").replace(", ", ","));
        bounded.push('\n');
    }
    bounded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shortened() {
        let name = "_R3xouroboros5arena4task8outlinedNt";
        let text = format!(".func (.param .b32 r) {name}(\n\t.param .b32 {name}_param_0\n)\n");
        assert_eq!(
            short_names(text),
            ".func (.param .b32 r) ouro_task_0(\n\t.param .b32 p_0\n)\n"
        );
        let text = ".visible .entry heap__x(\n\t.param .u64 heap__x_param_3\n)\n";
        assert_eq!(
            short_names(text.to_owned()),
            ".visible .entry heap__x(\n\t.param .u64 p_3\n)\n"
        );
    }

    #[test]
    fn labels_are_shortened() {
        let text = "\t@%p1 bra $L__BB19_4;\n$L__BB19_4:\n\tret;\n";
        assert_eq!(short_labels(text), "\t@%p1 bra $L19_4;\n$L19_4:\n\tret;\n");
    }

    #[test]
    fn entries_are_bounded_and_comments_dropped() {
        let text =
            "// x\n.visible .entry a(\n\t.param .u64 p // y\n)\n{\n\tadd \t%r1, 1;\n\tret;\n}\n";
        assert_eq!(
            bound_launches(text, &LaunchBounds::new()),
            ".visible .entry a(\n\t.param .u64 p\n)\n.maxntid 256, 1, 1\n{\n\tadd %r1,1;\n\tret;\n}\n"
        );
        let bounds = Bounds {
            threads: 512,
            registers: 24,
        };
        let bounds = LaunchBounds::from([("a".to_owned(), bounds)]);
        assert!(bound_launches(text, &bounds).contains("\n.maxntid 512, 1, 1\n.maxnreg 24\n{\n"));
    }
}
