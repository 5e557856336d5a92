//! Pictures of a heap over time: live blocks by address, and live bytes by size.

mod addresses;
mod sizes;

pub use addresses::{frame_of, picture_of_addresses};
pub use sizes::SizeMap;

/// Colours of sizes, from 16 bytes to 1 MiB and beyond, with the same steps of brightness between
/// them: those of matplotlib's map viridis.
const COLOURS: [[u8; 3]; 5] = [
    [253, 231, 37],
    [94, 201, 98],
    [33, 145, 140],
    [59, 82, 139],
    [68, 1, 84],
];
/// The power of two of the first colour, and powers between two colours.
const FIRST_POWER: u32 = 4;
const POWERS: u32 = 4;
/// The colour of memory that is in no block.
const FREE: [u8; 3] = [255, 255, 255];

/// A colour between two, at `part` of the way.
fn between(from: [u8; 3], to: [u8; 3], part: f64) -> [u8; 3] {
    [0, 1, 2].map(|channel| {
        let [from, to] = [from, to].map(|colour| f64::from(colour[channel]));
        (from + part * (to - from)).round() as u8
    })
}

/// The colour of blocks of a power of two.
fn colour_of(power: u32) -> [u8; 3] {
    let steps = power.saturating_sub(FIRST_POWER);
    let [lower, upper] =
        [0, 1].map(|next| COLOURS[COLOURS.len().min((steps / POWERS) as usize + next + 1) - 1]);
    between(lower, upper, f64::from(steps % POWERS) / f64::from(POWERS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::power_of;

    #[test]
    fn colours_follow_powers_of_two() {
        assert_eq!(colour_of(0), COLOURS[0]);
        assert_eq!(colour_of(power_of(16)), COLOURS[0]);
        assert_eq!(colour_of(power_of(256)), COLOURS[1]);
        assert_eq!(colour_of(power_of(1 << 20)), COLOURS[4]);
        assert_eq!(colour_of(power_of(1 << 40)), COLOURS[4]);
        assert_eq!(power_of(17), 5);
        assert_eq!(between(FREE, [55, 155, 255], 0.5), [155, 205, 255]);
    }
}
