//! Allocators of the user's, linked with the kernels by the driver. The two are PTX that nvcc has
//! made, so that no toolkit is needed; `sources::external_link` links other forms, without a GPU.

use std::fs;
use std::path::PathBuf;

use heapwood::allocators::Spec;
use heapwood::backend::{Backend, BackendError, Choice, Options};
use heapwood::heap::{DeviceHeap, HeapError};
use heapwood::job::{Runner, call_costs};
use heapwood::link::LinkOptions;
use heapwood::size::Pool;
use heapwood::tree::{self, Builder};
use heapwood::workload::Status;
use heapwood::workload::micro::{
    HeapState, Microbenchmark, Plan, Row, Size, Suite, allocator_costs,
};
use heapwood::workload::tree::Workload as BuildWorkload;
use heapwood_scenes::generate;
use heapwood_tests::gpu::turn;
use tempfile::TempDir;

/// One that frees, and one that does not.
const STACKS: &str = include_str!("../data/external/stacks.ptx");
const BUMP: &str = include_str!("../data/external/bump.ptx");
const POOL: u64 = 64 << 20;

/// Files in a folder, and options for a GPU whose kernels are linked with them; nothing and a
/// line where there is none.
fn linked(sources: &[&str], merge: bool) -> Option<(TempDir, Options)> {
    let folder = tempfile::tempdir().expect("a folder");
    let put = |(number, source): (usize, &&str)| -> PathBuf {
        let path = folder.path().join(format!("{number}.ptx"));
        fs::write(&path, source).expect("the file is written");
        path
    };
    let files = sources.iter().enumerate().map(put).collect();
    let link = LinkOptions { files, merge };
    let choice = Choice::Cuda;
    let options = Options {
        choice,
        link,
        ..Options::default()
    };
    match options.decide() {
        Ok((options, _)) => Some((folder, options)),
        Err(why) => {
            println!("skipped: {why}");
            None
        }
    }
}

fn spec(name: &str) -> Spec {
    Spec::parse(name).expect("an allocator")
}

/// Rows of a benchmark in this process.
fn rows(options: &Options, name: &str, workload: Microbenchmark) -> Vec<Row> {
    let suite = Suite {
        workload,
        allocators: vec![spec(name)],
        heaps: vec![HeapState::Warm, HeapState::Cold],
        sizes: Size::product(&[20_000], &[16, 500], &[4]),
        draws: None,
        turns: Some(10),
        pools: vec![POOL],
        plan: Plan {
            warmup: 1,
            runs: 5,
            budget_s: 1.0,
            verify: true,
        },
        backend: options.clone(),
    };
    let mut runner = Runner::in_this_process(options).expect("the GPU opens");
    let cases = suite.cases();
    let rows = cases.iter().map(|case| runner.run(case));
    rows.collect::<Result<_, _>>().expect("they run")
}

#[test]
fn the_users_allocators_serve_benchmarks_linked() {
    the_users_allocators_serve_benchmarks(false);
}

#[test]
fn the_users_allocators_serve_benchmarks_merged() {
    the_users_allocators_serve_benchmarks(true);
}

fn the_users_allocators_serve_benchmarks(merge: bool) {
    let _turn = turn();
    let Some((_folder, options)) = linked(&[STACKS], merge) else {
        return;
    };
    for workload in [
        Microbenchmark::Threads,
        Microbenchmark::AllocCycleDealloc,
        Microbenchmark::Turns,
    ] {
        for row in rows(&options, "external:name=stacks", workload) {
            assert_eq!(row.status, Status::Ok, "{row:?}");
            assert_eq!(row.nulls, Some(0), "{row:?}");
            assert!(row.corrupt.is_none_or(|corrupt| corrupt == 0), "{row:?}");
            let link = row.meta.link.expect("it was linked");
            assert!(link.ms.is_some_and(|ms| ms > 0.0), "{link:?}");
            assert_eq!(link.merged, merge);
        }
    }
    let (_folder, options) = linked(&[BUMP], merge).expect("there is a GPU");
    for row in rows(&options, "external:free=no", Microbenchmark::Threads) {
        assert_eq!(row.status, Status::Ok, "{row:?}");
        assert!(row.free_ms.is_none(), "{row:?}");
    }
}

#[test]
fn trees_over_them_are_those_of_other_allocators_linked() {
    trees_over_them_are_those_of_other_allocators(false);
}

#[test]
fn trees_over_them_are_those_of_other_allocators_merged() {
    trees_over_them_are_those_of_other_allocators(true);
}

fn trees_over_them_are_those_of_other_allocators(merge: bool) {
    let _turn = turn();
    let Some((_folder, options)) = linked(&[STACKS], merge) else {
        return;
    };
    let backend = options.open().expect("the GPU opens");
    let scene = generate::by_name("terrain").expect("a scene");
    let [own, other] = ["external", "cfmalloc"].map(|name| {
        let (spec, pool) = (spec(name), Pool::Auto);
        let built = Builder::Kernels { spec, pool }.build(&*backend, &scene, Default::default());
        let tree = built.expect("a tree").tree.into_host();
        tree.expect("it is downloaded").hash()
    });
    assert_eq!(own, other);
    let costs = allocator_costs(spec("external").allocator, &*backend).expect("the kernels load");
    assert!(costs.plain.is_some_and(|cost| cost.registers > 0));
}

#[test]
fn sizes_of_blocks_are_known_with_a_function_for_them_linked() {
    sizes_of_blocks_are_known_with_a_function_for_them(false);
}

#[test]
fn sizes_of_blocks_are_known_with_a_function_for_them_merged() {
    sizes_of_blocks_are_known_with_a_function_for_them(true);
}

fn sizes_of_blocks_are_known_with_a_function_for_them(merge: bool) {
    let _turn = turn();
    let silent = STACKS.replace("heapwood_granted", "granted");
    for (source, is_known) in [(STACKS, true), (silent.as_str(), false)] {
        let Some((_folder, options)) = linked(&[source], merge) else {
            return;
        };
        let backend = options.open().expect("the GPU opens");
        let scene = generate::by_name("terrain").expect("a scene");
        // Both allocators round up to powers of two.
        let [lost, by_buddies] = ["external", "buddy"].map(|name| {
            let workload = BuildWorkload {
                scene: &scene,
                builder: Builder::Kernels {
                    spec: spec(name),
                    pool: Pool::Auto,
                },
                // So that blocks have many sizes.
                options: tree::Options {
                    alloc_per_split: true,
                    ..tree::Options::default()
                },
                verify: false,
            };
            let measured = workload.run(&*backend, 1, || {}).expect("a tree");
            let heap = measured.heap.expect("kernels have one");
            assert_eq!(heap.memory.tells_granted, is_known || name == "buddy");
            heap.statistics.internal_fragmentation
        });
        assert!(by_buddies > 0.1, "{by_buddies}");
        assert_eq!(lost, if is_known { by_buddies } else { 0.0 });
    }
}

#[test]
fn what_a_call_costs_is_measured() {
    let _turn = turn();
    let Some((_folder, options)) = linked(&[STACKS], false) else {
        return;
    };
    let plan = Plan {
        warmup: 1,
        runs: 5,
        budget_s: 1.0,
        verify: false,
    };
    let costs = call_costs(&options, plan, Runner::in_this_process).expect("they run");
    assert_eq!(costs.len(), 2, "{costs:?}");
    for cost in costs {
        println!("{cost:?}");
        assert!(cost.inlined_ms > 0.0 && cost.called_ms > 0.0, "{cost:?}");
    }
    // And what it grants is right.
    let options = Options {
        reference: true,
        ..options
    };
    for workload in [Microbenchmark::Threads, Microbenchmark::Mixed] {
        for row in rows(&options, "external:free=no", workload) {
            assert_eq!(row.status, Status::Ok, "{row:?}");
            assert_eq!((row.nulls, row.corrupt), (Some(0), Some(0)), "{row:?}");
        }
    }
}

/// The message of the error when a heap over these files is initialised and its costs are measured;
/// empty without an error.
fn refusal(sources: &[&str], name: &str, merge: bool) -> Option<String> {
    let (_folder, options) = linked(sources, merge)?;
    let backend = match options.open() {
        Ok(backend) => backend,
        Err(error) => return Some(error.to_string()),
    };
    // Which function a kernel needs differs: this one takes all.
    let spec = spec(name);
    let heap = DeviceHeap::new(&*backend, &spec, POOL)
        .and_then(|heap| heap.init().map_err(HeapError::from));
    let costs = heap.map_err(|error| error.to_string()).and_then(|_| {
        let costs = allocator_costs(spec.allocator, &*backend as &dyn Backend);
        costs.map_err(|error| {
            let is_link = matches!(error, BackendError::Link(_));
            assert!(is_link, "{error}");
            error.to_string()
        })
    });
    Some(costs.err().unwrap_or_default())
}

#[test]
fn what_the_linker_finds_wrong_is_said() {
    let _turn = turn();
    let other_function = STACKS.replace("heapwood_malloc", "other_malloc");
    let newer = STACKS.replace(".version 7.0", ".version 99.0");
    let syntax = STACKS.replace("ret;", "return;");
    let cases = [
        (vec![STACKS, STACKS], "external", "is in two of the files"),
        (vec![BUMP], "external", "no file has heapwood_free"),
        (vec![STACKS], "external:free=no", "leave out free=no"),
        (
            vec![&*other_function],
            "external",
            "no file has heapwood_malloc",
        ),
        (vec![&*newer], "external", "newer than this driver"),
        (vec![&*syntax], "external", "known instruction"),
        (vec![STACKS], "external", ""),
        (vec![BUMP], "external:free=no", ""),
    ];
    for merge in [false, true] {
        for (sources, name, what) in &cases {
            let Some(said) = refusal(sources, name, merge) else {
                return;
            };
            println!("{said}");
            assert!(said.contains(what), "{what}: {said}");
            assert_eq!(said.is_empty(), what.is_empty(), "{said}");
        }
    }
}
