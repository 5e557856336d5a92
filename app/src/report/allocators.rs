//! The list of allocators: what each is, its parameters, and what its calls cost.

use std::fmt::Write;

use heapwood_device::host::HostAllocator;
use serde::Serialize;

use super::Table;
use crate::workload::micro::{Cost, Costs};

/// What can be set of an allocator.
#[derive(Clone, Debug, Serialize)]
pub struct ParameterRow {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub values: &'static str,
    /// What it is if not given.
    pub default: &'static str,
    /// What it does.
    pub what: &'static str,
}

/// An allocator; costs are null without a GPU.
#[derive(Clone, Debug, Serialize)]
pub struct AllocatorRow {
    /// Its name, with the parameter that chooses its form.
    pub name: &'static str,
    /// What it is.
    pub what: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// Whether blocks can be freed.
    pub frees: bool,
    /// Whether freed memory serves requests of other sizes.
    pub reuses_across_sizes: bool,
    /// Whether its pool can be walked for the bytes in use.
    pub walkable: bool,
    /// Whether live blocks may be granted again.
    pub may_overwrite: bool,
    /// Whether blocks come from the heap of the system, one in a process, not from a pool.
    pub system_heap: bool,
    /// Bytes of a handle.
    pub handle_bytes: usize,
    /// What can be set.
    pub parameters: Vec<ParameterRow>,
    /// What its calls cost.
    #[serde(flatten)]
    pub costs: Costs,
}

impl AllocatorRow {
    /// That of an allocator, whose calls cost so much.
    pub fn new(allocator: &HostAllocator, costs: Costs) -> Self {
        let about = &allocator.description;
        let parameter = |parameter: &heapwood_device::description::Parameter| ParameterRow {
            name: parameter.name,
            values: parameter.values,
            default: parameter.default,
            what: parameter.what,
        };
        Self {
            name: about.name,
            what: about.what,
            paper: about.paper,
            frees: allocator.properties.frees,
            reuses_across_sizes: allocator.properties.reuses_across_sizes,
            walkable: allocator.properties.walkable,
            may_overwrite: allocator.properties.may_overwrite,
            system_heap: allocator.properties.system_heap,
            handle_bytes: allocator.handle_bytes,
            parameters: about.parameters.iter().map(parameter).collect(),
            costs,
        }
    }
}

/// What each allocator is and what can be set.
pub fn allocator_prose(rows: &[AllocatorRow]) -> String {
    let mut text = String::new();
    // Writing to a string succeeds.
    for row in rows {
        let _ = writeln!(text, "{}\n  {}\n  {}", row.name, row.what, row.paper);
        for parameter in &row.parameters {
            let ParameterRow {
                name,
                values,
                default,
                what,
            } = parameter;
            let default = match default.is_empty() {
                true => String::new(),
                false => format!(" (default {default})"),
            };
            let _ = writeln!(text, "  :{name}={values}{default}: {what}");
        }
    }
    text + "Every allocator takes :coalesce, by which a warp makes its requests together (bench).\n"
}

/// A row an allocator.
pub fn allocator_table(rows: &[AllocatorRow]) -> Table {
    let mut table = Table::new(&[
        "allocator",
        "frees",
        "reuses across sizes",
        "reports occupancy",
        "may overwrite",
        "#registers",
        "#coalesced",
        "#local bytes",
    ]);
    let yes = |ability: bool| if ability { "yes" } else { "no" }.to_owned();
    let registers =
        |cost: Option<Cost>| cost.map_or("-".to_owned(), |cost| cost.registers.to_string());
    for row in rows {
        let local = row.costs.plain.map(|cost| cost.local_bytes);
        let local = local.max(row.costs.coalesced.map(|cost| cost.local_bytes));
        table.push(vec![
            row.name.to_owned(),
            yes(row.frees),
            yes(row.reuses_across_sizes),
            yes(row.walkable),
            yes(row.may_overwrite),
            registers(row.costs.plain),
            registers(row.costs.coalesced),
            local.map_or("-".to_owned(), |bytes| bytes.to_string()),
        ]);
    }
    table
}
