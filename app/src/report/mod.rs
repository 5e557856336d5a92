//! Results of what was measured: the types of `heapwood-results`, filled.

pub mod allocators;
pub mod compare;
pub mod frames;
pub mod gap;
pub mod graph;
pub mod graphalytics;
mod kept;
mod picture;
mod ranks;
mod steps;
mod tree;

pub use frames::{FrameReport, FramesReport, frames_report};
pub use heapwood_results::devices::DeviceRow;
pub use heapwood_results::{Column, Format, Report, Table, milliseconds, triangles};
pub use kept::{BuildOptions, KeptReport, SavedReport, kept_report};
pub use picture::{
    PictureReport, Pictures, RenderReport, SequenceReport, ShadeOptions, TreeOrigin,
    picture_report, render_report,
};
pub use ranks::ranks_report;
pub use steps::steps_report;
pub use tree::{TreeReport, tree_report};

use crate::Error;

use kept::build_options;

/// A report in a format.
///
/// # Errors
///
/// For a report that JSON does not have.
pub fn write<R: Report + ?Sized>(format: Format, report: &R) -> Result<String, Error> {
    let text = format.write(report);
    text.map_err(|error| Error::Failed(error.to_string()))
}
