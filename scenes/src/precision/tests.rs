//! Losses of triangles at chosen places, and the search for small ones beside the exact answer.

use super::*;

fn loss(vertices: &[[f64; 3]], triangles: &[[u32; 3]], offset: DVec3) -> Loss {
    Loss::of(|at| vertices[at as usize], triangles, offset)
}

fn changed(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> usize {
    loss(vertices, triangles, DVec3::ZERO).count
}

#[test]
fn triangles_far_away_that_change_are_counted() {
    assert_eq!(changed(&square(500_000.1, 5_800_000.2, 0.2), &FACES), 2);
    // They vanish.
    assert_eq!(changed(&square(1e9 + 0.1, 1e9 + 0.1, 0.05), &FACES), 2);
    // Near the origin, large, or on the steps of floats.
    for (x, side) in [(0.1, 0.2), (5e6 + 0.1, 1e4), (5e6, 0.5), (1.0, 1e-3)] {
        assert_eq!(changed(&square(x, x, side), &FACES), 0, "{x} {side}");
    }
    assert_eq!(
        changed(&[[f64::NAN; 3], [1.0, f64::INFINITY, 0.0]], &[[0, 1, 1]]),
        0
    );
}

/// A square of this side in the plane z = 3, of two triangles.
fn square(x: f64, y: f64, side: f64) -> [[f64; 3]; 4] {
    [[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]].map(|[u, v]| [x + u, y + v, 3.0])
}

const FACES: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

fn chosen(given: Option<DVec3>, vertices: &[[f64; 3]], faces: &[[u32; 3]]) -> (DVec3, usize) {
    let (offset, left) = choose_offset(given, |offset| loss(vertices, faces, offset));
    (offset, left.count)
}

#[test]
fn offsets_are_multiples_of_a_power_of_two_that_lose_nothing() {
    let far = square(500_000.1, 5_800_000.2, 0.2);
    let (offset, left) = chosen(None, &far, &FACES);
    assert_eq!(left, 0);
    assert_eq!(offset, DVec3::new(500_000.25, 5_800_000.25, 3.0));
    // Near the origin, and where floats hold all, there is none.
    assert_eq!(chosen(None, &square(0.1, 0.2, 0.2), &FACES).0, DVec3::ZERO);
    assert_eq!(chosen(None, &square(5e6, 5e6, 0.5), &FACES).0, DVec3::ZERO);
    // One that is given is taken, whatever it loses.
    assert_eq!(chosen(Some(DVec3::ZERO), &far, &FACES), (DVec3::ZERO, 2));
}

#[test]
fn an_offset_has_to_be_better_than_none() {
    let far = square(500_000.1, 5_800_000.2, 0.2);
    let unmoved = loss(&far, &FACES, DVec3::ZERO);
    for (count, is_chosen) in [(1, true), (2, false), (3, false)] {
        let moved = Loss { count, ..unmoved };
        let of = |offset| {
            if offset == DVec3::ZERO {
                unmoved
            } else {
                moved
            }
        };
        let (offset, left) = choose_offset(None, of);
        assert_eq!(offset != DVec3::ZERO, is_chosen, "{count}");
        assert_eq!(left, if is_chosen { moved } else { unmoved });
    }
}

#[test]
fn narrow_triangles_are_left_out() {
    let line = [
        [5e6, 0.0, 0.0],
        [5e6 + 0.3, 0.0, 0.0],
        [5e6 + 0.7, 1e-9, 0.0],
    ];
    assert_eq!(changed(&line, &[[0, 1, 2]]), 0);
}

/// The check before the exact one misses no triangle, however narrow, wide or far.
#[test]
fn triangles_that_change_are_among_those_that_may() {
    // A generator of its own is enough here: SplitMix64.
    let mut state = 7_u64;
    let mut draw = |low: f64, high: f64| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let part = ((word ^ (word >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
        low + part * (high - low)
    };
    let (mut changed, mut narrow) = (0, 0);
    for _ in 0..200_000 {
        let center = [0; 3].map(|_| draw(-5e6, 5e6));
        // Sides of 10^-2 to 10^4, and heights down to a thousandth of them.
        let side = 10_f64.powf(draw(-2.0, 4.0));
        let height = side * 10_f64.powf(draw(-3.0, 0.0));
        let along = DVec3::from_array([0; 3].map(|_| draw(-1.0, 1.0))).normalize();
        let across = along.any_orthonormal_vector();
        let corner =
            |u: f64, v: f64| (DVec3::from_array(center) + u * along + v * across).to_array();
        let exact = [
            corner(0.0, 0.0),
            corner(side, 0.0),
            corner(side * draw(0.0, 1.0), height),
        ];
        let rounded = exact.map(|vertex| vertex.map(|value| f64::from(value as f32)));
        if changes(exact, rounded) {
            changed += 1;
            narrow += usize::from(!Reach::of(exact).is_dense(1));
            for corners in [exact, rounded] {
                assert!(may_change(corners, Reach::of(corners).step()), "{exact:?}");
            }
        }
    }
    // Both kinds were among them; the second one is longer than what floats hold.
    assert!(changed > 10_000 && narrow > 1_000, "{changed} {narrow}");
}

/// Strips of fields and roads: 60 metres long, 0.4 wide, at the coordinates of a survey.
#[test]
fn long_narrow_triangles_are_counted() {
    let strip = [
        [500_000.1, 5_800_000.2, 0.0],
        [500_060.3, 5_800_000.2, 0.0],
        [500_060.3, 5_800_000.6, 0.0],
    ];
    assert_eq!(changed(&strip, &[[0, 1, 2]]), 1);
    let mesh = strip.map(|corner| corner.map(|value| f64::from(value as f32)));
    assert!(Sizes::of_triangle(mesh).may_lose());
}
