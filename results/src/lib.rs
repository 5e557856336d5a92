//! Results of heapwood: plain data with serde.
//!
//! The program writes these types as JSON, and `cargo xtask tables` reads them again: a key is
//! declared once. Files of earlier commits lack keys that came later, which have a default.
//! [`Report`] is the trait that writes each of them as text, JSON, CSV or Markdown.
//!
//! ```
//! use heapwood_results::Format;
//! use heapwood_results::devices::DeviceRow;
//!
//! let json = r#"[{"backend": "cuda", "device": 0, "name": "H200", "processors": 132,
//!     "memory_bytes": null, "compute_capability": "9.0", "driver": null, "uuid": null,
//!     "copy_gb_per_s": 4000.0}]"#;
//! let rows: Vec<DeviceRow> = serde_json::from_str(json)?;
//! let csv = Format::Csv.write(&rows[..])?;
//! assert!(csv.starts_with("backend,device,name,"));
//! # Ok::<(), serde_json::Error>(())
//! ```

pub mod allocators;
pub mod benches;
pub mod build;
mod cells;
pub mod changes;
pub mod compare;
pub mod devices;
pub mod diff;
mod export;
pub mod fragmentation;
pub mod frames;
pub mod graph;
pub mod host_pool;
pub mod meta;
pub mod micro;
mod outcome;
pub mod picture;
pub mod ranks;
pub mod samples;
pub mod sensitivity;
pub mod sequence;
mod size;
mod status;
pub mod steps;
pub mod survey;
pub mod trace;
pub mod tree;

pub use cells::{Line, triangles};
pub use export::{Cells, Column, Format, Report, Table, quoted};
pub use meta::{CallCost, LinkMeta, Meta};
pub use outcome::Outcome;
pub use samples::{Percentiles, Samples, geometric_mean, milliseconds, nearest_rank};
pub use size::display;
pub use status::Status;
