//! Forms of an allocator: parameters that choose an algorithm.
//!
//! Device code never asks at run time which algorithm it is to run, since that
//! would cost the registers whose use is measured. So each form is an entry of the
//! table of kernels: `cmalloc:walk=paper`, as users write it and as it is
//! described, is the entry `cmalloc_walk_paper`. What comes without a form's
//! parameter, or with its default value, is the allocator's own entry. That an
//! entry has such a name is all that makes it a form.

use heapwood_device::host::{ALLOCATORS, HostAllocator};

use super::describe::{describe, entry_name, is_same_name};

/// The entry that `key=value` chooses for the allocator `name`, if that is a choice
/// of a form.
pub fn choose(name: &str, key: &str, value: &str) -> Option<&'static HostAllocator> {
    let entry = |name: &str| ALLOCATORS.iter().find(|one| is_same_name(one.name, name));
    let is_default =
        values(name).any(|form| form.0 == key) && default_value(name, key) == Some(value);
    if is_default {
        entry(name)
    } else {
        entry(&format!("{name}:{key}={value}"))
    }
}

/// What chooses a form of the allocator `name`, for a message: `walk=regions|paper`.
pub fn choices(name: &str) -> Vec<String> {
    values(name)
        .map(|(key, value)| {
            let default = default_value(name, key).unwrap_or_default();
            format!("{key}={default}|{value}")
        })
        .collect()
}

/// The parameter and the value by which a form is chosen, from its full name.
pub fn chosen(full_name: &'static str) -> Option<(&'static str, &'static str)> {
    full_name.split_once(':')?.1.split_once('=')
}

/// Parameters with the values that choose a form of the allocator `name`.
fn values(name: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let start = entry_name(name) + "_";
    ALLOCATORS
        .iter()
        .filter(move |one| one.name.starts_with(&start))
        .filter_map(|one| chosen(describe(one.name).name))
}

fn default_value(name: &str, key: &str) -> Option<&'static str> {
    let mut parameters = describe(name).parameters.iter();
    let parameter = parameters.find(|parameter| parameter.name == key)?;
    Some(parameter.default)
}
