//! Where in a pixel its samples are.

/// Where in a pixel a sample is, from 0 to 1: the (0, 2)-sequence of Sobol', with its first point
/// moved to the middle.
///
/// A sample's place does not depend on how many there will be, so that a picture of few samples is
/// the beginning of one of more. The first 2^k of them are in rows and columns of their own, and in
/// every other division of the pixel into 2^k equal boxes one is in each box, too (T. Kollig and
/// A. Keller, *Efficient Multidimensional Sampling*, Computer Graphics Forum 21(3), 2002). To
/// exchange the upper bit of all points keeps that.
pub fn within_pixel(sample: u32) -> [f32; 2] {
    let middle = 1 << 31;
    // Up to 24 bits are exact.
    let part =
        |bits: u32| (f64::from(bits ^ middle) / f64::from(1 << 16) / f64::from(1 << 16)) as f32;
    [part(sample.reverse_bits()), part(sobol(sample))]
}

/// The second coordinate of Sobol's sequence, as a part of 2^32: its matrix is that of Pascal's
/// triangle modulo 2, whose columns follow from each other.
fn sobol(index: u32) -> u32 {
    let mut column: u32 = 1 << 31;
    let mut bits = 0;
    for place in 0..u32::BITS {
        if index >> place & 1 == 1 {
            bits ^= column;
        }
        column ^= column >> 1;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sample_is_in_the_middle() {
        assert_eq!(within_pixel(0), [0.5, 0.5]);
    }

    #[test]
    fn samples_of_a_pixel_are_in_rows_columns_and_boxes_of_their_own() {
        for count in [2_u32, 4, 8, 64, 256] {
            let points: Vec<[f32; 2]> = (0..count).map(within_pixel).collect();
            for columns in (0..=count.ilog2()).map(|power| 1 << power) {
                let (across, down) = (columns as f32, (count / columns) as f32);
                let mut boxes: Vec<[u32; 2]> = points
                    .iter()
                    .map(|[x, y]| [(x * across) as u32, (y * down) as u32])
                    .collect();
                boxes.sort_unstable();
                boxes.dedup();
                assert_eq!(boxes.len(), count as usize, "{points:?}");
            }
            let within = |point: &[f32; 2]| point.iter().all(|at| (0.0..1.0).contains(at));
            assert!(points.iter().all(within));
        }
        let last = within_pixel(65_535);
        assert!(last.iter().all(|at| (0.0..1.0).contains(at)), "{last:?}");
    }
}
