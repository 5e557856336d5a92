//! The allocator of a graph, and the layout over it.

use clap::Args;

use super::super::tree::AllocatorArguments;
use crate::Error;
use crate::graph::Layout;
use crate::job::StorageOptions;

/// The allocator of one graph, and the layout over it.
#[derive(Debug, Args)]
pub struct StorageArguments {
    #[command(flatten)]
    pub allocator: AllocatorArguments,
    /// Storage of a vertex's neighbours
    #[arg(long, help_heading = "Allocator", value_parser = parse_layout, value_name = "contiguous|linked", default_value = "contiguous")]
    layout: Layout,
}

impl StorageArguments {
    /// The options of a job.
    ///
    /// # Errors
    ///
    /// For parameters that a graph has no use for.
    pub fn options(&self) -> Result<StorageOptions, Error> {
        let arguments = &self.allocator;
        if arguments
            .allocator
            .as_ref()
            .is_some_and(|spec| spec.coalesce)
        {
            let why = "coalesce has no effect here: it is for `heapwood bench`";
            return Err(Error::Usage(why.to_owned()));
        }
        Ok(StorageOptions {
            allocator: arguments.spec()?,
            check_heap: arguments.check.heap,
            layout: self.layout,
        })
    }
}

/// The layout of this name.
///
/// # Errors
///
/// A message that says which there are.
pub fn parse_layout(text: &str) -> Result<Layout, String> {
    let mut layouts = Layout::ALL.into_iter();
    let found = layouts.find(|layout| layout.name() == text);
    found.ok_or_else(|| "write contiguous or linked".to_owned())
}
