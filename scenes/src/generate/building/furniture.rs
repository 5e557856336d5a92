//! The furniture of a building: each piece within its room's walls, from the room's corner on.

use super::super::builder::Builder;
use super::ROOM;
use crate::{Material, Scene};
use glam::Vec3;

pub(super) const STONE: u32 = 0;
pub(super) const PLASTER: u32 = 1;
const WOOD: u32 = 2;
const CHINA: u32 = 3;
const METAL: u32 = 4;
const PAPER: u32 = 5;

/// The materials of a building.
pub(super) fn materials() -> Vec<Material> {
    let matt = |name, r, g, b| Material::matt(name, Vec3::new(r, g, b));
    vec![
        matt("stone", 0.7, 0.68, 0.64),
        matt("plaster", 0.85, 0.82, 0.74),
        matt("wood", 0.45, 0.3, 0.18),
        matt("china", 0.8, 0.85, 0.9),
        matt("metal", 0.4, 0.42, 0.45),
        matt("paper", 0.6, 0.25, 0.2),
    ]
}

/// The contents of rooms, as [`choice`] numbers them; the first is of no triangles.
pub(super) fn all() -> [Scene; 6] {
    let furnished = |name: &str, furnish: fn(&mut Builder)| {
        let mut builder = Builder::new(materials());
        furnish(&mut builder);
        builder.finish(name)
    };
    [
        Builder::new(materials()).into_scene("empty"),
        furnished("hall", hall),
        furnished("dining room", dining_room),
        furnished("study", study),
        furnished("library", library),
        furnished("plant", plant),
    ]
}

/// The contents for a random word: a quarter of all rooms is empty.
pub(super) fn choice(random: u32) -> usize {
    [0, 0, 1, 2, 3, 4, 5, 2][(random >> 29) as usize]
}

/// The middle of a room's floor.
const MIDDLE: Vec3 = Vec3::new(0.5 * ROOM, 0.0, 0.5 * ROOM);

/// A box from its lowest corner.
fn cuboid(builder: &mut Builder, corner: Vec3, size: [f32; 3]) {
    builder.cuboid(corner, corner + Vec3::from_array(size));
}

/// A closed turned piece: rings of a profile, radius and height for a part from 0 to 1.
fn turning(
    builder: &mut Builder,
    base: Vec3,
    sides: u32,
    rings: u32,
    profile: impl Fn(f32) -> (f32, f32),
) {
    let mut points = vec![(0.0, profile(0.0).1)];
    points.extend((0..=rings).map(|ring| profile(ring as f32 / rings as f32)));
    points.push((0.0, profile(1.0).1));
    builder.lathe(base, sides, &points);
}

/// A bead that swells and narrows `waves` times from 0 to 1: 0 at the ends, 1 at most.
fn beads(part: f32, waves: f32) -> f32 {
    let within = part * waves - (part * waves).floor();
    4.0 * within * (1.0 - within)
}

/// Nine columns, and rails as long as the room along the walls.
fn hall(builder: &mut Builder) {
    builder.material(STONE);
    for place in 0..9 {
        let (x, z) = ((place % 3) as f32 - 1.0, (place / 3) as f32 - 1.0);
        let foot = MIDDLE + 1.6 * Vec3::new(x, 0.0, z);
        turning(builder, foot, 32, 24, |part| {
            (0.2 - 0.05 * part + 0.02 * beads(part, 6.0), 3.1 * part)
        });
    }
    builder.material(METAL);
    for rail in 0..12 {
        let height = 0.2 + 0.08 * rail as f32;
        cuboid(builder, Vec3::new(0.3, height, 0.3), [5.4, 0.015, 0.015]);
        cuboid(builder, Vec3::new(0.3, height, 5.6), [5.4, 0.015, 0.015]);
    }
}

/// A chair with turned legs; `turned` if its back is at the far side.
fn chair(builder: &mut Builder, at: Vec3, turned: bool) {
    builder.material(WOOD);
    for leg in 0..4 {
        let foot = at + Vec3::new(0.36 * (leg % 2) as f32, 0.0, 0.36 * (leg / 2) as f32);
        turning(builder, foot, 10, 9, |part| {
            (0.014 + 0.008 * beads(part, 3.0), 0.42 * part)
        });
    }
    cuboid(
        builder,
        at + Vec3::new(-0.03, 0.42, -0.03),
        [0.42, 0.03, 0.42],
    );
    let back = if turned { 0.36 } else { -0.02 };
    for slat in 0..8 {
        let x = 0.05 * slat as f32;
        cuboid(
            builder,
            at + Vec3::new(x - 0.01, 0.46, back),
            [0.02, 0.5, 0.02],
        );
    }
}

/// A laid table with eight chairs.
fn dining_room(builder: &mut Builder) {
    builder.material(WOOD);
    cuboid(builder, Vec3::new(1.5, 0.7, 2.4), [3.0, 0.04, 1.2]);
    for leg in 0..4 {
        let foot = Vec3::new(1.6 + 2.8 * (leg % 2) as f32, 0.0, 2.5 + (leg / 2) as f32);
        turning(builder, foot, 16, 16, |part| {
            (0.03 + 0.02 * beads(part, 4.0), 0.69 * part)
        });
    }
    for place in 0..8 {
        let (x, far) = (1.8 + 0.72 * (place % 4) as f32, place / 4 == 1);
        let z = if far { 3.65 } else { 2.0 };
        chair(builder, Vec3::new(x - 0.18, 0.0, z), far);
        builder.material(CHINA);
        let plate = Vec3::new(x, 0.745, if far { 3.4 } else { 2.6 });
        turning(builder, plate, 28, 6, |part| {
            (0.06 + 0.05 * part, 0.004 + 0.015 * part * part)
        });
        let cup = plate + Vec3::new(0.19, 0.0, 0.0);
        turning(builder, cup, 20, 10, |part| {
            (0.025 + 0.02 * part * (2.0 - part), 0.08 * part)
        });
    }
}

/// A desk with a globe and a vase in a corner.
fn study(builder: &mut Builder) {
    builder.material(WOOD);
    cuboid(builder, Vec3::new(2.0, 0.7, 2.5), [1.8, 0.04, 0.9]);
    for side in [2.05, 3.65] {
        cuboid(builder, Vec3::new(side, 0.0, 2.55), [0.1, 0.69, 0.8]);
    }
    chair(builder, Vec3::new(2.7, 0.0, 3.5), true);
    builder.material(CHINA);
    turning(builder, Vec3::new(0.9, 0.01, 0.9), 64, 64, |part| {
        let belly = 0.12 + 0.9 * part * (1.0 - part) * (1.0 - part);
        (belly + 0.004 * beads(part, 16.0), 1.1 * part)
    });
    builder.material(PAPER);
    turning(builder, Vec3::new(3.4, 0.75, 2.9), 48, 24, |part| {
        let height = 1.98 * part - 0.99;
        (0.18 * (1.0 - height * height).sqrt(), 0.18 * (1.0 + height))
    });
}

/// Shelves along two walls, full of books.
fn library(builder: &mut Builder) {
    for (row, z) in [0.3, 5.4].into_iter().enumerate() {
        for board in 0..6 {
            let height = 0.1 + 0.4 * board as f32;
            builder.material(WOOD);
            cuboid(builder, Vec3::new(0.5, height, z), [5.0, 0.02, 0.3]);
            builder.material(PAPER);
            for book in 0..100u32 {
                // Sizes that look picked at random and need no random numbers.
                let kind = (book * 7 + board * 5 + row as u32 * 3) % 11;
                let corner = Vec3::new(0.52 + 0.049 * book as f32, height + 0.021, z + 0.02);
                let (width, tall) = (0.02 + 0.002 * kind as f32, 0.2 + 0.012 * kind as f32);
                cuboid(builder, corner, [width, tall, 0.15 + 0.01 * kind as f32]);
            }
        }
    }
}

/// Pipes from floor to ceiling, and cables as long as the room below it.
fn plant(builder: &mut Builder) {
    builder.material(METAL);
    for pipe in 0..40 {
        let (x, z) = ((pipe % 8) as f32, (pipe / 8) as f32);
        let foot = Vec3::new(0.5 + 0.3 * x, 0.01, 0.5 + 0.2 * z);
        turning(builder, foot, 12, 1, |part| (0.01 + 0.002 * z, 3.15 * part));
    }
    for cable in 0..60 {
        let (layer, place) = ((cable / 20) as f32, (cable % 20) as f32);
        let corner = Vec3::new(0.3, 2.9 + 0.05 * layer, 3.0 + 0.02 * place);
        cuboid(builder, corner, [5.4, 0.006, 0.006]);
    }
}
