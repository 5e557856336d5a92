//! A hall of columns: the same detailed thing many times over, on a grid, between two large
//! slabs, as in a mosque or a cistern.

use super::MAX_TRIANGLES;
use super::builder::{Builder, turn};
use crate::{Material, Scene, SceneError};
use glam::{Vec2, Vec3};

/// From the middle of a column to that of the next, in metres.
const PITCH: f32 = 5.0;
/// From the floor to the ceiling, and the height of a base and a capital.
const HEIGHT: f32 = 6.0;
const BLOCK: f32 = 0.35;
/// Thickness of slabs and walls.
const SLAB: f32 = 0.4;
/// Radius of a shaft at its foot, and how much less it is at its top.
const RADIUS: f32 = 0.42;
const TAPER: f32 = 0.08;
/// Flutes around a shaft, vertices of each, and their depth.
const FLUTES: u32 = 20;
const FLUTE_SIDES: u32 = 4;
const FLUTE_DEPTH: f32 = 0.03;
/// Rings of quadrilaterals along a shaft.
const RINGS: u32 = 16;
/// Triangles of a column with its lamp: base, capital and lamp are boxes.
const COLUMN: u64 = (2 * RINGS * FLUTES * FLUTE_SIDES) as u64 + 3 * 12;
/// Triangles of floor, ceiling and two walls.
const SHELL: u64 = 4 * 12;

const STONE: u32 = 0;
const PLASTER: u32 = 1;
const LAMP: u32 = 2;

/// A hall of at least so many triangles, in metres, y up: the fewest rows of columns of a square
/// that have them. Two of its sides are open.
///
/// # Errors
/// [`SceneError::TooMany`] beyond [`MAX_TRIANGLES`].
pub fn hall(triangles: u64) -> Result<Scene, SceneError> {
    let columns = triangles.saturating_sub(SHELL).div_ceil(COLUMN).max(1);
    let root = columns.isqrt();
    let side = root + u64::from(root * root < columns);
    let rows = columns.div_ceil(side);
    let count = (rows.saturating_mul(side).saturating_mul(COLUMN)).saturating_add(SHELL);
    if count > MAX_TRIANGLES {
        return Err(SceneError::TooMany {
            name: "hall".to_owned(),
            count,
            limit: MAX_TRIANGLES,
        });
    }
    let column = column();
    let mut builder = Builder::new(materials());
    let extent = Vec3::new(PITCH * side as f32, HEIGHT, PITCH * rows as f32);
    shell(&mut builder, extent);
    for row in 0..rows {
        for along in 0..side {
            let place = Vec3::new(PITCH * along as f32, 0.0, PITCH * row as f32);
            builder.add(&column, |point| place + point);
        }
    }
    Ok(builder.into_scene("hall"))
}

fn materials() -> Vec<Material> {
    vec![
        Material::matt("stone", Vec3::new(0.72, 0.68, 0.6)),
        Material::matt("plaster", Vec3::new(0.85, 0.82, 0.74)),
        Material {
            emission: Vec3::new(14.0, 11.0, 7.0),
            ..Material::matt("lamp", Vec3::new(0.9, 0.85, 0.7))
        },
    ]
}

/// Floor, ceiling, and walls along two sides.
fn shell(builder: &mut Builder, extent: Vec3) {
    let slab = Vec3::Y * SLAB;
    builder.material(STONE);
    builder.cuboid(-slab, extent.with_y(0.0));
    builder.material(PLASTER);
    builder.cuboid(Vec3::Y * HEIGHT, extent + slab);
    for x in [-SLAB, extent.x] {
        builder.cuboid(
            Vec3::new(x, 0.0, 0.0),
            Vec3::new(x + SLAB, HEIGHT, extent.z),
        );
    }
}

/// A column in the middle of its part of the floor, and a lamp in a corner of that.
fn column() -> Scene {
    let mut builder = Builder::new(materials());
    let middle = Vec3::new(0.5 * PITCH, 0.0, 0.5 * PITCH);
    let mut block = |material, low: f32, high: f32, half: f32, middle: Vec3| {
        builder.material(material);
        let corner = Vec3::new(half, 0.0, half);
        builder.cuboid(
            middle - corner + Vec3::Y * low,
            middle + corner + Vec3::Y * high,
        );
    };
    block(STONE, 0.0, BLOCK, 0.55, middle);
    block(STONE, HEIGHT - BLOCK, HEIGHT, 0.55, middle);
    block(LAMP, 4.2, 4.5, 0.15, Vec3::ZERO + Vec3::new(0.3, 0.0, 0.3));
    builder.material(STONE);
    let sides = FLUTES * FLUTE_SIDES;
    builder.tube(RINGS, sides, |ring, side| {
        let part = ring as f32 / RINGS as f32;
        // Entasis: it tapers more towards the top.
        let depth = match side % FLUTE_SIDES {
            0 => 0.0,
            2 => FLUTE_DEPTH,
            _ => 0.75 * FLUTE_DEPTH,
        };
        let radius = RADIUS - TAPER * part * part - depth;
        let around = Vec2::from_angle(turn(side, sides)) * radius;
        let height = BLOCK + (HEIGHT - 2.0 * BLOCK) * part;
        middle + Vec3::new(around.x, height, -around.y)
    });
    builder.into_scene("column")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::testing::{sound, volume};

    #[test]
    fn there_are_at_least_as_many_triangles_as_asked_for() {
        assert_eq!(column().len() as u64, COLUMN);
        let sized = |columns: u64| columns * COLUMN + SHELL;
        for (asked, columns) in [(0, 1), (sized(1), 1), (sized(1) + 1, 2), (sized(5), 6)] {
            let hall = hall(asked).unwrap();
            assert_eq!(hall.len() as u64, sized(columns), "{asked}");
            sound(&hall);
        }
        for asked in [MAX_TRIANGLES, u64::MAX] {
            assert!(matches!(hall(asked), Err(SceneError::TooMany { .. })));
        }
    }

    #[test]
    fn shafts_look_outwards_and_fit_on_their_bases() {
        let column = column();
        let middle = Vec3::new(0.5 * PITCH, 0.0, 0.5 * PITCH);
        for [a, b, c] in &column.positions()[36..] {
            let normal = (*b - *a).cross(*c - *a);
            let outwards = (*a + *b + *c) / 3.0 - middle;
            assert!(normal.dot(outwards.with_y(0.0)) > 0.0);
        }
        assert!(volume(&column) > 0.0);
    }

    #[test]
    fn it_is_the_same_everywhere() {
        assert_eq!(hall(10_000).unwrap().input_hash(), 0x1730_2b7f_4c74_bd95);
    }
}
