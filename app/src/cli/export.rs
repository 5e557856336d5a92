//! `heapwood export`: an allocator for kernels of others.

use std::path::PathBuf;

use clap::Args;
use heapwood_device::export::EXPORTED;

use crate::allocators::Spec;
use crate::{Error, export, output, size};

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood export gallatin -o hw --pool 1GiB
  heapwood export scatteralloc:page=8192 -o hw";

/// Arguments of `heapwood export`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[arg(
        help = "Allocator, such as gallatin or scatteralloc:page=8192",
        long_help = format!(
            "Allocator, such as gallatin or scatteralloc:page=8192. The names are {}",
            EXPORTED.join(", ").replace('_', "-")
        )
    )]
    allocator: String,
    /// Folder to write: new, empty, or of an earlier export
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    /// Size of the pool, a constant of the header
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "256MiB")]
    pool: u64,
}

/// Writes the files and says which.
pub fn run(arguments: &Arguments) -> Result<(), Error> {
    let spec = Spec::parse(&arguments.allocator)?;
    let files = export::files(&spec, &arguments.allocator, arguments.pool)?;
    export::write(&arguments.output, &files)?;
    let lines = files.iter().map(|(name, text)| {
        let path = arguments.output.join(name);
        format!("{}: {} bytes\n", path.display(), text.len())
    });
    output::print(&lines.collect::<String>())
}
