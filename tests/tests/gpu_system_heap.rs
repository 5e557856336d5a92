//! Allocators over the heap of the system: CUDA's on a GPU, which has one size in a process, so
//! that all tests here ask for the same; the C library's on the CPU. Little is promised of
//! them, and CUDA's takes a hundred times as long as others: not the suite of
//! `gpu_conformance`, but what the program needs of them.

use std::sync::Mutex;

use heapwood::allocators::{Spec, all};
use heapwood::backend::{Backend, BackendError, Launch, Memory};
use heapwood::graph::Change;
use heapwood::heap::{DeviceHeap, HeapError};
use heapwood::max_pool::{MaxPool, PoolLimit};
use heapwood::size::Pool;
use heapwood::tree::{KernelBuild, Options};
use heapwood_device::allocator::SYSTEM_HEAP_STATE;
use heapwood_scenes::generate;
use heapwood_tests::clauses;
use heapwood_tests::delegated;
use heapwood_tests::gpu::Lanes::{Apart, Together};
use heapwood_tests::gpu::{Trial, cpu, gpu, turn};
use heapwood_tests::graph::expected::Kept;
use heapwood_tests::graph::forms::FORMS;
use heapwood_tests::graph::graphs;

/// Bytes of the heap.
const POOL: u64 = 64 << 20;

/// How much is done.
#[derive(Clone, Copy)]
struct Scale {
    /// Threads that allocate together, at the most.
    threads: u32,
}

const FULL: Scale = Scale { threads: 50_000 };
const SMALL: Scale = Scale { threads: 4_000 };

clauses! {
    FULL, SMALL, SMALL;
    blocks_keep_their_contents
    a_full_heap_refuses_and_serves_again
    another_size_is_refused_where_there_is_one
    trees_leave_nothing_behind
    graphs_and_trees_take_the_heap_that_is_fixed
}

fn specs() -> Vec<Spec> {
    let system = all().filter(|allocator| allocator.properties.system_heap);
    let named = system.map(|allocator| Spec::parse(allocator.description.name));
    let specs: Vec<Spec> = named.map(|spec| spec.expect("a name")).collect();
    assert!(!specs.is_empty());
    let checked = specs.iter().filter_map(Spec::checked);
    specs.iter().cloned().chain(checked).collect()
}

fn blocks_keep_their_contents(backend: &dyn Backend, scale: Scale) {
    for spec in specs() {
        for (bytes, threads) in [(0, scale.threads / 20), (16, scale.threads), (100, 3_000)] {
            let trial = Trial::new(backend, &spec, POOL, threads);
            for (malloc, free) in [(Apart, Together), (Together, Apart)] {
                let what = format!("{}, {threads} x {bytes} B", trial.name);
                let mut handles = trial.malloc(bytes, malloc);
                assert!(!handles.contains(&u64::MAX), "{what}: refused");
                handles.sort_unstable();
                handles.dedup();
                assert_eq!(
                    handles.len(),
                    threads as usize,
                    "{what}: a block given twice"
                );
                assert!(handles.iter().all(|handle| handle % 16 == 0), "{what}");
                assert_eq!(trial.fill_and_verify(bytes), (0, 0), "{what}");
                trial.exchange_blocks();
                trial.free(free);
                assert_eq!(trial.state().1, Default::default(), "{what}");
            }
        }
    }
}

fn a_full_heap_refuses_and_serves_again(backend: &dyn Backend, _: Scale) {
    let bytes = 32 << 10;
    let threads = (2 * POOL / bytes) as u32;
    for spec in specs() {
        let trial = Trial::new(backend, &spec, POOL, threads);
        let name = trial.name;
        let mut first = None;
        for _ in 0..3 {
            trial.malloc(bytes, Apart);
            let (nulls, corrupt) = trial.fill_and_verify(bytes);
            assert_eq!(corrupt, 0, "{name}");
            assert!(nulls > 0, "{name}: twice the heap is granted");
            let served = threads - nulls;
            let first = *first.get_or_insert(served);
            // In the first round, too: a heap that others have left is whole.
            assert!(served >= threads / 4, "{name}: {served} of {threads}");
            assert!(4 * served >= 3 * first, "{name}: {first}, then {served}");
            trial.free(Apart);
        }
    }
}

fn another_size_is_refused_where_there_is_one(backend: &dyn Backend, _: Scale) {
    for spec in specs() {
        let first = DeviceHeap::new(backend, &spec, POOL).expect("the heap");
        first.init().expect("the kernel is loaded");
        assert_eq!(first.pool_bytes(), POOL);
        assert!(DeviceHeap::new(backend, &spec, POOL).is_ok());
        match DeviceHeap::new(backend, &spec, 2 * POOL) {
            Err(HeapError::Backend(BackendError::SystemHeapFixed { bytes, wanted })) => {
                assert!(backend.info().is_gpu);
                assert!((POOL..2 * POOL).contains(&bytes));
                assert_eq!(wanted, 2 * POOL);
            }
            Ok(_) => assert!(!backend.info().is_gpu),
            Err(error) => panic!("{}: {error}", spec.name()),
        }
    }
}

fn trees_leave_nothing_behind(backend: &dyn Backend, _: Scale) {
    let triangles = heapwood::tree::triangles(&generate::knot());
    for spec in specs() {
        let (pool, options) = (Pool::Bytes(POOL), Options::default());
        let build = KernelBuild::prepare(backend, &triangles, &spec, pool, options);
        let mut build = build.expect("the heap suffices");
        for _ in 0..10 {
            let built = build.build_with_statistics().expect("it has sufficed");
            let statistics = built.stats.result.statistics;
            assert!(statistics.allocations > 0);
            assert_eq!(statistics.allocations, statistics.frees, "{}", spec.name());
        }
    }
}

fn graphs_and_trees_take_the_heap_that_is_fixed(backend: &dyn Backend, _: Scale) {
    let on_cpu = (!backend.info().is_gpu).then(|| FixedHeap(cpu(2)));
    let backend = on_cpu.as_ref().map_or(backend, |fixed| fixed);
    for spec in specs() {
        let first = DeviceHeap::new(backend, &spec, POOL).expect("the heap");
        first.init().expect("the kernel is loaded");
        for (form, vertices) in FORMS.into_iter().zip([100, 10_000, 1_000, 100]) {
            let what = format!("{}, {form:?}", spec.name());
            let kept = Kept::of(&graphs::uniform(vertices, vertices, form.directed, 3));
            let store = form.store(backend, &spec, Pool::Auto, kept.csr());
            assert_eq!(store.pool_bytes(), POOL, "{what}");
            kept.assert_in(&store, &what);
        }
        let triangles = heapwood::tree::triangles(&generate::knot());
        let (pool, options) = (Pool::Auto, Options::default());
        let build = KernelBuild::prepare(backend, &triangles, &spec, pool, options);
        build
            .expect("the heap that is fixed")
            .build()
            .expect("a tree");
        let most = MaxPool::beside(backend, &spec, 0).expect("a limit");
        assert_eq!((most.bytes, most.limit), (POOL, PoolLimit::SystemHeap));
    }
}

/// The end of a store on a backend, over each form: `after` is called when one is gone, with the
/// bytes of its blocks.
fn stores_come_and_go(
    backend: &dyn Backend,
    vertices: u32,
    count: usize,
    after: impl Fn(&str, u64),
) {
    for spec in specs() {
        for form in FORMS {
            let what = format!("{}, {form:?}", spec.name());
            let graph = graphs::uniform(vertices, 30 * vertices, form.directed, 3);
            let kept = Kept::of(&graph);
            // A hundred vertices get more neighbours, and so blocks of another size. If one
            // vertex got all, one lane would request its pages, one after the other.
            let more: Vec<_> = (0..vertices).map(|vertex| [vertex % 100, vertex]).collect();
            for _ in 0..count {
                let mut store = form.store(backend, &spec, Pool::Bytes(POOL), kept.csr());
                let update = store.update(&more, Change::Insert);
                update.unwrap_or_else(|error| panic!("{what}: {error}"));
                let memory = store.memory_use().expect("a measurement");
                drop(store);
                after(&what, memory.allocated_bytes);
            }
            // A load that is given up is a store that has not become one.
            let few = Pool::Bytes(SYSTEM_HEAP_STATE + 4096);
            if !backend.info().is_gpu {
                let refused = form.try_store(backend, &spec, few, kept.csr());
                assert!(refused.is_err_and(|error| error.is_refusal()), "{what}");
                after(&what, 0);
            }
        }
    }
}

/// A heap that stores leaked into would be full before the last of them.
#[test]
fn stores_leave_nothing_behind_on_a_gpu() {
    let _turn = turn();
    let Some(backend) = gpu() else {
        return;
    };
    let count = 60;
    stores_come_and_go(&*backend, 10_000, count, |what, bytes| {
        assert!(count as u64 * bytes > POOL, "{what}: {bytes} bytes");
    });
}

/// The host's heap counts the bytes in blocks.
#[test]
fn stores_leave_nothing_behind_on_the_cpu() {
    let _turn = turn();
    let counting = Counting {
        cpu: cpu(2),
        counts: Mutex::default(),
    };
    stores_come_and_go(&counting, 500, 2, |what, _| {
        let counts = std::mem::take(&mut *counting.counts.lock().expect("no panic"));
        assert!(counts.iter().any(|&count| count > 0), "{what}");
        assert_eq!(counts.last(), Some(&0), "{what}");
    });
}

/// The CPU backend, whose heap of the system has `POOL` bytes as if kernels used it.
struct FixedHeap(Box<dyn Backend>);

impl Backend for FixedHeap {
    delegated!(0);

    fn allocate(&self, bytes: u64) -> Result<Memory, BackendError> {
        self.0.allocate(bytes)
    }

    fn fixed_system_heap(&self) -> Result<Option<u64>, BackendError> {
        Ok(Some(POOL))
    }

    fn size_system_heap(&self, bytes: u64, exact: bool) -> Result<(), BackendError> {
        match bytes == POOL || (!exact && bytes < POOL) {
            true => Ok(()),
            false => Err(BackendError::SystemHeapFixed {
                bytes: POOL,
                wanted: bytes,
            }),
        }
    }

    unsafe fn launch_parts(&self, parts: &[&[Launch]]) -> Result<Vec<f64>, BackendError> {
        // SAFETY: the contract of `launch_parts`.
        unsafe { self.0.launch_parts(parts) }
    }
}

/// The CPU backend, with the bytes in blocks after each launch over a heap of the system.
struct Counting {
    cpu: Box<dyn Backend>,
    counts: Mutex<Vec<u64>>,
}

impl Backend for Counting {
    delegated!(cpu);

    fn allocate(&self, bytes: u64) -> Result<Memory, BackendError> {
        self.cpu.allocate(bytes)
    }

    unsafe fn launch_parts(&self, parts: &[&[Launch]]) -> Result<Vec<f64>, BackendError> {
        // SAFETY: the caller's promise.
        let times = unsafe { self.cpu.launch_parts(parts)? };
        for launch in parts.iter().copied().flatten() {
            if let Some((_, heap)) = launch.heap {
                // SAFETY: the heap's first word is the count, and no kernel runs.
                let count = unsafe { heap.pointers[0].cast::<u64>().read() };
                self.counts.lock().expect("no panic").push(count);
            }
        }
        Ok(times)
    }
}
