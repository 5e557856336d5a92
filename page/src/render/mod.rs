//! The page: one HTML file with charts as SVG, readable without scripts.

mod axis;
mod curves;
mod failures;
mod filters;
mod heat;
mod origin;
mod pareto;
mod pictures;
mod sections;
mod strips;
mod summary;

use heapwood_results::allocators::AllocatorRow;
use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

use crate::{Case, Collection, Section, cases, embedded};

/// Colours, light and dark, and the layout at all widths.
const STYLE: &str = include_str!("../assets/style.css");
/// Filters, sorting, copies and the choice of light or dark.
const SCRIPT: &str = include_str!("../assets/script.js");

/// The state that all parts of a page share.
struct View<'v> {
    collection: &'v Collection,
    /// Descriptions of the allocators that this program knows.
    known: &'v [AllocatorRow],
    /// Every allocator of the collection, and other programs beside it.
    allocators: Vec<&'v str>,
    /// The sections that have cases.
    sections: Vec<(Section, Vec<Case<'v>>)>,
}

impl<'v> View<'v> {
    fn new(collection: &'v Collection, known: &'v [AllocatorRow]) -> Self {
        let sections = Section::ALL.map(|section| (section, cases(collection, section)));
        let sections = sections.into_iter().filter(|(_, cases)| !cases.is_empty());
        let mut view = Self {
            collection,
            known,
            allocators: Vec::new(),
            sections: sections.collect(),
        };
        for measured in &collection.measured {
            if !view.allocators.contains(&measured.allocator.as_str()) {
                view.allocators.push(&measured.allocator);
            }
        }
        // In the order of the program's list; forms follow their allocator, other programs come last.
        let place = |allocator: &&str| {
            let name = base(allocator);
            let place = known.iter().position(|row| row.name == name);
            (place.unwrap_or(known.len()), name != *allocator)
        };
        view.allocators.sort_by_key(place);
        view
    }

    /// The description of an allocator.
    fn about(&self, allocator: &str) -> Option<&AllocatorRow> {
        self.known.iter().find(|row| row.name == base(allocator))
    }

    /// Whether an allocator frees blocks one by one, and overwrites none.
    fn frees(&self, allocator: &str) -> bool {
        self.about(allocator)
            .is_none_or(|row| row.frees && !row.may_overwrite)
    }

    /// The number of an allocator, which its classes have.
    fn number(&self, allocator: &str) -> usize {
        let mut all = self.allocators.iter();
        all.position(|other| *other == allocator).unwrap_or(0)
    }

    /// The allocators of some cases, in the order of the page.
    fn allocators_of(&self, cases: &[Case]) -> Vec<&'v str> {
        let has = |allocator: &&&str| {
            cases
                .iter()
                .any(|case| case.cells.contains_key(**allocator))
        };
        self.allocators.iter().filter(has).copied().collect()
    }

    /// Registers of a thread that calls an allocator.
    fn registers(&self, allocator: &str) -> Option<u32> {
        let all = &self.collection.registers;
        all.get(allocator)
            .or_else(|| all.get(base(allocator)))
            .copied()
    }
}

/// The name of an allocator without parameters.
fn base(allocator: &str) -> &str {
    allocator
        .split_once(':')
        .map_or(allocator, |(name, _)| name)
}

/// The page of a collection. `known` are the allocators of this program: whether they free, and what
/// they are.
pub fn html(collection: &Collection, known: &[AllocatorRow]) -> String {
    let view = View::new(collection, known);
    let body = markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content="heapwood report";
                title { "heapwood: " (title(&view)) }
                // A file of this crate, and numbers.
                style { (PreEscaped(STYLE)) (PreEscaped(filters::style(&view))) }
            }
            body {
                header {
                    h1 { "Allocators for GPUs: " (title(&view)) }
                    (navigation(&view))
                }
                main {
                    (summary::summary(&view))
                    (filters::filters(&view))
                    @for (section, cases) in &view.sections {
                        (sections::section(&view, *section, cases))
                    }
                    (failures::failures(&view))
                    (pictures::pictures(collection))
                    (origin::origin(collection))
                }
                // Base85 has no character that ends an element.
                (PreEscaped(embedded::OPENING.to_owned() + &embedded::encode(collection) + embedded::CLOSING))
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    body.into_string()
}

/// The machines, in a few words.
fn title(view: &View) -> String {
    let machines = view.collection.machines.iter();
    let mut devices: Vec<&str> = machines
        .map(|machine| machine.device.as_str())
        .filter(|device| !device.is_empty())
        .collect();
    devices.sort_unstable();
    devices.dedup();
    match devices[..] {
        [] => "results".to_owned(),
        [one] => one.to_owned(),
        [one, two] => format!("{one} and {two}"),
        _ => format!("{} machines", devices.len()),
    }
}

fn navigation(view: &View) -> Markup {
    markup! {
        nav aria-label="Sections" {
            a href="#summary" { "Summary" }
            @for (section, _) in &view.sections {
                a href={ "#" (section.id()) } { (section.title()) }
            }
            a href="#failures" { "Failures" }
            a href="#origin" { "Origin" }
        }
    }
}
