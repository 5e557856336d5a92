//! The first bytes of compressed files and of archives.

use crate::ReadError;

/// A way to compress that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Bzip2,
    Xz,
    Zstd,
}

impl Packing {
    /// How `bytes` are compressed, if they are.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        // Text may begin with the letters of bzip2: of the first block, or of the end of an empty
        // file, the magic number is in them too.
        const BZIP2_BLOCKS: [&[u8]; 2] = [b"1AY&", b"\x17\x72\x45\x38"];
        match bytes {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            // A frame, or one to skip, with which parallel compressors begin.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] => BZIP2_BLOCKS
                .iter()
                .any(|magic| rest.starts_with(magic))
                .then_some(Self::Bzip2),
            _ => None,
        }
    }

    /// The name of the program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
        }
    }
}

/// Refuses what is packed in a way that is not read, by the first bytes of a file.
///
/// # Errors
/// [`ReadError::Archive`].
pub(crate) fn refuse_archive(head: &[u8]) -> Result<(), ReadError> {
    const TAR: usize = 257;
    let known: [(&[u8], &str); 7] = [
        (b"PK\x03\x04", "zip"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"Rar!\x1a\x07", "rar"),
        (b"\x04\x22\x4d\x18", "lz4"),
        (b"LZIP\x01", "lzip"),
        (b"\x1f\x9d", "compress"),
        (b"\x1f\xa0", "compress"),
    ];
    let found = known.iter().find(|(magic, _)| head.starts_with(magic));
    let is_tar = head
        .get(TAR..)
        .is_some_and(|rest| rest.starts_with(b"ustar"));
    match found.map(|(_, name)| *name).or(is_tar.then_some("tar")) {
        Some(format) => Err(ReadError::Archive(format)),
        None => Ok(()),
    }
}
