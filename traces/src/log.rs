//! Logs of other tools, read line by line as entries of a trace.

mod ids;
mod lines;
mod rmm;
mod umpire;

pub use rmm::RmmLog;
pub use umpire::UmpireLog;
