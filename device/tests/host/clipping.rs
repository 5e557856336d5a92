//! Triangles clipped to a box: corners just outside, areas that rounding hides, and sizes whose
//! products overflow or underflow a float. Each case here once failed; the campaign in `tests`
//! clips random triangles in exact arithmetic.

use heapwood_device::kdtree::bins::{BINS, Bins, WHOLE_BOX};
use heapwood_device::kdtree::bounds::{Bounds, Triangle};
use heapwood_device::kdtree::clip::{clipped, unit_of};
use heapwood_device::kdtree::sah::{Costs, Heuristic, candidate, pays};

const UNIT_BOX: Bounds = Bounds {
    min: [0.0; 3],
    max: [1.0; 3],
};

const PERMUTATIONS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [1, 2, 0],
    [2, 0, 1],
    [0, 2, 1],
    [2, 1, 0],
    [1, 0, 2],
];

fn scaled(triangle: &Triangle, unit: f32) -> Triangle {
    triangle.map(|corner| corner.map(|x| x * unit))
}

fn scaled_box(bounds: Bounds, unit: f32) -> Bounds {
    Bounds {
        min: bounds.min.map(|x| x * unit),
        max: bounds.max.map(|x| x * unit),
    }
}

/// The triangle with its axes and its corners in each order, and what belongs to it likewise.
fn orders(triangle: Triangle, bounds: Bounds, check: impl Fn(&Triangle, Bounds, [usize; 3])) {
    for axes in PERMUTATIONS {
        for corners in PERMUTATIONS {
            let mut turned = [[0.0; 3]; 3];
            let mut within = bounds;
            for (to, axis) in axes.into_iter().enumerate() {
                (within.min[to], within.max[to]) = (bounds.min[axis], bounds.max[axis]);
                for (corner, &from) in turned.iter_mut().zip(&corners) {
                    corner[to] = triangle[from][axis];
                }
            }
            check(&turned, within, axes);
        }
    }
}

#[test]
fn an_edge_that_ends_just_outside_of_the_box_is_cut_where_it_leaves() {
    // Two corners lie outside, one of them by so little that its edge leaves at 1.
    for beyond in [1e-38, 1e-17, 1e-12, 1e-9, 3e-8] {
        let triangle = [[-1.0, 0.0, 0.0], [beyond, 1.0, 0.0], [1.0, 0.0, 0.5]];
        let bounds = Bounds {
            min: [-2.0; 3],
            max: [0.0, 2.0, 2.0],
        };
        orders(triangle, bounds, |triangle, bounds, axes| {
            let part = clipped(triangle, bounds);
            let y = axes.iter().position(|&axis| axis == 1).expect("an axis");
            assert!(part.max[y] >= 0.999_999_9, "{beyond:e}: {part:?}");
        });
    }
}

#[test]
fn an_edge_that_starts_just_inside_of_the_box_is_cut_where_it_leaves() {
    // The first corner is nearer to the face than 2^-150 of the edge that leaves there.
    for (long, near) in [(5e17, 2f32.powi(-100)), (1e6, 1e-40), (8.0, 3e-45)] {
        let triangle = [[0.0; 3], [long, long, 0.0], [0.0, -long, 0.0]];
        let bounds = Bounds {
            min: [-1.0, -2.0 * long, -1.0],
            max: [near, 2.0 * long, 1.0],
        };
        orders(triangle, bounds, |triangle, bounds, axes| {
            let part = clipped(triangle, bounds);
            let y = axes.iter().position(|&axis| axis == 1).expect("an axis");
            assert!(part.max[y] >= near, "{part:?}");
        });
    }
}

#[test]
fn extents_that_are_denormal_numbers_hide_nothing() {
    // The triangle is in the plane through its corners, and the box a column within it. There z
    // is from -4.60e-38 to -2.42e-38.
    let triangle = [
        [0.0; 3],
        [7.17e-43, 0.0, -9.05e-38],
        [0.0, 7.17e-43, -8.29e-38],
    ];
    let bounds = Bounds {
        min: [1.09e-43, 9.0e-44, -1.0],
        max: [2.27e-43, 1.5e-43, 1.0],
    };
    orders(triangle, bounds, |triangle, bounds, axes| {
        let part = clipped(triangle, bounds);
        let z = axes.iter().position(|&axis| axis == 2).expect("an axis");
        assert!(
            part.min[z] <= -4.6e-38 && part.max[z] >= -2.42e-38,
            "{part:?}"
        );
    });
}

#[test]
fn an_edge_of_the_box_meets_a_steep_triangle_whose_area_rounds_to_zero() {
    // Seen along x its corners lie on a line but for rounding: the products of its area round
    // to the same. The edge of the box along x, where y is greatest and z least, meets it at
    // x = -0.0947.
    let triangle = [
        [0.127_286_03, 0.851_750_3, -0.988_830_1],
        [-0.105_026_61, -0.895_382_46, 0.281_678_86],
        [0.119_405_41, -0.837_074, 0.239_277_18],
    ];
    let bounds = Bounds {
        min: [-0.946_166_7, -0.976_610_4, -0.879_608_33],
        max: [0.601_585_8, -0.843_248_07, 0.243_766_9],
    };
    orders(triangle, bounds, |triangle, bounds, axes| {
        let part = clipped(triangle, bounds);
        let x = axes.iter().position(|&axis| axis == 0).expect("an axis");
        assert!(part.min[x] <= -0.098_094_407, "{part:?}");
        assert!(part.max[x] >= -0.094_749_82, "{part:?}");
    });
}

#[test]
fn parts_are_the_same_whatever_the_unit_of_lengths() {
    let triangles = [
        [[-0.3, 0.2, 0.5], [1.4, 0.7, 0.1], [0.2, 1.3, 0.9]],
        [[-0.5, -0.5, 0.3], [1.5, -0.5, 0.4], [0.5, 2.5, 0.5]],
        [
            [0.2, 0.3, -4.0],
            [0.200_001, 0.3, 4.0],
            [0.2, 0.300_001, 5.0],
        ],
        [[1.0 + 1e-7, 0.0, 0.0], [1.0, 0.5, 0.5], [-1.0, 0.25, 2.0]],
    ];
    for triangle in triangles {
        orders(triangle, UNIT_BOX, |triangle, bounds, _| {
            let expected = clipped(triangle, bounds);
            for exponent in -80..=59 {
                let unit = 2f32.powi(exponent);
                let found = clipped(&scaled(triangle, unit), scaled_box(bounds, unit));
                assert_eq!(found, scaled_box(expected, unit), "2^{exponent}");
            }
        });
    }
}

#[test]
fn units_bring_lengths_to_between_one_and_two() {
    for length in [1e-45, 1e-38, 1.2e-38, 1e-21, 0.3, 1.0, 1.999_999_9, 2e18] {
        let found = length * unit_of(length);
        let is_normal = f32::is_normal(length);
        assert!(found > 0.0 && found < 2.0 && (found >= 1.0 || !is_normal));
    }
}

#[test]
fn splits_pay_whatever_the_size_of_a_node() {
    let costs = Costs {
        traversal: 1.0,
        intersection: 5.0,
        empty_bonus: 0.5,
    };
    let expected = Heuristic::new(costs, UNIT_BOX, 300_000).split(0, 0.5, 150_000, 150_000);
    for exponent in -80..=60 {
        let unit = 2f32.powi(exponent);
        let bounds = scaled_box(UNIT_BOX, unit);
        let cost = Heuristic::new(costs, bounds, 300_000).split(0, 0.5 * unit, 150_000, 150_000);
        assert_eq!(cost, expected, "2^{exponent}");
        assert!(pays(candidate(cost, 0, 0)));
        assert!(!bounds.is_flat());
    }
    // Extents on two axes make an area, on one they do not.
    let with = |size| Bounds {
        min: [0.0; 3],
        max: size,
    };
    assert!(!with([1e-30, 1e18, 0.0]).is_flat() && !with([0.0, 1e-44, 1e-44]).is_flat());
    assert!(with([1e18, 0.0, 0.0]).is_flat() && with([0.0; 3]).is_flat());
}

#[test]
fn no_bounds_end_in_a_bin_before_they_start() {
    let bins = Bins::new(UNIT_BOX, WHOLE_BOX);
    let positions = [-1.0, 0.0, 0.1, 0.5, 0.500_000_1, 1.0, 7.0];
    for lo in positions {
        for hi in positions {
            let (start, end) = bins.span(0, lo, hi);
            assert!(start <= end && end < BINS, "{lo} {hi}");
        }
    }
}
