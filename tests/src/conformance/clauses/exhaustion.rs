//! Clauses about exhausted memory, and about memory that was freed afterwards.

use heapwood_device::allocator::{Handle, Properties, REFUSAL_ACCESSES};

use crate::conformance::bench::Bench;
use crate::conformance::emptied::granted;
use crate::conformance::ledger::Block;
use crate::conformance::machine::Machine;
use crate::lockstep::Random;

/// Atomic operations in which a request must have failed, if it fails.
fn most_atomics(properties: &Properties) -> u64 {
    if properties.bounded_refusal {
        REFUSAL_ACCESSES
    } else {
        1 << 20
    }
}

/// Allocates blocks of `bytes` until there are no more.
fn fill_up<M: Machine, H: Handle>(bench: &Bench<M, H>, bytes: u64) -> Vec<Block> {
    bench.alone(|warp| std::iter::from_fn(|| bench.obtain(warp, bytes, false)).collect::<Vec<_>>())
}

/// Three sizes: a pool holds hundreds of blocks of the smallest and a few of the largest.
fn some_sizes<M: Machine, H: Handle>(bench: &Bench<M, H>) -> [u64; 3] {
    let most = bench.max_block();
    [most / 1500 + 16, most / 100, most / 5]
}

/// A full heap gives null, soon, again and again, and to all threads.
pub fn exhaustion<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    if bench.properties.may_overwrite {
        return;
    }
    for bytes in some_sizes(bench) {
        bench.reset();
        let blocks = fill_up(bench, bytes);
        assert!(
            granted(&blocks) >= bench.max_block() / 2,
            "{:?}: full of blocks of {bytes} at {} bytes",
            bench.case,
            granted(&blocks)
        );
        bench.check_at_rest();
        for bytes in [bytes, bench.max_block(), u64::MAX] {
            let atomics = bench.machine.count_atomics(&|warp| {
                let handle = bench.pool.allocator().malloc(warp, bytes);
                assert!(handle.is_null(), "{:?}: {bytes} more", bench.case);
            });
            assert!(
                atomics <= most_atomics(&bench.properties),
                "{:?}: null after {atomics} atomic operations",
                bench.case
            );
        }
        bench.launch(&|warp| {
            assert_eq!(bench.obtain(warp, bytes, false), None, "{:?}", bench.case);
            assert_eq!(bench.obtain(warp, bytes, true), None, "{:?}", bench.case);
        });
        bench.check_at_rest();
    }
}

/// Blocks that `provide` made ready are granted, and none is lost, however many there were. Where
/// memory serves all sizes, other sizes get it too.
pub fn provided<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    if !bench.properties.provides {
        return;
    }
    let [small, _, large] = some_sizes(bench);
    for count in [1, 100, u32::MAX] {
        let sizes = if bench.properties.reuses_across_sizes {
            &[small, large][..]
        } else {
            &[small]
        };
        for &bytes in sizes {
            bench.reset();
            bench.launch(&|warp| bench.pool.allocator().provide(warp, small, count));
            // Nothing else is requested: what was made ready for other sizes may stay theirs.
            bench.check_at_rest();
            let blocks = fill_up(bench, bytes);
            assert!(
                granted(&blocks) >= bench.max_block() / 2,
                "{:?}: {count} of {small} made ready, then {} in blocks of {bytes}",
                bench.case,
                granted(&blocks)
            );
            bench.retire_all(&blocks);
            bench.check_all_free();
        }
        // Requests at the same time.
        bench.reset();
        bench.launch(&|warp| {
            bench.pool.allocator().provide(warp, small, count);
            if let Some(block) = bench.obtain(warp, small, false) {
                bench.retire(warp, block, false);
            }
        });
        bench.check_all_free();
    }
}

/// Memory that was freed in any order serves as many blocks again, or other sizes get the
/// remainder.
pub fn recovery<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    if !bench.properties.frees || bench.properties.may_overwrite {
        return;
    }
    for bytes in some_sizes(bench) {
        for order in 0..4 {
            bench.reset();
            let mut blocks = fill_up(bench, bytes);
            let before = blocks.len();
            match order {
                0 => {}
                1 => blocks.reverse(),
                _ => Random::new(bytes).shuffle(&mut blocks),
            }
            if order == 3 {
                bench.retire_all(&blocks);
            } else {
                bench.alone(|warp| {
                    for block in &blocks {
                        bench.retire(warp, *block, false);
                    }
                });
            }
            bench.check_at_rest();
            let after = fill_up(bench, bytes);
            if after.len() < before {
                let what = format!(
                    "{} blocks of {bytes} bytes fit into an emptied heap (order {order}), \
                     {before} into one just made empty",
                    after.len()
                );
                bench.check_rest(bytes, &what);
            }
            bench.retire_all(&after);
            bench.check_all_free();
        }
    }
}

/// Memory of small blocks serves large ones, and the reverse; a hole of the
/// right size is found.
pub fn reuse_across_sizes<M: Machine, H: Handle>(bench: &Bench<M, H>) {
    if !bench.properties.frees
        || !bench.properties.reuses_across_sizes
        || bench.properties.may_overwrite
    {
        return;
    }
    let [small, medium, large] = some_sizes(bench);
    for _ in 0..2 {
        let blocks = fill_up(bench, small);
        // Freeing every second block leaves holes, and none holds a larger block.
        let (odd, even): (Vec<_>, Vec<_>) = (0..blocks.len()).partition(|index| index % 2 == 1);
        let pick = |indices: &[usize]| indices.iter().map(|&i| blocks[i]).collect::<Vec<_>>();
        bench.retire_all(&pick(&odd));
        bench.check_at_rest();
        bench
            .alone(|warp| {
                let block = bench.obtain(warp, small, false)?;
                bench.retire(warp, block, false);
                Some(())
            })
            .unwrap_or_else(|| panic!("{:?}: no hole found", bench.case));
        bench.retire_all(&pick(&even));
        bench.check_all_free();
        for bytes in [large, medium] {
            let blocks = fill_up(bench, bytes);
            assert!(
                granted(&blocks) >= bench.max_block() / 2,
                "{:?}: {} in blocks of {bytes}",
                bench.case,
                granted(&blocks)
            );
            bench.retire_all(&blocks);
            bench.check_all_free();
        }
    }
}
