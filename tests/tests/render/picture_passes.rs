//! Pictures in passes: whenever they end, they are those of the samples that they have.

use std::cell::Cell;

use glam::Vec3;
use heapwood::tree::{Builder, Crop, Lighting, Options, RenderedImage, Shade, Shading, Sky};
use heapwood_device::render::Mode;
use heapwood_scenes::{Camera, generate};
use heapwood_tests::gpu::cpu;

/// Renders each kind of picture that has samples, all of them in the same way.
fn each_shade(check: impl Fn(&Shading, &dyn Fn(&Shading) -> RenderedImage)) {
    let scene = generate::courtyard();
    let (backend, threads) = (cpu(2), Some(2));
    let built = Builder::Cores { threads }.build(&*backend, &scene, Options::default());
    let tree = built.expect("a tree").tree;
    let (eye, look_at) = (Vec3::new(-5.6, 1.7, 6.0), Vec3::new(1.5, 2.4, -4.0));
    let camera = Camera::new(eye, look_at, Vec3::Y, 62.0, 40, 30).expect("a camera");
    let sky = Sky {
        zenith: Vec3::new(0.5, 0.7, 1.0),
        nadir: Vec3::ONE,
    };
    let lighting = Lighting::of(&scene, sky);
    for shade in [
        Shade::Surface(Mode::Normal),
        Shade::Cost { most: None },
        Shade::Ambient {
            samples: 3,
            distance: 2.5,
        },
        Shade::Path {
            lighting: &lighting,
            bounces: 3,
        },
    ] {
        let shading = Shading {
            shade,
            crop: Some(Crop {
                left: 3,
                top: 2,
                width: 31,
                height: 27,
            }),
            seed: 5,
            ..Shading::from(Mode::default())
        };
        check(&shading, &|shading| {
            tree.render(&camera, shading, 1).expect("a picture")
        });
    }
}

fn assert_same(passes: &RenderedImage, runs: &RenderedImage) {
    assert_eq!(passes.samples, runs.samples);
    assert_eq!(passes.raw, runs.raw);
    assert_eq!(passes.rgba, runs.rgba);
    assert_eq!(passes.rays, runs.rays);
}

#[test]
fn a_picture_that_ends_early_is_one_of_fewer_samples() {
    each_shade(|shading, render| {
        for asked in [1, 2, 3] {
            let passes = Cell::new(0);
            let last = Cell::new((0, 0));
            let picture = render(&Shading {
                samples: 5000,
                enough: Some(&|| {
                    passes.set(passes.get() + 1);
                    passes.get() == asked
                }),
                progress: &|done, of| last.set((done, of)),
                ..*shading
            });
            assert_eq!(passes.get(), asked);
            assert!(
                (asked..5000).contains(&picture.samples),
                "{}",
                picture.samples
            );
            assert_eq!(last.get(), (picture.samples.into(), 5000));
            assert_eq!(picture.render_ms.samples.len(), 1);
            let expected = render(&Shading {
                samples: picture.samples,
                ..*shading
            });
            assert_same(&picture, &expected);
        }
    });
}

#[test]
fn a_picture_that_does_not_end_early_has_all_samples() {
    each_shade(|shading, render| {
        for samples in [1, 2, 7] {
            let shading = Shading {
                samples,
                ..*shading
            };
            let picture = render(&Shading {
                enough: Some(&|| false),
                ..shading
            });
            assert_eq!(picture.samples, samples);
            assert_same(&picture, &render(&shading));
        }
    });
}
