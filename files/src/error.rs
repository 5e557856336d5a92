//! Why a file is not read.

use std::io;

/// Why nothing could be read. It names no file: the caller knows which.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file could not be opened or read.
    #[error("cannot read: {0}")]
    Failed(io::Error),
    /// The path names a directory.
    #[error("a directory")]
    Directory,
    /// There is a zero byte, which no text has, at this place. It is counted from
    /// 0, after decompression.
    #[error("not text: byte {0} is 0")]
    Binary(usize),
    /// It starts as something compressed in this way, but cannot be decompressed.
    #[error("damaged {0}: {1}")]
    Packed(&'static str, io::Error),
    /// It is packed in this way, which is not read.
    #[error("packed as {0}, which is not read")]
    Archive(&'static str),
    /// The file, or what it decompresses to, has more than so many bytes.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
}
