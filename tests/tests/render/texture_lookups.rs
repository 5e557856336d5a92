//! Look-ups of textures against what they must be.

use glam::Vec3;
use heapwood_device::render::{DECODED, Encoding, Sample, TEXTURE_WORDS, Texture, Textures, Wrap};
use proptest::prelude::*;

/// A table of one texture, with words before and behind its texels that no look-up may see.
struct Table {
    words: Vec<u32>,
}

const POISON: u32 = 0xfafa_fafa;
const SAME: [f32; 6] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

impl Table {
    fn new(width: u32, texels: &[u32], wrap: [Wrap; 2], is_linear: bool, map: [f32; 6]) -> Self {
        let before = DECODED + TEXTURE_WORDS + 3;
        let texture = Texture {
            first: before as u32,
            width,
            height: texels.len() as u32 / width,
            wrap,
            is_linear,
            map,
        };
        assert_eq!(Texture::from_words(texture.to_words()).wrap, wrap);
        let decoded = (0..DECODED).map(|byte| (byte as f32 * byte as f32).to_bits());
        let mut all: Vec<u32> = decoded.collect();
        all.extend(texture.to_words());
        all.extend([POISON; 3]);
        all.extend(texels);
        all.extend([POISON; 3]);
        Self { words: all }
    }

    fn sample(&self, u: f32, v: f32, encoding: Encoding) -> Sample {
        let textures = Textures {
            words: self.words.as_ptr(),
        };
        // SAFETY: the table has a texture, whose texels are there.
        unsafe { textures.sample(0, [u, v], encoding) }
    }

    /// The red of a point, as a byte.
    fn red(&self, u: f32, v: f32) -> f32 {
        self.sample(u, v, Encoding::Linear).colour.x * 255.0
    }
}

#[test]
fn texels_are_where_they_belong() {
    let texels = [0, 1, 2, 3, 4, 5].map(|high| 0x0403_0201 + 0x1010_1010 * high);
    for is_linear in [false, true] {
        let table = Table::new(3, &texels, [Wrap::Repeat; 2], is_linear, SAME);
        for (index, &texel) in texels.iter().enumerate() {
            // The middle of a texel, from the upper left corner.
            let (x, y) = (index % 3, index / 3);
            let (u, v) = ((x as f32 + 0.5) / 3.0, (y as f32 + 0.5) / 2.0);
            let bytes = texel.to_le_bytes().map(f32::from);
            let linear = table.sample(u, v, Encoding::Linear);
            let colours = Vec3::new(bytes[0], bytes[1], bytes[2]);
            let error = (linear.colour - colours / 255.0).length();
            assert!(error < 1e-6, "{index} {linear:?}");
            assert!((linear.alpha - bytes[3] / 255.0).abs() < 1e-6);
            // The table of this test has squares; alpha is never looked up there.
            let decoded = table.sample(u, v, Encoding::Srgb);
            let error = (decoded.colour - colours * colours).length();
            assert!(error < 1e-2, "{index} {decoded:?}");
            assert_eq!(decoded.alpha, linear.alpha);
        }
    }
}

#[test]
fn neighbours_are_mixed_and_edges_are_wrapped() {
    let row = [100, 200, 40];
    let of = |wrap| Table::new(3, &row, [wrap; 2], true, SAME);
    let at = |wrap, place: f32| of(wrap).red(place / 3.0, 0.5);
    let near = |found: f32, expected: f32| assert!((found - expected).abs() < 1e-3, "{found}");
    for (wrap, places, expected) in [
        (
            Wrap::Repeat,
            [1.0, 1.25, 0.0, 3.0],
            [150.0, 175.0, 70.0, 70.0],
        ),
        (
            Wrap::Clamp,
            [0.0, -50.0, 3.25, 3.5],
            [100.0, 100.0, 40.0, 40.0],
        ),
        (
            Wrap::Mirror,
            [0.0, 3.5, 4.0, -1.0],
            [100.0, 40.0, 120.0, 150.0],
        ),
    ] {
        for (place, expected) in places.into_iter().zip(expected) {
            near(at(wrap, place), expected);
        }
    }
    near(at(Wrap::Repeat, -1.5), 200.0);
    let nearest = Table::new(3, &row, [Wrap::Repeat, Wrap::Clamp], false, SAME);
    near(nearest.red(0.99 / 3.0, 7.0), 100.0);
    near(nearest.red(1.01 / 3.0, -7.0), 200.0);
    near(nearest.red(-0.01, 0.0), 40.0);
    // Scaled, turned and moved.
    let map = [0.0, 2.0, 0.5, 1.0, 0.0, 0.0];
    let turned = Table::new(3, &row, [Wrap::Repeat; 2], true, map);
    near(turned.red(9.0, 0.0), 200.0);
    near(turned.red(9.0, 1.0 / 6.0), 40.0);
}

fn any_bits() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<u32>().prop_map(f32::from_bits),
        -3.0_f32..3.0,
        prop::sample::select(vec![
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::MAX,
            f32::MIN
        ]),
        prop::sample::select(vec![-1e-45, -1e-9, 0.0, 1.0, 16_777_216.0, 0.99999994]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_coordinates_lead_beside_the_texture(
        (width, height) in (1_u32..6, 1_u32..6),
        wraps in [0..3_usize, 0..3_usize],
        is_linear in any::<bool>(),
        (u, v) in (any_bits(), any_bits()),
        map in prop_oneof![Just(SAME), prop::array::uniform6(any_bits())],
    ) {
        let wrap = wraps.map(|wrap| [Wrap::Repeat, Wrap::Mirror, Wrap::Clamp][wrap]);
        let texels = vec![0x8070_6050; (width * height) as usize];
        let table = Table::new(width, &texels, wrap, is_linear, map);
        // A mixture of equal texels equals each of them.
        let expected = Sample {
            colour: Vec3::new(80.0, 96.0, 112.0) / 255.0,
            alpha: 128.0 / 255.0,
        };
        prop_assert_eq!(table.sample(u, v, Encoding::Linear), expected);
    }
}
