//! Allocators as users name them: what there is, and how a choice is written.

mod delay;
mod error;
mod forms;
mod parse;
mod short;
mod spec;

pub use delay::CallDelay;
pub use error::SpecError;
pub use heapwood_device::description::{Description, Parameter};
pub use parse::parse_list;
pub use short::short_form;
pub use spec::Spec;

use heapwood_device::host::{ALLOCATORS, HostAllocator};

/// The allocator of trees and graphs whose user names none: the one that frees, stays close to
/// the lower bound in batches of updates and in trees alike (docs/results), and rounds small blocks
/// up the least.
pub const DEFAULT: &str = "cfmalloc";

/// The allocators and their forms, in the order of the table. Checked ones are asked for by
/// `--check-heap`.
fn table() -> impl Iterator<Item = &'static HostAllocator> {
    ALLOCATORS.iter().filter(|allocator| !allocator.observed)
}

/// The allocators of the program, and their forms.
pub fn with_forms() -> impl Iterator<Item = &'static HostAllocator> {
    table().filter(|allocator| !allocator.properties.external)
}

/// The allocator of the user's, in files that are linked. `all` does not stand for it.
pub fn external() -> impl Iterator<Item = &'static HostAllocator> {
    let allocators = table().filter(|allocator| allocator.properties.external);
    allocators.filter(|allocator| forms::chosen(allocator.description.name).is_none())
}

/// The allocators of the program, each in its default form.
pub fn all() -> impl Iterator<Item = &'static HostAllocator> {
    with_forms().filter(|allocator| forms::chosen(allocator.description.name).is_none())
}

/// The published forms of those that depart from the papers by default.
pub fn published() -> impl Iterator<Item = &'static HostAllocator> {
    with_forms().filter(|allocator| forms::chosen(allocator.description.name).is_some())
}

/// The allocator of this name, in its default form, or the user's. An underscore is as good as
/// a hyphen.
pub fn by_name(name: &str) -> Option<&'static HostAllocator> {
    let name = name.replace('_', "-");
    let mut allocators = all().chain(external());
    allocators.find(|allocator| allocator.description.name == name)
}

/// Their names, joined for a message.
pub fn names() -> String {
    let allocators = all().chain(external());
    let names: Vec<&str> = allocators
        .map(|allocator| allocator.description.name)
        .collect();
    names.join(", ")
}
