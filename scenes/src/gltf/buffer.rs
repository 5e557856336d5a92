//! The bytes of buffers: the binary chunk of GLB, data URIs, and files beside the scene. A buffer
//! is fetched when an accessor first asks for it, since many files have more than their triangles
//! need.

use crate::MAX_FILE_BYTES;
use crate::beside::{find, percent_decoded};
use crate::error::GltfProblem;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use gltf_json::buffer::View;
use gltf_json::{Index, Root};
use std::borrow::Cow;

/// Base64 with or without padding, which exporters disagree about.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Gives the bytes of a file beside the scene: its relative path, and the most bytes.
type File<'a> = &'a dyn Fn(&str, u64) -> Result<Vec<u8>, String>;

/// The buffers of a file, those that were asked for.
pub(super) struct Buffers<'a> {
    root: &'a Root,
    binary: Option<&'a [u8]>,
    pub file: File<'a>,
    fetched: Vec<Option<Cow<'a, [u8]>>>,
    /// Bytes that may still be fetched.
    left: u64,
}

impl<'a> Buffers<'a> {
    pub fn new(root: &'a Root, binary: Option<&'a [u8]>, file: File<'a>) -> Self {
        Self {
            root,
            binary,
            file,
            fetched: vec![None; root.buffers.len()],
            left: MAX_FILE_BYTES,
        }
    }

    /// The bytes of a view that `user` refers to, and the view.
    pub fn view(
        &mut self,
        index: Index<View>,
        user: &str,
    ) -> Result<(&[u8], &'a View), GltfProblem> {
        let place = || format!("bufferViews[{index}]");
        let view = self.root.get(index).ok_or_else(|| GltfProblem::Missing {
            place: place(),
            user: user.to_owned(),
        })?;
        let buffer = view.buffer.value();
        let bytes = self.buffer(buffer, &place)?;
        let start = view.byte_offset.map_or(0, |offset| offset.0);
        let end = start.saturating_add(view.byte_length.0);
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        let part = range.and_then(|(start, end)| bytes.get(start..end));
        let part = part.ok_or_else(|| GltfProblem::Range {
            place: place(),
            end,
            what: format!("buffers[{buffer}]"),
            bytes: bytes.len() as u64,
        })?;
        Ok((part, view))
    }

    fn buffer(&mut self, buffer: usize, user: &dyn Fn() -> String) -> Result<&[u8], GltfProblem> {
        let Some(about) = self.root.buffers.get(buffer) else {
            return Err(GltfProblem::Missing {
                place: format!("buffers[{buffer}]"),
                user: user(),
            });
        };
        if self.fetched[buffer].is_none() {
            let failed = |cause| GltfProblem::Buffer { buffer, cause };
            let length = about.byte_length.0;
            let bytes = match &about.uri {
                None if buffer == 0 => self.binary.map(Cow::Borrowed).ok_or_else(|| {
                    failed("it has no uri, and there is no binary chunk".to_owned())
                }),
                None => Err(failed("it has no uri".to_owned())),
                Some(uri) => resolve(uri, length, self.left, self.file)
                    .map(Cow::Owned)
                    .map_err(failed),
            }?;
            if (bytes.len() as u64) < length {
                let cause = format!(
                    "{} of its {length} bytes are there; copy it again",
                    bytes.len()
                );
                return Err(failed(cause));
            }
            if let Cow::Owned(bytes) = &bytes {
                self.left = self.left.saturating_sub(bytes.len() as u64);
            }
            self.fetched[buffer] = Some(bytes);
        }
        Ok(self.fetched[buffer].as_deref().unwrap_or_default())
    }
}

/// The bytes that a URI stands for.
pub(super) fn resolve(uri: &str, length: u64, left: u64, file: File) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (kind, data) = data
            .split_once(',')
            .ok_or("its data URI has no comma, after which data begin")?;
        if !kind.ends_with(";base64") {
            return Err("its data URI is not base64".to_owned());
        }
        let decoded = BASE64.decode(data);
        return decoded.map_err(|error| format!("its data URI is not base64: {error}"));
    }
    let path = percent_decoded(uri).ok_or("its uri is not UTF-8 in percent encoding")?;
    if has_scheme(&path) {
        let shown = crate::error::excerpt(&path);
        return Err(format!(
            "{shown} is not fetched: only data URIs and files beside the scene are read"
        ));
    }
    let shown = crate::error::excerpt(&path);
    if length > left {
        return Err(format!(
            "{shown} is too large: buffers have {MAX_FILE_BYTES} bytes at most"
        ));
    }
    match find(&path, |path| file(path, left)) {
        Ok((_, bytes)) => Ok(bytes),
        // Names that are not encoded, though they look so.
        Err(cause) => file(uri, left).map_err(|_| format!("{shown}: {cause}")),
    }
}

/// Whether a URI names a scheme, such as `https:`; a letter alone is a drive of Windows.
fn has_scheme(uri: &str) -> bool {
    let Some((scheme, _)) = uri.split_once(':') else {
        return false;
    };
    scheme.len() > 1
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_are_known() {
        for uri in ["http://a/b.bin", "file:///a", "a+b:c"] {
            assert!(has_scheme(uri), "{uri}");
        }
        for uri in ["a/b.bin", "C:/a.bin", "a b:c", ""] {
            assert!(!has_scheme(uri), "{uri}");
        }
    }

    #[test]
    fn data_uris_need_no_padding() {
        let none: File = &|_, _| Err("none".to_owned());
        for uri in [
            "data:;base64,AQI=",
            "data:application/octet-stream;base64,AQI",
        ] {
            assert_eq!(resolve(uri, 2, 2, none).unwrap(), [1, 2]);
        }
        for uri in [
            "data:;base64,A*",
            "data:abc",
            "data:,abc",
            "https://a",
            "%ff",
            "a.bin",
        ] {
            assert!(resolve(uri, 2, 2, none).is_err(), "{uri}");
        }
    }
}
