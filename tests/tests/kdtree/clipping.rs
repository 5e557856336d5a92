//! Clipping beside exact arithmetic: the bounds of the part of a triangle in a box contain the
//! part, whatever the corners; `cargo xtask clip-campaign` tries many more.

use heapwood_device::kdtree::bounds::{Bounds, Triangle};
use heapwood_tests::clipping::campaign;
use heapwood_tests::clipping::exact::{contains, meets_inside};

#[test]
fn bounds_contain_the_exact_part() {
    let report = campaign::run(1, 100_000);
    assert!(report.faults.is_empty(), "{report}");
    // Both ways to decide are tried.
    assert!(
        report.exact > 100 && report.exact < report.pairs / 2,
        "{report}"
    );
}

const WITHIN: Bounds = Bounds {
    min: [0.0; 3],
    max: [2.0; 3],
};

/// Half of it is below y = 1, in the box from x = 0 to 1.
const TRIANGLE: Triangle = [[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 2.0, 1.0]];

#[test]
fn exact_parts_are_those_by_hand() {
    let part = |max: [f32; 3], min: [f32; 3]| Bounds { min, max };
    let exactly = part([1.0, 2.0, 1.0], [0.0, 0.0, 1.0]);
    assert!(contains(exactly, &TRIANGLE, WITHIN));
    for axis in 0..3 {
        let mut smaller = exactly;
        smaller.min[axis] = smaller.min[axis].next_up();
        assert!(!contains(smaller, &TRIANGLE, WITHIN), "{axis}");
        let mut smaller = exactly;
        smaller.max[axis] = smaller.max[axis].next_down();
        assert!(!contains(smaller, &TRIANGLE, WITHIN), "{axis}");
    }
    // The edge from (-1, 0) to (1, 2) leaves the narrow box at y = 1 + x, which is no float.
    let x = f32::EPSILON / 4.0;
    let narrow = Bounds {
        max: [x, 2.0, 2.0],
        ..WITHIN
    };
    assert!(!contains(
        part([x, 1.0, 1.0], [0.0, 0.0, 1.0]),
        &TRIANGLE,
        narrow
    ));
    let next = 1.0_f32.next_up();
    assert!(contains(
        part([x, next, 1.0], [0.0, 0.0, 1.0]),
        &TRIANGLE,
        narrow
    ));
    // Nothing is in any box.
    let beside = Bounds {
        min: [3.0; 3],
        max: [4.0; 3],
    };
    assert!(contains(Bounds::EMPTY, &TRIANGLE, beside));
    assert!(!contains(Bounds::EMPTY, &TRIANGLE, WITHIN));
}

#[test]
fn the_inside_of_a_box_is_without_its_faces() {
    assert!(meets_inside(&TRIANGLE, WITHIN));
    let touching = TRIANGLE.map(|[x, y, z]| [x, y, z + 1.0]);
    assert!(!meets_inside(&touching, WITHIN));
    let barely = TRIANGLE.map(|[x, y, z]| [x, y, (z + 1.0).next_down()]);
    assert!(meets_inside(&barely, WITHIN));
    let at_an_edge = TRIANGLE.map(|[x, y, z]| [x - 1.0, y, z]);
    assert!(!meets_inside(&at_an_edge, WITHIN));
}
