//! Results of heapwood as one HTML page, and what changed between two sets of them.
//!
//! A [`Collection`] reads result files, whichever command wrote them, and has everything that they
//! measured in one form. [`html`] makes a page that needs no network. The page carries the
//! collection along, so that another can add to it. [`changes`] compares two collections.
//!
//! ```
//! use heapwood_page::Collection;
//!
//! let mut collection = Collection::default();
//! let error = collection.add("empty.json", b"").unwrap_err();
//! assert!(error.to_string().starts_with("empty.json: the file is empty"));
//! ```

mod cases;
mod changes;
mod collection;
mod command;
mod embedded;
mod error;
mod means;
mod packed;
mod read;
mod render;
mod section;

pub use cases::{Case, cases};
pub use changes::changes;
pub use collection::{Collection, Machine, Measured, Picture, Scale, Unit};
pub use command::Command;
pub use error::{PageError, PageFault};
pub use render::html;
pub use section::Section;
