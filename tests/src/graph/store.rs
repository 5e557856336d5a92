//! A graph of the device on a runner.

use heapwood_device::graph::host::{
    Batch, Change, Counts, Csr as DeviceCsr, CsrSpace, Graph, Measured, Shape, Step, UpdateError,
    UpdateSpace, graph_hash,
};

use super::{Model, Runner, pack};
use crate::cpu::Buffer;

/// Compressed sparse rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csr {
    /// Where the targets of each vertex begin, and their number.
    pub offsets: Vec<u32>,
    /// The targets.
    pub targets: Vec<u32>,
}

/// A graph in the memory of a runner.
pub struct Store<R> {
    /// What runs its launches.
    pub runner: R,
    /// The device's view of it.
    pub graph: Graph,
    /// Whether loops are refused.
    pub no_loops: bool,
    _memory: Buffer,
}

impl<R: Runner> Store<R> {
    /// The graph of a model.
    pub fn of(runner: R, model: &Model) -> Self {
        let columns = model.directed.then(|| model.transposed().csr());
        Self::load(runner, &model.csr(), columns.as_ref())
    }

    /// A graph with the edges of `rows` (and `columns`, the in-neighbours, if
    /// it is directed).
    ///
    /// # Panics
    ///
    /// If the heap refuses a block.
    pub fn load(runner: R, rows: &Csr, columns: Option<&Csr>) -> Self {
        Self::try_load(runner, rows, columns).expect("a graph that fits")
    }

    /// As `load`; else the status of the load that failed.
    pub fn try_load(runner: R, rows: &Csr, columns: Option<&Csr>) -> Result<Self, [u64; 2]> {
        let vertices = rows.offsets.len() as u32 - 1;
        let shape = Shape {
            vertices,
            limit: vertices + 5,
            directed: columns.is_some(),
            handle_bytes: runner.handle_bytes(),
        };
        let memory = Buffer::new(shape.bytes());
        let store = Self {
            graph: Graph::new(shape, memory.address()),
            runner,
            no_loops: false,
            _memory: memory,
        };
        store.runner.init();
        let space = CsrSpace::new();
        for (index, csr) in [Some(rows), columns].into_iter().flatten().enumerate() {
            let workspace = Buffer::new(space.bytes());
            let device = DeviceCsr {
                offsets: csr.offsets.as_ptr().cast_mut(),
                targets: csr.targets.as_ptr().cast_mut(),
                entries: csr.targets.len() as u32,
            };
            let steps = store.graph.load(index, device, space, workspace.address());
            store.run(&steps);
            let status: Vec<u64> = workspace.read(0, 2);
            if status != [0, 0] {
                return Err([status[0], status[1]]);
            }
        }
        Ok(store)
    }

    /// Runs launches in order.
    pub fn run(&self, steps: &[Step]) {
        for step in steps {
            self.runner.run(step);
        }
    }

    /// Applies a batch.
    pub fn update(&self, edges: &[(u32, u32)], change: Change) -> Result<Counts, UpdateError> {
        if edges.is_empty() {
            return Ok(Counts::default());
        }
        let words: Vec<u64> = edges.iter().map(|&(s, t)| pack(s, t)).collect();
        let space = UpdateSpace::new(&self.graph.shape, words.len() as u32).expect("few edges");
        let workspace = Buffer::new(space.bytes());
        // Nothing may be assumed of it.
        // SAFETY: the buffer has that many bytes.
        unsafe { workspace.address().write_bytes(0xa5, space.bytes()) };
        let batch = Batch {
            edges: words.as_ptr().cast_mut(),
            count: words.len() as u32,
            change,
            no_loops: self.no_loops,
        };
        self.run(&self.graph.update(&batch, &space, workspace.address()));
        let header: Vec<u64> = workspace.read(0, UpdateSpace::HEADER_WORDS);
        UpdateSpace::outcome(&header.try_into().expect("the number of words"))
    }

    /// The edges of a store as CSR, and their hash.
    pub fn export(&self, store: usize) -> (Csr, u64) {
        let vertices = self.graph.shape.vertices;
        let space = CsrSpace::new();
        let workspace = Buffer::new(space.bytes());
        let offsets = Buffer::new(4 * (vertices as usize + 1));
        let address = offsets.address().cast();
        let steps = self
            .graph
            .offsets(store, address, space, workspace.address());
        self.run(&steps);
        let offsets_read: Vec<u32> = offsets.read(0, vertices as usize + 1);
        let entries = offsets_read[vertices as usize];
        let targets = Buffer::new(4 * entries as usize);
        let csr = DeviceCsr {
            offsets: address,
            targets: targets.address().cast(),
            entries,
        };
        self.run(&[self.graph.export(store, csr, space, workspace.address())]);
        let status: Vec<u64> = workspace.read(0, 3);
        let csr = Csr {
            offsets: offsets_read,
            targets: targets.read(0, entries as usize),
        };
        (csr, graph_hash(vertices, status[2]))
    }

    /// What a store takes.
    pub fn measure(&self, store: usize) -> Measured {
        let words = Buffer::new(8 * Measured::WORDS);
        self.run(&[self.graph.measure(store, words.address())]);
        let read: Vec<u64> = words.read(0, Measured::WORDS);
        Measured::from_words(&read.try_into().expect("the number of words"))
    }
}
