//! `heapwood completions`: scripts for shells.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::{Error, output};

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood completions bash
  heapwood completions zsh";

/// Arguments of `heapwood completions`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Shell
    shell: Shell,
}

/// Writes the script to the standard output.
pub fn run<C: CommandFactory>(arguments: &Arguments) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut C::command(), "heapwood", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
