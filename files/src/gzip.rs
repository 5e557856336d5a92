//! Gzip in what is written, which the suffix asks for.

use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// `bytes` as a member of a gzip file.
///
/// # Errors
/// None but what the compressor says, which runs in memory.
pub fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = encoder(Vec::new());
    encoder.write_all(bytes)?;
    encoder.finish()
}

pub(crate) fn encoder<W: Write>(out: W) -> GzEncoder<W> {
    GzEncoder::new(out, Compression::default())
}

/// Whether the name ends in `.gz`.
pub fn is_gz(path: &Path) -> bool {
    path.extension()
        .is_some_and(|suffix| suffix.eq_ignore_ascii_case("gz"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in ["x/y.obj.gz", "y.OBJ.GZ"] {
            assert!(is_gz(Path::new(name)), "{name}");
        }
        for name in ["", "..", "gz", ".gz", "a.gz.txt"] {
            assert!(!is_gz(Path::new(name)), "{name}");
        }
    }
}
