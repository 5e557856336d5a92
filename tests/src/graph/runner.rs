//! What runs the launches of a graph: OS threads through the table of kernels,
//! or warps of 32 lanes in lockstep.

use std::cell::Cell;
use std::marker::PhantomData;

use heapwood_device::allocator::{Allocator, Heap, Request};
use heapwood_device::graph::host::Step;
use heapwood_device::heap::{Init, Nothing, State};
use heapwood_device::host::{HostAllocator, PLAIN_KERNELS};
use heapwood_device::kernel::{Args, Kernel, PlainKernel};
use heapwood_device::warp::{SCRATCH_BYTES, Solo};

use crate::cpu::Buffer;
use crate::lockstep::{self, Lockstep, Plan, Policy};

/// Something that runs launches over a heap.
pub trait Runner {
    /// Bytes of a handle of its allocator.
    fn handle_bytes(&self) -> usize;
    /// Workers that run warps of one lane.
    fn lone_workers(&self) -> u32;
    /// Makes the heap empty.
    fn init(&self);
    /// Runs a launch to its end.
    fn run(&self, step: &Step);
}

/// OS threads, each a warp of one lane.
pub struct Threads {
    allocator: &'static HostAllocator,
    heap: Heap,
    workers: u32,
    _pool: Buffer,
}

#[derive(Clone, Copy)]
struct Job {
    heap: Option<Heap>,
    args: Args,
}

impl Threads {
    /// Some workers over a pool of an allocator.
    ///
    /// # Panics
    ///
    /// If the allocator refuses the pool.
    pub fn new(allocator: &'static HostAllocator, pool_bytes: usize, workers: u32) -> Self {
        let pool = Buffer::new(pool_bytes);
        let heap = (allocator.setup)(&Request {
            base: pool.address(),
            pool_bytes: pool_bytes as u64,
            processors: workers,
            parameters: &[],
        });
        let machine = Self {
            allocator,
            heap: heap.expect("a pool that suits the allocator"),
            workers,
            _pool: pool,
        };
        machine.init();
        machine
    }

    fn launch(&self, kernel: &str, over_heap: bool, args: Args) {
        let job = Job {
            heap: over_heap.then_some(self.heap),
            args,
        };
        let work = |worker: u32| {
            let scratch = Buffer::new(SCRATCH_BYTES);
            // SAFETY: the scratch memory is this warp's; the arguments are
            // those that the kernel asks for.
            unsafe {
                let warp = Solo::new(worker, self.workers, worker, scratch.address());
                match job.heap {
                    Some(heap) => {
                        let entry = self.allocator.kernel(kernel).expect("a kernel's name");
                        (entry.run)(warp, heap, job.args);
                    }
                    None => {
                        let mut entries = PLAIN_KERNELS.iter();
                        let entry = entries.find(|entry| entry.name == kernel);
                        (entry.expect("a kernel's name").run)(warp, job.args);
                    }
                }
            }
        };
        let work = &work;
        std::thread::scope(|scope| {
            for worker in 1..self.workers {
                let shared = Shared(work);
                scope.spawn(move || shared.call(worker));
            }
            work(0);
        });
    }
}

/// A closure that threads share.
#[derive(Clone, Copy)]
struct Shared<'a, F>(&'a F);

// SAFETY: what the closure captures is read only, or a kernel's arguments.
unsafe impl<F> Send for Shared<'_, F> {}

impl<F: Fn(u32)> Shared<'_, F> {
    fn call(self, worker: u32) {
        (self.0)(worker);
    }
}

impl Runner for Threads {
    fn handle_bytes(&self) -> usize {
        self.allocator.handle_bytes
    }

    fn lone_workers(&self) -> u32 {
        self.workers
    }

    fn init(&self) {
        self.launch("init", true, Args::NONE);
    }

    fn run(&self, step: &Step) {
        self.launch(step.kernel, step.over_heap, step.args);
    }
}

impl Threads {
    /// What a walk over the heap finds.
    pub fn heap_state(&self) -> State {
        let words = Buffer::new(heapwood_device::heap::STATE_WORDS * 8);
        let mut args = Args::NONE;
        args.pointers[0] = words.address();
        self.launch("report", true, args);
        let words: Vec<u64> = words.read(0, heapwood_device::heap::STATE_WORDS);
        State::from_words(&words.try_into().expect("the number of words"))
    }
}

/// Warps of 32 lanes in lockstep, under another schedule for each launch.
pub struct Coroutines<A> {
    heap: Heap,
    warps: u32,
    seed: Cell<u64>,
    _pool: Buffer,
    allocator: PhantomData<A>,
}

impl<A: Allocator> Coroutines<A> {
    /// Some warps over a pool.
    ///
    /// # Panics
    ///
    /// If the allocator refuses the pool.
    pub fn new(pool_bytes: usize, warps: u32, seed: u64) -> Self {
        let pool = Buffer::new(pool_bytes);
        let heap = A::setup(&Request {
            base: pool.address(),
            pool_bytes: pool_bytes as u64,
            processors: 4,
            parameters: &[],
        });
        let machine = Self {
            heap: heap.expect("a pool that suits the allocator"),
            warps,
            seed: Cell::new(seed),
            _pool: pool,
            allocator: PhantomData,
        };
        machine.init();
        machine
    }

    fn launch(&self, kernel: impl Fn(Lockstep)) {
        let seed = self.seed.get();
        self.seed.set(seed + 1);
        let mut plan = Plan::new(self.warps, Policy::Random { period: 16 }, seed);
        plan.step_limit = 200_000_000;
        if let Err(error) = lockstep::run(plan, kernel) {
            panic!("{error}");
        }
    }

    fn over_heap<K: Kernel>(&self, args: Args) {
        // SAFETY: the heap's memory lives as long as the machine; the caller
        // passes the arguments that the kernel asks for.
        self.launch(|warp| unsafe { K::run(warp, A::new(self.heap), K::Arguments::from(args)) });
    }

    fn plain<K: PlainKernel>(&self, args: Args) {
        // SAFETY: as above.
        self.launch(|warp| unsafe { K::run(warp, K::Arguments::from(args)) });
    }
}

impl<A: Allocator> Runner for Coroutines<A> {
    fn handle_bytes(&self) -> usize {
        size_of::<A::Handle>()
    }

    fn lone_workers(&self) -> u32 {
        0
    }

    fn init(&self) {
        self.over_heap::<Init>(Nothing.into());
    }

    fn run(&self, step: &Step) {
        use heapwood_device::graph::{
            bfs, classify, commit, components, copy, delta, linked, load, measure, pagerank,
            prepare, query, relocate, scan, sort, triangles, vertices, view,
        };
        let args = step.args;
        match step.kernel {
            "graph_load" => self.over_heap::<load::Load>(args),
            "graph_prepare" => self.over_heap::<prepare::Prepare>(args),
            "graph_commit" => self.over_heap::<commit::Commit>(args),
            "graph_sort_count" => self.plain::<sort::SortCount>(args),
            "graph_sort_offsets" => self.plain::<sort::SortOffsets>(args),
            "graph_sort_scatter" => self.plain::<sort::SortScatter>(args),
            "graph_scan_sums" => self.plain::<scan::ScanSums>(args),
            "graph_scan_offsets" => self.plain::<scan::ScanOffsets>(args),
            "graph_copy_in" => self.plain::<copy::CopyIn>(args),
            "graph_copy_out" => self.plain::<copy::CopyOut>(args),
            "graph_measure" => self.plain::<measure::Measure>(args),
            "graph_classify" => self.plain::<classify::Classify>(args),
            "graph_compact" => self.plain::<classify::Compact>(args),
            "graph_relocate" => self.plain::<relocate::Relocate>(args),
            "graph_query" => self.plain::<query::Query>(args),
            "graph_rank_clear" => self.plain::<pagerank::RankClear>(args),
            "graph_rank_start" => self.plain::<pagerank::RankStart>(args),
            "graph_rank_step" => self.plain::<pagerank::RankStep>(args),
            "graph_orient" => self.plain::<triangles::Orient>(args),
            "graph_triangles" => self.plain::<triangles::Triangles>(args),
            "graph_component_start" => self.plain::<components::ComponentStart>(args),
            "graph_component_join" => self.plain::<components::ComponentJoin>(args),
            "graph_component_end" => self.plain::<components::ComponentEnd>(args),
            "graph_search_start" => self.plain::<bfs::SearchStart>(args),
            "graph_search_level" => self.plain::<bfs::SearchLevel>(args),
            "graph_delta_triangles" => self.plain::<delta::DeltaTriangles>(args),
            "graph_view" => self.plain::<view::View>(args),
            "graph_vertex_count" => self.plain::<vertices::VertexCount>(args),
            "graph_vertex_edges" => self.plain::<vertices::VertexEdges>(args),
            "graph_vertex_mark" => self.plain::<vertices::VertexMark>(args),
            "linked_load" => self.over_heap::<linked::LinkedLoad>(args),
            "linked_classify" => self.over_heap::<linked::LinkedClassify>(args),
            "linked_prepare" => self.over_heap::<linked::LinkedPrepare>(args),
            "linked_commit" => self.over_heap::<linked::LinkedCommit>(args),
            "linked_copy_out" => self.over_heap::<linked::LinkedCopyOut>(args),
            "linked_rank_step" => self.over_heap::<linked::LinkedRankStep>(args),
            "linked_orient" => self.over_heap::<linked::LinkedOrient>(args),
            "linked_query" => self.over_heap::<linked::LinkedQuery>(args),
            "linked_vertex_edges" => self.over_heap::<vertices::LinkedVertexEdges>(args),
            other => panic!("no kernel {other}"),
        }
    }
}
