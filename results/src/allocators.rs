//! The list of allocators: what each is, its parameters, and what its calls cost.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::{Report, Table};

/// The resources of a thread in a kernel with one `malloc` and one `free`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Registers.
    pub registers: u32,
    /// Local memory, in bytes: stack and spilled registers.
    pub local_bytes: u32,
}

/// Costs of both ways to call an allocator; none where threads have no registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Costs {
    /// Each lane makes its own request.
    pub plain: Option<Cost>,
    /// A warp makes its requests together.
    pub coalesced: Option<Cost>,
}

impl Costs {
    /// Those of an allocator that is not there.
    pub const UNKNOWN: Self = Self {
        plain: None,
        coalesced: None,
    };
}

/// A parameter of an allocator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ParameterRow {
    /// Its name.
    pub name: String,
    /// Its permitted values.
    pub values: String,
    /// Its default.
    pub default: String,
    /// Its effect.
    pub what: String,
}

/// An allocator; costs are null without a GPU.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AllocatorRow {
    /// Its name, with the parameter that chooses its form.
    pub name: String,
    /// A short description.
    pub what: String,
    /// Its source.
    pub paper: String,
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
    pub handle_bytes: u64,
    /// Its parameters.
    pub parameters: Vec<ParameterRow>,
    /// The cost of its calls.
    #[serde(flatten)]
    pub costs: Costs,
}

/// Describes each allocator and its parameters.
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

impl Report for [AllocatorRow] {
    fn table(&self) -> Table {
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
        for row in self {
            let local = row.costs.plain.map(|cost| cost.local_bytes);
            let local = local.max(row.costs.coalesced.map(|cost| cost.local_bytes));
            table.push(vec![
                row.name.clone(),
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
}
