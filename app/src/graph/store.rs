//! The store of a graph: loaded from rows, changed by batches, read back.
//!
//! A batch is applied whole or not at all. With `--pool auto` one that the pool
//! refuses moves the graph to a pool of twice the size and is tried again; the
//! graph stays where it is until it has been copied.

use heapwood_device::graph::host::{
    Batch, Change, Counts, Csr as DeviceCsr, Layout, Measured, Shape, UpdateError, UpdateSpace,
    graph_hash,
};
use heapwood_graphs::Csr;

use super::StoreError;
use super::room::{Room, Rows, first_pool};
use crate::allocators::Spec;
use crate::backend::{Backend, BackendError, Memory};
use crate::size::Pool;

/// An edge: source and target.
pub type Edge = [u32; 2];

/// How a graph is kept.
#[derive(Clone, Debug)]
pub struct Options {
    /// The allocator of its blocks.
    pub spec: Spec,
    /// Its memory; a multiple is one of the bytes of the entries.
    pub pool: Pool,
    /// How adjacency is kept.
    pub layout: Layout,
    /// Whether edges from a vertex to itself are accepted by batches.
    pub self_loops: bool,
}

/// What became of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Update {
    /// Its edges.
    pub counts: Counts,
    /// Sorting, in milliseconds.
    pub sort_ms: f64,
    /// Everything after that, in milliseconds.
    pub apply_ms: f64,
    /// Triangles made or destroyed, if they were to be counted.
    pub triangles: Option<u64>,
}

/// Bytes that a graph takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Of its entries, 4 each.
    pub payload_bytes: u64,
    /// Of the blocks, as granted.
    pub allocated_bytes: u64,
    /// The most of the latter at a time: batches allocate before they free.
    pub high_water_bytes: u64,
}

/// A graph on a backend.
pub struct Store<'b> {
    pub(super) backend: &'b Backend,
    options: Options,
    pub(super) room: Room<'b>,
    init_ms: f64,
    /// The most bytes granted by the batches so far.
    high_water: u64,
    /// Vertices that were deleted: a copy of the graph does not tell.
    pub(super) deleted: Vec<u32>,
    /// Kept between batches.
    batches: Option<Workspace>,
}

/// Memory for batches up to a size.
struct Workspace {
    space: UpdateSpace,
    memory: Memory,
    edges: Memory,
}

impl<'b> Store<'b> {
    /// A graph with the edges of `rows`, which is copied; a directed one has its
    /// in-neighbours in `columns`.
    ///
    /// # Errors
    ///
    /// A pool or a device that is too small, and more entries than can be
    /// numbered.
    ///
    /// # Panics
    ///
    /// If there are columns for an undirected graph or none for a directed one.
    pub fn new(
        backend: &'b Backend,
        options: Options,
        rows: &Csr,
        columns: Option<&Csr>,
    ) -> Result<Self, StoreError> {
        assert_eq!(rows.directed, columns.is_some());
        let shape = Shape {
            vertices: rows.vertices(),
            limit: rows.vertices().max(1),
            directed: rows.directed,
            handle_bytes: options.spec.allocator.handle_bytes,
            layout: options.layout,
        };
        let stores = [Some(rows), columns].into_iter().flatten();
        let stores: Vec<Rows> = stores
            .map(|csr| upload(backend, csr))
            .collect::<Result<_, _>>()?;
        let entries = rows.targets.len() as u64;
        let pool_bytes = match options.pool {
            Pool::Auto => first_pool(&shape, entries),
            Pool::Times(factor) => (4.0 * entries as f64 * factor) as u64,
            Pool::Bytes(bytes) => bytes,
        };
        let (room, init_ms) = settle(backend, &options, pool_bytes, shape, &stores)?;
        let mut store = Self {
            backend,
            options,
            room,
            init_ms,
            high_water: 0,
            deleted: Vec::new(),
            batches: None,
        };
        store.check()?;
        store.high_water = store.memory_use()?.allocated_bytes;
        Ok(store)
    }

    /// Making the heap and loading the graph, in milliseconds, as done last.
    pub fn init_ms(&self) -> f64 {
        self.init_ms
    }

    /// Bytes of the pool.
    pub fn pool_bytes(&self) -> u64 {
        self.room.heap.pool_bytes()
    }

    /// What the graph is like.
    pub fn shape(&self) -> &Shape {
        &self.room.graph.shape
    }

    /// Applies a batch.
    ///
    /// # Errors
    ///
    /// A pool that does not suffice, unless it may grow, and a batch of more than
    /// 2^30 edges. The graph is as before the batch then.
    ///
    /// # Panics
    ///
    /// If triangles are to be counted and [`Store::counts_triangles`] is false.
    pub fn update(
        &mut self,
        edges: &[Edge],
        change: Change,
        triangles: bool,
    ) -> Result<Update, StoreError> {
        self.change(edges, change, self.options.self_loops, triangles)
    }

    pub(super) fn change(
        &mut self,
        edges: &[Edge],
        change: Change,
        self_loops: bool,
        triangles: bool,
    ) -> Result<Update, StoreError> {
        if edges.is_empty() {
            return Ok(Update {
                triangles: triangles.then_some(0),
                ..Update::default()
            });
        }
        loop {
            match self.try_change(edges, change, self_loops, triangles) {
                Err(StoreError::Pool { .. }) if self.options.pool == Pool::Auto => {
                    self.grow(2 * self.pool_bytes(), self.room.graph.shape)?;
                }
                done => return done,
            }
        }
    }

    /// Whether a batch can count the triangles that it makes or destroys.
    pub fn counts_triangles(&self) -> bool {
        let shape = self.shape();
        !shape.directed && shape.layout == Layout::Contiguous
    }

    fn try_change(
        &mut self,
        edges: &[Edge],
        change: Change,
        self_loops: bool,
        triangles: bool,
    ) -> Result<Update, StoreError> {
        let count = u32::try_from(edges.len()).unwrap_or(u32::MAX);
        let kept = self.batches.take();
        let kept = kept.filter(|kept| kept.space.edges() >= count);
        let workspace = match kept {
            Some(workspace) => workspace,
            None => self.workspace(count)?,
        };
        workspace.edges.upload(0, edges)?;
        let batch = Batch {
            edges: workspace.edges.address().cast(),
            count,
            change,
            no_loops: !self_loops,
            triangles,
        };
        let steps = self
            .room
            .graph
            .update(&batch, &workspace.space, workspace.memory.address());
        let sorts = |kernel: &str| kernel.starts_with("graph_sort");
        let (sort, apply) = steps.split_at(steps.partition_point(|step| sorts(step.kernel)));
        // SAFETY: the workspace suits batches of this size, which holds the edges.
        let ms = unsafe { self.room.run(&[sort, apply])? };
        let header: Vec<u64> = workspace.memory.download(0, UpdateSpace::HEADER_WORDS)?;
        self.batches = Some(workspace);
        let mut words = [0; UpdateSpace::HEADER_WORDS];
        words.copy_from_slice(&header);
        let counts = match UpdateSpace::outcome(&words) {
            Ok(counts) => counts,
            Err(UpdateError::OutOfMemory { bytes }) => {
                return Err(StoreError::Pool {
                    what: "a batch, which was not applied,",
                    allocator: self.options.spec.name(),
                    pool: self.pool_bytes(),
                    wanted: bytes,
                });
            }
        };
        self.check()?;
        Ok(Update {
            counts,
            sort_ms: ms[0],
            apply_ms: ms[1],
            triangles: triangles.then(|| UpdateSpace::triangles(&words)),
        })
    }

    fn workspace(&self, edges: u32) -> Result<Workspace, StoreError> {
        let space = UpdateSpace::new(self.shape(), edges).ok_or(StoreError::Batch {
            edges: edges as usize,
        })?;
        Ok(Workspace {
            memory: self.backend.memory(space.bytes() as u64, false)?,
            edges: self.backend.memory(8 * u64::from(edges), false)?,
            space,
        })
    }

    /// Moves the graph to another pool, or to records for more vertices.
    pub(super) fn grow(&mut self, pool_bytes: u64, shape: Shape) -> Result<(), StoreError> {
        let stores: Vec<Rows> = (0..shape.stores())
            .map(|store| Ok(self.room.rows(store)?.0))
            .collect::<Result<_, StoreError>>()?;
        let (room, _) = settle(self.backend, &self.options, pool_bytes, shape, &stores)?;
        self.room = room;
        self.mark_deleted_again()
    }

    /// Makes sure that the allocator has kept the blocks apart.
    fn check(&self) -> Result<(), StoreError> {
        if self.options.spec.allocator.frees {
            return Ok(());
        }
        match self.room.heap.state()?.faults.overwritten {
            0 => Ok(()),
            blocks => Err(StoreError::Overwritten {
                allocator: self.options.spec.name(),
                blocks,
            }),
        }
    }

    /// Makes sure that blocks were used rightly, as far as the allocator looks: a
    /// checked one finds double frees and writes past the end.
    ///
    /// # Errors
    ///
    /// [`StoreError::Misuse`], and faults of the backend.
    pub fn check_heap(&self) -> Result<(), StoreError> {
        let faults = self.room.heap.state()?.faults;
        if faults.invalid_frees == 0 && faults.overruns == 0 {
            return Ok(());
        }
        Err(StoreError::Misuse {
            allocator: self.options.spec.name(),
            invalid_frees: faults.invalid_frees,
            overruns: faults.overruns,
        })
    }

    /// What a store takes.
    fn measure(&self, store: usize) -> Result<Measured, BackendError> {
        let words = self.backend.memory(8 * Measured::WORDS as u64, true)?;
        let step = self.room.graph.measure(store, words.address());
        // SAFETY: the workspace is zeroed.
        unsafe { self.room.run(&[&[step]])? };
        let read: Vec<u64> = words.download(0, Measured::WORDS)?;
        let mut words = [0; Measured::WORDS];
        words.copy_from_slice(&read);
        Ok(Measured::from_words(&words))
    }

    /// Bytes that the graph takes now, and the most so far.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn memory_use(&self) -> Result<MemoryUse, BackendError> {
        let mut sum = MemoryUse::default();
        for store in 0..self.shape().stores() {
            let measured = self.measure(store)?;
            sum.payload_bytes += measured.payload_bytes;
            sum.allocated_bytes += measured.granted_bytes;
        }
        sum.high_water_bytes = self.high_water.max(sum.allocated_bytes);
        Ok(sum)
    }

    /// Entries in one direction: edges of a directed graph, and nearly twice those
    /// of an undirected one.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn entries(&self) -> Result<u64, BackendError> {
        Ok(self.measure(0)?.entries)
    }

    /// The hash of the graph, as [`Csr::graph_hash`] computes it.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn hash(&self) -> Result<u64, StoreError> {
        let (_, entries) = self.room.rows(0)?;
        Ok(graph_hash(self.shape().vertices, entries))
    }

    /// The graph as rows; with `incoming` those of the in-neighbours of a directed
    /// graph.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    ///
    /// # Panics
    ///
    /// If in-neighbours of an undirected graph are asked for.
    pub fn csr(&self, incoming: bool) -> Result<Csr, StoreError> {
        assert!(!incoming || self.shape().directed);
        let (rows, _) = self.room.rows(usize::from(incoming))?;
        let vertices = self.shape().vertices as usize;
        let offsets: Vec<u32> = rows.offsets.download(0, vertices + 1)?;
        Ok(Csr {
            offsets: offsets.into_iter().map(u64::from).collect(),
            targets: rows.targets.download(0, rows.csr.entries as usize)?,
            directed: self.shape().directed,
        })
    }

    /// Whether edges are there.
    ///
    /// # Errors
    ///
    /// Faults of the backend.
    pub fn has_edges(&self, edges: &[Edge]) -> Result<Vec<bool>, BackendError> {
        if edges.is_empty() {
            return Ok(Vec::new());
        }
        let questions = self.backend.memory(size_of_val(edges) as u64, false)?;
        questions.upload(0, edges)?;
        let answers = self.backend.memory(4 * edges.len() as u64, false)?;
        let (from, to) = (questions.address().cast(), answers.address().cast());
        let step = self.room.graph.query(from, to, edges.len() as u32);
        // SAFETY: there is a question and room for an answer for each.
        unsafe { self.room.run(&[&[step]])? };
        let answers: Vec<u32> = answers.download(0, edges.len())?;
        Ok(answers.into_iter().map(|answer| answer == 1).collect())
    }
}

/// A room of the given pool or, if that may grow, of a larger one, with the graph
/// in it; and the time of the loading that succeeded.
fn settle<'b>(
    backend: &'b Backend,
    options: &Options,
    mut pool_bytes: u64,
    shape: Shape,
    stores: &[Rows],
) -> Result<(Room<'b>, f64), StoreError> {
    loop {
        let settled = Room::new(backend, &options.spec, pool_bytes, shape)
            .and_then(|room| room.load(stores).map(|ms| (room, ms)));
        match settled {
            Err(
                StoreError::Pool { .. } | StoreError::Heap(crate::heap::HeapError::TooSmall { .. }),
            ) if options.pool == Pool::Auto => {
                pool_bytes *= 2;
            }
            settled => return settled,
        }
    }
}

/// Brings rows to the backend.
fn upload(backend: &Backend, csr: &Csr) -> Result<Rows, StoreError> {
    let entries = csr.targets.len() as u64;
    let count = u32::try_from(entries).map_err(|_| StoreError::TooMany { entries })?;
    let starts: Vec<u32> = csr.offsets.iter().map(|&offset| offset as u32).collect();
    let offsets = backend.memory(size_of_val(starts.as_slice()) as u64, false)?;
    offsets.upload(0, &starts)?;
    let targets = backend.memory(4 * entries.max(1), false)?;
    targets.upload(0, &csr.targets)?;
    Ok(Rows {
        csr: DeviceCsr {
            offsets: offsets.address().cast(),
            targets: targets.address().cast(),
            entries: count,
        },
        offsets,
        targets,
        ms: 0.0,
    })
}
