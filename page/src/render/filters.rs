//! The legend of allocators, by which a script shows and hides them.

use maud::{Markup, html};

use super::{View, base};

/// So many colours, then the same with other dashes.
const COLOURS: usize = 8;
/// Strokes and gaps of lines.
const DASHES: [&str; 4] = ["none", "7 3", "2 3", "9 3 2 3"];

/// The style of each allocator's lines and points.
pub fn style(view: &View) -> String {
    let rule = |number: usize| {
        let (colour, dash) = (number % COLOURS, DASHES[number / COLOURS % DASHES.len()]);
        format!(".r{number}{{--c:var(--p{colour});--d:{dash}}}")
    };
    (0..view.allocators.len()).map(rule).collect()
}

/// The legend, with a box for each allocator and each kind of them.
pub fn filters(view: &View) -> Markup {
    let mut families: Vec<&str> = Vec::new();
    for allocator in &view.allocators {
        let family = family(allocator);
        if !families.contains(&family) {
            families.push(family);
        }
    }
    html! {
        section #filters aria-label="Allocators" {
            h2 { "Allocators" }
            @for family in &families {
                fieldset {
                    legend { (family) }
                    @for (number, allocator) in view.allocators.iter().enumerate() {
                        @if self::family(allocator) == *family {
                            label {
                                input.filter type="checkbox" checked value=(number);
                                svg.lines viewBox="0 0 24 8" aria-hidden="true" {
                                    path class={ "r" (number) } d="M0 4h24" {}
                                }
                                (allocator)
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The family of an allocator: those of one paper, or of one idea.
fn family(allocator: &str) -> &str {
    let name = base(allocator);
    match name {
        "cmalloc" | "cfmalloc" | "cmmalloc" | "cfmmalloc" => "circular",
        "atomicmalloc" | "awmalloc" | "spread" => "bumps",
        "scatteralloc" | "flatterscatter" => "scatter",
        _ if name.starts_with("ouroboros") => "ouroboros",
        _ => "others",
    }
}
