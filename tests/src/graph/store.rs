//! A graph of the device on a runner.

use heapwood_device::graph::host::{
    Batch, Change, Counts, Csr as DeviceCsr, CsrSpace, Graph, Layout, Measured, Shape, Step,
    UpdateError, UpdateSpace, VertexList, graph_hash,
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

/// A CSR form in memory of the device.
pub struct Exported {
    /// The form.
    pub csr: DeviceCsr,
    /// The hash of the graph.
    pub hash: u64,
    offsets: Buffer,
    targets: Buffer,
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
    ///
    /// # Panics
    ///
    /// If the heap refuses a block.
    pub fn of(runner: R, model: &Model, layout: Layout) -> Self {
        let columns = model.directed.then(|| model.transposed().csr());
        let store = Self::load(runner, &model.csr(), columns.as_ref(), layout);
        store.expect("a graph that fits")
    }

    /// A graph with the edges of `rows` (and `columns`, the in-neighbours, if
    /// it is directed).
    ///
    /// # Errors
    ///
    /// The status of the load that failed.
    pub fn load(
        runner: R,
        rows: &Csr,
        columns: Option<&Csr>,
        layout: Layout,
    ) -> Result<Self, [u64; 2]> {
        let vertices = rows.offsets.len() as u32 - 1;
        let shape = Shape {
            vertices,
            limit: vertices + 5,
            directed: columns.is_some(),
            handle_bytes: runner.handle_bytes(),
            layout,
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
            let steps = store.graph.load(index, device, workspace.address());
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
        UpdateSpace::outcome(&self.update_raw(edges, change, false))
    }

    /// Applies a batch; the header that it leaves.
    pub fn update_raw(
        &self,
        edges: &[(u32, u32)],
        change: Change,
        triangles: bool,
    ) -> [u64; UpdateSpace::HEADER_WORDS] {
        let words: Vec<u64> = edges.iter().map(|&(s, t)| pack(s, t)).collect();
        // Larger than need be: batches come in all sizes.
        let most = words.len() as u32 * 3 / 2;
        let space = UpdateSpace::new(&self.graph.shape, most).expect("few edges");
        let workspace = Buffer::new(space.bytes());
        // Nothing may be assumed of it.
        // SAFETY: the buffer has that many bytes.
        unsafe { workspace.address().write_bytes(0xa5, space.bytes()) };
        let batch = Batch {
            edges: words.as_ptr().cast_mut(),
            count: words.len() as u32,
            change,
            no_loops: self.no_loops,
            triangles,
            continues: false,
        };
        self.run(&self.graph.update(&batch, &space, workspace.address()));
        let header: Vec<u64> = workspace.read(0, UpdateSpace::HEADER_WORDS);
        header.try_into().expect("the number of words")
    }

    /// The edges of a store as CSR, and their hash.
    pub fn export(&self, store: usize) -> (Csr, u64) {
        let exported = self.export_to(store);
        let vertices = self.graph.shape.vertices as usize;
        let csr = Csr {
            offsets: exported.offsets.read(0, vertices + 1),
            targets: exported.targets.read(0, exported.csr.entries as usize),
        };
        (csr, exported.hash)
    }

    /// Exports a store into memory of the device.
    pub fn export_to(&self, store: usize) -> Exported {
        let vertices = self.graph.shape.vertices;
        let space = CsrSpace::new();
        let workspace = Buffer::new(space.bytes());
        let offsets = Buffer::new(4 * (vertices as usize + 1));
        let address = offsets.address().cast();
        let steps = self
            .graph
            .offsets(store, address, space, workspace.address());
        self.run(&steps);
        let entries = offsets.read::<u32>(4 * vertices as usize, 1)[0];
        let targets = Buffer::new(4 * entries as usize);
        let csr = DeviceCsr {
            offsets: address,
            targets: targets.address().cast(),
            entries,
        };
        self.run(&[self.graph.export(store, csr, workspace.address())]);
        let status: Vec<u64> = workspace.read(0, 3);
        Exported {
            csr,
            hash: graph_hash(vertices, status[2]),
            offsets,
            targets,
        }
    }

    /// What a store takes.
    pub fn measure(&self, store: usize) -> Measured {
        let words = Buffer::new(8 * Measured::WORDS);
        self.run(&[self.graph.measure(store, words.address())]);
        let read: Vec<u64> = words.read(0, Measured::WORDS);
        self.graph
            .measured(&read.try_into().expect("the number of words"))
    }

    /// Deletes vertices with their edges; returns how many existed.
    pub fn delete_vertices(&mut self, list: &[u32]) -> u64 {
        let header = Buffer::new(8 * VertexList::HEADER_WORDS);
        let vertices = VertexList {
            vertices: list.as_ptr().cast_mut(),
            count: list.len() as u32,
            header: header.address().cast(),
        };
        let read = || -> [u64; VertexList::HEADER_WORDS] {
            let words: Vec<u64> = header.read(0, VertexList::HEADER_WORDS);
            words.try_into().expect("the number of words")
        };
        self.run(&self.graph.count_edges_of(&vertices));
        let count = VertexList::edges(&read());
        if count > 0 {
            let edges = Buffer::new(8 * count as usize);
            let steps = self.graph.edges_of(&vertices, edges.address().cast());
            self.run(&steps);
            let edges: Vec<u64> = edges.read(0, count as usize);
            let edges: Vec<_> = edges
                .iter()
                .map(|&e| (e as u32, (e >> 32) as u32))
                .collect();
            let no_loops = std::mem::replace(&mut self.no_loops, false);
            let deleted = self
                .update(&edges, Change::Delete)
                .expect("no memory needed");
            self.no_loops = no_loops;
            assert_eq!((deleted.missing, deleted.rejected), (0, 0));
        }
        self.run(&self.graph.mark_deleted(&vertices));
        let deleted = VertexList::deleted(&read());
        self.graph.absent += deleted as u32;
        deleted
    }
}
