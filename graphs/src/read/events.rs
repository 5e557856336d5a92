//! Streams of events: edges that come and go in the order of the lines. Each line is signed,
//! `+ u v` or `- u v`, or timed, `u v time`; the first one that is no comment decides for the
//! text, and whether commas separate. Times are whole numbers of 64 bits and do not decrease.
//! Lines that start with `#` or `%` are comments, blank lines are passed over.

use std::path::Path;

use super::load_list;
use super::text::{Fault, Line, count, lines};
use crate::error::excerpt;
use crate::{GraphError, Ids, LineProblem};

const RULE: &str = "an event is `+ u v` or `- u v`, or `u v time`, one kind throughout";

/// A stream of events, in the order of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Events {
    /// Edges that come or go.
    Signed(Vec<SignedEdge>),
    /// Edges that come at a time.
    Timed(Vec<TimedEdge>),
}

/// An edge that comes or goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedEdge {
    /// Its ends.
    pub edge: [u32; 2],
    /// Whether it comes.
    pub comes: bool,
}

/// An edge that comes at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedEdge {
    /// Its ends.
    pub edge: [u32; 2],
    /// When it comes.
    pub time: u64,
}

/// Reads a stream of events, plain or compressed, on a graph that has `vertices` with these ids.
///
/// ```
/// use heapwood_graphs::{Events, Ids, TimedEdge, load_events};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("calls.txt");
/// std::fs::write(&file, "# caller, called, second\n0 2 60\n2 1 75\n")?;
/// let events = load_events(&file, &Ids::from(0), 3)?;
/// let expected = [([0, 2], 60), ([2, 1], 75)];
/// assert_eq!(events, Events::Timed(expected.map(|(edge, time)| TimedEdge { edge, time }).into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A [`GraphError`] that names the file and, for what is no event on the graph, the line.
pub fn load_events(path: impl AsRef<Path>, ids: &Ids, vertices: u32) -> Result<Events, GraphError> {
    let path = path.as_ref();
    let events = load_list(path, |text| read(text, ids, vertices))?;
    events.ok_or_else(|| GraphError::NoEvents {
        path: path.display().to_string(),
    })
}

/// The events of a text, none if there are none.
fn read(text: &[u8], ids: &Ids, vertices: u32) -> Result<Option<Events>, Fault> {
    let is_event = |line: &Line<'_>| !matches!(line.words().peek(), None | Some(b'#' | b'%'));
    let events = || lines(text, 0..text.len()).filter(is_event);
    let Some(first) = events().next() else {
        return Ok(None);
    };
    let commas = first.bytes.contains(&b',');
    let is_signed = Values::of(&first, commas).sign().is_some();
    let vertex = |word: &[u8]| {
        let id = count(word)?;
        ids.vertex(id, vertices).ok_or(LineProblem::UnknownId(id))
    };
    let edge = |u: &[u8], v: &[u8]| Ok([vertex(u)?, vertex(v)?]);
    if is_signed {
        let event = |line: Line<'_>| {
            let values = Values::of(&line, commas);
            let signed = match (values.sign(), values.three()) {
                (Some(comes), Some([_, u, v])) => edge(u, v).map(|edge| SignedEdge { edge, comes }),
                _ => Err(values.wrong()),
            };
            signed.map_err(|problem| Fault::new(line.at, problem))
        };
        let signed: Result<_, Fault> = events().map(event).collect();
        return signed.map(Events::Signed).map(Some);
    }
    let mut last = 0;
    let event = |line: Line<'_>| {
        let values = Values::of(&line, commas);
        let timed = match (values.sign(), values.three()) {
            (None, Some([u, v, time])) => edge(u, v).and_then(|edge| {
                let time = count(time)?;
                let before = std::mem::replace(&mut last, time);
                if time < before {
                    return Err(LineProblem::Earlier { time, before });
                }
                Ok(TimedEdge { edge, time })
            }),
            _ => Err(values.wrong()),
        };
        timed.map_err(|problem| Fault::new(line.at, problem))
    };
    let timed: Result<_, Fault> = events().map(event).collect();
    timed.map(Events::Timed).map(Some)
}

/// The first three values of a line, and how many there are.
struct Values<'a> {
    first: [&'a [u8]; 3],
    found: usize,
}

impl<'a> Values<'a> {
    fn of(line: &Line<'a>, commas: bool) -> Self {
        let mut values = Self {
            first: [b""; 3],
            found: 0,
        };
        let mut words = line.words();
        match commas {
            true => words
                .fields(b',')
                .for_each(|field| values.push(field.trimmed())),
            false => std::iter::from_fn(|| words.word()).for_each(|word| values.push(word)),
        }
        values
    }

    fn push(&mut self, value: &'a [u8]) {
        if let Some(place) = self.first.get_mut(self.found) {
            *place = value;
        }
        self.found += 1;
    }

    /// All of them, if they are three.
    fn three(&self) -> Option<[&'a [u8]; 3]> {
        (self.found == 3).then_some(self.first)
    }

    /// Whether an edge comes or goes, if the values say so.
    fn sign(&self) -> Option<bool> {
        match self.first[0] {
            b"+" => Some(true),
            b"-" => Some(false),
            _ => None,
        }
    }

    /// Why they are no event.
    fn wrong(&self) -> LineProblem {
        let (found, rule) = (self.found, RULE);
        match self.three() {
            Some([word, ..]) => LineProblem::Keyword {
                word: excerpt(word),
                rule,
            },
            None => LineProblem::Values { found, rule },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::line_number;
    use super::*;

    fn events(text: &str, ids: &Ids) -> Result<Option<Events>, (usize, LineProblem)> {
        let text = text.as_bytes();
        let read = read(text, ids, 4);
        read.map_err(|fault| (line_number(text, fault.at), fault.problem))
    }

    #[test]
    fn events_are_signed_or_timed() {
        let signed = [([0, 1], true), ([1, 3], true), ([0, 1], false)];
        let signed = signed.map(|(edge, comes)| SignedEdge { edge, comes });
        for text in [
            "+ 0 1\n+ 1 3\n- 0 1\n",
            "# c\n\n+,0,1\r\n + , 1, 3\n%\n-,0,1",
        ] {
            let expected = Events::Signed(signed.to_vec());
            assert_eq!(events(text, &Ids::from(0)), Ok(Some(expected)), "{text}");
        }
        let timed = [([0, 1], 0), ([1, 3], 5), ([0, 1], 5), ([2, 2], u64::MAX)];
        let timed = timed.map(|(edge, time)| TimedEdge { edge, time });
        let text = "0 1 0\n1 3 5\n0 1 5\n2 2 18446744073709551615\n";
        for text in [text.to_owned(), text.replace(' ', ",")] {
            let expected = Events::Timed(timed.to_vec());
            assert_eq!(events(&text, &Ids::from(0)), Ok(Some(expected)), "{text}");
        }
        let ids = Ids::listed(vec![7, 900, 1 << 40]);
        let expected = vec![TimedEdge {
            edge: [2, 0],
            time: 3,
        }];
        let found = events("1099511627776 7 3\n", &ids);
        assert_eq!(found, Ok(Some(Events::Timed(expected))));
        assert_eq!(events("# c\n\n", &ids), Ok(None));
    }

    #[test]
    fn what_is_no_event_is_named_with_its_line() {
        let values = |found| LineProblem::Values { found, rule: RULE };
        let keyword = |word: &str| LineProblem::Keyword {
            word: word.to_owned(),
            rule: RULE,
        };
        let whole = |word: &str| LineProblem::NotWhole(word.to_owned());
        for (text, expected) in [
            ("0 1 2\n#\n0 1\n", (3, values(2))),
            ("0 1 2 3\n", (1, values(4))),
            ("+ 0 1\n- 0\n", (2, values(2))),
            ("+ 0 1\n0 1 2\n", (2, keyword("0"))),
            ("0 1 2\n+ 0 1\n", (2, keyword("+"))),
            ("0 1 2\n0 1 1.5\n", (2, whole("1.5"))),
            ("0 1 x\n", (1, whole("x"))),
            ("+ 0 1\n* 0 1\n", (2, keyword("*"))),
            ("0 1 2\n0,1,3\n", (2, values(1))),
            ("0,1,2\n0 1 3\n", (2, values(1))),
            ("0,1,2\n0,,3\n", (2, whole(""))),
            ("0 1 -2\n", (1, LineProblem::Negative("-2".to_owned()))),
            ("0 1 2\n0 4 2\n", (2, LineProblem::UnknownId(4))),
            (
                "0 1 7\n1 2 7\n0 1 5\n",
                (3, LineProblem::Earlier { time: 5, before: 7 }),
            ),
        ] {
            assert_eq!(events(text, &Ids::from(0)), Err(expected), "{text}");
        }
    }
}
