//! Compressed contents, and the suffixes that name them.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use crate::ReadError;
use crate::bounds::Bounds;
use crate::signature::{Packing, refuse_archive};

/// Memory that xz may ask for, in KiB: files of its strongest setting ask for 64 MiB.
const MAX_XZ_KIB: u32 = 1 << 20;

impl Packing {
    fn reader<'a>(self, bytes: &'a [u8]) -> Box<dyn Read + 'a> {
        match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(bytes)),
            Self::Bzip2 => Box::new(MultiBzDecoder::new(bytes)),
            Self::Xz => Box::new(XzReader::new_mem_limit(bytes, true, MAX_XZ_KIB)),
            Self::Zstd => Box::new(ZstdFrames::new(bytes)),
        }
    }
}

/// `bytes`, decompressed where they are gzip, bzip2, xz or zstd: all members, joined.
///
/// # Errors
/// [`ReadError::Packed`] where they are damaged, [`Archive`](ReadError::Archive), or
/// [`TooLarge`](ReadError::TooLarge) where more than `limit` bytes come out.
pub fn decompress(bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>, ReadError> {
    decompress_within(bytes, Bounds::any(limit))
}

pub(crate) fn decompress_within(bytes: Vec<u8>, bounds: Bounds) -> Result<Vec<u8>, ReadError> {
    let Some(packing) = Packing::of(&bytes) else {
        return refuse_archive(&bytes).map(|()| bytes);
    };
    let read = bounds.read(packing.reader(&bytes), 0);
    read.map_err(|error| match error {
        ReadError::Failed(cause) => ReadError::Packed(packing.name(), cause),
        other => other,
    })
}

/// The name of a file before it was compressed, and the suffix that says how it is.
pub fn unpacked(path: &Path) -> (PathBuf, Option<&str>) {
    let packing = path.extension().and_then(|suffix| suffix.to_str());
    let packing = packing.filter(|&suffix| {
        let mut known = ["gz", "bz2", "xz", "zst"].into_iter();
        known.any(|known| suffix.eq_ignore_ascii_case(known))
    });
    match packing {
        Some(_) => (path.with_extension(""), packing),
        None => (path.to_owned(), None),
    }
}

/// The name of a file without folder, the suffix of a compressed file, and one more.
pub fn stem(path: &Path) -> String {
    let (plain, _) = unpacked(path);
    let stem = plain.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// All frames of zstd, each compared with its checksum.
struct ZstdFrames<'a> {
    rest: &'a [u8],
    frame: Option<StreamingDecoder<&'a [u8], FrameDecoder>>,
}

impl<'a> ZstdFrames<'a> {
    fn new(rest: &'a [u8]) -> Self {
        Self { rest, frame: None }
    }

    /// Begins with the next frame that is not to be skipped, if there is one.
    fn begin(&mut self) -> io::Result<()> {
        use FrameDecoderError::ReadFrameHeaderError as Header;
        while self.frame.is_none() && !self.rest.is_empty() {
            match StreamingDecoder::new(self.rest) {
                Ok(frame) => self.frame = Some(frame),
                Err(Header(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    // The magic number and the length are in front.
                    let frame = 8 + length as usize;
                    let rest = self.rest.get(frame..);
                    self.rest = rest.ok_or(io::ErrorKind::UnexpectedEof)?;
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(())
    }
}

impl Read for ZstdFrames<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            self.begin()?;
            let Some(frame) = &mut self.frame else {
                return Ok(0);
            };
            let read = frame.read(out)?;
            if read > 0 || out.is_empty() {
                return Ok(read);
            }
            let expected = frame.decoder.get_checksum_from_data();
            if expected.is_some() && expected != frame.decoder.get_calculated_checksum() {
                return Err(io::Error::other("the checksum is wrong"));
            }
            self.rest = frame.get_ref();
            self.frame = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress;
    use std::io::Write;

    /// The line `v 0 0 0`, as the programs bzip2, xz and zstd pack it.
    const LINE: &[u8] = b"v 0 0 0\n";
    const BZIP2: &[u8] = &[
        0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x2b, 0x64, 0xf2, 0x3a, 0x00,
        0x00, 0x03, 0xd8, 0x80, 0x00, 0x10, 0x40, 0x00, 0x40, 0x00, 0x01, 0x00, 0x20, 0x00, 0x21,
        0xb4, 0x68, 0x33, 0x4d, 0x30, 0xa3, 0xc5, 0xdc, 0x91, 0x4e, 0x14, 0x24, 0x0a, 0xd9, 0x3c,
        0x8e, 0x80,
    ];
    const XZ: &[u8] = &[
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21,
        0x01, 0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0x01, 0x00, 0x07, 0x76, 0x20, 0x30,
        0x20, 0x30, 0x20, 0x30, 0x0a, 0x00, 0x29, 0x27, 0x5c, 0xd9, 0x6c, 0x45, 0xce, 0xa5, 0x00,
        0x01, 0x20, 0x08, 0xbb, 0x19, 0xd9, 0xbb, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00,
        0x00, 0x04, 0x59, 0x5a,
    ];
    const ZSTD: &[u8] = &[
        0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x41, 0x00, 0x00, 0x76, 0x20, 0x30, 0x20, 0x30, 0x20,
        0x30, 0x0a, 0x4f, 0x64, 0x52, 0xe0,
    ];

    type Pack = fn(&[u8]) -> Vec<u8>;

    /// Every way to compress that is read and that a crate here writes.
    const PACKINGS: [Pack; 3] = [gzip, bzip2, zstd];

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        compress(bytes).unwrap()
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn all_members_are_joined() {
        for pack in PACKINGS {
            let members = [&b"2 1\n"[..], b"", b"2\n1\n"].map(pack);
            assert_eq!(decompress(members.concat(), 100).unwrap(), b"2 1\n2\n1\n");
        }
        for one in [BZIP2, XZ, ZSTD] {
            assert_eq!(decompress(one.to_vec(), 100).unwrap(), LINE);
            let both = decompress([one, one].concat(), 100).unwrap();
            assert_eq!(both, [LINE, LINE].concat());
        }
        // Frames to skip, as parallel compressors write them.
        let skipped = b"\x5f\x2a\x4d\x18\x02\0\0\0ab";
        let frames = [skipped, ZSTD, skipped, ZSTD, skipped].concat();
        assert_eq!(decompress(frames, 100).unwrap(), [LINE, LINE].concat());
    }

    #[test]
    fn what_is_not_packed_stays() {
        for plain in [
            &b""[..],
            b"\x1f",
            b"BZh9 is a name\n",
            b"BZh91 2\n",
            b"PK",
            b"(\xb5",
            b"v 0 0 0\n",
        ] {
            assert_eq!(decompress(plain.to_vec(), 0).unwrap(), plain);
        }
    }

    #[test]
    fn damage_is_found() {
        let text: Vec<u8> = (0..2000_u32)
            .flat_map(|n| format!("{n}\n").into_bytes())
            .collect();
        let assert_damaged = |bytes: &[u8]| {
            let error = decompress(bytes.to_vec(), 100_000).unwrap_err();
            assert!(matches!(error, ReadError::Packed(..)), "{error}");
        };
        for pack in PACKINGS {
            let whole = pack(&text);
            assert_eq!(decompress(whole.clone(), 100_000).unwrap(), text);
            for cut in [8, 12, whole.len() / 2, whole.len() - 1] {
                assert_damaged(&whole[..cut]);
            }
        }
        for cut in [2, 9] {
            assert_damaged(&gzip(&text)[..cut]);
        }
        for (whole, name) in [(BZIP2, "bzip2"), (XZ, "xz"), (ZSTD, "zstd")] {
            for end in 8..whole.len() {
                let error = decompress(whole[..end].to_vec(), 100).unwrap_err();
                let message = error.to_string();
                let expected = format!("damaged {name}: ");
                assert!(message.starts_with(&expected), "{end}: {message}");
            }
            let mut other = whole.to_vec();
            other[whole.len() - 2] ^= 0x55;
            assert_damaged(&other);
        }
        // The decoder compares no checksum.
        let wrong = [&ZSTD[..ZSTD.len() - 4], &[0; 4]].concat();
        let error = decompress(wrong, 100).unwrap_err();
        assert_eq!(error.to_string(), "damaged zstd: the checksum is wrong");
    }

    #[test]
    fn what_expands_beyond_the_limit_is_refused() {
        for pack in PACKINGS {
            let packed = pack(&[b'\n'; 100_000]);
            for limit in [0, 10, 99_999] {
                let error = decompress(packed.clone(), limit);
                assert!(matches!(error, Err(ReadError::TooLarge(of)) if of == limit));
            }
            for limit in [100_000, u64::MAX] {
                assert_eq!(decompress(packed.clone(), limit).unwrap().len(), 100_000);
            }
        }
        let error = decompress(XZ.to_vec(), LINE.len() as u64 - 1);
        assert!(matches!(error, Err(ReadError::TooLarge(_))), "{error:?}");
    }

    #[test]
    fn what_is_not_read_is_named() {
        let mut tar = vec![b'a'; 512];
        tar[257..262].copy_from_slice(b"ustar");
        for (head, name) in [
            (&b"PK\x03\x04\x14\0"[..], "zip"),
            (b"7z\xbc\xaf\x27\x1c\0", "7z"),
            (b"\x04\x22\x4d\x18d", "lz4"),
            (b"LZIP\x01", "lzip"),
            (b"\x1f\x9d\x90", "compress"),
            (&tar, "tar"),
        ] {
            let error = decompress(head.to_vec(), 1000).unwrap_err();
            assert!(matches!(error, ReadError::Archive(found) if found == name));
        }
    }

    #[test]
    fn names_lose_the_suffix() {
        for (packed, name, suffix) in [
            ("x/y.obj.zst", "x/y.obj", Some("zst")),
            ("y.obj.XZ", "y.obj", Some("XZ")),
            ("y.bz2", "y", Some("bz2")),
            ("a/b.mtx.gz", "a/b.mtx", Some("gz")),
            ("x/y.obj", "x/y.obj", None),
            (".gz", ".gz", None),
            ("gz", "gz", None),
        ] {
            let (found, packing) = unpacked(Path::new(packed));
            assert_eq!((found.to_str().unwrap(), packing), (name, suffix));
        }
    }

    #[test]
    fn stems_lose_both_suffixes() {
        for (path, expected) in [
            ("x/y.obj.gz", "y"),
            ("a/karate.graph", "karate"),
            ("rgg.v1.mtx.gz", "rgg.v1"),
            ("karate.el.zst", "karate"),
            ("plain", "plain"),
            ("plain.gz", "plain"),
            ("..", ""),
        ] {
            assert_eq!(stem(Path::new(path)), expected);
        }
    }
}
