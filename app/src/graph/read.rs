//! Reading a graph back: its hash, its rows, single edges, and edges by their numbers.

use std::ops::Range;

use heapwood_device::graph::store::plan::{Weighting, graph_hash};
use heapwood_graphs::{Csr, WeightKind, Weights};

use super::StoreError;
use super::edges::Edge;
use super::store::Store;
use crate::backend::{BackendError, memory_of};

/// Questions that are asked at a time: threads number them by 32 bits.
const QUESTIONS: usize = 1 << 30;

impl Store<'_> {
    /// The hash of the graph, as [`Csr::graph_hash`] computes it.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn hash(&self) -> Result<u64, StoreError> {
        let (_, entries) = self.device.rows(0)?;
        Ok(graph_hash(self.shape().vertices, entries))
    }

    /// The kind of the weights; none if there are none.
    pub fn weight_kind(&self) -> Option<WeightKind> {
        match self.shape().weighting {
            Weighting::None => None,
            Weighting::Integer => Some(WeightKind::Integer),
            Weighting::Real => Some(WeightKind::Real),
        }
    }

    /// The graph as rows of out-neighbours.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn csr(&self) -> Result<Csr, StoreError> {
        self.rows_of(0)
    }

    /// The graph as rows of in-neighbours, which are the out-neighbours of an undirected graph.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn transposed_csr(&self) -> Result<Csr, StoreError> {
        self.rows_of(usize::from(self.shape().directed))
    }

    fn rows_of(&self, store: usize) -> Result<Csr, StoreError> {
        let (rows, _) = self.device.rows(store)?;
        let vertices = self.shape().vertices as usize;
        let offsets: Vec<u32> = rows.offsets.download(0, vertices + 1)?;
        let entries = rows.csr.entries as usize;
        let weights = self.weight_kind().map(|kind| {
            let words = rows.targets.download(4 * entries as u64, entries)?;
            Ok::<_, BackendError>(Weights { kind, words })
        });
        Ok(Csr {
            offsets: offsets.into_iter().map(u64::from).collect(),
            targets: rows.targets.download(0, entries)?,
            weights: weights.transpose()?,
            directed: self.shape().directed,
        })
    }

    /// The neighbours of a vertex in ascending order; of a directed graph the targets of its edges.
    /// None for a vertex that was deleted.
    ///
    /// # Errors
    ///
    /// [`StoreError::Vertex`], and faults of the backend.
    pub fn neighbours(&self, vertex: u32) -> Result<Vec<u32>, StoreError> {
        let vertices = self.shape().vertices;
        if vertex >= vertices {
            return Err(StoreError::Vertex { vertex, vertices });
        }
        // In a range of one vertex all its edges are counted.
        let degrees = self.count_edges_of(vertex..vertex + 1)?;
        let picks: Vec<(u32, u32)> = (0..degrees[0]).map(|edge| (vertex, edge)).collect();
        let edges = self.numbered_edges(vertex, &picks)?;
        Ok(edges.into_iter().map(|[_, target]| target).collect())
    }

    /// Whether edges are there.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn has_edges(&self, edges: &[Edge]) -> Result<Vec<bool>, BackendError> {
        let parts = edges.chunks(QUESTIONS).map(|part| self.ask(part));
        let parts: Vec<Vec<bool>> = parts.collect::<Result<_, _>>()?;
        Ok(parts.concat())
    }

    /// The edges of each vertex of a range. An undirected edge between two of these counts for
    /// the lesser alone.
    pub(super) fn count_edges_of(&self, vertices: Range<u32>) -> Result<Vec<u32>, BackendError> {
        let count = vertices.end - vertices.start;
        if count == 0 {
            return Ok(Vec::new());
        }
        let edges = self.backend.allocate(4 * u64::from(count))?;
        let address = edges.address().cast();
        let graph = &self.device.graph;
        let step = graph.count_drawn(vertices.start, count, address);
        // SAFETY: there are such vertices, and there is a word for each.
        unsafe { self.device.run(&[&[step]])? };
        edges.download(0, count as usize)
    }

    /// The edges of vertices from `low` on, each by its number among those of a vertex that
    /// [`Store::count_edges_of`] counts in a range from there.
    pub(super) fn numbered_edges(
        &self,
        low: u32,
        picks: &[(u32, u32)],
    ) -> Result<Vec<Edge>, BackendError> {
        let parts = picks.chunks(QUESTIONS).map(|part| self.pick(low, part));
        let parts: Vec<Vec<Edge>> = parts.collect::<Result<_, _>>()?;
        Ok(parts.concat())
    }

    /// The edges of picks, no more than can be asked for at a time.
    fn pick(&self, low: u32, picks: &[(u32, u32)]) -> Result<Vec<Edge>, BackendError> {
        let words: Vec<[u32; 2]> = picks.iter().map(|&(vertex, edge)| [vertex, edge]).collect();
        let asked = memory_of(self.backend, &words)?;
        let answers = self.backend.allocate(4 * picks.len() as u64)?;
        let (from, to) = (asked.address().cast(), answers.address().cast());
        let graph = &self.device.graph;
        let step = graph.pick_drawn(low, from, to, picks.len() as u32);
        // SAFETY: there is a pick and room for a target for each; the caller has the numbers
        // from the counts.
        unsafe { self.device.run(&[&[step]])? };
        let targets: Vec<u32> = answers.download(0, picks.len())?;
        let edge = |(&(vertex, _), target)| [vertex, target];
        Ok(picks.iter().zip(targets).map(edge).collect())
    }

    /// Whether edges are there, no more than can be asked for at a time.
    fn ask(&self, edges: &[Edge]) -> Result<Vec<bool>, BackendError> {
        let questions = memory_of(self.backend, edges)?;
        let answers = self.backend.allocate(4 * edges.len() as u64)?;
        let (from, to) = (questions.address().cast(), answers.address().cast());
        let step = self.device.graph.query(from, to, edges.len() as u32);
        // SAFETY: there is a question and room for an answer for each.
        unsafe { self.device.run(&[&[step]])? };
        let answers: Vec<u32> = answers.download(0, edges.len())?;
        Ok(answers.into_iter().map(|answer| answer == 1).collect())
    }
}
