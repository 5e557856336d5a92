//! Text in pieces, lines and words, for all readers.
//!
//! A text is cut at line ends into pieces that threads read at the same time. A
//! fault is a place in the text; its line is counted only when it is reported.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2, memrchr};
use rayon::prelude::*;

use crate::LineProblem;
use crate::error::excerpt;

/// Bytes of a piece; in unit tests so few that every text has several.
const PIECE: usize = if cfg!(test) { 13 } else { 1 << 20 };

/// A fault, and the byte of the text where it is.
#[derive(Debug)]
pub(super) struct Fault {
    pub at: usize,
    pub problem: LineProblem,
}

impl Fault {
    pub fn new(at: usize, problem: LineProblem) -> Self {
        Self { at, problem }
    }
}

/// The line that byte `at` is in, counted from 1.
pub(super) fn line_number(text: &[u8], at: usize) -> usize {
    let newlines: usize = text[..at.min(text.len())]
        .par_chunks(1 << 20)
        .map(|part| memchr::memchr_iter(b'\n', part).count())
        .sum();
    newlines + 1
}

/// Parts of `text` from byte `from` on that end at line ends.
pub(super) fn pieces(text: &[u8], from: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = from;
    while start < text.len() {
        let least = text.len().min(start + PIECE);
        let end = memchr(b'\n', &text[least..]).map_or(text.len(), |more| least + more + 1);
        pieces.push(start..end);
        start = end;
    }
    pieces
}

/// A line without its end, and where it and the next one start.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub at: usize,
    pub bytes: &'a [u8],
    next: usize,
}

impl<'a> Line<'a> {
    /// The line after the last of `text`, which is empty.
    pub fn beyond(text: &'a [u8]) -> Self {
        Self {
            at: text.len(),
            bytes: b"",
            next: text.len(),
        }
    }

    pub fn words(&self) -> Words<'a> {
        Words { rest: self.bytes }
    }

    /// The byte after the line and its end.
    pub fn next_line(&self) -> usize {
        self.next
    }
}

/// The lines of a part of `text`.
pub(super) fn lines(text: &[u8], range: Range<usize>) -> impl Iterator<Item = Line<'_>> {
    let Range { mut start, end } = range;
    std::iter::from_fn(move || {
        if start >= end {
            return None;
        }
        let rest = &text[start..end];
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        let mut bytes = &rest[..length];
        while let Some(unended) = bytes.strip_suffix(b"\r") {
            bytes = unended;
        }
        let line = Line {
            at: start,
            bytes,
            next: start + length + 1,
        };
        start = line.next;
        Some(line)
    })
}

/// Where the last line of `text` starts that is not blank.
pub(super) fn last_line(text: &[u8]) -> usize {
    let end = text.trim_ascii_end().len();
    memrchr(b'\n', &text[..end]).map_or(0, |newline| newline + 1)
}

/// The words of a line, separated by blanks.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    /// The words of a part of a line.
    pub fn of(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    /// The part of the line that was not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while let [first, tail @ ..] = self.rest
            && is_blank(*first)
        {
            self.rest = tail;
        }
    }

    /// Whether there is no word left.
    #[inline]
    pub fn is_empty(&mut self) -> bool {
        self.skip_blanks();
        self.rest.is_empty()
    }

    /// The first byte of the next word, which stays.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.rest.first().copied()
    }

    /// The next word.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_blanks();
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|&b| is_blank(b));
        let (word, tail) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = tail;
        Some(word)
    }

    /// How many words are left.
    pub fn count(mut self) -> usize {
        std::iter::from_fn(|| self.word()).count()
    }

    /// All words that are left, as so many whole numbers of 64 bits, by the rule.
    pub fn numbers<const N: usize>(mut self, rule: &'static str) -> Result<[u64; N], LineProblem> {
        let found = self.count();
        let mut numbers = [0; N];
        if found != N {
            return Err(LineProblem::Values { found, rule });
        }
        for (number, word) in numbers.iter_mut().zip(std::iter::from_fn(|| self.wide())) {
            *number = word?;
        }
        Ok(numbers)
    }

    /// The next word as a whole number of 32 bits; none at the end of the line.
    #[inline]
    pub fn whole(&mut self) -> Option<Result<u32, LineProblem>> {
        self.skip_blanks();
        let word = self.rest;
        let mut value = 0_u64;
        let mut length = 0;
        while let Some(digit) = word.get(length).map(|b| b.wrapping_sub(b'0'))
            && digit < 10
        {
            // Capped far above 32 bits, so that it never wraps.
            value = (value * 10 + u64::from(digit)).min(1 << 40);
            length += 1;
        }
        let ended = word.get(length).is_none_or(|&b| is_blank(b));
        if length > 0 && ended && value <= u64::from(u32::MAX) {
            self.rest = &word[length..];
            return Some(Ok(value as u32));
        }
        self.word().map(|word| Err(not_whole(word)))
    }

    /// The next word as a whole number of 64 bits; none at the end of the line.
    pub fn wide(&mut self) -> Option<Result<u64, LineProblem>> {
        self.word().map(count)
    }

    /// The part of the line that was not read yet, without blanks around it.
    pub fn trimmed(&self) -> &'a [u8] {
        self.rest.trim_ascii()
    }

    /// The parts between separators of what is left.
    pub fn fields(&self, separator: u8) -> impl Iterator<Item = Words<'a>> + use<'a> {
        let fields = self.rest.split(move |&byte| byte == separator);
        fields.map(|rest| Words { rest })
    }

    /// The next word, which is to be a number of any form; none at the end of the line.
    #[inline]
    pub fn number(&mut self) -> Option<Result<&'a [u8], LineProblem>> {
        self.word().map(number)
    }

    /// The next word as an id from 1 to `vertices`, less 1.
    #[inline]
    pub fn vertex(&mut self, vertices: u32) -> Option<Result<u32, LineProblem>> {
        Some(self.whole()?.and_then(|id| match id.checked_sub(1) {
            None => Err(LineProblem::ZeroId),
            Some(_) if id > vertices => Err(LineProblem::IdRange { id, vertices }),
            Some(index) => Ok(index),
        }))
    }
}

/// Whether a byte separates words. A carriage return does not, except before a line feed: a line
/// with one inside is two lines to the program that wrote it.
#[inline]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)
}

/// The text with line feeds where its first line ends with a carriage return alone.
pub(super) fn with_line_feeds(text: &[u8]) -> Cow<'_, [u8]> {
    let is_lone = |at: usize| text[at] == b'\r' && !matches!(text.get(at + 1), Some(b'\r' | b'\n'));
    if !memchr2(b'\r', b'\n', text).is_some_and(is_lone) {
        return Cow::Borrowed(text);
    }
    let mut text = text.to_owned();
    for at in 0..text.len() {
        if text[at] == b'\r' && text.get(at + 1) != Some(&b'\n') {
            text[at] = b'\n';
        }
    }
    Cow::Owned(text)
}

/// A word that is a number of any form.
#[inline]
pub(super) fn number(word: &[u8]) -> Result<&[u8], LineProblem> {
    let is_whole = !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    let is_number = || std::str::from_utf8(word).is_ok_and(|text| text.parse::<f64>().is_ok());
    match is_whole || is_number() {
        true => Ok(word),
        false => Err(LineProblem::NotANumber(excerpt(word))),
    }
}

/// Why `word` is no whole number of 32 bits.
#[cold]
fn not_whole(word: &[u8]) -> LineProblem {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        LineProblem::NotWhole(excerpt(word))
    } else if digits.len() < word.len() {
        LineProblem::Negative(excerpt(word))
    } else {
        LineProblem::Overflow(excerpt(word))
    }
}

/// A whole number of 64 bits.
pub(super) fn count(word: &[u8]) -> Result<u64, LineProblem> {
    let parsed = std::str::from_utf8(word).ok().and_then(|text| {
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse().ok())?
    });
    parsed.ok_or_else(|| match not_whole(word) {
        LineProblem::Overflow(word) => LineProblem::Overflow64(word),
        problem => problem,
    })
}

/// A whole number of 64 bits with a sign, as coordinates are.
pub(super) fn integer(word: &[u8]) -> Result<i64, LineProblem> {
    let digits = word.strip_prefix(b"-").or(word.strip_prefix(b"+"));
    let digits = digits.unwrap_or(word);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(LineProblem::NotWhole(excerpt(word)));
    }
    let text = std::str::from_utf8(word).ok();
    let parsed = text.and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| LineProblem::Overflow64(excerpt(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_at_line_ends() {
        let text = b"head\n0123456789 0123456789\n\nab\ncd\nef\ngh\nij\nkl\nmn";
        let pieces = pieces(text, 5);
        assert!(pieces.len() > 2);
        assert_eq!(
            (pieces[0].start, pieces.last().unwrap().end),
            (5, text.len())
        );
        for pair in pieces.windows(2) {
            assert_eq!(pair[0].end, pair[1].start);
            assert_eq!(text[pair[0].end - 1], b'\n');
        }
        let all = pieces.into_iter().flat_map(|piece| lines(text, piece));
        let all: Vec<&[u8]> = all.map(|line| line.bytes).collect();
        let expected: Vec<&[u8]> = text[5..].split(|&b| b == b'\n').collect();
        assert_eq!(all, expected);
        assert_eq!(line_number(text, 0), 1);
        assert_eq!(line_number(text, last_line(text)), 10);
    }

    #[test]
    fn whole_numbers_have_32_bits() {
        let whole = |text: &str| {
            Words {
                rest: text.as_bytes(),
            }
            .whole()
        };
        assert_eq!(whole(" \t7 "), Some(Ok(7)));
        assert_eq!(whole("0004294967295 x"), Some(Ok(u32::MAX)));
        assert_eq!(whole("  "), None);
        let text = |s: &str| s.to_owned();
        for (word, problem) in [
            ("4294967296", LineProblem::Overflow(text("4294967296"))),
            ("-1", LineProblem::Negative(text("-1"))),
            ("-", LineProblem::NotWhole(text("-"))),
            ("+1", LineProblem::NotWhole(text("+1"))),
            ("1.5", LineProblem::NotWhole(text("1.5"))),
            ("12x", LineProblem::NotWhole(text("12x"))),
        ] {
            assert_eq!(whole(word), Some(Err(problem)));
        }
        let long = "9".repeat(100);
        let expected = format!("{}...", &long[..40]);
        assert_eq!(whole(&long), Some(Err(LineProblem::Overflow(expected))));
    }

    #[test]
    fn counts_have_64_bits() {
        assert_eq!(count(b"18446744073709551615"), Ok(u64::MAX));
        for bad in ["18446744073709551616", "-1", "+1", "1e3", "\u{661}"] {
            assert!(count(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_of_every_form_are_passed_over() {
        let mut words = Words {
            rest: b"1 -2.5e-3 .5 +7 1e400 abc",
        };
        for word in ["1", "-2.5e-3", ".5", "+7", "1e400"] {
            assert_eq!(words.number(), Some(Ok(word.as_bytes())));
        }
        let problem = LineProblem::NotANumber("abc".to_owned());
        assert_eq!(words.number(), Some(Err(problem)));
        assert_eq!(words.number(), None);
    }
}
