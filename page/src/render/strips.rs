//! All samples of each case, as strips.

use std::fmt::Write;

use heapwood_results::milliseconds;
use maud::{Markup, PreEscaped, html};

use super::View;
use super::axis::Axis;
use crate::{Case, Section, Unit};

/// The length of strips in strokes. A row is one high: the style has the place and size of both.
const STROKES: f64 = 102.0;
/// The height of a row, and the width of names and strips, in pixels.
const ROW: usize = 11;
const WIDTH: usize = 322;
/// The letters of a name beside a strip.
const MAX_LETTERS: usize = 23;

/// The strips of the cases that have several samples; nothing without one.
pub fn strips(view: &View, section: Section, cases: &[Case]) -> Markup {
    let is_shown = |case: &&Case| {
        let mut cells = case.cells.values();
        case.unit == Unit::Milliseconds && cells.any(|one| one.samples.samples.len() > 1)
    };
    let cases: Vec<&Case> = cases.iter().filter(is_shown).collect();
    if cases.is_empty() {
        return html! {};
    }
    let has = |allocator: &&&str| {
        cases
            .iter()
            .any(|case| case.cells.contains_key(**allocator))
    };
    let allocators: Vec<&str> = view.allocators.iter().filter(has).copied().collect();
    // Each case repeats it.
    let names = format!("n{}", section as usize);
    let numbers = allocators
        .iter()
        .map(|allocator| view.number(allocator).to_string());
    let numbers: Vec<String> = numbers.collect();
    html! {
        details {
            summary { "All samples (" (cases.len()) " cases)" }
            p.note {
                "A stroke is a sample. Each case has a logarithmic axis of its own. "
                a href={ "#commands-" (section.id()) } { "Commands" }
            }
            svg.hidden aria-hidden="true" {
                symbol id=(names) {
                    @for (row, allocator) in allocators.iter().enumerate() {
                        text class={ "r" (view.number(allocator)) } y=(row * ROW + 9) { (shortened(allocator)) }
                    }
                }
            }
            ul.charts.strips data-numbers=(numbers.join(" ")) {
                @for case in cases { (strip(case, &allocators, &names)) }
            }
        }
    }
}

/// A name that ends before the strips begin.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(MAX_LETTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

fn strip(case: &Case, allocators: &[&str], names: &str) -> Markup {
    let samples = |allocator: &str| {
        let measured = case.cells.get(allocator);
        let measured = measured.filter(|measured| measured.median().is_some());
        measured.map_or(&[][..], |measured| &measured.samples.samples)
    };
    let all = allocators
        .iter()
        .flat_map(|allocator| samples(allocator))
        .copied();
    let Some(axis) = Axis::of(all.clone(), 0.0, STROKES) else {
        return html! {};
    };
    let (min, max) = all.fold((f64::INFINITY, 0.0_f64), |(min, max), sample| {
        (min.min(sample), max.max(sample))
    });
    // Samples in the same place are one stroke, and neighbours are a longer one.
    let mut path = String::new();
    for (row, allocator) in allocators.iter().enumerate() {
        let found = samples(allocator).iter();
        let mut places: Vec<i64> = found
            .map(|sample| axis.at(*sample).round() as i64)
            .collect();
        places.dedup();
        let mut end = None;
        for run in places.chunk_by(|one, next| next - one == 1) {
            // Writing to a string succeeds.
            let _ = match end {
                None => write!(path, "M{},{row}", run[0]),
                Some(end) => write!(path, "m{},0", run[0] - end),
            };
            let _ = write!(path, "h{}", run.len());
            end = run.last().map(|last| last + 1);
        }
    }
    let height = allocators.len() * ROW + 4;
    // Without quotes and end tags where HTML permits it: a page has a thousand of them.
    let picture = format!(
        r##"<svg viewBox="0 0 {WIDTH} {height}" aria-hidden=true><use href=#{names} /><path d={path} /></svg>"##
    );
    html! {
        (PreEscaped("<li>")) (case.name) ": " (milliseconds(min)) " to " (milliseconds(max)) " ms"
        (PreEscaped(picture))
    }
}
