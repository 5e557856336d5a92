//! Pictures of every kind of every scene are those that `golden/pictures.txt` has the hashes of.
//!
//! A change of one is a change of pictures that users have: it takes a reason. With
//! `HEAPWOOD_RENEW_PICTURES=1` the test writes the file anew.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use heapwood::tree::{RenderedImage, Shade};
use heapwood_device::render::Mode;
use heapwood_scenes::generate;
use heapwood_tests::gpu::cpu;
use heapwood_tests::pictured::{Subject, subjects};

/// Made once: scenes and trees take longer than most of their pictures.
static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(subjects);

const KEPT: &str = include_str!("../../golden/pictures.txt");

const SIZE: [u32; 2] = [64, 48];

/// FNV-1a of 64 bits over the values that were rendered, and over the bytes of the PNG's pixels.
fn hash(picture: &RenderedImage) -> u64 {
    let values = picture.raw.as_flattened().iter();
    let values = values.flat_map(|value| value.to_bits().to_le_bytes());
    let bytes = values.chain(picture.rgba.iter().copied());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn pictures_of_every_scene_are_the_golden_ones() {
    let backend = cpu(2);
    let mut found = BTreeMap::new();
    for subject in &*SUBJECTS {
        let pictures: BTreeMap<_, _> = subject
            .shadings()
            .into_iter()
            .map(|(shade, shading)| (shade, subject.render(&*backend, SIZE, &shading)))
            .collect();
        assert_shows(&subject.name, &pictures);
        for (shade, picture) in &pictures {
            let name = format!("{} {shade}", subject.name);
            assert_eq!(found.insert(name, hash(picture)), None);
        }
    }
    let lines = found
        .iter()
        .map(|(name, hash)| format!("{name} {hash:016x}\n"));
    let text: String = lines.collect();
    if std::env::var_os("HEAPWOOD_RENEW_PICTURES").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/pictures.txt");
        std::fs::write(path, &text).expect("the file is written");
        return;
    }
    let (kept, found): (Vec<_>, Vec<_>) = (KEPT.lines().collect(), text.lines().collect());
    let missing: Vec<_> = kept.iter().filter(|line| !found.contains(line)).collect();
    let new: Vec<_> = found.iter().filter(|line| !kept.contains(line)).collect();
    assert!(
        missing.is_empty() && new.is_empty(),
        "no longer there:\n{missing:#?}\ninstead:\n{new:#?}"
    );
}

/// Checks that pictures show the scene, and its light.
fn assert_shows(name: &str, pictures: &BTreeMap<&str, RenderedImage>) {
    let depths = pictures["depth"].raw.iter();
    let hits = depths.filter(|pixel| pixel[0].is_finite()).count();
    assert!(10 * hits > (SIZE[0] * SIZE[1]) as usize, "{name}: {hits}");
    assert_ne!(pictures["path"].raw, pictures["emitted"].raw, "{name}");
}

/// A number of each kind of picture, without gaps. A new kind does not compile here: it belongs to
/// the golden pictures, too.
fn number(shade: &Shade) -> usize {
    Mode::ALL.len()
        + match shade {
            Shade::Surface(mode) => {
                let at = Mode::ALL.iter().position(|other| other == mode);
                return at.expect("one of all");
            }
            Shade::Cost { .. } => 0,
            Shade::Ambient { .. } => 1,
            Shade::Path { .. } => 2,
        }
}

#[test]
fn golden_pictures_have_every_kind() {
    for subject in &*SUBJECTS {
        let shadings = subject.shadings();
        let mut numbers: Vec<_> = shadings.iter().map(|(_, of)| number(&of.shade)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(
            numbers,
            Vec::from_iter(0..Mode::ALL.len() + 3),
            "{}",
            subject.name
        );
    }
}

#[test]
fn golden_pictures_have_every_scene() {
    for name in generate::NAMES.iter().chain(&generate::SIZED) {
        assert!(SUBJECTS.iter().any(|of| of.name == *name), "{name}");
    }
}
