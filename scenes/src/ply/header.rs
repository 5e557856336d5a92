//! The header of a PLY file: its encoding, and the elements that follow.
//!
//! Only keywords and names have to be text; comments may be in any encoding.

use crate::error::PlyProblem;
use crate::error::excerpt;

/// How the numbers after the header are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Number {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    /// Bytes in a binary file.
    pub fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub fn is_whole(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }
}

/// A property of an element: a number, or a list of numbers behind their count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub name: String,
    pub number: Number,
    /// The type of a list's count.
    pub count: Option<Number>,
}

/// Elements of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub name: String,
    pub count: usize,
    pub properties: Vec<Property>,
}

impl Element {
    /// The position of the property of this name that is a number.
    pub fn number(&self, name: &str) -> Option<usize> {
        let mut properties = self.properties.iter();
        properties.position(|property| property.count.is_none() && property.name == name)
    }

    /// The fewest bytes that one takes.
    pub fn min_bytes(&self, encoding: Encoding) -> usize {
        let bytes = |property: &Property| match encoding {
            // A digit and a blank.
            Encoding::Text => 2,
            _ => property.count.unwrap_or(property.number).bytes(),
        };
        self.properties.iter().map(bytes).sum()
    }
}

/// The header, and what is behind it.
#[derive(Debug)]
pub(super) struct Header<'a> {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    pub body: &'a [u8],
    /// Lines of the header.
    pub lines: usize,
    /// The byte that ends a line.
    pub newline: u8,
}

/// Reads the header of a file that begins with `ply`.
pub(super) fn read(bytes: &[u8]) -> Result<Header<'_>, PlyProblem> {
    let newline = newline(bytes);
    let mut rest = bytes;
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    for number in 1.. {
        let end = memchr::memchr(newline, rest);
        let line = &rest[..end.unwrap_or(rest.len())];
        let fault = |message: String| PlyProblem::Format {
            line: Some(number),
            message,
        };
        if rest.is_empty() {
            return Err(fault("the header has no line `end_header`".to_owned()));
        }
        rest = end.map_or(&[][..], |end| &rest[end + 1..]);
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        let unknown = || fault(format!("`{}` is not understood", excerpt(line)));
        let words: Vec<&str> = line.split_whitespace().collect();
        match &words[..] {
            [] | ["ply"] | ["comment" | "obj_info", ..] => {}
            ["format", name, version] if version.starts_with('1') => {
                encoding = Some(match *name {
                    "ascii" => Encoding::Text,
                    "binary_little_endian" => Encoding::LittleEndian,
                    "binary_big_endian" => Encoding::BigEndian,
                    _ => return Err(unknown()),
                });
            }
            ["element", name, count] => elements.push(Element {
                name: (*name).to_owned(),
                count: count.parse().map_err(|_| unknown())?,
                properties: Vec::new(),
            }),
            ["property", kind @ .., name] => {
                let of = |word: &str| Number::of(word).ok_or_else(unknown);
                let (number, count) = match kind {
                    [number] => (of(number)?, None),
                    ["list", count, number] => (of(number)?, Some(of(count)?)),
                    _ => return Err(unknown()),
                };
                let element = elements.last_mut().ok_or_else(unknown)?;
                element.properties.push(Property {
                    name: (*name).to_owned(),
                    number,
                    count,
                });
            }
            ["end_header"] => {
                let encoding = encoding.ok_or_else(|| {
                    fault("the header has no line `format`, such as `format ascii 1.0`".to_owned())
                })?;
                return Ok(Header {
                    encoding,
                    elements,
                    body: rest,
                    lines: number,
                    newline,
                });
            }
            _ => return Err(unknown()),
        }
    }
    unreachable!("the file ends before the numbers do")
}

/// The byte that ends the first line, and so all of them: what follows the last line of a binary
/// file's header may be any byte.
fn newline(bytes: &[u8]) -> u8 {
    match memchr::memchr2(b'\n', b'\r', bytes) {
        Some(at) if bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n') => b'\r',
        _ => b'\n',
    }
}
