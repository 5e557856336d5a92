//! Runs kernels on OS threads, a warp of one lane each, over a heap and a
//! workspace in host memory.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};

use heapwood_device::allocator::{Heap, Request, SetupError};
use heapwood_device::heap::{Init, Nothing, Report, ReportArguments, STATE_WORDS, State};
use heapwood_device::host::HostAllocator;
use heapwood_device::kdtree::host::{
    BuildError, BuildResult, Limits, Options, Plan, RESULT_BYTES, outcome,
};
use heapwood_device::kdtree::node::Node;
use heapwood_device::launch::Call;
use heapwood_device::warp::{SCRATCH_BYTES, Solo};

use crate::fences;

/// Memory as a device gives it: zeroed, 256-byte aligned.
pub struct Buffer {
    address: *mut u8,
    layout: Layout,
}

impl Buffer {
    /// Memory of `bytes` bytes.
    pub fn new(bytes: usize) -> Self {
        let layout = Layout::from_size_align(bytes.max(1), 256).expect("a buffer's size");
        // SAFETY: the size is not 0.
        let address = unsafe { alloc_zeroed(layout) };
        if address.is_null() {
            handle_alloc_error(layout);
        }
        Self { address, layout }
    }

    /// Where it begins.
    pub fn address(&self) -> *mut u8 {
        self.address
    }

    /// Copies `count` values that begin at byte `offset`.
    ///
    /// # Panics
    ///
    /// If they do not lie in the buffer, aligned.
    pub fn read<T: Copy>(&self, offset: usize, count: usize) -> Vec<T> {
        assert!(offset.is_multiple_of(align_of::<T>()));
        assert!(offset + count * size_of::<T>() <= self.layout.size());
        // SAFETY: checked above; callers read plain data when no kernel runs.
        unsafe { std::slice::from_raw_parts(self.address.add(offset).cast::<T>(), count).to_vec() }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.address, self.layout) }
    }
}

/// An allocator over a pool, run by some workers.
pub struct Machine {
    allocator: &'static HostAllocator,
    heap: Heap,
    workers: u32,
    /// Kept for as long as the heap.
    _pool: Buffer,
}

/// Pointers that kernels on several threads share.
struct Shared<T>(T);

// SAFETY: kernels synchronise their accesses themselves.
unsafe impl<T> Sync for Shared<T> {}

impl<T: Copy> Shared<T> {
    /// The value; a method, so that closures capture the whole.
    fn get(&self) -> T {
        self.0
    }
}

impl Machine {
    /// A machine with an empty heap.
    pub fn new(
        allocator: &'static HostAllocator,
        pool_bytes: usize,
        workers: u32,
    ) -> Result<Self, SetupError> {
        let pool = Buffer::new(pool_bytes);
        let heap = (allocator.setup)(&Request {
            base: pool.address(),
            pool_bytes: pool_bytes as u64,
            processors: workers,
            parameters: &[],
        })?;
        let machine = Self {
            allocator,
            heap,
            workers,
            _pool: pool,
        };
        machine.init();
        Ok(machine)
    }

    /// Runs a kernel on all workers, to its end.
    ///
    /// # Panics
    ///
    /// If the kernel does not work over an allocator.
    pub fn launch(&self, call: Call) {
        let run = self.allocator.kernel(call.kernel());
        let run = run.expect("a kernel over an allocator");
        let shared = Shared((self.heap, call.args()));
        let workers = self.workers;
        std::thread::scope(|scope| {
            for worker in 0..workers {
                let shared = &shared;
                scope.spawn(move || {
                    fences::show();
                    let (heap, args) = shared.get();
                    let scratch = Buffer::new(SCRATCH_BYTES);
                    // SAFETY: the scratch memory is this warp's; the caller
                    // passes arguments that the kernel asks for.
                    unsafe {
                        let warp = Solo::new(worker, workers, worker, scratch.address());
                        run(warp, heap, args);
                    }
                });
            }
        });
    }

    /// Makes the heap empty.
    pub fn init(&self) {
        self.launch(Call::of::<Init>(Nothing));
    }

    /// What a walk over the heap finds.
    pub fn heap_state(&self) -> State {
        let words = Buffer::new(STATE_WORDS * 8);
        let address = words.address().cast();
        self.launch(Call::of::<Report>(ReportArguments { words: address }));
        let words: Vec<u64> = words.read(0, STATE_WORDS);
        State::from_words(&words.try_into().expect("the number of words"))
    }

    /// Builds a tree, with larger limits if the first do not suffice, and within
    /// the bound on duplication.
    pub fn build(
        &self,
        triangles: &[[[f32; 3]; 3]],
        mut options: Options,
    ) -> Result<Tree, BuildError> {
        options.collect |= self.allocator.may_overwrite;
        let count = triangles.len() as u32;
        let mut limits = Limits::for_triangles(count, &options);
        loop {
            match self.build_within(triangles, options, limits) {
                Err(error) if error.is_limit() => {
                    limits = limits.doubled().ok_or(error)?;
                    self.init();
                }
                Err(BuildError::Explodes { served }) => {
                    let most = (self.allocator.max_block)(&self.heap);
                    if self.allocator.may_overwrite && served.is_none_or(|served| served > most) {
                        return Err(BuildError::Overwritten);
                    }
                    options.bounded = true;
                    self.init();
                }
                result => return result,
            }
        }
    }

    /// Builds a tree within limits.
    ///
    /// # Panics
    ///
    /// If the build cannot be planned.
    pub fn build_within(
        &self,
        triangles: &[[[f32; 3]; 3]],
        options: Options,
        limits: Limits,
    ) -> Result<Tree, BuildError> {
        let plan = Plan::new(triangles.len() as u32, options, limits).expect("a plan");
        let workspace = Buffer::new(plan.bytes());
        let vertices = triangles.as_ptr().cast::<f32>().cast_mut();
        for step in plan.steps(workspace.address(), vertices) {
            self.launch(step.call);
        }
        let header: Vec<u8> = workspace.read(0, RESULT_BYTES);
        let result = outcome(&header.try_into().expect("the header's size"))?;
        Ok(Tree {
            nodes: workspace.read(plan.nodes_offset(), result.nodes as usize),
            references: workspace.read(plan.references_offset(), result.references as usize),
            result,
        })
    }
}

/// A finished tree.
pub struct Tree {
    /// Its nodes, in depth-first order.
    pub nodes: Vec<Node>,
    /// The references of its leaves.
    pub references: Vec<u32>,
    /// What the header says.
    pub result: BuildResult,
}
