//! The fault of a graph whose lines are known not to be symmetric.

use rayon::prelude::*;

use super::super::text::{Fault, lines};
use super::super::weights::WeightForm;
use super::{Body, is_comment};
use crate::{LineProblem, WeightProblem};

/// An edge at one of its ends, and its weight if it is kept.
type Entry = ([u32; 2], Option<u32>);

/// The first entry without its counterpart; if only weights differ, the first edge with two.
#[cold]
pub(super) fn fault(body: &Body<'_>, form: WeightForm) -> Fault {
    let range = body.header.body..body.text.len();
    let lines = lines(body.text, range).filter(|line| !is_comment(line));
    let mut forth: Vec<Entry> = Vec::new();
    let mut starts = Vec::new();
    for (vertex, line) in (0..body.header.vertices).zip(lines) {
        starts.push(line.at);
        let entry = |other, weight| forth.push(([vertex, other], weight));
        body.each_neighbour(line.words(), form, entry)
            .expect("the lines have been read once");
    }
    let turned = forth.iter().map(|&([u, v], weight)| ([v, u], weight));
    let mut back: Vec<Entry> = turned.collect();
    forth.par_sort_unstable();
    back.par_sort_unstable();
    // As lists of the same length that are not equal they differ somewhere, and
    // there one has an entry that the other has less often.
    let pairs = || forth.iter().copied().zip(back.iter().copied());
    if let Some(((forth, _), (back, _))) = pairs().find(|(forth, back)| forth.0 != back.0) {
        let [from, to] = if forth < back {
            forth
        } else {
            [back[1], back[0]]
        };
        let problem = LineProblem::Asymmetric {
            from: from + 1,
            to: to + 1,
        };
        return Fault::new(starts[from as usize], problem);
    }
    let differing = pairs().find(|(forth, back)| forth != back);
    let (([to, from], there), (_, here)) = differing.expect("an imbalance comes from an entry");
    let text = |weight: Option<u32>| match (form, weight) {
        (WeightForm::Kept(kind), Some(word)) => kind.display(word).to_string(),
        _ => String::new(),
    };
    let problem = WeightProblem::Differing {
        to: to + 1,
        weight: text(here),
        other: text(there),
    };
    Fault::new(starts[from as usize], problem.into())
}
