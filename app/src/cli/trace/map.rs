//! `heapwood trace map`: a picture of the live bytes of a trace.

use std::path::PathBuf;

use clap::Args;
use heapwood_traces::{Reader, summarise};

use super::super::common::read_apart;
use super::super::suffix;
use super::{about, open};
use crate::Error;
use crate::output::Output;
use crate::workload::heap_map::SizeMap;

/// Examples, at the end of the help.
const EXAMPLES: &str = "\
Examples:
  heapwood trace map sea.hwt sea.png
  heapwood trace map tree.hwt tree.png";

/// Arguments of `heapwood trace map`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Trace, a .hwt file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Picture, a PNG file
    #[arg(value_name = "PICTURE")]
    picture: PathBuf,
}

/// Draws the picture.
pub(super) fn run(arguments: &Arguments) -> Result<(), Error> {
    let path = arguments.file.as_path();
    read_apart([path], &[Some(&arguments.picture)])?;
    suffix::check(&arguments.picture, &["png"])?;
    let output = Output::open(&arguments.picture)?;
    let reader = || Reader::new(open(path)?).map_err(about(path));
    let summary = summarise(path.display().to_string(), reader()?).map_err(about(path))?;
    let map = SizeMap::new(reader()?, &summary).map_err(about(path))?;
    output.write(&map.picture().png()?)
}
