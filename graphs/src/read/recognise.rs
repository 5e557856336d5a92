//! The format of a text: by its first lines where they decide, else by its suffix.

use std::path::Path;

use super::text::{self, Fault};
use super::{dimacs, edge_list, matrix_market, metis};
use crate::error::excerpt;
use crate::format::suffix;
use crate::{Format, LineProblem};

/// A format, and whether nothing but the number of lines and words speaks for it.
pub(super) struct Recognised {
    pub format: Format,
    pub by_counts: bool,
}

impl From<Format> for Recognised {
    fn from(format: Format) -> Self {
        let by_counts = false;
        Self { format, by_counts }
    }
}

/// Finds out what `text` is. One of numbers without a telling suffix is METIS if its lines and
/// words are as many as its first line announces.
///
/// # Errors
/// A first line that no format has.
pub(super) fn recognise(text: &[u8], path: &Path) -> Result<Recognised, Fault> {
    if matrix_market::has_banner(text) {
        return Ok(Format::MatrixMarket.into());
    }
    // The header of KONECT stands in files of any name: they are called `out.NAME`.
    if edge_list::is_konect(text) {
        return Ok(Format::EdgeList.into());
    }
    // Ends in `.txt` are given to anything.
    let by_suffix = Format::by_suffix(path).filter(|_| suffix(path).as_deref() != Some("txt"));
    let is_comment = |word: &[u8]| word == b"c" || word.starts_with(b"#") || word.starts_with(b"%");
    let mut first_words = text::lines(text, 0..text.len()).filter_map(|line| {
        let word = line.words().word()?;
        (!is_comment(word)).then_some((line, word))
    });
    let Some((line, word)) = first_words.next() else {
        return Ok(by_suffix.unwrap_or(Format::EdgeList).into());
    };
    let mut words = line.words();
    words.word();
    let second = words.word();
    match word {
        b"p" if second.is_some_and(dimacs::is_gr) => return Ok(Format::Gr.into()),
        b"p" => return Ok(by_suffix.unwrap_or(Format::Col).into()),
        // The letters are names of vertices where no numbers follow.
        b"a" | b"e" | b"n" if second.is_none_or(|word| word[0].is_ascii_digit()) => {
            return Ok(match word {
                b"a" => Format::Gr.into(),
                _ => Format::Col.into(),
            });
        }
        _ => {}
    }
    if let Some(format) = by_suffix {
        return Ok(format.into());
    }
    // No other format has these.
    if edge_list::has_columns(text) {
        return Ok(Format::EdgeList.into());
    }
    if !word[0].is_ascii_digit() && word[0] != b'-' {
        let problem = LineProblem::Keyword {
            word: excerpt(word),
            rule: "DIMACS, METIS, Matrix Market and edge lists are read",
        };
        return Err(Fault::new(line.at, problem));
    }
    let by_counts = metis::fits(text);
    let format = match by_counts {
        true => Format::Metis,
        false => Format::EdgeList,
    };
    Ok(Recognised { format, by_counts })
}
