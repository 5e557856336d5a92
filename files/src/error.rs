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

/// The parts of messages that differ by what is read: the ways out.
pub struct ReadHints {
    /// The thing to name in a directory.
    pub directory: &'static str,
    /// The files that are read in place of one that is no text.
    pub binary: &'static str,
    /// The way out of an archive.
    pub archive: &'static str,
    /// The end of the message of a file that is too large.
    pub too_large: &'static str,
}

impl ReadError {
    /// One line that names the file, the cause and the way out.
    pub fn message(&self, path: &str, hints: &ReadHints) -> String {
        match self {
            Self::Failed(cause) => format!("cannot read {path}: {cause}"),
            Self::Directory => format!("{path} is a directory: name {} in it", hints.directory),
            Self::Binary(offset) => {
                format!("{path} is not text: byte {offset} is 0; {}", hints.binary)
            }
            Self::Packed(format, cause) => {
                format!("{path} is damaged {format}: {cause}; copy or compress it again")
            }
            Self::Archive(format) => {
                format!(
                    "{path} is packed as {format}, which is not read: {}",
                    hints.archive
                )
            }
            Self::TooLarge(limit) => {
                format!("{path} is larger than {limit} bytes{}", hints.too_large)
            }
        }
    }
}
