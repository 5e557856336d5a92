//! Forms of an allocator: parameters that choose an algorithm.
//!
//! Device code never asks at run time which algorithm it is to run, since that would cost the
//! registers whose use is measured. So each form is an entry of the table of kernels, whose
//! description has the parameter in its name: `cmalloc:walk=paper`. A request without a form's
//! parameter, or with its default value, selects the allocator's own entry.

use heapwood_device::description::Description;
use heapwood_device::host::HostAllocator;

use super::table;

/// The entry that `key=value` chooses for an allocator, if that is a choice of a form.
pub fn choose(
    allocator: &'static HostAllocator,
    key: &str,
    value: &str,
) -> Option<&'static HostAllocator> {
    let about = &allocator.description;
    let has_forms = values(about).any(|form| form.0 == key);
    if has_forms && default_value(about, key) == Some(value) {
        return Some(allocator);
    }
    let name = format!("{}:{key}={value}", about.name);
    table().find(|form| form.description.name == name)
}

/// The parameters that choose a form of an allocator, for a message: `walk=regions|paper`.
pub fn choices(about: &Description) -> Vec<String> {
    values(about)
        .map(|(key, value)| {
            let default = default_value(about, key).unwrap_or_default();
            format!("{key}={default}|{value}")
        })
        .collect()
}

/// The parameter and the value by which a form is chosen, from its full name.
pub fn chosen(full_name: &'static str) -> Option<(&'static str, &'static str)> {
    full_name.split_once(':')?.1.split_once('=')
}

/// Parameters with the values that choose a form of an allocator.
fn values(about: &Description) -> impl Iterator<Item = (&'static str, &'static str)> {
    let name = about.name;
    table()
        .map(|form| form.description.name)
        .filter(move |form| form.split_once(':').is_some_and(|(base, _)| base == name))
        .filter_map(chosen)
}

fn default_value(about: &Description, key: &str) -> Option<&'static str> {
    let mut parameters = about.parameters.iter();
    let parameter = parameters.find(|parameter| parameter.name == key)?;
    Some(parameter.default)
}
