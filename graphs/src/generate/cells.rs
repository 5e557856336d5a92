//! Random points in the unit square, numbered along a Hilbert curve, so that
//! near points have near numbers.

use std::ops::Range;

use rayon::prelude::*;

use super::random::Random;

/// Points by square cells.
pub(super) struct Cells {
    /// The points, those of one cell after those of the one before.
    pub points: Vec<[f64; 2]>,
    /// The first point of each cell in the order of the curve, and their number.
    starts: Vec<u32>,
    /// There are `2^bits` cells a side, at most 2^15.
    bits: u32,
}

impl Cells {
    /// Scatters points over `2^bits` times `2^bits` cells.
    pub fn scatter(count: u32, bits: u32, seed: u64) -> Self {
        let random = Random::new(seed, 3);
        let side = f64::from(1_u32 << bits);
        let mut placed: Vec<(u32, [f64; 2])> = (0..count)
            .into_par_iter()
            .map(|i| {
                let place = 2 * u64::from(i);
                let point = [random.unit(place), random.unit(place + 1)];
                // Below 1, also after multiplication by a power of two.
                let [x, y] = point.map(|c| (c * side) as u32);
                (along_curve(bits, x, y), point)
            })
            .collect();
        // Coordinates are not negative: their bits are ordered as they are.
        placed.par_sort_unstable_by_key(|&(cell, [x, y])| (cell, x.to_bits(), y.to_bits()));
        let mut starts = vec![0; (1 << (2 * bits)) + 1];
        for &(cell, _) in &placed {
            starts[cell as usize + 1] += 1;
        }
        for cell in 1..starts.len() {
            starts[cell] += starts[cell - 1];
        }
        let points = placed.into_par_iter().map(|(_, point)| point).collect();
        Self {
            points,
            starts,
            bits,
        }
    }

    /// All cells, by their place on the curve.
    pub fn all(&self) -> Range<u32> {
        0..1 << (2 * self.bits)
    }

    /// The points of a cell.
    pub fn points_of(&self, cell: u32) -> Range<u32> {
        self.starts[cell as usize]..self.starts[cell as usize + 1]
    }

    /// The cells that touch `cell` and come after it on the curve.
    pub fn later_neighbours(&self, cell: u32) -> impl Iterator<Item = u32> {
        let bits = self.bits;
        let (x, y) = from_curve(bits, cell);
        let side = 1_i64 << bits;
        (-1..=1)
            .flat_map(|dy| (-1..=1).map(move |dx| [dx, dy]))
            .map(move |[dx, dy]| [i64::from(x) + dx, i64::from(y) + dy])
            .filter(move |at| at.iter().all(|c| (0..side).contains(c)))
            .map(move |[x, y]| along_curve(bits, x as u32, y as u32))
            .filter(move |&other| other > cell)
    }
}

/// The place of a cell on the Hilbert curve through `2^bits` times `2^bits`.
fn along_curve(bits: u32, mut x: u32, mut y: u32) -> u32 {
    let mut place = 0;
    for level in (0..bits).rev() {
        let [right, upper] = [x >> level & 1, y >> level & 1];
        place = place << 2 | (3 * right) ^ upper;
        (x, y) = turned(x, y, (1 << level) - 1, right, upper);
    }
    place
}

/// The cell at a place on the curve.
fn from_curve(bits: u32, place: u32) -> (u32, u32) {
    let (mut x, mut y) = (0, 0);
    for level in 0..bits {
        let digit = place >> (2 * level) & 3;
        let right = digit >> 1;
        let upper = (digit ^ right) & 1;
        (x, y) = turned(x, y, (1 << level) - 1, right, upper);
        (x, y) = (x | right << level, y | upper << level);
    }
    (x, y)
}

/// A point of a quarter as the curve runs through it: mirrored and turned in the
/// two lower quarters. Done twice it is undone.
fn turned(x: u32, y: u32, mask: u32, right: u32, upper: u32) -> (u32, u32) {
    let [x, y] = [x & mask, y & mask];
    match (right, upper) {
        (0, 0) => (y, x),
        (1, 0) => (mask - y, mask - x),
        _ => (x, y),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_passes_each_cell_once_in_steps_of_one() {
        for bits in 0..6 {
            let cells: Vec<_> = (0..1 << (2 * bits)).map(|i| from_curve(bits, i)).collect();
            for (i, &(x, y)) in cells.iter().enumerate() {
                assert_eq!(along_curve(bits, x, y), i as u32);
            }
            for pair in cells.windows(2) {
                let [(a, b), (c, d)] = [pair[0], pair[1]];
                assert_eq!(a.abs_diff(c) + b.abs_diff(d), 1);
            }
        }
    }

    #[test]
    fn points_lie_in_their_cells() {
        let cells = Cells::scatter(1000, 3, 1);
        let mut seen = 0;
        for cell in cells.all() {
            let (x, y) = from_curve(3, cell);
            for i in cells.points_of(cell) {
                let at = cells.points[i as usize].map(|c| (c * 8.0) as u32);
                assert_eq!(at, [x, y]);
                seen += 1;
            }
            let later = cells.later_neighbours(cell).count();
            assert!(later <= 8);
        }
        assert_eq!(seen, 1000);
        let pairs: usize = cells.all().map(|c| cells.later_neighbours(c).count()).sum();
        // Side by side, one above the other, and on both diagonals.
        assert_eq!(pairs, 2 * 56 + 2 * 49);
    }
}
