//! `heapwood export`: an allocator for kernels of others.

use std::path::PathBuf;

use clap::Args;
use heapwood_device::export::EXPORTED;

use crate::allocators::Spec;
use crate::{Error, export, output, size};

/// Arguments of `heapwood export`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[arg(help = format!(
        "The allocator: {}; with parameters as elsewhere",
        EXPORTED.join(", ").replace('_', "-")
    ))]
    allocator: String,
    /// The folder to write: a new one, an empty one, or that of an earlier export
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    /// The pool's size, which is fixed in the header
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "256MiB")]
    pool: u64,
}

/// Writes the files and says which.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let spec = Spec::parse(&arguments.allocator).map_err(Error::Usage)?;
    let files = export::files(&spec, &arguments.allocator, arguments.pool)?;
    export::write(&arguments.output, &files)?;
    let lines = files.iter().map(|(name, text)| {
        let path = arguments.output.join(name);
        format!("{}: {} bytes\n", path.display(), text.len())
    });
    output::print(&lines.collect::<String>())
}
