//! The edges of a batch, with their weights.

/// An edge: source and target.
pub type Edge = [u32; 2];

/// Edges of a batch. Those that are inserted into a weighted graph have weights.
///
/// A weight is a word of 32 bits, as in [`Weights`](heapwood_graphs::Weights): an integer, or the bits
/// of an `f32`.
///
/// ```
/// use heapwood::graph::EdgeSlice;
///
/// let edges = EdgeSlice::from(&[[0, 1], [1, 2]]);
/// assert_eq!((edges.ends.len(), edges.weights), (2, None));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeSlice<'a> {
    /// Source and target of each edge.
    pub ends: &'a [Edge],
    /// The weight of each edge, if there are weights.
    pub weights: Option<&'a [u32]>,
}

/// The same, which owns them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeBatch {
    /// Source and target of each edge.
    pub ends: Vec<Edge>,
    /// The weight of each edge, if there are weights.
    pub weights: Option<Vec<u32>>,
}

impl<'a> EdgeSlice<'a> {
    /// The edges in parts of so many; the last may have fewer.
    ///
    /// # Panics
    ///
    /// If the size is 0.
    pub fn chunks(self, size: usize) -> impl ExactSizeIterator<Item = Self> {
        (0..self.ends.len().div_ceil(size)).map(move |number| {
            let first = number * size;
            let part = first..self.ends.len().min(first.saturating_add(size));
            Self {
                ends: &self.ends[part.clone()],
                weights: self.weights.map(|weights| &weights[part]),
            }
        })
    }
}

impl EdgeBatch {
    /// A view of them.
    pub fn view(&self) -> EdgeSlice<'_> {
        EdgeSlice {
            ends: &self.ends,
            weights: self.weights.as_deref(),
        }
    }
}

impl<'a> From<&'a [Edge]> for EdgeSlice<'a> {
    fn from(ends: &'a [Edge]) -> Self {
        Self {
            ends,
            weights: None,
        }
    }
}

impl<'a> From<&'a Vec<Edge>> for EdgeSlice<'a> {
    fn from(ends: &'a Vec<Edge>) -> Self {
        ends.as_slice().into()
    }
}

impl<'a, const COUNT: usize> From<&'a [Edge; COUNT]> for EdgeSlice<'a> {
    fn from(ends: &'a [Edge; COUNT]) -> Self {
        ends.as_slice().into()
    }
}

impl<'a> From<&'a EdgeBatch> for EdgeSlice<'a> {
    fn from(batch: &'a EdgeBatch) -> Self {
        batch.view()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_the_weights_of_their_edges() {
        let batch = EdgeBatch {
            ends: vec![[0, 1], [1, 2], [2, 3]],
            weights: Some(vec![7, 8, 9]),
        };
        let parts: Vec<EdgeSlice> = batch.view().chunks(2).collect();
        assert_eq!(parts[0].weights, Some(&[7, 8][..]));
        assert_eq!(
            (parts[1].ends, parts[1].weights),
            (&[[2, 3]][..], Some(&[9][..]))
        );
        assert_eq!(batch.view().chunks(usize::MAX).len(), 1);
        assert_eq!(EdgeSlice::default().chunks(5).len(), 0);
    }
}
