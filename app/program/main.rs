//! The program `heapwood`: see [`heapwood::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    heapwood::meta::set_commit(heapwood_commit::COMMIT);
    heapwood::cli::main()
}
