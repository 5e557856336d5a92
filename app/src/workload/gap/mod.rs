//! The GAP benchmark suite (Beamer, Asanović and Patterson 2015): its kernels run on a graph over an
//! allocator, trial by trial, from the sources that it prescribes.

mod sources;

pub use sources::SourcePicker;
