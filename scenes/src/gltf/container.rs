//! The parts of a GLB file: a header, a first chunk of JSON, and perhaps a second chunk that is
//! binary. Further chunks belong to extensions; the reader skips them, as the format requires.

use super::MAGIC;
use crate::error::GltfProblem;

/// A glTF file taken apart.
pub(super) struct Parts<'a> {
    /// JSON text.
    pub json: &'a [u8],
    /// The binary chunk of a GLB file.
    pub binary: Option<&'a [u8]>,
}

/// Takes a GLB file apart; one of text is its JSON alone.
pub(super) fn split(bytes: &[u8]) -> Result<Parts<'_>, GltfProblem> {
    let Some(mut rest) = bytes.strip_prefix(MAGIC) else {
        return Ok(Parts {
            json: bytes,
            binary: None,
        });
    };
    let fault = GltfProblem::Container;
    let version = word(&mut rest).ok_or(fault("the header ends early"))?;
    if version != 2 {
        return Err(GltfProblem::Version(version.to_string()));
    }
    let length = word(&mut rest).ok_or(fault("the header ends early"))?;
    if length as usize > bytes.len() {
        return Err(fault("the file is shorter than its header says"));
    }
    let (kind, json) = chunk(&mut rest)?;
    if kind != *b"JSON" {
        return Err(fault("the first chunk is not JSON"));
    }
    let binary = match rest {
        [] => None,
        _ => Some(chunk(&mut rest)?),
    };
    let binary = binary.and_then(|(kind, chunk)| (kind == *b"BIN\0").then_some(chunk));
    Ok(Parts { json, binary })
}

/// The next chunk's type and content.
fn chunk<'a>(rest: &mut &'a [u8]) -> Result<([u8; 4], &'a [u8]), GltfProblem> {
    let fault = GltfProblem::Container;
    let length = word(rest).ok_or(fault("the header of a chunk ends early"))?;
    let kind = word(rest).ok_or(fault("the header of a chunk ends early"))?;
    let all = rest
        .split_at_checked(length as usize)
        .ok_or(fault("a chunk ends early"))?;
    *rest = all.1;
    Ok((kind.to_le_bytes(), all.0))
}

/// The next four bytes, little endian.
fn word(rest: &mut &[u8]) -> Option<u32> {
    let (first, others) = rest.split_first_chunk()?;
    *rest = others;
    Some(u32::from_le_bytes(*first))
}
