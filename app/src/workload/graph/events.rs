//! A stream of events as batches for a store: what each of them inserts and deletes is
//! known before the first one is applied, and is the same for every backend and run.
//!
//! Within a batch the last event of an edge decides, so that a batch leaves the graph that its
//! events would leave one after the other. Insertions and deletions have no edge
//! in common.

use std::collections::{HashMap, HashSet, VecDeque};

use heapwood_graphs::{EventList, Events, TimedEdge};

use crate::graph::{Edge, EdgeBatch, Input};
use crate::{Error, OptionError};

/// How events are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batching {
    /// So many a batch, at least one.
    Count(usize),
    /// Those of so much time a batch, at least 1, counted from the first event's.
    Time(u64),
}

/// Batches of a stream.
#[derive(Clone, Debug)]
pub struct EventStream {
    /// The batches, each of at least one event.
    pub batches: Vec<EventBatch>,
    /// How long an edge stays after it came, if it goes again by itself.
    pub window: Option<u64>,
}

/// A batch of events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventBatch {
    /// Its events.
    pub events: usize,
    /// Events that a later one of the batch, or the window at its end, has made void.
    pub superseded: usize,
    /// Edges to delete.
    pub delete: Vec<Edge>,
    /// Edges to insert, with the weights of their events.
    pub insert: EdgeBatch,
}

impl EventStream {
    /// The batches of events on a graph.
    ///
    /// With a window, the time of a batch is that of its last event: edges that came last
    /// before that less the window go. Edges of the graph as loaded have no time, and stay.
    ///
    /// # Errors
    ///
    /// [`OptionError`] if signed events are to be grouped by time or to go after a window.
    pub fn new(
        list: &EventList,
        batching: Batching,
        window: Option<u64>,
        graph: &Input,
    ) -> Result<Self, Error> {
        let key = |[u, v]: Edge| match graph.rows.directed {
            true => [u, v],
            false => [u.min(v), u.max(v)],
        };
        let words = list.weights.as_ref().map(|weights| &weights.words);
        // The edges of these events, each with its number.
        let inserted = |events: Vec<(Edge, usize)>| EdgeBatch {
            ends: events.iter().map(|&(edge, _)| edge).collect(),
            weights: words.map(|words| events.iter().map(|&(_, number)| words[number]).collect()),
        };
        let mut first = 0;
        let batches = match (&list.events, batching) {
            (Events::Signed(_), Batching::Time(_)) => {
                return Err(OptionError::UntimedBatches.into());
            }
            (Events::Signed(_), _) if window.is_some() => {
                return Err(OptionError::UntimedWindow.into());
            }
            (Events::Signed(events), Batching::Count(count)) => {
                let batches = events.chunks(count).map(|batch| {
                    let events = (first..).zip(batch);
                    first += batch.len();
                    let events = events.map(|(at, event)| (key(event.edge), (at, event.comes)));
                    signed(&events.collect::<Vec<_>>(), inserted)
                });
                batches.collect()
            }
            (Events::Timed(events), batching) => {
                let start = events.first().map_or(0, |event| event.time);
                let slot = |event: &TimedEdge, width| (event.time - start) / width;
                let groups: Vec<&[TimedEdge]> = match batching {
                    Batching::Count(count) => events.chunks(count).collect(),
                    Batching::Time(width) => events
                        .chunk_by(|a, b| slot(a, width) == slot(b, width))
                        .collect(),
                };
                let mut sliding = Sliding::new(window, graph);
                let batch = |group: &&[TimedEdge]| {
                    let events = (first..).zip(*group);
                    first += group.len();
                    let events = events.map(|(at, event)| (key(event.edge), (at, event.time)));
                    sliding.batch(&events.collect::<Vec<_>>(), inserted)
                };
                groups.iter().map(batch).collect()
            }
        };
        Ok(Self { batches, window })
    }
}

/// The last event of each edge, in the order of the events.
fn last_of_each<T: Copy>(events: &[(Edge, T)]) -> Vec<(Edge, T)> {
    let mut seen = HashSet::new();
    let backwards = events.iter().rev().filter(|(edge, _)| seen.insert(*edge));
    let mut last: Vec<(Edge, T)> = backwards.copied().collect();
    last.reverse();
    last
}

/// The batch of signed events, each with its number.
fn signed(
    events: &[(Edge, (usize, bool))],
    inserted: impl Fn(Vec<(Edge, usize)>) -> EdgeBatch,
) -> EventBatch {
    let last = last_of_each(events);
    let of = |sign| {
        let of_sign = last.iter().filter(move |(_, (_, comes))| *comes == sign);
        of_sign.map(|&(edge, (number, _))| (edge, number))
    };
    EventBatch {
        events: events.len(),
        superseded: events.len() - last.len(),
        delete: of(false).map(|(edge, _)| edge).collect(),
        insert: inserted(of(true).collect()),
    }
}

/// Edges that came and may go again.
struct Sliding<'a> {
    window: Option<u64>,
    graph: &'a Input,
    /// When each edge of the stream that is there came last.
    came: HashMap<Edge, u64>,
    /// Edges that came, in the order of time; of an edge that came again, the earlier ones too.
    queue: VecDeque<(Edge, u64)>,
}

impl<'a> Sliding<'a> {
    fn new(window: Option<u64>, graph: &'a Input) -> Self {
        Self {
            window,
            graph,
            came: HashMap::new(),
            queue: VecDeque::new(),
        }
    }

    /// Whether an edge is not of the graph as loaded, and none that the store rejects.
    fn may_go(&self, [u, v]: Edge) -> bool {
        let is_loaded = self.graph.rows.row(u).binary_search(&v).is_ok();
        !is_loaded && (u != v || self.graph.options.keep_self_loops)
    }

    /// The next batch, of at least one event, each with its number and time.
    fn batch(
        &mut self,
        events: &[(Edge, (usize, u64))],
        inserted: impl Fn(Vec<(Edge, usize)>) -> EdgeBatch,
    ) -> EventBatch {
        let now = events.last().map_or(0, |&(_, (_, time))| time);
        let Some(window) = self.window else {
            let insert = last_of_each(events);
            return EventBatch {
                events: events.len(),
                superseded: events.len() - insert.len(),
                delete: Vec::new(),
                insert: inserted(
                    insert
                        .into_iter()
                        .map(|(edge, (at, _))| (edge, at))
                        .collect(),
                ),
            };
        };
        // Edges that came before the horizon have gone.
        let horizon = now.saturating_sub(window);
        let mut insert = Vec::new();
        for (edge, (number, time)) in last_of_each(events) {
            if time >= horizon {
                insert.push((edge, number));
            }
            let is_there = time >= horizon || self.came.contains_key(&edge);
            if is_there && self.may_go(edge) {
                self.came.insert(edge, time);
                self.queue.push_back((edge, time));
            }
        }
        let mut delete = Vec::new();
        while let Some(&(edge, time)) = self.queue.front()
            && time < horizon
        {
            self.queue.pop_front();
            // Unless it came again since.
            if self.came.get(&edge) == Some(&time) {
                self.came.remove(&edge);
                delete.push(edge);
            }
        }
        EventBatch {
            events: events.len(),
            superseded: events.len() - insert.len(),
            delete,
            insert: inserted(insert),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapwood_graphs::{CsrOptions, EdgeList, SignedEdge};
    use std::collections::BTreeSet;

    fn loaded(edges: &[Edge], directed: bool) -> Input {
        let list = EdgeList {
            vertices: 8,
            edges: edges.to_vec(),
            weights: None,
            directed,
        };
        Input::new("loaded", list, CsrOptions::default())
    }

    fn timed(events: &[(Edge, u64)]) -> EventList {
        let event = |&(edge, time)| TimedEdge { edge, time };
        unweighted(Events::Timed(events.iter().map(event).collect()))
    }

    fn unweighted(events: Events) -> EventList {
        EventList {
            events,
            weights: None,
        }
    }

    fn batches(
        events: &EventList,
        batching: Batching,
        window: u64,
        graph: &Input,
    ) -> Vec<EventBatch> {
        EventStream::new(events, batching, Some(window), graph)
            .unwrap()
            .batches
    }

    #[test]
    fn the_last_event_of_a_batch_decides() {
        let event = |sign, edge| SignedEdge {
            edge,
            comes: sign == '+',
        };
        let events = [
            event('+', [1, 0]),
            event('-', [0, 1]),
            event('+', [2, 3]),
            event('-', [2, 3]),
            event('+', [3, 2]),
            event('-', [4, 5]),
        ];
        let events = unweighted(Events::Signed(events.to_vec()));
        let plan = |directed, count| {
            let graph = loaded(&[], directed);
            let stream = EventStream::new(&events, Batching::Count(count), None, &graph);
            let of = |batch: EventBatch| (batch.superseded, batch.delete, batch.insert.ends);
            stream
                .unwrap()
                .batches
                .into_iter()
                .map(of)
                .collect::<Vec<_>>()
        };
        assert_eq!(plan(false, 9), [(3, vec![[0, 1], [4, 5]], vec![[2, 3]])]);
        assert_eq!(
            plan(true, 9),
            [(1, vec![[0, 1], [2, 3], [4, 5]], vec![[1, 0], [3, 2]])]
        );
        let twos = plan(false, 2);
        assert_eq!(twos[0], (1, vec![[0, 1]], vec![]));
        assert_eq!(twos[1], (1, vec![[2, 3]], vec![]));
        assert_eq!(twos[2], (0, vec![[4, 5]], vec![[2, 3]]));
        for (batching, window, why) in [
            (Batching::Time(5), None, "batch-time is for timed events"),
            (Batching::Count(5), Some(1), "window is for timed events"),
        ] {
            let refused = EventStream::new(&events, batching, window, &loaded(&[], true));
            let error = refused.unwrap_err().to_string();
            assert!(error.starts_with(why), "{error}");
        }
    }

    #[test]
    fn time_is_cut_from_the_first_event_on() {
        let events = timed(&[([0, 1], 7), ([1, 2], 11), ([2, 3], 12), ([3, 4], 40)]);
        let stream = EventStream::new(&events, Batching::Time(5), None, &loaded(&[], false));
        let inserted = stream
            .unwrap()
            .batches
            .into_iter()
            .map(|batch| batch.insert.ends);
        assert_eq!(
            inserted.collect::<Vec<_>>(),
            [vec![[0, 1], [1, 2]], vec![[2, 3]], vec![[3, 4]]]
        );
        let none = EventStream::new(&timed(&[]), Batching::Time(1), None, &loaded(&[], false));
        assert!(none.unwrap().batches.is_empty());
    }

    #[test]
    fn edges_go_when_they_are_older_than_the_window() {
        let events = timed(&[
            ([0, 1], 10),
            ([1, 0], 13),
            ([2, 3], 14),
            // Exactly as old as the window is young enough.
            ([4, 5], 23),
            ([4, 5], 24),
            ([6, 7], 99),
        ]);
        // 2-3 was loaded, and stays.
        let found = batches(&events, Batching::Count(1), 10, &loaded(&[[2, 3]], false));
        let of = |batch: &EventBatch| (batch.delete.clone(), batch.insert.ends.clone());
        let found: Vec<_> = found.iter().map(of).collect();
        assert_eq!(found[0], (vec![], vec![[0, 1]]));
        assert_eq!(found[1], (vec![], vec![[0, 1]]));
        assert_eq!(found[3], (vec![], vec![[4, 5]]));
        assert_eq!(found[4], (vec![[0, 1]], vec![[4, 5]]));
        assert_eq!(found[5], (vec![[4, 5]], vec![[6, 7]]));
        // Loops are rejected when they come, and have not to go, unless they are kept.
        let events = timed(&[([1, 1], 1), ([0, 1], 5)]);
        let mut graph = loaded(&[], false);
        for kept in [false, true] {
            graph.options.keep_self_loops = kept;
            let found = batches(&events, Batching::Count(1), 2, &graph);
            assert_eq!(found[1].delete, [[1, 1]].repeat(usize::from(kept)));
        }
    }

    #[test]
    fn who_comes_and_goes_in_a_batch_was_never_there() {
        let events = [10, 13, 14, 23, 99].map(|time| ([time as u32 % 7, 7], time));
        let events = timed(&events);
        let found = batches(&events, Batching::Count(9), 10, &loaded(&[], false));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].events, found[0].superseded), (5, 4));
        assert_eq!(
            (found[0].delete.len(), &found[0].insert.ends),
            (0, &vec![[1, 7]])
        );
    }

    /// Whatever the batches, the graph after each is that of the definition.
    #[test]
    fn batches_leave_what_the_events_leave() {
        let random = |i: u64| i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let event = |i: u64| {
            let ends = [random(3 * i) % 6, random(3 * i + 1) % 6].map(|end| end as u32);
            (ends, 100 + i / 3 * 2)
        };
        let all: Vec<(Edge, u64)> = (0..300).map(event).filter(|([u, v], _)| u != v).collect();
        for directed in [false, true] {
            let graph = loaded(&[[0, 1], [2, 4]], directed);
            let loaded = graph.rows.to_edges().edges;
            for batching in [1, 7, 50]
                .map(Batching::Count)
                .into_iter()
                .chain([Batching::Time(9)])
            {
                for window in [0, 3, 20, 1000] {
                    let mut there: BTreeSet<Edge> = loaded.iter().copied().collect();
                    let mut done = 0;
                    for batch in batches(&timed(&all), batching, window, &graph) {
                        for edge in &batch.delete {
                            assert!(there.remove(edge), "{edge:?} was there");
                            assert!(!batch.insert.ends.contains(edge));
                        }
                        there.extend(&batch.insert.ends);
                        done += batch.events;
                        let now = all[done - 1].1;
                        let young = all[..done].iter().filter(|(_, time)| time + window >= now);
                        let key = |&([u, v], _): &(Edge, u64)| match directed {
                            true => [u, v],
                            false => [u.min(v), u.max(v)],
                        };
                        let expected: BTreeSet<Edge> =
                            young.map(key).chain(loaded.iter().copied()).collect();
                        assert_eq!(there, expected, "{batching:?}, {window}");
                    }
                    assert_eq!(done, all.len());
                }
            }
        }
    }
}
