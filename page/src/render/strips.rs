//! All samples of each case, as strips.

use std::fmt::Write;

use heapwood_results::milliseconds;
use maud::{Markup, PreEscaped, html};

use super::View;
use super::axis::Axis;
use crate::{Case, Section, Unit};

/// Where strips begin and end, in strokes, and the height of one in pixels.
const FROM: f64 = 58.0;
const TO: f64 = 160.0;
const ROW: usize = 11;
/// The letters of a name beside a strip.
const MAX_LETTERS: usize = 23;
/// The width of a stroke in pixels.
const STROKE: f64 = 2.0;

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
    let names = format!("names-{}", section.id());
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
            div.charts.strips data-row=(ROW) data-numbers=(numbers.join(" ")) {
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
    let Some(axis) = Axis::of(all.clone(), FROM, TO) else {
        return html! {};
    };
    let (min, max) = all.fold((f64::INFINITY, 0.0_f64), |(min, max), sample| {
        (min.min(sample), max.max(sample))
    });
    // Samples in the same place are one stroke.
    let mut path = String::new();
    for (row, allocator) in allocators.iter().enumerate() {
        let found = samples(allocator).iter();
        let mut places: Vec<i64> = found
            .map(|sample| axis.at(*sample).round() as i64)
            .collect();
        places.dedup();
        let Some(first) = places.first() else {
            continue;
        };
        // Writing to a string succeeds.
        let _ = write!(path, "M{first} {}v8", row * ROW + 2);
        for pair in places.windows(2) {
            let _ = write!(path, "m{}-8v8", pair[1] - pair[0]);
        }
    }
    let height = allocators.len() * ROW + 4;
    html! {
        figure {
            figcaption { (case.name) ": " (milliseconds(min)) " to " (milliseconds(max)) " ms" }
            svg viewBox={ "0 0 " (STROKE * (TO + 1.0)) " " (height) } aria-hidden="true" {
                // Without end tags: a page would have a thousand of them.
                (PreEscaped(format!(
                    r##"<use href="#{names}"/><path transform="scale({STROKE} 1)" d="{path}"/>"##
                )))
            }
        }
    }
}
