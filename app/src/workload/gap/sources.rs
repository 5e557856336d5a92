//! The sources of the GAP benchmark suite: vertices with out-edges, drawn as gapbs draws them.

use heapwood_graphs::Csr;
use rand_mt::Mt64;

/// The seed of gapbs, `kRandSeed` in `util.h`.
const SEED: u64 = 27_491_095;

/// Draws sources as `SourcePicker` of gapbs does since it has `UniDist`, with vertices of 32 bits.
/// Each picker begins anew, so that all kernels have the same sources.
pub struct SourcePicker<'r> {
    rows: &'r Csr,
    words: Mt64,
    uniform: Uniform,
}

impl<'r> SourcePicker<'r> {
    /// For a graph with these rows; nothing if no vertex has out-edges.
    pub fn new(rows: &'r Csr) -> Option<Self> {
        (!rows.targets.is_empty()).then(|| Self {
            rows,
            words: Mt64::new(SEED),
            uniform: Uniform::below(rows.vertices()),
        })
    }
}

impl Iterator for SourcePicker<'_> {
    type Item = u32;

    /// The next source: they do not end.
    fn next(&mut self) -> Option<u32> {
        loop {
            let vertex = self.uniform.draw(&mut self.words);
            if self.rows.degree(vertex) > 0 {
                return Some(vertex);
            }
        }
    }
}

/// Uniform integers below a bound, as `UniDist` makes them of words of `mt19937_64`.
struct Uniform {
    bound: u32,
    /// Words from here on are drawn again.
    cutoff: Option<u32>,
}

impl Uniform {
    /// Those below a bound, which is not 0.
    ///
    /// gapbs finds the cutoff for words of 64 bits and keeps its lower 32 bits. For bounds that are no
    /// powers of 2 this is not the cutoff of words of 32 bits, and the draws differ slightly from uniform.
    fn below(bound: u32) -> Self {
        let remainder = (u64::MAX % u64::from(bound)) as u32;
        let is_divisor = remainder == bound - 1;
        Self {
            bound,
            cutoff: (!is_divisor).then_some(u32::MAX - remainder),
        }
    }

    /// The next one: the lower 32 bits of a word, modulo the bound.
    fn draw(&self, words: &mut Mt64) -> u32 {
        loop {
            let word = words.next_u64() as u32;
            if self.cutoff.is_none_or(|cutoff| word < cutoff) {
                return word % self.bound;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use heapwood_graphs::{CsrOptions, EdgeList};

    use super::*;

    #[test]
    fn words_are_those_of_the_standard() {
        // C++ fixes the 10000th word of the default seed ([rand.predef]).
        let mut words = Mt64::new(Mt64::DEFAULT_SEED);
        let last = (0..10_000).map(|_| words.next_u64()).last();
        assert_eq!(last, Some(9_981_545_732_273_789_042));
    }

    #[test]
    fn draws_are_those_of_gapbs() {
        // From std::mt19937_64 of libstdc++ and the arithmetic of UniDist in C++: bounds of a power of 2,
        // of a road network, and one whose words are drawn again before the draws 22, 35, 56 and 60.
        let draws = |bound, count: usize| -> Vec<u32> {
            let (uniform, mut words) = (Uniform::below(bound), Mt64::new(SEED));
            (0..count).map(|_| uniform.draw(&mut words)).collect()
        };
        assert_eq!(draws(5, 8), [4, 0, 2, 2, 3, 3, 0, 0]);
        assert_eq!(draws(200, 8), [159, 95, 72, 182, 148, 188, 150, 70]);
        assert_eq!(
            draws(1 << 27, 5),
            [11_861_343, 69_962_623, 109_528_720, 110_022_862, 58_815_956]
        );
        assert_eq!(
            draws(23_947_347, 5),
            [19_127_678, 10_401_556, 384_187, 15_922_246, 22_076_388]
        );
        let many = draws(250_000_001, 64);
        assert_eq!((many[0], many[63]), (214_651_348, 159_239_258));
        assert_eq!(draws(1, 3), [0; 3]);
    }

    #[test]
    fn sources_have_out_edges() {
        let rows = |edges: &[[u32; 2]]| {
            let list = EdgeList {
                vertices: 5,
                edges: edges.to_vec(),
                weights: None,
                directed: true,
            };
            Csr::build(list, CsrOptions::default()).0
        };
        // The draws are 4, 0, 2, 2, 3, 3, 0 and 0.
        let rows_of_two = rows(&[[2, 4], [0, 1]]);
        let picker = SourcePicker::new(&rows_of_two).unwrap();
        assert!(picker.take(5).eq([0, 2, 2, 0, 0]));
        assert!(SourcePicker::new(&rows(&[])).is_none());
    }
}
