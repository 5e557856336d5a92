//! Rays through trees of large scenes: what a 512x512 image's and 100,000
//! random ones hit in the tree that a backend has built is, bit for bit, what
//! the same kernel finds in an exact builder's tree, and stands up to an
//! intersection in doubles. On the CPU backend, and on the GPU if there is one.
//!
//! Where the two trees differ, one of them has lost a triangle: every triangle
//! is tested then, and the backend's answer must be the one so found. Of two
//! triangles hit at the same distance that is the one that comes first, so a tie
//! needs no other rule.
//!
//! `HEAPWOOD_SCENES` names OBJ files, plain or gzipped, separated as in `PATH`;
//! without it the shipped scenes and a larger one are tried.

use heapwood::backend::Backend;
use heapwood_device::render::{Hit, Triangle};
use heapwood_scenes::generate::{self, Displacement};
use heapwood_scenes::{CleanOptions, Scene};
use heapwood_tests::brute::{RayFloats, bounds_of, closest};
use heapwood_tests::gpu::{cpu, gpu};
use heapwood_tests::judge::{Judge, Verdict};
use heapwood_tests::pictured::{far_ground, room};
use heapwood_tests::rays::{rays_of, trace};
use rayon::prelude::*;

/// Loads the scenes that are asked for, one after the other.
fn scenes() -> Box<dyn Iterator<Item = Scene>> {
    let Some(paths) = std::env::var_os("HEAPWOOD_SCENES") else {
        return Box::new(shipped().into_iter());
    };
    let paths: Vec<_> = std::env::split_paths(&paths).collect();
    Box::new(paths.into_iter().map(|path| {
        let loaded = heapwood_scenes::load(&path, CleanOptions::default());
        loaded.unwrap_or_else(|error| panic!("{error}")).scene
    }))
}

fn shipped() -> Vec<Scene> {
    let by_name = |name: &str| generate::by_name(name).expect("a shipped scene");
    let rough = Displacement {
        amplitude: 0.3,
        feature: 0.1,
        seed: 5,
    };
    let large = generate::subdivide_to(&by_name("terrain"), 100_000, rough);
    let mut scenes = generate::NAMES.map(by_name).to_vec();
    scenes.push(large.expect("not too many triangles"));
    scenes.extend([
        far_ground("far-ground", 1.0),
        far_ground("far-ground-scaled", 2.0_f32.powi(30)),
        room(),
    ]);
    scenes
}

/// Whether a hit is the exact tree's, whether it is that one or by brute force,
/// and what doubles say.
type Answer = (bool, bool, Verdict);

fn bits(hit: &Hit) -> (u32, u32) {
    (hit.triangle, hit.t.to_bits())
}

/// The rays of one scene, and what they hit in the exact tree.
struct Trial<'a> {
    scene: &'a Scene,
    triangles: &'a [Triangle],
    judge: Judge<'a>,
    rays: Vec<RayFloats>,
    expected: Vec<Hit>,
}

impl Trial<'_> {
    /// Holds a backend to both answers and prints the counts.
    fn run(&self, backend: &dyn Backend) {
        let bounds = self.judge.bounds();
        let found = trace(backend, self.scene, bounds, &self.rays);
        let answers: Vec<_> = (self.rays.par_iter().zip(&found).zip(&self.expected))
            .map(|((ray, found), expected)| {
                let is_same = bits(found) == bits(expected);
                let is_found = || {
                    let hit = closest(self.triangles, bounds, ray);
                    bits(found) == bits(&hit)
                };
                (
                    is_same,
                    is_same || is_found(),
                    self.judge.judge(ray, *found),
                )
            })
            .collect();
        let count = |what: fn(&Answer) -> bool| answers.iter().filter(|a| what(a)).count();
        let hits = found.iter().filter(|hit| hit.is_some()).count();
        println!(
            "{} on {}: {} triangles, {} rays, {hits} hits; {} unlike the exact tree's, of which \
             {} are wrong; in doubles {} are decided by rounding and {} are wrong",
            self.scene.name(),
            backend.info().backend,
            self.scene.len(),
            self.rays.len(),
            count(|(is_same, _, _)| !is_same),
            count(|(_, is_right, _)| !is_right),
            count(|(_, _, verdict)| *verdict == Verdict::Close),
            count(|(_, _, verdict)| matches!(verdict, Verdict::Wrong(_))),
        );
        assert!(hits > self.rays.len() / 10, "only {hits} hits");
        for ((ray, found), (_, is_right, verdict)) in self.rays.iter().zip(found).zip(&answers) {
            assert!(is_right, "{ray:?} hits {found:?}, other than brute force");
            if let Verdict::Wrong(why) = verdict {
                panic!("{ray:?}: {why}");
            }
        }
    }
}

#[test]
fn large_trees_are_traced_like_exact_ones() {
    let mut backends = vec![cpu(
        std::thread::available_parallelism().map_or(1, usize::from)
    )];
    backends.extend(gpu());
    for scene in scenes() {
        let triangles = heapwood::tree::triangles(&scene);
        let judge = Judge::new(&triangles);
        let rays = rays_of(&scene, &triangles, &bounds_of(&triangles));
        let expected = judge.trace(&rays);
        let trial = Trial {
            scene: &scene,
            triangles: &triangles,
            judge,
            rays,
            expected,
        };
        backends.iter().for_each(|backend| trial.run(&**backend));
    }
}
