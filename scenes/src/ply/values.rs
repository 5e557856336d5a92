//! Numbers behind the header of a PLY file, one after the other.

use super::header::{Header, Number};
use super::number::{parse, parse_whole};
use crate::error::PlyProblem;
use crate::error::excerpt;

/// Where elements get their numbers. All types of PLY fit a double.
pub(super) trait Values {
    /// The next number.
    fn next(&mut self, of: Number) -> Result<f64, PlyProblem>;

    /// Makes sure that an element of this name ends here.
    fn end(&mut self, element: &str) -> Result<(), PlyProblem>;

    /// The line of the latest number, in a file of lines.
    fn line(&self) -> Option<usize>;

    /// Bytes that are left.
    fn left(&self) -> usize;
}

/// Numbers in text. An element begins in a line of its own, and may go on in the next ones.
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    newline: u8,
}

impl<'a> Text<'a> {
    pub fn of(header: &Header<'a>) -> Self {
        Self {
            bytes: header.body,
            at: 0,
            line: header.lines + 1,
            newline: header.newline,
        }
    }

    fn word(&mut self) -> Result<&'a [u8], PlyProblem> {
        let bytes = self.bytes;
        while let Some(byte) = bytes.get(self.at).filter(|byte| is_blank(byte)) {
            self.line += usize::from(*byte == self.newline);
            self.at += 1;
        }
        let rest = &bytes[self.at..];
        let length = rest.iter().position(is_blank).unwrap_or(rest.len());
        self.at += length;
        match length {
            0 => Err(PlyProblem::End {
                line: Some(self.line),
            }),
            _ => Ok(&rest[..length]),
        }
    }
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

impl Values for Text<'_> {
    fn next(&mut self, of: Number) -> Result<f64, PlyProblem> {
        let word = self.word()?;
        let (value, kind) = match of.is_whole() {
            true => (parse_whole(word), "a whole number"),
            false => (parse(word), "a number"),
        };
        value.ok_or_else(|| PlyProblem::NotANumber {
            line: self.line,
            word: excerpt(&String::from_utf8_lossy(word)),
            kind,
        })
    }

    fn end(&mut self, element: &str) -> Result<(), PlyProblem> {
        let rest = &self.bytes[self.at..];
        let end = |byte: &u8| !is_blank(byte) || *byte == self.newline;
        match rest.iter().find(|byte| end(byte)) {
            Some(byte) if *byte != self.newline => Err(PlyProblem::Format {
                line: Some(self.line),
                message: format!(
                    "the line has more numbers than the header gives an element `{}`",
                    excerpt(element)
                ),
            }),
            _ => Ok(()),
        }
    }

    fn line(&self) -> Option<usize> {
        Some(self.line)
    }

    fn left(&self) -> usize {
        let rest = &self.bytes[self.at..];
        rest.trim_ascii().len()
    }
}

/// Numbers in binary, of either byte order.
pub(super) struct Binary<'a> {
    pub bytes: &'a [u8],
    pub is_big: bool,
}

impl Binary<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], PlyProblem> {
        let (bytes, rest) =
            (self.bytes.split_first_chunk()).ok_or(PlyProblem::End { line: None })?;
        self.bytes = rest;
        let mut bytes = *bytes;
        if self.is_big {
            bytes.reverse();
        }
        Ok(bytes)
    }
}

impl Values for Binary<'_> {
    fn next(&mut self, of: Number) -> Result<f64, PlyProblem> {
        Ok(match of {
            Number::I8 => f64::from(i8::from_le_bytes(self.take()?)),
            Number::U8 => f64::from(u8::from_le_bytes(self.take()?)),
            Number::I16 => f64::from(i16::from_le_bytes(self.take()?)),
            Number::U16 => f64::from(u16::from_le_bytes(self.take()?)),
            Number::I32 => f64::from(i32::from_le_bytes(self.take()?)),
            Number::U32 => f64::from(u32::from_le_bytes(self.take()?)),
            Number::F32 => f64::from(f32::from_le_bytes(self.take()?)),
            Number::F64 => f64::from_le_bytes(self.take()?),
        })
    }

    fn end(&mut self, _element: &str) -> Result<(), PlyProblem> {
        Ok(())
    }

    fn line(&self) -> Option<usize> {
        None
    }

    fn left(&self) -> usize {
        self.bytes.len()
    }
}
