//! The best plane of an exact search, one a lane and then one of all lanes. Among equal costs it
//! is the one of the lowest axis, then the lowest one.

use core::arch::x86_64::{
    _mm256_and_si256, _mm256_blendv_epi8, _mm256_cmpeq_epi32, _mm256_cmpgt_epi32,
    _mm256_extract_epi32, _mm256_min_epi32, _mm256_or_si256, _mm256_permute2x128_si256,
    _mm256_set1_epi32, _mm256_setzero_si256, _mm256_shuffle_epi32, _mm256_srai_epi32,
    _mm256_srli_epi32, _mm256_storeu_si256, _mm256_xor_si256,
};

use super::split::Planes;
use super::vector::{I, LANES, V, add, bits_of, from_bits, to_bits, zero};
use crate::tree::cores::candidates::NEVER;

/// The best plane so far in each lane.
#[derive(Clone, Copy)]
pub struct Best {
    /// The rank of its cost.
    rank: I,
    /// Its axis.
    axis: I,
    /// Its position as a key that compares as a signed number.
    key: I,
}

impl Best {
    /// None.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn none() -> Self {
        Self {
            rank: _mm256_set1_epi32(NEVER as i32),
            axis: _mm256_setzero_si256(),
            key: _mm256_setzero_si256(),
        }
    }

    /// Takes planes on an axis with their costs, where they are inside the box and better.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn take_planes(&mut self, planes: &Planes, axis: u32, positions: V, costs: V) {
        let is_inside = to_bits(planes.are_inside(positions));
        let rank = _mm256_srli_epi32::<1>(to_bits(costs));
        let rank = _mm256_blendv_epi8(_mm256_set1_epi32(NEVER as i32), rank, is_inside);
        self.take(rank, _mm256_set1_epi32(axis as i32), keys(positions));
    }

    /// Takes planes on an axis where they are better: cheaper, or as cheap and before those on
    /// the same axis.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn take(&mut self, rank: I, axis: I, key: I) {
        let is_less = _mm256_cmpgt_epi32(self.rank, rank);
        let is_equal = _mm256_and_si256(
            _mm256_cmpeq_epi32(self.rank, rank),
            _mm256_cmpeq_epi32(self.axis, axis),
        );
        let is_before = _mm256_cmpgt_epi32(self.key, key);
        let better = _mm256_or_si256(is_less, _mm256_and_si256(is_equal, is_before));
        self.rank = _mm256_blendv_epi8(self.rank, rank, better);
        self.axis = _mm256_blendv_epi8(self.axis, axis, better);
        self.key = _mm256_blendv_epi8(self.key, key, better);
    }

    /// The best of all lanes as axis and position, if it pays.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn of_lanes(&self) -> Option<(u32, f32)> {
        let mut least = self.rank;
        least = _mm256_min_epi32(least, _mm256_permute2x128_si256::<1>(least, least));
        least = _mm256_min_epi32(least, _mm256_shuffle_epi32::<0x4e>(least));
        least = _mm256_min_epi32(least, _mm256_shuffle_epi32::<0xb1>(least));
        let is_least = from_bits(_mm256_cmpeq_epi32(self.rank, least));
        let (mut axes, mut keys) = ([0i32; LANES], [0i32; LANES]);
        // SAFETY: eight words each.
        unsafe {
            _mm256_storeu_si256(axes.as_mut_ptr().cast(), self.axis);
            _mm256_storeu_si256(keys.as_mut_ptr().cast(), self.key);
        }
        if _mm256_extract_epi32::<0>(least) == NEVER as i32 {
            return None;
        }
        let mut lanes = bits_of(is_least);
        let mut first = (i32::MAX, i32::MAX);
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize % LANES;
            first = first.min((axes[lane], keys[lane]));
            lanes &= lanes - 1;
        }
        let bits = first.1 ^ ((first.1 >> 31) as u32 >> 1) as i32;
        Some((first.0 as u32, f32::from_bits(bits as u32)))
    }
}

/// Keys of positions that compare as signed numbers. Their own inverse but for -0.
#[inline]
#[target_feature(enable = "avx2")]
fn keys(positions: V) -> I {
    let bits = to_bits(add(positions, zero()));
    let signs = _mm256_srai_epi32::<31>(bits);
    _mm256_xor_si256(bits, _mm256_srli_epi32::<1>(signs))
}
