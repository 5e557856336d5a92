//! `heapwood completions`: scripts for shells.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::{Error, output};

/// Arguments of `heapwood completions`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The shell
    shell: Shell,
}

/// Writes the script to the standard output.
pub fn run<C: CommandFactory>(arguments: &Arguments) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut C::command(), "heapwood", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
