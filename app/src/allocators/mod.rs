//! Allocators as users name them: what there is, and how a choice is written.

mod describe;
mod forms;
mod short;
mod spec;

pub use describe::{Description, Parameter, describe};
pub use short::short_form;
pub use spec::{Spec, parse_list};

use heapwood_device::host::{ALLOCATORS, HostAllocator};

/// Suffix of the names of checked allocators, which users ask for by
/// `--check-heap`.
const CHECKED: &str = "_checked";

/// The allocators that can be named, and their forms, in the order of the table.
pub fn with_forms() -> impl Iterator<Item = &'static HostAllocator> {
    ALLOCATORS
        .iter()
        .filter(|allocator| !allocator.name.ends_with(CHECKED))
}

/// The allocators that can be named, each in its default form.
pub fn all() -> impl Iterator<Item = &'static HostAllocator> {
    with_forms().filter(|allocator| forms::chosen(describe(allocator.name).name).is_none())
}

/// The published forms of those that depart from the papers by default.
pub fn published() -> impl Iterator<Item = &'static HostAllocator> {
    with_forms().filter(|allocator| forms::chosen(describe(allocator.name).name).is_some())
}

/// Their names, joined for a message.
pub fn names() -> String {
    let names: Vec<&str> = all()
        .map(|allocator| describe(allocator.name).name)
        .collect();
    names.join(", ")
}
