//! The Cornell box: what renderers of diffuse light are compared by.
//!
//! Corners are those that the Program of Computer Graphics of Cornell University measured, in
//! millimetres, with y up and +x to the left as seen from the camera. The light fills a hole of
//! the ceiling, in whose plane it was measured, so that the box is closed but for the side of the
//! camera. Colours are the usual RGB values for the measured spectra.

use super::builder::Builder;
use crate::{Material, Scene};
use glam::Vec3;

const WHITE: u32 = 0;
const RED: u32 = 1;
const GREEN: u32 = 2;
const LIGHT: u32 = 3;

/// Corners of a face, counter-clockwise as seen from where light can come.
type Face = [[f32; 3]; 4];

const FLOOR: Face = [
    [552.8, 0.0, 0.0],
    [0.0, 0.0, 0.0],
    [0.0, 0.0, 559.2],
    [549.6, 0.0, 559.2],
];
const CEILING: Face = [
    [556.0, 548.8, 0.0],
    [556.0, 548.8, 559.2],
    [0.0, 548.8, 559.2],
    [0.0, 548.8, 0.0],
];
const LAMP: Face = [
    [343.0, 548.8, 227.0],
    [343.0, 548.8, 332.0],
    [213.0, 548.8, 332.0],
    [213.0, 548.8, 227.0],
];
const BACK: Face = [
    [549.6, 0.0, 559.2],
    [0.0, 0.0, 559.2],
    [0.0, 548.8, 559.2],
    [556.0, 548.8, 559.2],
];
const RIGHT: Face = [
    [0.0, 0.0, 559.2],
    [0.0, 0.0, 0.0],
    [0.0, 548.8, 0.0],
    [0.0, 548.8, 559.2],
];
const LEFT: Face = [
    [552.8, 0.0, 0.0],
    [549.6, 0.0, 559.2],
    [556.0, 548.8, 559.2],
    [556.0, 548.8, 0.0],
];
/// Tops of the short and the tall block; their sides go down to the floor.
const BLOCKS: [Face; 2] = [
    [
        [130.0, 165.0, 65.0],
        [82.0, 165.0, 225.0],
        [240.0, 165.0, 272.0],
        [290.0, 165.0, 114.0],
    ],
    [
        [423.0, 330.0, 247.0],
        [265.0, 330.0, 296.0],
        [314.0, 330.0, 456.0],
        [472.0, 330.0, 406.0],
    ],
];

/// The box: 38 triangles, half a metre wide, in millimetres. The measured camera is at 278, 273,
/// -800, looks along z, and sees 39.3 degrees.
pub fn cornell() -> Scene {
    let mut builder = Builder::new(vec![
        Material::matt("white", Vec3::new(0.725, 0.71, 0.68)),
        Material::matt("red", Vec3::new(0.63, 0.065, 0.05)),
        Material::matt("green", Vec3::new(0.14, 0.45, 0.091)),
        Material {
            emission: Vec3::new(17.0, 12.0, 4.0),
            ..Material::matt("light", Vec3::splat(0.78))
        },
    ]);
    let mut face = |material, corners: Face| {
        builder.material(material);
        builder.quad(corners.map(Vec3::from_array));
    };
    for (material, corners) in [
        (WHITE, FLOOR),
        (WHITE, BACK),
        (GREEN, RIGHT),
        (RED, LEFT),
        (LIGHT, LAMP),
    ] {
        face(material, corners);
    }
    for (here, there) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
        face(
            WHITE,
            [CEILING[here], CEILING[there], LAMP[there], LAMP[here]],
        );
    }
    for top in BLOCKS {
        face(WHITE, top);
        for (here, there) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
            let down = |[x, _, z]: [f32; 3]| [x, 0.0, z];
            face(
                WHITE,
                [top[there], top[here], down(top[here]), down(top[there])],
            );
        }
    }
    builder.finish("cornell")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::testing::edges_by_position;

    #[test]
    fn the_box_is_closed_but_for_the_front_and_the_feet_of_blocks() {
        let cornell = cornell();
        assert_eq!(cornell.len(), 38);
        let open = edges_by_position(&cornell);
        let open: Vec<[Vec3; 2]> = open
            .into_iter()
            .filter(|&(_, count)| count == 1)
            .map(|(ends, _)| ends.map(|end| Vec3::from_array(end.map(f32::from_bits))))
            .collect();
        let at_front = |ends: &&[Vec3; 2]| ends.iter().all(|end| end.z == 0.0);
        let at_foot = |ends: &&[Vec3; 2]| ends.iter().all(|end| end.y == 0.0 && end.z > 0.0);
        assert_eq!(open.iter().filter(at_front).count(), 4);
        assert_eq!(open.iter().filter(at_foot).count(), 8);
        assert_eq!(open.len(), 12);
    }

    #[test]
    fn walls_look_inwards_and_blocks_outwards() {
        let cornell = cornell();
        let blocks = cornell.len() - 20;
        let positions = cornell.positions();
        for (number, [a, b, c]) in positions.iter().enumerate() {
            let normal = (*b - *a).cross(*c - *a);
            let middle = match number.checked_sub(blocks) {
                None => Vec3::new(278.0, 274.0, 280.0),
                Some(part) => {
                    let top = BLOCKS[part / 10].map(Vec3::from_array);
                    (top[0] + top[1] + top[2] + top[3]) / 4.0 - Vec3::Y * 50.0
                }
            };
            let inwards = normal.dot(middle - *a) > 0.0;
            assert_eq!(inwards, number < blocks, "{number}");
        }
    }

    #[test]
    fn the_light_is_as_large_as_measured() {
        let cornell = cornell();
        let area: f32 = (0..cornell.len())
            .filter(|&t| cornell.material_of()[t] == LIGHT)
            .map(|t| cornell.triangle(t))
            .map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length())
            .sum();
        assert_eq!(area, 130.0 * 105.0);
    }
}
