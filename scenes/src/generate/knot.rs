//! A trefoil: a tube around the (2, 3) torus knot.
//!
//! A smooth closed surface of nearly equal triangles that winds through its
//! own bounding box, with much empty space.

use super::builder::{Builder, turn};
use crate::{Material, Scene};
use glam::{Vec2, Vec3};

const STEPS: u32 = 200;
const SIDES: u32 = 16;
const TUBE_RADIUS: f32 = 0.42;

/// The knot: 6,400 triangles, about 6 units wide, standing upright.
pub fn knot() -> Scene {
    let mut builder = Builder::new(vec![Material::matt("clay", Vec3::new(0.75, 0.42, 0.3))]);
    for step in 0..STEPS {
        let angle = turn(step, STEPS);
        let centre = curve(angle);
        let ahead = curve(angle + 1e-2);
        // A frame that depends on the angle alone closes after one turn.
        let tangent = (ahead - centre).normalize();
        let across = tangent.cross(ahead + centre).normalize();
        let outwards = across.cross(tangent);
        for side in 0..SIDES {
            let around = Vec2::from_angle(turn(side, SIDES)) * TUBE_RADIUS;
            builder.vertex(centre + outwards * around.x + across * around.y);
        }
    }
    for step in 0..STEPS {
        let (here, there) = (step * SIDES, (step + 1) % STEPS * SIDES);
        for side in 0..SIDES {
            let next = (side + 1) % SIDES;
            builder.patch([here + side, here + next, there + next, there + side]);
        }
    }
    builder.finish("knot")
}

/// The knot's centre line: twice around the axis, three times through it.
fn curve(angle: f32) -> Vec3 {
    let around = Vec2::from_angle(2.0 * angle);
    let through = Vec2::from_angle(3.0 * angle);
    let radius = 2.0 + through.x;
    Vec3::new(radius * around.x, radius * around.y, through.y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tube_looks_outwards_and_has_the_volume_of_its_length() {
        let positions = knot().positions();
        let volume: f32 = positions
            .iter()
            .map(|[a, b, c]| a.dot(b.cross(*c)) / 6.0)
            .sum();
        let points: Vec<Vec3> = (0..=STEPS).map(|i| curve(turn(i, STEPS))).collect();
        let length: f32 = points.windows(2).map(|p| p[0].distance(p[1])).sum();
        let circle = std::f32::consts::PI * TUBE_RADIUS * TUBE_RADIUS;
        let ratio = volume / (length * circle);
        assert!((0.95..1.0).contains(&ratio), "{ratio}");
    }
}
