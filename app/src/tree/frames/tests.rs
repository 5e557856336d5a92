//! Blocks that a sequence of trees leaves in the pool, and the errors about blocks left behind.

use heapwood_device::kdtree::keep::{KEPT_WORDS, NODES, REFERENCES};

use super::*;
use crate::allocators::with_forms;
use crate::backend::Cpu;
use crate::size::Pool;
use crate::tree::KernelBuild;

const POOL: u64 = 8 << 20;

/// Triangles in a row, each beside the next, some way up.
fn row(count: u16, height: f32) -> Vec<Triangle> {
    (0..count)
        .map(f32::from)
        .map(|x| {
            [
                [x, height, 0.0],
                [x + 1.0, height, 0.0],
                [x, 1.0 + height, 1.0],
            ]
        })
        .collect()
}

/// How a frame is built, and the hash of its tree by itself.
fn alone(cpu: &Cpu, spec: &Spec, triangles: &[Triangle]) -> (FramePlan, TreeHash) {
    let pool = Pool::Bytes(POOL);
    let build = KernelBuild::prepare(cpu, triangles, spec, pool, Options::default());
    let built = build.unwrap().into_built().unwrap();
    let plan = FramePlan {
        options: Options {
            collect: true,
            ..built.tree.shape().options
        },
        limits: built.stats.result.used,
    };
    (plan, built.tree.into_host().unwrap().hash())
}

/// All allocators that free, as they are and checked.
fn freeing() -> Vec<Spec> {
    let specs = with_forms().map(|one| Spec::parse(one.description.name).unwrap());
    let specs = specs.filter(Spec::frees);
    specs
        .flat_map(|spec| [spec.checked(), Some(spec)])
        .flatten()
        .collect()
}

#[test]
fn trees_follow_each_other_and_leave_nothing() {
    let cpu = Cpu::with_threads(2).unwrap();
    let sizes = [(300, 0.0), (300, 1.5), (2500, 0.0), (1, 3.0), (700, -2.0)];
    let frames = sizes.map(|(count, height)| row(count, height));
    let specs = freeing();
    assert!(specs.len() > 20);
    for spec in specs {
        let mut builder = FrameBuilder::new(&cpu, &spec, POOL).unwrap();
        let mut workspace = 0;
        for run in 0..3 {
            for triangles in &frames {
                let (plan, hash) = alone(&cpu, &spec, triangles);
                let built = builder.next(triangles, &plan).unwrap();
                assert_eq!(built.hash, hash, "{spec}");
                let tree = builder.tree().unwrap().unwrap().into_host().unwrap();
                assert_eq!(tree.hash(), hash, "{spec}");
                assert_eq!(built.result.nodes as usize, tree.nodes.len());
                let kept = (8 * tree.nodes.len() + 4 * tree.references.len()) as u64;
                // CUDA's heap and the C library's do not tell what they grant.
                let is_told = !spec.allocator.properties.system_heap;
                assert_eq!(built.kept_bytes.is_some(), is_told, "{spec}: {built:?}");
                assert_eq!(built.peak_bytes.is_some(), is_told, "{spec}: {built:?}");
                assert!(
                    !is_told || built.kept_bytes >= Some(kept),
                    "{spec}: {built:?}"
                );
                assert!(built.peak_bytes >= built.kept_bytes);
                if builder.is_walkable() {
                    assert!(
                        built.state.occupancy.used_bytes >= kept,
                        "{spec}: {built:?}"
                    );
                }
                // It never shrinks, and after the largest frame it does not grow.
                assert!(builder.workspace_bytes() >= workspace);
                assert!(run == 0 || builder.workspace_bytes() == workspace);
                workspace = builder.workspace_bytes();
            }
            builder.finish().unwrap();
        }
        assert!(builder.device_bytes() > workspace);
    }
}

#[test]
fn a_tree_that_is_not_freed_is_found() {
    let cpu = Cpu::with_threads(1).unwrap();
    let mut walked = 0;
    for spec in freeing() {
        let triangles = row(300, 0.0);
        let (plan, _) = alone(&cpu, &spec, &triangles);
        let mut builder = FrameBuilder::new(&cpu, &spec, POOL).unwrap();
        builder.next(&triangles, &plan).unwrap();
        if !builder.is_walkable() {
            continue;
        }
        walked += 1;
        // Forgotten, its blocks stay.
        builder.latest = None;
        builder.next(&triangles, &plan).unwrap();
        let leak = builder.finish().unwrap_err();
        let message = leak.to_string();
        assert!(
            message.contains("bytes are in use in the pool of"),
            "{spec}: {message}"
        );
        assert_eq!(crate::Error::from(leak).exit_code(), 5);
    }
    assert!(walked > 10);
}

#[test]
fn a_tree_that_is_changed_in_the_pool_is_found() {
    let cpu = Cpu::with_threads(1).unwrap();
    let spec = Spec::parse("cfmalloc").unwrap();
    let triangles = row(50, 0.0);
    let (plan, _) = alone(&cpu, &spec, &triangles);
    let mut builder = FrameBuilder::new(&cpu, &spec, POOL).unwrap();
    builder.next(&triangles, &plan).unwrap();
    // Its blocks exchange their roles, so that its words are others.
    let kept = builder.latest.as_ref().unwrap();
    let words: [u64; KEPT_WORDS] = kept.words.download_array(0).unwrap();
    kept.words
        .upload(8 * NODES as u64, &[words[REFERENCES]])
        .unwrap();
    let changed = builder.next(&triangles, &plan).unwrap_err();
    assert!(
        changed.to_string().contains("was changed in the pool"),
        "{changed}"
    );
}

#[test]
fn a_pool_holds_two_trees_or_refuses() {
    let cpu = Cpu::with_threads(1).unwrap();
    let spec = Spec::parse("cfmalloc").unwrap();
    let triangles = row(5000, 0.0);
    let (plan, _) = alone(&cpu, &spec, &triangles);
    let fits = |pool: u64| {
        let mut builder = FrameBuilder::new(&cpu, &spec, pool).unwrap();
        for frame in 0..3 {
            match builder.next(&triangles, &plan) {
                Ok(built) => assert!(built.peak_bytes <= Some(pool)),
                Err(TreeError::Pool { wanted, .. }) => {
                    assert!(wanted.is_some());
                    return frame;
                }
                Err(error) => panic!("{error}"),
            }
        }
        builder.finish().unwrap();
        3
    };
    let found: Vec<usize> = (15..23).map(|bits| fits(1 << bits)).collect();
    assert!(found.is_sorted(), "{found:?}");
    assert_eq!((found[0], found[found.len() - 1]), (0, 3), "{found:?}");
}

#[test]
#[should_panic(expected = "cannot free the trees before")]
fn allocators_that_do_not_free_are_refused() {
    let cpu = Cpu::with_threads(1).unwrap();
    let spec = Spec::parse("atomicmalloc").unwrap();
    drop(FrameBuilder::new(&cpu, &spec, POOL));
}
