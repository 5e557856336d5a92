//! A section of a page: the table of its cases, charts and commands.

use maud::{Markup, html};

use super::{View, curves, heat, pareto, strips, summary};
use crate::command::CommandLines;
use crate::{Case, Section};

/// The section of some cases.
pub fn section(view: &View, section: Section, cases: &[Case]) -> Markup {
    let all = &view.collection.commands;
    let measured = cases.iter().flat_map(|case| case.cells.values());
    let lines = CommandLines::of(measured.filter_map(|measured| all.get(measured.command)));
    let curves = curves::curves(view, section, cases, &lines);
    html! {
        section.work id=(section.id()) data-work=(section.title()) {
            h2 { (section.title()) }
            (heat::table(view, cases))
            @if summary::is_compared(section) {
                (pareto::charts(view, section, cases))
            }
            (commands(section, &lines))
            @if !curves.is_empty() {
                details open {
                    summary { "Curves: medians by size (" (curves.len()) ")" }
                    div.charts { @for curve in &curves { (curve) } }
                }
            }
            (strips::strips(view, section, cases))
        }
    }
}

/// The commands that measure the cases.
fn commands(section: Section, lines: &CommandLines) -> Markup {
    html! {
        details.command id={ "commands-" (section.id()) } {
            summary { "Commands that measure this" }
            ol {
                @for (place, line) in lines.texts().iter().enumerate() {
                    li id={ (section.id()) "-" (place + 1) } { (line) }
                }
            }
        }
    }
}
