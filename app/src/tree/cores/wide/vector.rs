//! Short names for operations on vectors.

pub use core::arch::x86_64::{
    __m256 as V, __m256i as I, _mm256_add_ps as add, _mm256_and_ps as and,
    _mm256_andnot_ps as and_not, _mm256_castps_si256 as to_bits, _mm256_castsi256_ps as from_bits,
    _mm256_div_ps as div, _mm256_max_ps as max, _mm256_min_ps as min,
    _mm256_movemask_ps as bits_of, _mm256_mul_ps as mul, _mm256_or_ps as or,
    _mm256_set1_ps as splat, _mm256_sub_ps as sub,
};
use core::arch::x86_64::{
    _CMP_EQ_OQ, _CMP_GT_OQ, _CMP_LE_OQ, _CMP_LT_OQ, _mm256_blendv_ps, _mm256_cmp_ps,
    _mm256_load_ps, _mm256_permute2f128_ps, _mm256_setzero_ps, _mm256_shuffle_ps, _mm256_store_ps,
    _mm256_unpackhi_ps, _mm256_unpacklo_ps,
};

use crate::tree::cores::facets::{Facet, Reference};

/// Entries of a vector.
pub const LANES: usize = 8;

/// 0.
#[inline]
#[target_feature(enable = "avx2")]
pub fn zero() -> V {
    _mm256_setzero_ps()
}

/// `a < b`, as a mask.
#[inline]
#[target_feature(enable = "avx2")]
pub fn lt(a: V, b: V) -> V {
    _mm256_cmp_ps::<_CMP_LT_OQ>(a, b)
}

/// `a > b`.
#[inline]
#[target_feature(enable = "avx2")]
pub fn gt(a: V, b: V) -> V {
    _mm256_cmp_ps::<_CMP_GT_OQ>(a, b)
}

/// `a <= b`.
#[inline]
#[target_feature(enable = "avx2")]
pub fn le(a: V, b: V) -> V {
    _mm256_cmp_ps::<_CMP_LE_OQ>(a, b)
}

/// `a == b`.
#[inline]
#[target_feature(enable = "avx2")]
pub fn eq(a: V, b: V) -> V {
    _mm256_cmp_ps::<_CMP_EQ_OQ>(a, b)
}

/// `a` where the mask is set, else `b`.
#[inline]
#[target_feature(enable = "avx2")]
pub fn select(mask: V, a: V, b: V) -> V {
    _mm256_blendv_ps(b, a, mask)
}

/// The magnitude.
#[inline]
#[target_feature(enable = "avx2")]
pub fn abs(a: V) -> V {
    and_not(splat(-0.0), a)
}

/// The negative.
#[inline]
#[target_feature(enable = "avx2")]
pub fn neg(a: V) -> V {
    from_bits(core::arch::x86_64::_mm256_xor_si256(
        to_bits(a),
        to_bits(splat(-0.0)),
    ))
}

/// Eight floats, 32-byte aligned.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub struct Eight(pub [f32; LANES]);

/// The vector of eight floats.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load(from: &Eight) -> V {
    // SAFETY: eight floats, aligned as the load asks.
    unsafe { _mm256_load_ps(from.0.as_ptr()) }
}

/// Writes a vector.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store(to: &mut Eight, vector: V) {
    // SAFETY: as above.
    unsafe { _mm256_store_ps(to.0.as_mut_ptr(), vector) }
}

/// The words of a reference.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_reference(from: &Reference) -> V {
    const _: () = assert!(size_of::<Reference>() == 32 && align_of::<Reference>() == 32);
    // SAFETY: a reference is eight words without padding, aligned as the load asks.
    unsafe { _mm256_load_ps(core::ptr::from_ref(from).cast()) }
}

/// Writes the words of a reference.
#[inline]
#[target_feature(enable = "avx2")]
pub fn store_reference(to: &mut Reference, words: V) {
    // SAFETY: as above; any words are a reference.
    unsafe { _mm256_store_ps(core::ptr::from_mut(to).cast(), words) }
}

/// The words of a triangle with its bounds: x, y, z of a and b, x, y of c; and z of c, the
/// least coordinates, the greatest, its number.
#[inline]
#[target_feature(enable = "avx2")]
pub fn load_facet(from: &Facet) -> (V, V) {
    const _: () = assert!(size_of::<Facet>() == 64 && align_of::<Facet>() == 64);
    let words: *const f32 = core::ptr::from_ref(from).cast();
    // SAFETY: a facet is sixteen words without padding, aligned as the loads ask.
    unsafe { (_mm256_load_ps(words), _mm256_load_ps(words.add(LANES))) }
}

/// Rows become columns.
#[inline]
#[target_feature(enable = "avx2")]
pub fn transpose(rows: [V; LANES]) -> [V; LANES] {
    let [a, b, c, d, e, f, g, h] = rows;
    let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
    let (ab_high, cd_high) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
    let (ef, gh) = (_mm256_unpacklo_ps(e, f), _mm256_unpacklo_ps(g, h));
    let (ef_high, gh_high) = (_mm256_unpackhi_ps(e, f), _mm256_unpackhi_ps(g, h));
    let first = [
        _mm256_shuffle_ps::<0x44>(ab, cd),
        _mm256_shuffle_ps::<0xee>(ab, cd),
        _mm256_shuffle_ps::<0x44>(ab_high, cd_high),
        _mm256_shuffle_ps::<0xee>(ab_high, cd_high),
    ];
    let second = [
        _mm256_shuffle_ps::<0x44>(ef, gh),
        _mm256_shuffle_ps::<0xee>(ef, gh),
        _mm256_shuffle_ps::<0x44>(ef_high, gh_high),
        _mm256_shuffle_ps::<0xee>(ef_high, gh_high),
    ];
    [
        _mm256_permute2f128_ps::<0x20>(first[0], second[0]),
        _mm256_permute2f128_ps::<0x20>(first[1], second[1]),
        _mm256_permute2f128_ps::<0x20>(first[2], second[2]),
        _mm256_permute2f128_ps::<0x20>(first[3], second[3]),
        _mm256_permute2f128_ps::<0x31>(first[0], second[0]),
        _mm256_permute2f128_ps::<0x31>(first[1], second[1]),
        _mm256_permute2f128_ps::<0x31>(first[2], second[2]),
        _mm256_permute2f128_ps::<0x31>(first[3], second[3]),
    ]
}
