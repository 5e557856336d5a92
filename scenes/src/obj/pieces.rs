//! Text in pieces: parts of another text that are as they were, and lines that were written anew
//! between them. Nothing is copied that need not be.

use std::io::{self, BufRead, Read};
use std::ops::Range;

/// Lines, each with its end.
#[derive(Debug, Default)]
pub(super) struct Pieces<'a> {
    pieces: Vec<Piece<'a>>,
}

#[derive(Debug)]
enum Piece<'a> {
    /// This range of a text.
    Kept(&'a str, Range<usize>),
    Written(String),
}

impl<'a> Pieces<'a> {
    /// Appends a line of `text` with its end.
    pub fn keep(&mut self, text: &'a str, line: Range<usize>) {
        match self.pieces.last_mut() {
            // No other text than that of the piece is kept from one place to another.
            Some(Piece::Kept(of, range)) if range.end == line.start && std::ptr::eq(*of, text) => {
                range.end = line.end;
            }
            _ => self.pieces.push(Piece::Kept(text, line)),
        }
    }

    /// Where to append lines that are written anew.
    pub fn written(&mut self) -> &mut String {
        if !matches!(self.pieces.last(), Some(Piece::Written(_))) {
            self.pieces.push(Piece::Written(String::new()));
        }
        match self.pieces.last_mut() {
            Some(Piece::Written(text)) => text,
            _ => unreachable!("such a piece is last"),
        }
    }

    /// Appends other pieces.
    pub fn append(&mut self, mut others: Self) {
        self.pieces.append(&mut others.pieces);
    }

    /// The pieces in order.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.pieces.iter().map(|piece| match piece {
            Piece::Kept(text, range) => &text.as_bytes()[range.clone()],
            Piece::Written(text) => text.as_bytes(),
        })
    }
}

/// Reads parts one after the other.
pub(super) struct Reader<'a, I> {
    parts: I,
    current: &'a [u8],
}

impl<'a, I: Iterator<Item = &'a [u8]>> Reader<'a, I> {
    pub fn new(parts: I) -> Self {
        Self {
            parts,
            current: &[],
        }
    }
}

impl<'a, I: Iterator<Item = &'a [u8]>> BufRead for Reader<'a, I> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // An empty buffer would be the end of all.
        while self.current.is_empty() {
            match self.parts.next() {
                Some(part) => self.current = part,
                None => break,
            }
        }
        Ok(self.current)
    }

    fn consume(&mut self, count: usize) {
        self.current = &self.current[count..];
    }
}

impl<'a, I: Iterator<Item = &'a [u8]>> Read for Reader<'a, I> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_piece_and_all_are_read_in_order() {
        let (text, other) = ("a\nb\nc\nd\n", "ab");
        let mut pieces = Pieces::default();
        pieces.keep(text, 0..2);
        pieces.keep(text, 2..4);
        pieces.written().push_str("x\n");
        pieces.written().push_str("y\n");
        pieces.keep(text, 6..8);
        pieces.keep(other, 0..0);
        let mut more = Pieces::default();
        more.keep(text, 4..6);
        pieces.append(more);
        let parts: Vec<&[u8]> = pieces.parts().collect();
        let expected = [&b"a\nb\n"[..], b"x\ny\n", b"d\n", b"", b"c\n"];
        assert_eq!(parts, expected);
        let lines: Vec<String> = Reader::new(pieces.parts())
            .lines()
            .map(Result::unwrap)
            .collect();
        assert_eq!(lines, ["a", "b", "x", "y", "d", "c"]);
        let mut all = Vec::new();
        Reader::new(pieces.parts()).read_to_end(&mut all).unwrap();
        assert_eq!(all, parts.concat());
    }
}
