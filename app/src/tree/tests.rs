//! Pools that are found by trial, pools that do not suffice, and what an image is as a
//! file. One worker, so that every run is the same.

use heapwood_device::allocator::Faults;
use heapwood_device::heap::{Report, STATE_WORDS, State};
use heapwood_device::host::ALLOCATORS;

use super::{KernelBuild, Options, RayCounts, RenderedImage, TreeError, Triangle};
use crate::allocators::Spec;
use crate::backend::clocked::Clocked;
use crate::backend::{Cpu, Launch, Quota};
use crate::samples::Samples;
use crate::size::Pool;

/// Triangles in a row, each beside the next.
fn row(count: u16) -> Vec<Triangle> {
    (0..count)
        .map(f32::from)
        .map(|x| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 1.0]])
        .collect()
}

fn cpu(bytes: u64) -> Cpu {
    Cpu::with_threads(1)
        .unwrap()
        .with_quota(Quota::of_memory(bytes))
}

#[test]
fn a_pool_of_auto_grows_as_far_as_there_is_memory() {
    // No chunk of the first pool holds the root's 6,000 bytes, and one of a larger does.
    let spec = Spec::parse("cmalloc:walk=paper,split=uniform").unwrap();
    let triangles = row(1500);
    let prepare = |bytes| {
        let cpu = cpu(bytes);
        let options = Options::default();
        let build = KernelBuild::prepare(&cpu, &triangles, &spec, Pool::Auto, options);
        build.map(|build| build.memory().pool_bytes)
    };
    assert!(prepare(1 << 30).unwrap() > 64 << 20);
    let refused = prepare(64 << 20).unwrap_err();
    assert!(matches!(refused, TreeError::Full { .. }), "{refused}");
}

/// Counts an overwritten block more than a heap reports.
fn overwrite(launch: &Launch) {
    if launch.call.runs::<Report>() {
        let words = launch.call.args().pointers[0].cast::<[u64; STATE_WORDS]>();
        // SAFETY: the kernel has written its state there.
        let words = unsafe { &mut *words };
        let mut state = State::from_words(words);
        assert_eq!(state.faults, Faults::default());
        words[3] += 1;
        state.faults.overwritten = 1;
        assert_eq!(State::from_words(words), state);
    }
}

/// Builders notice most blocks that are granted again themselves, but not all.
#[test]
fn a_tree_over_blocks_that_were_granted_again_is_none() {
    let mut overwriting = ALLOCATORS.iter().filter(|one| one.properties.may_overwrite);
    let name = overwriting.next().unwrap().description.name;
    let spec = Spec::parse(name).unwrap();
    let backend = Clocked::changing(overwrite);
    let pool = Pool::Bytes(1 << 20);
    let build = KernelBuild::prepare(&backend, &row(300), &spec, pool, Options::default());
    let refused = build.err().unwrap();
    assert!(matches!(refused, TreeError::Pool { wanted: None, .. }));
}

#[test]
fn an_image_is_a_png_file_and_has_a_ray_for_each_pixel() {
    let image = RenderedImage {
        width: 3,
        height: 2,
        raw: vec![[0.0; 3]; 6],
        channels: ["R", "G", "B"],
        aovs: None,
        ray_ms: None,
        rgba: (0..24).collect(),
        rays: RayCounts {
            primary: 6,
            ..RayCounts::default()
        },
        samples: 1,
        render_ms: Samples::new(vec![4.0, 2.0, 1.0]).unwrap(),
    };
    assert_eq!(image.rays_per_second(), 3000.0);
    let file = image.png().unwrap();
    let read = image::load_from_memory(&file).unwrap().into_rgba8();
    assert_eq!(read.dimensions(), (3, 2));
    assert_eq!(read.into_raw(), image.rgba);
}
