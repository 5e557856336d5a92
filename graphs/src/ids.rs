//! Names that a file gives its vertices: numbers without gaps from 0 or 1, or ids of 64 bits as
//! they occur.

use std::sync::Arc;

/// The ids of vertices. Vertex `v` of the graph, counted from 0, has the `v`-th smallest id,
/// so that vertices and ids are in the same order.
///
/// Vertices beyond those of the file, which are inserted later, have the ids after the
/// largest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ids(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// The first vertex has this number, the others follow.
    From(u32),
    /// Ascending, each once.
    Listed(Arc<[u64]>),
}

impl Ids {
    /// Numbers without gaps.
    pub fn from(first: u32) -> Self {
        Self(Kind::From(first))
    }

    /// These, ascending and each once.
    pub fn listed(ids: Vec<u64>) -> Self {
        debug_assert!(ids.is_sorted_by(|a, b| a < b));
        Self(Kind::Listed(ids.into()))
    }

    /// Whether they are ids as they occur, not numbers without gaps.
    pub fn are_listed(&self) -> bool {
        matches!(self.0, Kind::Listed(_))
    }

    /// The id of the first vertex, whether or not there is one.
    pub fn first(&self) -> u64 {
        self.of(0)
    }

    /// The id of a vertex. Beyond 2^64 ids begin again at 0; see [`Ids::have`].
    pub fn of(&self, vertex: u32) -> u64 {
        let vertex = u64::from(vertex);
        match &self.0 {
            Kind::From(first) => vertex + u64::from(*first),
            Kind::Listed(ids) => {
                let beyond = || vertex.wrapping_sub(ids.len() as u64);
                let id = ids.get(vertex as usize).copied();
                id.unwrap_or_else(|| self.after_last().wrapping_add(beyond()))
            }
        }
    }

    /// The vertex of an id, if it is one of the first `vertices`.
    pub fn vertex(&self, id: u64, vertices: u32) -> Option<u32> {
        let vertex = match &self.0 {
            Kind::From(first) => id.checked_sub(u64::from(*first))?,
            Kind::Listed(ids) => match ids.binary_search(&id) {
                Ok(place) => place as u64,
                Err(place) if place == ids.len() => {
                    id.checked_sub(self.after_last())? + ids.len() as u64
                }
                Err(_) => return None,
            },
        };
        let vertex = u32::try_from(vertex).ok()?;
        (vertex < vertices).then_some(vertex)
    }

    /// Whether there are ids for so many vertices.
    pub fn have(&self, vertices: u32) -> bool {
        match &self.0 {
            Kind::From(_) => true,
            Kind::Listed(ids) => {
                let more = u64::from(vertices).saturating_sub(ids.len() as u64);
                let last = ids.last().copied();
                last.is_none_or(|last| last.checked_add(more).is_some())
            }
        }
    }

    fn after_last(&self) -> u64 {
        match &self.0 {
            Kind::From(first) => u64::from(*first),
            Kind::Listed(ids) => ids.last().map_or(0, |last| last.wrapping_add(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_from_the_first() {
        let ids = Ids::from(1);
        assert_eq!([0, 2].map(|v| ids.of(v)), [1, 3]);
        let found = [0, 1, 3, 4].map(|id| ids.vertex(id, 3));
        assert_eq!(found, [None, Some(0), Some(2), None]);
        assert_eq!(Ids::from(0).vertex(1 << 32, u32::MAX), None);
        assert!(!ids.are_listed() && ids.have(u32::MAX));
    }

    #[test]
    fn listed_ids_go_on_behind_the_largest() {
        let ids = Ids::listed(vec![5, 9, 1 << 40]);
        assert_eq!([0, 1, 2].map(|v| ids.of(v)), [5, 9, 1 << 40]);
        assert_eq!(ids.of(4), (1 << 40) + 2);
        assert_eq!(ids.first(), 5);
        for vertex in 0..6 {
            assert_eq!(
                ids.vertex(ids.of(vertex), 5),
                (vertex < 5).then_some(vertex)
            );
        }
        for unknown in [0, 4, 6, (1 << 40) - 1, u64::MAX] {
            assert_eq!(ids.vertex(unknown, u32::MAX), None, "{unknown}");
        }
        assert!(ids.are_listed() && ids.have(u32::MAX));
    }

    #[test]
    fn ids_end_at_64_bits() {
        let ids = Ids::listed(vec![u64::MAX - 1]);
        assert!(ids.have(0) && ids.have(2) && !ids.have(3));
        assert_eq!((ids.of(1), ids.vertex(u64::MAX, 2)), (u64::MAX, Some(1)));
        let ids = Ids::listed(vec![u64::MAX]);
        assert_eq!(ids.vertex(0, 9), None);
        assert!(Ids::listed(Vec::new()).have(5));
    }
}
