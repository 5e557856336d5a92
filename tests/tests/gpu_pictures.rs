//! Pictures of every kind on the GPU, if there is one: bit for bit those of the CPU backend,
//! of every scene that golden pictures are taken of. Ray counts, too.
//!
//! `HEAPWOOD_SCENES` names further scenes, separated as in `PATH`.

use heapwood::tree::{RenderedImage, Shade};
use heapwood_device::render::Mode;
use heapwood_scenes::CleanOptions;
use heapwood_tests::gpu::{cpu, gpu};
use heapwood_tests::pictured::{Subject, subjects};

/// No multiple of a warp or of a block of pixels. Where only numbers of workers differ, which share
/// out the same code's pixels, fewer will do: still many more than workers.
const SIZE: [u32; 2] = [131, 97];
const SIZE_WITHOUT_GPU: [u32; 2] = [67, 49];

fn bits(picture: &RenderedImage) -> Vec<u32> {
    let values = picture.raw.as_flattened().iter();
    values.map(|value| value.to_bits()).collect()
}

#[test]
fn pictures_are_the_same_on_every_backend() {
    let gpu = gpu();
    let size = match gpu {
        Some(_) => SIZE,
        None => SIZE_WITHOUT_GPU,
    };
    let mut others = vec![cpu(3)];
    others.extend(gpu);
    let mut subjects = subjects();
    if let Some(paths) = std::env::var_os("HEAPWOOD_SCENES") {
        subjects.extend(std::env::split_paths(&paths).map(|path| {
            let loaded = heapwood_scenes::load(&path, CleanOptions::default());
            Subject::of(&loaded.unwrap_or_else(|error| panic!("{error}")).scene)
        }));
    }
    let reference = cpu(1);
    for subject in &subjects {
        for (shade, shading) in subject.shadings() {
            let expected = subject.render(&*reference, size, &shading);
            for other in &others {
                let found = subject.render(&**other, size, &shading);
                let (name, on) = (&subject.name, other.info().backend);
                let differing = bits(&expected).into_iter().zip(bits(&found));
                let differing = differing.filter(|(one, other)| one != other).count();
                println!("{name}, {shade} on {on}: {differing} values differ");
                assert_eq!(differing, 0, "{name}, {shade} on {on}");
                assert_eq!(expected.rgba, found.rgba, "{name}, {shade} on {on}");
                assert_eq!(expected.rays, found.rays, "{name}, {shade} on {on}");
                let numbers = found.raw.as_flattened();
                let is_depth = shading.shade == Shade::Surface(Mode::Depth);
                assert!(is_depth || numbers.iter().all(|value| value.is_finite()));
            }
        }
    }
}
