//! The findings of the first page: each a sentence with figures of the data, and a link to the
//! table that has all of them.

use super::freeing::can_free;
use super::outcome::{CUDA, DEFAULT, LOWER_BOUND, Outcome};
use super::results::{EmbreeRow, Results};
use super::work::{Times, Work};
use super::{NOT_MEASURED, apply, bandwidth, kdtree, soak, verdict};
use crate::Result;

/// The findings as a numbered list.
pub fn list(results: &Results, scene: &str, graph: &str) -> Result<String> {
    if results.bench.is_empty() {
        return Ok(NOT_MEASURED.to_owned());
    }
    let work = Work::of(results, scene, graph)?;
    let kinds: [fn(&Times) -> Outcome; 3] = [
        |times| times.malloc.clone(),
        |times| times.tree.clone(),
        |times| times.batch.clone(),
    ];
    let spread = kinds.map(|kind| spread(&work, kind));
    let cuda = kinds.map(|kind| over_bound(&work, CUDA, kind));
    let builds = extremes(kdtree::mean_ratios(results, false)?);
    let splits = extremes(kdtree::mean_ratios(results, true)?);
    let rows = apply::means(results, "contiguous")?;
    let default = rows.iter().find(|(name, _)| name == DEFAULT);
    let default = default.map_or(f64::NAN, |(_, mean)| *mean);
    let (rows, pages) = (extremes(rows), extremes(apply::means(results, "linked")?));
    let copies = range(bandwidth::fractions(results)).map(|part| 100.0 * part);
    let growth = range(soak::growths(results)).map(|part| 100.0 * part);
    let trees = results.kdtree_ray.iter();
    let trees = range(trees.map(|case| case.theirs_ms.median / case.ours_ms.median));
    let rays = [false, true].map(|is_robust| {
        let cases = results.embree.iter();
        let cases = cases.filter(|case| case.is_robust == is_robust);
        range(cases.map(EmbreeRow::ratio))
    });
    let [last_scenes, scenes] = kdtree::cuda_is_last(results)?;
    let [last_batches, batches] = apply::cuda_is_last(results)?;
    for (title, holds) in [
        (
            "A loop exaggerates",
            spread[0] > spread[1] && spread[0] > spread[2],
        ),
        (
            "CUDA's own heap is last in the loop",
            is_last_in_the_loop(&work),
        ),
        ("Trees hardly depend on the allocator", builds[1].1 < 1.5),
        ("An allocation at every split does", splits[1].1 > 2.0),
        ("Contiguous rows are near the lower bound", rows[1].1 < 2.0),
        ("Linked pages depend on it more", pages[1].1 > rows[1].1),
        ("PageRank runs at the rate of memory", copies[0] > 70.0),
        ("No memory is lost in a thousand rounds", growth[1] < 50.0),
    ] {
        check(title, holds)?;
    }
    let findings = [
        format!(
            "**A loop exaggerates.** The slowest allocator that frees takes {} times as long as the \
             fastest in a loop of `malloc`, {} times in a tree and {} times in a batch of edges \
             (without CUDA's): [table](#each-allocator-in-a-loop-and-in-real-work).",
            short(spread[0]),
            short(spread[1]),
            short(spread[2])
        ),
        format!(
            "**CUDA's own heap is last in the loop**, in {last_scenes} of {scenes} trees and in \
             {last_batches} of {batches} batches of edges. It takes {} times as long as AtomicMalloc in \
             the loop, {} times in the tree and {} times in the batch: \
             [means](microbenchmarks.md#against-cudas-allocator).",
            short(cuda[0]),
            short(cuda[1]),
            short(cuda[2])
        ),
        format!(
            "**Ours against published code.** {} [By allocator](microbenchmarks.md#verdict).",
            verdict::sentence(results).trim_end()
        ),
        format!(
            "**Trees hardly depend on the allocator.** Builds take {} times AtomicMalloc's time, as \
             geometric means over the scenes: [by allocator](trees.md#by-allocator).",
            shown(&builds)
        ),
        format!(
            "**An allocation at every split does.** Then they take {} times: \
             [table](trees.md#an-allocation-at-every-split).",
            shown(&splits)
        ),
        format!(
            "**Contiguous rows are near the lower bound.** Updates after sorting take {} times \
             AtomicMalloc's time, and {default:.2} over the default `{DEFAULT}`: \
             [by allocator](graphs.md#by-allocator).",
            shown(&rows)
        ),
        format!(
            "**Linked pages depend on it more.** There the means are {}: \
             [causes](history.md#linked-pages-by-kernel).",
            shown(&pages)
        ),
        format!(
            "**PageRank runs at the rate of memory.** An iteration over contiguous rows moves {:.0} to \
             {:.0} % of the bytes per second of a copy: [table](graphs.md#pagerank-beside-the-rate-of-a-copy).",
            copies[0], copies[1]
        ),
        format!(
            "**No memory is lost in a thousand rounds.** Blocks grow by {:.0} to {:.0} % with the \
             degrees of vertices, which the graph and the allocator's unit determine. All end with \
             the same graph: [soak](soak.md).",
            growth[0], growth[1]
        ),
        format!(
            "**On a CPU** builds are {:.1} to {:.1} times as fast as the crate `kdtree-ray`'s \
             ([trees](trees.md#on-the-cores-of-a-cpu)), and rays {:.2} to {:.2} times as fast as \
             Embree's, {:.2} to {:.2} in its robust mode \
             ([rays](rays.md#beside-embree-on-two-cores-of-a-cpu)).",
            trees[0], trees[1], rays[0][0], rays[0][1], rays[1][0], rays[1][1]
        ),
    ];
    let lines = findings.iter().enumerate();
    let lines = lines.map(|(number, text)| format!("{}. {text}\n", number + 1));
    Ok(lines.collect())
}

/// Refuses a title that the data contradict.
fn check(title: &str, holds: bool) -> Result<()> {
    match holds {
        true => Ok(()),
        false => Err(format!(
            "the finding `{title}` contradicts the data; reword it in xtask/src/tables/findings.rs"
        )),
    }
}

/// Whether no allocator takes longer in the loop of `malloc` than CUDA's.
fn is_last_in_the_loop(work: &Work) -> bool {
    let time = |times: &Times| times.malloc.clone().ok();
    let cuda = work.times.iter().find(|times| times.allocator == CUDA);
    let cuda = cuda.and_then(time);
    let mut all = work.times.iter().filter_map(time);
    cuda.is_some_and(|cuda| all.all(|ms| ms <= cuda))
}

/// The slowest over the fastest allocator that frees, apart from CUDA's.
fn spread(work: &Work, kind: fn(&Times) -> Outcome) -> f64 {
    let counted = work.times.iter();
    let counted = counted.filter(|row| can_free(row.allocator) && row.allocator != CUDA);
    let [least, most] = range(counted.filter_map(|row| kind(row).ok()));
    most / least
}

/// The time of an allocator as a multiple of the lower bound's.
fn over_bound(work: &Work, allocator: &str, kind: fn(&Times) -> Outcome) -> f64 {
    let time = |name: &str| {
        let row = work.times.iter().find(|row| row.allocator == name);
        row.and_then(|row| kind(row).ok()).unwrap_or(f64::NAN)
    };
    time(allocator) / time(LOWER_BOUND)
}

/// The allocators with the min and the max mean of those that free, apart from CUDA's.
fn extremes(means: Vec<(String, f64)>) -> [(String, f64); 2] {
    let mut counted = means;
    counted.retain(|(name, _)| can_free(name) && name != CUDA);
    counted.sort_by(|a, b| a.1.total_cmp(&b.1));
    let or_none = |found: Option<&(String, f64)>| found.cloned().unwrap_or(("-".into(), f64::NAN));
    [or_none(counted.first()), or_none(counted.last())]
}

/// Two extremes in a sentence.
fn shown([least, most]: &[(String, f64); 2]) -> String {
    format!(
        "{:.2} (`{}`) to {:.2} (`{}`)",
        least.1, least.0, most.1, most.0
    )
}

/// The min and the max; NaN of nothing.
fn range(values: impl IntoIterator<Item = f64>) -> [f64; 2] {
    let nan = [f64::NAN; 2];
    values.into_iter().fold(nan, |[least, most], value| {
        [least.min(value), most.max(value)]
    })
}

/// A ratio with as many digits as a sentence needs.
fn short(ratio: f64) -> String {
    match ratio {
        ratio if ratio < 10.0 => format!("{ratio:.2}"),
        ratio if ratio < 1e4 => format!("{ratio:.0}"),
        ratio => format!("{:.0} thousand", ratio * 1e-3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_leave_lower_bounds_and_cudas_heap_out() {
        let means = [
            ("atomicmalloc", 1.0),
            ("halloc", 1.5),
            ("cmalloc", 2.0),
            (CUDA, 9.0),
        ];
        let means = means.map(|(name, value)| (name.to_owned(), value)).into();
        assert_eq!(
            shown(&extremes(means)),
            "1.50 (`halloc`) to 2.00 (`cmalloc`)"
        );
    }

    #[test]
    fn thousands_begin_where_their_digits_suffice() {
        let shown = [1.5, 17.2, 1167.3, 191_300.0].map(short);
        assert_eq!(shown, ["1.50", "17", "1167", "191 thousand"]);
    }

    #[test]
    fn titles_that_the_data_contradict_are_refused() {
        assert_eq!(check("true", true), Ok(()));
        assert!(check("false", false).is_err_and(|error| error.contains("`false`")));
        let cuda_wins = super::super::work::tests::results(&[(CUDA, 0.5, 1.0), ("a", 1.0, 1.0)]);
        let work = Work::of(&cuda_wins, "s", "g").expect("work");
        assert!(!is_last_in_the_loop(&work));
    }

    #[test]
    fn ranges_ignore_nothing() {
        assert_eq!(range([2.0, 1.0, 3.0]), [1.0, 3.0]);
        assert!(range([])[0].is_nan());
    }
}
