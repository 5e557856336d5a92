//! The host's side of sorted pairs: parts, memory, launches.

use std::ops::Range;

use super::{PairArguments, Pairs};
use crate::graph::batch::{Batch, Change, UpdateSpace};
use crate::graph::store::plan::{Csr, Graph, Layout, Shape, Weighting};
use crate::graph::store::sort::Sorting;
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::WorkspaceLayout;

/// Pairs that are sorted together, if no vertex has more: 1.5 GB of workspace.
const PART: u64 = 1 << 25;

/// Pairs that can be sorted together.
pub const MAX_PAIRS: u32 = 1 << 30;

/// Targets that a warp takes at a time.
const TILE: u32 = 512;

/// Vertices whose pairs are sorted together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairPart {
    /// The vertices.
    pub vertices: Range<u32>,
    /// The pairs in each direction that there is.
    pub pairs: Vec<u32>,
}

impl PairPart {
    /// All its pairs.
    pub fn count(&self) -> u32 {
        self.pairs.iter().sum()
    }
}

/// The parts of a graph with these offsets of its rows, in each direction that there is. Each part
/// has pairs.
///
/// # Errors
///
/// The pairs of a vertex that has more than can be sorted, [`MAX_PAIRS`].
pub fn parts(offsets: &[Vec<u32>]) -> Result<Vec<PairPart>, u64> {
    parts_of(offsets, PART)
}

fn parts_of(offsets: &[Vec<u32>], most: u64) -> Result<Vec<PairPart>, u64> {
    let vertices = offsets
        .first()
        .map_or(0, |offsets| offsets.len() as u32 - 1);
    let before = |vertex: u32| -> u64 {
        let of = |offsets: &Vec<u32>| u64::from(offsets[vertex as usize]);
        offsets.iter().map(of).sum()
    };
    let mut parts = Vec::new();
    let mut first = 0;
    while first < vertices {
        let start = before(first);
        // One vertex at least, however many pairs it has.
        let mut end = first + 1;
        while end < vertices && before(end + 1) - start <= most {
            end += 1;
        }
        let count = before(end) - start;
        if count > u64::from(MAX_PAIRS) {
            return Err(count);
        }
        if count > 0 {
            let between = |offsets: &Vec<u32>| offsets[end as usize] - offsets[first as usize];
            parts.push(PairPart {
                vertices: first..end,
                pairs: offsets.iter().map(between).collect(),
            });
        }
        first = end;
    }
    Ok(parts)
}

/// The workspace in which pairs are sorted, divided.
#[derive(Clone, Copy, Debug)]
pub struct PairSpace {
    graph: Graph,
    sort: UpdateSpace,
    pairs: usize,
    bytes: usize,
}

impl PairSpace {
    /// Room for each of these parts of a graph with so many vertices.
    ///
    /// # Panics
    ///
    /// If a part has more than [`MAX_PAIRS`], as none of [`parts`] has.
    pub fn new(vertices: u32, parts: &[PairPart]) -> Self {
        let pairs = parts.iter().map(PairPart::count).max().unwrap_or(1);
        // Of a directed graph, because each pair is one key.
        let shape = Shape {
            vertices,
            limit: vertices,
            directed: true,
            handle_bytes: 4,
            weighting: Weighting::None,
            provides: false,
            layout: Layout::Contiguous,
        };
        let sort = UpdateSpace::new(&shape, pairs).expect("a part has no more than MAX_PAIRS");
        let mut layout = WorkspaceLayout::default();
        layout.reserve(sort.sort_bytes());
        Self {
            graph: Graph::new(shape, std::ptr::null_mut()),
            sort,
            pairs: layout.reserve(8 * pairs as usize),
            bytes: layout.bytes(),
        }
    }

    /// Bytes of the workspace, 256-byte aligned, which may hold any values before.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where in the workspace the sorted pairs are: as keys of a graph of so many vertices
    /// ([`Form`](crate::graph::store::keys::Form)).
    pub fn sorted(&self, workspace: *mut u8) -> *mut u64 {
        workspace.wrapping_add(self.sort.keys_offset()).cast()
    }

    /// The launches that sort the pairs of a part: of `rows` in each direction, with `labels` in
    /// place of neighbours unless they are null.
    pub fn sort(
        &self,
        rows: &[Csr],
        part: &PairPart,
        labels: *mut u32,
        workspace: *mut u8,
    ) -> Vec<PlannedLaunch> {
        let pairs: *mut u64 = workspace.wrapping_add(self.pairs).cast();
        let mut launches = Vec::new();
        let mut before = 0;
        for (csr, &count) in rows.iter().zip(&part.pairs) {
            let arguments = PairArguments {
                offsets: csr.offsets,
                targets: csr.targets,
                labels,
                pairs: pairs.wrapping_add(before),
                first: part.vertices.start,
                end: part.vertices.end,
                tile: TILE,
            };
            launches.push(PlannedLaunch::of::<Pairs>(Grid::strided(count), arguments));
            before += count as usize;
        }
        let batch = Batch::new(pairs, part.count(), Change::Insert);
        let sorting = Sorting::of(batch.count);
        launches.extend(self.graph.sort(&batch, &self.sort, workspace, sorting));
        launches
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_all_pairs_once_and_no_more_than_they_should() {
        let outgoing = vec![0, 3, 3, 3, 10, 12, 12];
        let incoming = vec![0, 0, 5, 5, 5, 6, 12];
        let both = [outgoing.clone(), incoming];
        for most in 1..30 {
            let parts = parts_of(&both, most).unwrap();
            for part in &parts {
                let few = u64::from(part.count()) <= most;
                assert!(part.count() > 0 && (few || part.vertices.len() == 1));
            }
            for (direction, offsets) in both.iter().enumerate() {
                let pairs = parts.iter().map(|part| part.pairs[direction]);
                assert_eq!(pairs.sum::<u32>(), offsets[6]);
            }
            let mut ends = parts.iter().map(|part| part.vertices.clone());
            let mut end = ends.next().unwrap().end;
            for next in ends {
                assert!(next.start >= end);
                end = next.end;
            }
        }
        let parts = parts_of(&[outgoing], 12).unwrap();
        assert_eq!(parts.len(), 1);
        assert_eq!((parts[0].vertices.clone(), parts[0].count()), (0..6, 12));
        assert_eq!(parts_of(&[vec![0, 0, 0]], 12), Ok(vec![]));
        assert_eq!(parts_of(&[vec![0]], 12), Ok(vec![]));
        let half = vec![0, MAX_PAIRS / 2];
        assert_eq!(
            parts_of(&[half.clone(), half.clone()], 12).unwrap().len(),
            1
        );
        let more = vec![0, MAX_PAIRS / 2 + 1];
        assert_eq!(parts_of(&[half, more], 12), Err(u64::from(MAX_PAIRS) + 1));
    }
}
