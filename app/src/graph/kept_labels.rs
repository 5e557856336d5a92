//! Labels of components, with marks of those that lost edges, in memory of the backend.

use heapwood_device::graph::components::plan::{LabelSpace, Labels};

use crate::backend::{Backend, BackendError, Memory};

/// Labels, and what is marked since they were brought up to date.
pub(super) struct KeptLabels {
    /// Where labels and marks are.
    pub space: LabelSpace,
    /// Vertices that there is memory for.
    limit: u32,
    /// Labels.
    pub memory: Memory,
    /// Marks, apart since they are zeroed.
    pub lost: Memory,
    /// Whether there may be marks.
    pub has_lost: bool,
    /// The number of components when they were brought up to date.
    pub count: u64,
}

impl KeptLabels {
    /// For a graph of so many vertices that are all to be labelled, with memory for `limit`.
    pub fn new(backend: &dyn Backend, vertices: u32, limit: u32) -> Result<Self, BackendError> {
        let mut labels = Self::empty(backend, limit)?;
        labels.begin(0, vertices)?;
        let marks = vec![u32::MAX; labels.space.lost_words()];
        labels.lost.upload(0, &marks)?;
        labels.has_lost = true;
        Ok(labels)
    }

    /// Memory for the labels of so many vertices. No label is marked.
    fn empty(backend: &dyn Backend, limit: u32) -> Result<Self, BackendError> {
        let space = LabelSpace::new(limit);
        Ok(Self {
            space,
            limit,
            memory: backend.allocate(space.bytes() as u64)?,
            lost: backend.allocate_zeroed(4 * space.lost_words().max(1) as u64)?,
            has_lost: false,
            count: 0,
        })
    }

    /// Makes each of these vertices a component.
    fn begin(&mut self, from: u32, to: u32) -> Result<(), BackendError> {
        let offset = self.space.labels_offset() as u64 + 4 * u64::from(from);
        self.memory.upload(offset, &Vec::from_iter(from..to))
    }

    /// Adds vertices without edges behind the last, with memory for `limit` if there is too
    /// little.
    pub fn insert_vertices(
        &mut self,
        backend: &dyn Backend,
        (from, to): (u32, u32),
        limit: u32,
    ) -> Result<(), BackendError> {
        if to > self.limit {
            let mut larger = Self::empty(backend, limit.max(to))?;
            let labels = self.read(from)?;
            let offset = larger.space.labels_offset() as u64;
            larger.memory.upload(offset, &labels)?;
            let marks: Vec<u32> = self.lost.download(0, self.space.lost_words())?;
            larger.lost.upload(0, &marks)?;
            (larger.has_lost, larger.count) = (self.has_lost, self.count);
            *self = larger;
        }
        self.begin(from, to)
    }

    /// Takes note of edges that were deleted.
    pub fn lose(&mut self) {
        self.has_lost = true;
    }

    /// For launches.
    pub fn on_device(&self) -> Labels {
        self.space
            .labels(self.memory.address(), self.lost.address())
    }

    /// The labels of so many vertices.
    pub fn read(&self, vertices: u32) -> Result<Vec<u32>, BackendError> {
        let offset = self.space.labels_offset() as u64;
        self.memory.download(offset, vertices as usize)
    }
}
