//! Files in and out: one reader, plain or compressed, and one writer that replaces a
//! file as a whole or not at all.
//!
//! ```
//! use heapwood_files::{Output, read_text};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("numbers.txt.gz");
//! let output = Output::open(&path)?;
//! // Long work, after which it is too late to learn that nothing can be written.
//! output.write_by_suffix(|out| out.write_all(b"1 2 3\n"))?;
//! assert_eq!(read_text(&path, 1000)?, b"1 2 3\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounds;
mod encoding;
mod error;
mod gzip;
mod output;
mod packing;
mod place;
mod read;
mod signature;

pub use bounds::check_text;
pub use encoding::to_utf8;
pub use error::{ReadError, ReadHints};
pub use gzip::{compress, is_gz};
pub use output::{Output, check_writable};
pub use packing::{decompress, stem, unpacked};
pub use read::{read, read_as_is, read_text, read_text_or, text};
