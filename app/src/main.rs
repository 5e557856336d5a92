//! The program `heapwood`: see [`heapwood::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    heapwood::cli::main()
}
