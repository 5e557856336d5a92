//! `heapwood allocators`: what there is to compare.

use std::fmt::Write;

use clap::Args;
use heapwood_device::bench::{Pair, PairCoalesced};
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::Listed;
use serde::Serialize;

use super::common::BackendArguments;
use crate::allocators::{Spec, short_form, with_forms};
use crate::backend::Backend;
use crate::report::{Format, Table, json};
use crate::{Error, output};

/// Arguments of `heapwood allocators`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Say of this allocator alone how it works and what its calls cost
    name: Option<String>,
    /// How to write the list
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    backend: BackendArguments,
}

/// Registers and bytes of local memory of a kernel with one malloc and one free.
#[derive(Clone, Copy, Serialize)]
struct Cost {
    registers: u32,
    local_bytes: u32,
}

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    values: &'static str,
    default: &'static str,
    what: &'static str,
}

/// An allocator; costs are null without a GPU.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    what: &'static str,
    paper: &'static str,
    frees: bool,
    reuses_across_sizes: bool,
    walkable: bool,
    may_overwrite: bool,
    handle_bytes: usize,
    parameters: Vec<Parameter>,
    plain: Option<Cost>,
    coalesced: Option<Cost>,
}

/// Lists every allocator, or one.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let named = match &arguments.name {
        Some(name) => Some(Spec::parse(name).map_err(Error::Usage)?.allocator),
        None => None,
    };
    let backend = arguments.backend.decide(None)?.open()?;
    let entries = with_forms()
        .filter(|allocator| named.is_none_or(|named| named.name == allocator.name))
        .map(|allocator| entry(&*backend, allocator))
        .collect::<Result<Vec<_>, _>>()?;
    output::print(&match arguments.format {
        Format::Json => json(&entries)?,
        Format::Table => {
            let short = named.and_then(|allocator| short_form(allocator.description.name));
            let short = short.map_or(String::new(), |text| format!("\n{text}"));
            format!("{}{short}\n{}", prose(&entries), table(&entries).text())
        }
        Format::Csv => table(&entries).csv(),
        Format::Markdown => table(&entries).markdown(),
    })
}

fn entry(backend: &dyn Backend, allocator: &'static HostAllocator) -> Result<Entry, Error> {
    let about = &allocator.description;
    let cost = |kernel| -> Result<Option<Cost>, Error> {
        let found = backend.registers(kernel, allocator)?;
        Ok(found.map(|(registers, local_bytes)| Cost {
            registers,
            local_bytes,
        }))
    };
    Ok(Entry {
        name: about.name,
        what: about.what,
        paper: about.paper,
        frees: allocator.frees,
        reuses_across_sizes: allocator.reuses_across_sizes,
        walkable: allocator.walkable,
        may_overwrite: allocator.may_overwrite,
        handle_bytes: allocator.handle_bytes,
        parameters: about
            .parameters
            .iter()
            .map(|parameter| Parameter {
                name: parameter.name,
                values: parameter.values,
                default: parameter.default,
                what: parameter.what,
            })
            .collect(),
        plain: cost(Pair::ID)?,
        coalesced: cost(PairCoalesced::ID)?,
    })
}

/// What each allocator is and what can be set.
fn prose(entries: &[Entry]) -> String {
    let mut text = String::new();
    // Writing to a string succeeds.
    for entry in entries {
        let _ = writeln!(text, "{}\n  {}\n  {}", entry.name, entry.what, entry.paper);
        for parameter in &entry.parameters {
            let Parameter {
                name,
                values,
                default,
                what,
            } = parameter;
            let _ = writeln!(text, "  :{name}={values} (default {default}): {what}");
        }
    }
    text + "Every allocator takes :coalesce, by which a warp makes its requests together (bench).\n"
}

fn table(entries: &[Entry]) -> Table {
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
    for entry in entries {
        let local = entry.plain.map(|cost| cost.local_bytes);
        let local = local.max(entry.coalesced.map(|cost| cost.local_bytes));
        table.push(vec![
            entry.name.to_owned(),
            yes(entry.frees),
            yes(entry.reuses_across_sizes),
            yes(entry.walkable),
            yes(entry.may_overwrite),
            registers(entry.plain),
            registers(entry.coalesced),
            local.map_or("-".to_owned(), |bytes| bytes.to_string()),
        ]);
    }
    table
}
