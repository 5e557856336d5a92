//! A teapot in a stadium: nearly all triangles are in a small thing amid a large coarse one, in
//! which most of the space is empty. A grid of equal cells has no right size here.

use super::MAX_TRIANGLES;
use super::builder::{Builder, turn};
use crate::{Material, Scene, SceneError};
use glam::{Vec2, Vec3};

const CONCRETE: u32 = 0;
const GRASS: u32 = 1;
const LAMP: u32 = 2;
const CHINA: u32 = 3;

/// Sides of the oval, and rows of seats around it.
const SIDES: u32 = 48;
const ROWS: u32 = 14;
/// Half the length and width of the field, in metres.
const FIELD: Vec2 = Vec2::new(60.0, 42.0);
/// Depth and height of a row.
const TREAD: f32 = 1.6;
const RISER: f32 = 1.1;
/// Thickness of the outer wall.
const WALL: f32 = 3.0;

/// Corners of the silhouette's curves, as distances from the axis and heights in metres. Each
/// Bézier curve of four points begins where the one before it ends. Foot, belly, lid, knob.
const SILHOUETTE: [[f32; 2]; 13] = [
    [0.0, 0.0],
    [0.05, 0.0],
    [0.08, 0.0],
    [0.082, 0.006],
    [0.16, 0.05],
    [0.165, 0.12],
    [0.1, 0.165],
    [0.098, 0.178],
    [0.06, 0.19],
    [0.018, 0.196],
    [0.006, 0.206],
    [0.036, 0.228],
    [0.0, 0.23],
];
/// Middle lines of the spout and the handle beside the axis, and the radii at their ends.
const SPOUT: ([[f32; 2]; 4], [f32; 2]) = (
    [[0.11, 0.05], [0.2, 0.06], [0.17, 0.15], [0.24, 0.18]],
    [0.034, 0.013],
);
const HANDLE: ([[f32; 2]; 4], [f32; 2]) = (
    [[-0.1, 0.15], [-0.24, 0.18], [-0.24, 0.05], [-0.115, 0.055]],
    [0.011, 0.011],
);

/// A stadium of at least so many triangles, nearly all of them in a pot of 23 cm height in the
/// middle of a field of 120 m; in metres, y up.
///
/// # Errors
/// [`SceneError::TooMany`] beyond [`MAX_TRIANGLES`].
pub fn stadium(triangles: u64) -> Result<Scene, SceneError> {
    let mut builder = Builder::new(materials());
    bowl(&mut builder);
    let coarse = builder.len() as u64;
    let of_pot = triangles.saturating_sub(coarse);
    let fineness = fineness(of_pot);
    let count = pot_triangles(fineness).saturating_add(coarse);
    if count > MAX_TRIANGLES {
        return Err(SceneError::TooMany {
            name: "stadium".to_owned(),
            count,
            limit: MAX_TRIANGLES,
        });
    }
    pot(&mut builder, fineness as u32);
    Ok(builder.into_scene("stadium"))
}

fn materials() -> Vec<Material> {
    vec![
        Material::matt("concrete", Vec3::new(0.55, 0.54, 0.52)),
        Material::matt("grass", Vec3::new(0.22, 0.42, 0.16)),
        Material {
            emission: Vec3::splat(60.0),
            ..Material::matt("lamp", Vec3::splat(0.9))
        },
        Material {
            specular: Vec3::splat(0.04),
            shininess: 800.0,
            ..Material::matt("china", Vec3::new(0.82, 0.85, 0.9))
        },
    ]
}

/// The field, the stands around it, and lamps on their rim.
fn bowl(builder: &mut Builder) {
    let oval = |outwards: f32, height: f32, side: u32| {
        let around = Vec2::from_angle(turn(side, SIDES));
        let half = FIELD + outwards;
        Vec3::new(half.x * around.x, height, -half.y * around.y)
    };
    builder.material(GRASS);
    let middle = builder.vertex(Vec3::ZERO);
    let rim: Vec<u32> = (0..SIDES)
        .map(|side| builder.vertex(oval(0.0, 0.0, side)))
        .collect();
    for side in 0..SIDES as usize {
        builder.triangle([middle, rim[side], rim[(side + 1) % SIDES as usize]]);
    }
    builder.material(CONCRETE);
    // From the outside in: up a wall, along its top, and down the rows to the field.
    let top = RISER * ROWS as f32;
    let depth = TREAD * ROWS as f32;
    builder.tube(2 * ROWS + 2, SIDES, |ring, side| match ring {
        0 => oval(depth + WALL, 0.0, side),
        1 => oval(depth + WALL, top, side),
        ring => {
            let from_field = 2 * ROWS + 2 - ring;
            let outwards = TREAD * (from_field / 2) as f32;
            oval(outwards, RISER * from_field.div_ceil(2) as f32, side)
        }
    });
    builder.material(LAMP);
    for quarter in 0..4 {
        let place = oval(depth + 0.5 * WALL, top, quarter * SIDES / 4 + SIDES / 8);
        let half = Vec3::new(2.0, 0.0, 2.0);
        builder.cuboid(place - half + Vec3::Y * 8.0, place + half + Vec3::Y * 9.0);
    }
}

/// Triangles of a pot: its body has four times as many sides as the fineness and three times as
/// many steps, spout and handle as many sides and three times as many steps.
fn pot_triangles(fineness: u64) -> u64 {
    let square = fineness.saturating_mul(fineness);
    (square.saturating_mul(36)).saturating_sub(8 * fineness)
}

/// The least fineness of a pot of at least so many triangles.
fn fineness(triangles: u64) -> u64 {
    // The root of what the square alone would need is short by two at most.
    let root = (triangles / 36).isqrt().max(2);
    let enough = (root..root + 2).find(|&fineness| pot_triangles(fineness) >= triangles);
    enough.unwrap_or(root + 2)
}

/// Adds the pot in the middle of the field.
fn pot(builder: &mut Builder, fineness: u32) {
    builder.material(CHINA);
    let (steps, sides) = (3 * fineness, 4 * fineness);
    builder.spindle(steps, sides, |step, side| {
        let [radius, height] = silhouette(step as f32 / steps as f32);
        let around = Vec2::from_angle(turn(side, sides)) * radius;
        Vec3::new(around.x, height, -around.y)
    });
    for (line, radii) in [SPOUT, HANDLE] {
        builder.tube(steps, fineness, |step, side| {
            let part = step as f32 / steps as f32;
            let [x, y] = curve(&line, part);
            let ahead = slope(&line, part).normalize();
            let radius = radii[0] + (radii[1] - radii[0]) * part;
            let around = Vec2::from_angle(turn(side, fineness)) * radius;
            // Across the line in its plane, and perpendicular to that plane.
            let across = Vec2::new(-ahead.y, ahead.x) * around.x;
            Vec3::new(x + across.x, y + across.y, around.y)
        });
    }
}

/// The point of the silhouette at a part of it from 0 to 1.
fn silhouette(part: f32) -> [f32; 2] {
    let curves = (SILHOUETTE.len() / 3) as f32;
    let along = part * curves;
    let number = along.floor().min(curves - 1.0);
    let first = 3 * number as usize;
    let points = [0, 1, 2, 3].map(|point| SILHOUETTE[first + point]);
    curve(&points, along - number)
}

/// A point of a Bézier curve of four points.
fn curve(points: &[[f32; 2]; 4], part: f32) -> [f32; 2] {
    let rest = 1.0 - part;
    [0, 1].map(|axis| {
        let [a, b, c, d] = points.map(|point| point[axis]);
        rest * rest * (rest * a + 3.0 * part * b) + part * part * (3.0 * rest * c + part * d)
    })
}

/// The direction of such a curve.
fn slope(points: &[[f32; 2]; 4], part: f32) -> Vec2 {
    let rest = 1.0 - part;
    let [a, b, c, d] = points.map(Vec2::from_array);
    rest * rest * (b - a) + 2.0 * rest * part * (c - b) + part * part * (d - c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::testing::{edges_by_position, sound};

    #[test]
    fn there_are_at_least_as_many_triangles_as_asked_for() {
        for asked in [0, 5_000, 100_000] {
            let stadium = stadium(asked).unwrap();
            assert!(stadium.len() as u64 >= asked);
            sound(&stadium);
        }
        let large = stadium(100_000).unwrap().len();
        assert!(large < 105_000, "{large}");
        let mut builder = Builder::new(materials());
        pot(&mut builder, 7);
        assert_eq!(builder.len() as u64, pot_triangles(7));
        for asked in (0..100_000).step_by(97) {
            let least = fineness(asked);
            assert!(pot_triangles(least) >= asked, "{asked}");
            assert!(least == 2 || pot_triangles(least - 1) < asked, "{asked}");
        }
        for asked in [MAX_TRIANGLES, u64::MAX] {
            assert!(matches!(stadium(asked), Err(SceneError::TooMany { .. })));
        }
    }

    #[test]
    fn nearly_all_triangles_are_in_a_pot_in_the_middle() {
        let stadium = stadium(200_000).unwrap();
        let bounds = stadium.bounds();
        assert!(bounds.extent().x > 160.0, "{bounds:?}");
        let is_near = |corners: &&[Vec3; 3]| corners.iter().all(|corner| corner.length() < 0.4);
        let near = stadium.positions().iter().filter(is_near).count();
        assert!(near > 195_000, "{near}");
    }

    #[test]
    fn the_pot_is_closed_and_everything_looks_outwards() {
        let mut builder = Builder::new(materials());
        pot(&mut builder, 8);
        let pot = builder.into_scene("pot");
        let body = 2 * 32 * 23;
        let body_scene = Scene::from_triangles("body", &pot.positions()[..body]);
        assert!(edges_by_position(&body_scene).values().all(|&n| n == 2));
        let volume = crate::generate::testing::volume(&body_scene);
        assert!((0.006..0.012).contains(&volume), "{volume}");
        // Tubes: away from their middle lines.
        let tubes = &pot.positions()[body..];
        for (tube, (line, _)) in tubes.chunks(2 * 8 * 24).zip([SPOUT, HANDLE]) {
            for (number, [a, b, c]) in tube.iter().enumerate() {
                let step = number / 16;
                let [x, y] = curve(&line, (step as f32 + 0.5) / 24.0);
                let outwards = (*a + *b + *c) / 3.0 - Vec3::new(x, y, 0.0);
                assert!((*b - *a).cross(*c - *a).dot(outwards) > 0.0, "{number}");
            }
        }
        let mut builder = Builder::new(materials());
        bowl(&mut builder);
        let bowl = builder.into_scene("bowl");
        // Nothing but the lower sides of lamps looks down; below those, all but the outer wall
        // looks up or to the middle.
        let outer = (SIDES as usize)..(3 * SIDES as usize);
        let stands = bowl.len() - 48;
        for (number, [a, b, c]) in bowl.positions()[..stands].iter().enumerate() {
            let normal = (*b - *a).cross(*c - *a).normalize();
            let outwards = normal.dot(a.with_y(0.0));
            assert!(normal.y > -1e-3, "{number}: {normal}");
            assert!(
                normal.y > 0.99 || outer.contains(&number) == (outwards > 0.0),
                "{number}"
            );
        }
    }

    #[test]
    fn it_is_the_same_everywhere() {
        assert_eq!(stadium(10_000).unwrap().input_hash(), 0x8de4_c418_afc7_8b78);
    }
}
