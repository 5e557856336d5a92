//! Auxiliary files of DIMACS's ninth challenge: `p aux sp kind n`, then n lines of one keyword. Lines
//! that start with `c` are comments, and blank lines are passed over.

use super::text::{self, Fault, Line, Words, lines};
use crate::LineProblem;
use crate::error::excerpt;

/// The lines behind the header of an auxiliary file.
pub(super) struct Body<'a> {
    text: &'a [u8],
    /// The first byte of the header.
    header: usize,
    start: usize,
    declared: u64,
    /// The kind in the header.
    pub kind: &'static str,
}

/// Whether a text begins with a letter, as all lines of DIMACS do.
pub(super) fn is_dimacs(text: &[u8]) -> bool {
    let first = lines(text, 0..text.len()).find_map(|line| line.words().word());
    matches!(first, Some([letter]) if letter.is_ascii_alphabetic())
}

/// The first line that is no comment.
fn first_line(text: &[u8]) -> Option<Line<'_>> {
    lines(text, 0..text.len()).find(|line| !is_comment(line))
}

fn is_comment(line: &Line) -> bool {
    matches!(line.words().word(), None | Some(b"c"))
}

impl<'a> Body<'a> {
    /// Reads the header, which has one of these kinds by the rule.
    ///
    /// # Errors
    ///
    /// A first line that is no such header.
    pub fn find(text: &'a [u8], kinds: &[&'static str], rule: &'static str) -> Result<Self, Fault> {
        let line = first_line(text).unwrap_or_else(|| Line::beyond(text));
        let at = |problem| Fault::new(line.at, problem);
        let wrong = || {
            at(LineProblem::Header {
                text: excerpt(line.bytes.trim_ascii()),
                rule,
            })
        };
        let mut words = line.words();
        let start = ["p", "aux", "sp"].map(str::as_bytes).map(Some);
        let is_header = start.into_iter().all(|word| words.word() == word);
        let kind = words.word().filter(|_| is_header);
        let mut kinds = kinds.iter();
        let kind = kinds.find(|known| kind == Some(known.as_bytes()));
        let &kind = kind.ok_or_else(wrong)?;
        let count = words.word().ok_or_else(wrong)?;
        if !words.is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            text,
            header: line.at,
            start: line.next_line(),
            declared: text::count(count).map_err(at)?,
            kind,
        })
    }

    /// Reads the lines, which start with the keyword by the rule beside it. `read` gets the words behind
    /// the keyword, and `what` is the name of a line's contents, for messages.
    ///
    /// # Errors
    ///
    /// A line of another keyword, the first fault of `read`, and another number of lines than the
    /// header declares.
    pub fn read<T>(
        &self,
        [keyword, rule]: [&'static str; 2],
        what: &'static str,
        mut read: impl FnMut(Words<'a>) -> Result<T, LineProblem>,
    ) -> Result<Vec<T>, Fault> {
        let mut found = Vec::new();
        for line in lines(self.text, self.start..self.text.len()) {
            let mut words = line.words();
            let value = match words.word() {
                None | Some(b"c") => continue,
                Some(word) if word == keyword.as_bytes() => read(words),
                Some(word) => Err(LineProblem::Keyword {
                    word: excerpt(word),
                    rule,
                }),
            };
            found.push(value.map_err(|problem| Fault::new(line.at, problem))?);
        }
        match found.len() as u64 == self.declared {
            true => Ok(found),
            false => {
                let problem = LineProblem::Count {
                    what,
                    declared: self.declared,
                    found: found.len() as u64,
                };
                Err(Fault::new(self.header, problem))
            }
        }
    }
}
