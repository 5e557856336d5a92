//! Streams of events: edges that come and go in the order of the lines. Lines that start with `#`
//! or `%` are comments, blank lines are passed over. The first other line decides whether events are
//! signed or timed, and whether commas separate columns.
//!
//! | events | columns |
//! |---|---|
//! | signed, an edge comes | `+`, source, target, weight if there are weights |
//! | signed, an edge goes | `-`, source, target, a number or nothing |
//! | timed | source, target, weight if there are weights, time |
//!
//! The time is the last column, as in KONECT's lists of edges. Times are whole numbers of 64 bits and do
//! not decrease. The first edge that comes decides whether there are weights. An edge that goes needs
//! none: a number in its place is left out.

use std::path::Path;

use super::text::{Fault, Line, count, lines, number};
use super::weights::{LineWeight, read_as};
use super::{ReadWeights, load_list};
use crate::error::excerpt;
use crate::{GraphError, Ids, LineProblem, Weights};

const RULE: &str = "an event is `+ u v` or `- u v`, or `u v time`, one kind throughout, and a weight \
                    stands behind v";

/// A stream of events and the weights of their edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventList {
    /// The events.
    pub events: Events,
    /// The weights of the edges in the order of the events, if they have any. The word of an edge
    /// that goes is 0.
    pub weights: Option<Weights>,
}

/// A stream of events, in the order of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Events {
    /// Edges that come or go.
    Signed(Vec<SignedEdge>),
    /// Edges that come at a time.
    Timed(Vec<TimedEdge>),
}

impl Events {
    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Signed(events) => events.len(),
            Self::Timed(events) => events.len(),
        }
    }
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

/// Reads a stream of events, plain or compressed, on a graph that has `vertices` with these ids, with
/// the weights that are asked for.
///
/// ```
/// use heapwood_graphs::{Events, Ids, ReadWeights, TimedEdge, load_events};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("calls.txt");
/// std::fs::write(&file, "# caller, called, second\n0 2 60\n2 1 75\n")?;
/// let list = load_events(&file, &Ids::from(0), 3, ReadWeights::ByFile)?;
/// let expected = [([0, 2], 60), ([2, 1], 75)];
/// assert_eq!(list.weights, None);
/// assert_eq!(list.events, Events::Timed(expected.map(|(edge, time)| TimedEdge { edge, time }).into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A [`GraphError`] that names the file and, for what is no event on the graph, the line.
pub fn load_events(
    path: impl AsRef<Path>,
    ids: &Ids,
    vertices: u32,
    weights: ReadWeights,
) -> Result<EventList, GraphError> {
    let path = path.as_ref();
    let name = || path.display().to_string();
    let list = load_list(path, |text| read(text, ids, vertices, weights))?;
    let list = list.ok_or_else(|| GraphError::NoEvents { path: name() })?;
    match weights.kind() {
        Some(_) if list.weights.is_none() => Err(GraphError::NoWeights { path: name() }),
        _ => Ok(list),
    }
}

/// The events of a text, none if there are none.
fn read(
    text: &[u8],
    ids: &Ids,
    vertices: u32,
    asked: ReadWeights,
) -> Result<Option<EventList>, Fault> {
    let is_event = |line: &Line<'_>| !matches!(line.words().peek(), None | Some(b'#' | b'%'));
    let lines = || lines(text, 0..text.len()).filter(is_event);
    let Some(first) = lines().next() else {
        return Ok(None);
    };
    let commas = first.bytes.contains(&b',');
    let is_signed = Values::of(&first, commas).sign().is_some();
    let vertex = |word: &[u8]| {
        let id = count(word)?;
        ids.vertex(id, vertices).ok_or(LineProblem::UnknownId(id))
    };
    let read = |weight: LineWeight| {
        let (mut signed, mut timed, mut words) = (Vec::new(), Vec::new(), Vec::new());
        let mut last = 0;
        let mut add = |line: &Line<'_>| -> Result<(), LineProblem> {
            let Event { kind, ends, text } = Values::of(line, commas).event(is_signed)?;
            let edge = [vertex(ends[0])?, vertex(ends[1])?];
            text.map(number).transpose()?;
            let is_going = matches!(kind, EventKind::Signed(false));
            let text = match weight {
                // Each event has a word.
                LineWeight::Present(_) if is_going => Some(&b"0"[..]),
                _ => text.filter(|_| !is_going),
            };
            match kind {
                EventKind::Signed(comes) => signed.push(SignedEdge { edge, comes }),
                EventKind::Timed(time) => {
                    let time = count(time)?;
                    let before = std::mem::replace(&mut last, time);
                    if time < before {
                        return Err(LineProblem::Earlier { time, before });
                    }
                    timed.push(TimedEdge { edge, time });
                }
            }
            words.extend(weight.parse(text)?);
            Ok(())
        };
        for line in lines() {
            add(&line).map_err(|problem| Fault::new(line.at, problem))?;
        }
        let events = match is_signed {
            true => Events::Signed(signed),
            false => Events::Timed(timed),
        };
        Ok((events, words))
    };
    let coming = lines().find_map(|line| {
        let values = Values::of(&line, commas);
        (values.sign() != Some(false)).then(|| values.event(is_signed))
    });
    let is_weighted = match coming {
        Some(event) => event.is_ok_and(|event| event.text.is_some()),
        None => asked.kind().is_some(),
    };
    let ((events, words), kind) = match (asked, is_weighted) {
        (ReadWeights::None, _) => (read(LineWeight::Ignored)?, None),
        (_, false) => (read(LineWeight::Absent)?, None),
        (_, true) => read_as(asked, |form| read(LineWeight::Present(form)))?,
    };
    let weights = kind.map(|kind| Weights { kind, words });
    Ok(Some(EventList { events, weights }))
}

/// The values of an event.
struct Event<'a> {
    kind: EventKind<'a>,
    ends: [&'a [u8]; 2],
    /// The weight, if there is one.
    text: Option<&'a [u8]>,
}

enum EventKind<'a> {
    /// Whether the edge comes.
    Signed(bool),
    /// When it comes.
    Timed(&'a [u8]),
}

/// The first four values of a line, and how many there are.
struct Values<'a> {
    first: [&'a [u8]; 4],
    found: usize,
}

impl<'a> Values<'a> {
    fn of(line: &Line<'a>, commas: bool) -> Self {
        let mut values = Self {
            first: [b""; 4],
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

    /// Whether an edge comes or goes, if the values say so.
    fn sign(&self) -> Option<bool> {
        match self.first[0] {
            b"+" => Some(true),
            b"-" => Some(false),
            _ => None,
        }
    }

    /// An event of one kind.
    fn event(&self, is_signed: bool) -> Result<Event<'a>, LineProblem> {
        let [a, b, c, d] = self.first;
        let (kind, ends, text) = match (is_signed, self.sign(), self.found) {
            (true, Some(comes), 3) => (EventKind::Signed(comes), [b, c], None),
            (true, Some(comes), 4) => (EventKind::Signed(comes), [b, c], Some(d)),
            (false, None, 3) => (EventKind::Timed(c), [a, b], None),
            (false, None, 4) => (EventKind::Timed(d), [a, b], Some(c)),
            _ => return Err(self.wrong()),
        };
        Ok(Event { kind, ends, text })
    }

    /// Why they are no event.
    fn wrong(&self) -> LineProblem {
        let (found, rule) = (self.found, RULE);
        match found {
            3 | 4 => LineProblem::Keyword {
                word: excerpt(self.first[0]),
                rule,
            },
            _ => LineProblem::Values { found, rule },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::line_number;
    use super::*;
    use crate::{WeightKind, WeightProblem};

    fn list(
        text: &str,
        ids: &Ids,
        asked: ReadWeights,
    ) -> Result<Option<EventList>, (usize, LineProblem)> {
        let text = text.as_bytes();
        let read = read(text, ids, 4, asked);
        read.map_err(|fault| (line_number(text, fault.at), fault.problem))
    }

    fn events(text: &str, ids: &Ids) -> Result<Option<Events>, (usize, LineProblem)> {
        let list = list(text, ids, ReadWeights::ByFile)?;
        Ok(list.map(|list| list.events))
    }

    #[test]
    fn events_are_signed_or_timed() {
        let signed = [([0, 1], true), ([1, 3], true), ([0, 1], false)];
        let signed = signed.map(|(edge, comes)| SignedEdge { edge, comes });
        for text in [
            "+ 0 1\n+ 1 3\n- 0 1\n",
            "# c\n\n+,0,1\r\n + , 1, 3\n%\n-,0,1",
            "+ 0 1 5\n+ 1 3 6\n- 0 1\n",
        ] {
            let expected = Events::Signed(signed.to_vec());
            assert_eq!(events(text, &Ids::from(0)), Ok(Some(expected)), "{text}");
        }
        let timed = [([0, 1], 0), ([1, 3], 5), ([0, 1], 5), ([2, 2], u64::MAX)];
        let timed = timed.map(|(edge, time)| TimedEdge { edge, time });
        let text = "0 1 0\n1 3 5\n0 1 5\n2 2 18446744073709551615\n";
        let weighted = "0 1 7 0\n1 3 0 5\n0 1 .5 5\n2 2 1e3 18446744073709551615\n";
        for text in [text, weighted] {
            for text in [text.to_owned(), text.replace(' ', ",")] {
                let expected = Events::Timed(timed.to_vec());
                assert_eq!(events(&text, &Ids::from(0)), Ok(Some(expected)), "{text}");
            }
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
    fn events_have_the_weights_of_their_edges() {
        use ReadWeights::{ByFile, Integer, None as Nothing, Real};
        use WeightKind::{Integer as Whole, Real as Fraction};
        let one = 1_f32.to_bits();
        for (text, asked, expected) in [
            ("0 1 3\n", ByFile, None),
            ("0 1 7 3\n1 2 8 3\n", ByFile, Some((Whole, vec![7, 8]))),
            (
                "0,1,1,3\n1,2,1.0,3\n",
                ByFile,
                Some((Fraction, vec![one, one])),
            ),
            ("0 1 7 3\n", Nothing, None),
            ("0 1 1 3\n", Real, Some((Fraction, vec![one]))),
            ("+ 0 1\n- 0 1\n", ByFile, None),
            (
                "- 0 1\n+ 0 1 7\n- 0 1 -9\n",
                ByFile,
                Some((Whole, vec![0, 7, 0])),
            ),
            ("- 0 1 4\n+ 0 1\n", ByFile, None),
            ("+,0,1,1\n-,0,1\n", Real, Some((Fraction, vec![one, 0]))),
            ("- 0 1\n", ByFile, None),
            ("- 0 1\n- 1 2 5\n", Integer, Some((Whole, vec![0, 0]))),
            // As they were read before.
            ("+ 0 1\n+ 0 1 -7\n", Nothing, None),
        ] {
            let list = list(text, &Ids::from(0), asked).unwrap().unwrap();
            let weights = expected.map(|(kind, words)| Weights { kind, words });
            assert_eq!(list.weights, weights, "{text}");
        }
    }

    #[test]
    fn faults_of_weights_are_named_with_their_line() {
        let text = |word: &str| word.to_owned();
        for (events, expected) in [
            ("0 1 -7 3\n", (1, WeightProblem::Negative(text("-7")))),
            ("0 1 7 3\n0 1 4\n", (2, WeightProblem::Missing)),
            ("0 1 7\n0 1 4 8\n", (2, WeightProblem::Unexpected)),
            ("+ 0 1 7\n- 0 1\n+ 0 1\n", (3, WeightProblem::Missing)),
            ("- 0 1 7\n+ 0 1\n+ 0 1 1\n", (3, WeightProblem::Unexpected)),
            ("+ 0 1 inf\n", (1, WeightProblem::NotFinite(text("inf")))),
        ] {
            let (line, problem) = expected;
            let found = list(events, &Ids::from(0), ReadWeights::ByFile);
            assert_eq!(found, Err((line, problem.into())), "{events}");
        }
        let found = list("0 1 .5 3\n", &Ids::from(0), ReadWeights::Integer);
        let problem = WeightProblem::NotWhole(text(".5"));
        assert_eq!(found, Err((1, problem.into())));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls");
        std::fs::write(&path, "0 1 3\n").unwrap();
        let error = load_events(&path, &Ids::from(0), 2, ReadWeights::Real).unwrap_err();
        assert!(error.to_string().contains("has no weights"), "{error}");
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
            ("0 1 2 3 4\n", (1, values(5))),
            ("+ 0 1 2 3\n", (1, values(5))),
            ("0 1 x 3\n", (1, LineProblem::NotANumber("x".to_owned()))),
            ("- 0 1 x\n", (1, LineProblem::NotANumber("x".to_owned()))),
            ("+ 0 1 2\n0 1 2 3\n", (2, keyword("0"))),
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
