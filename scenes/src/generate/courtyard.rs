//! A courtyard with an arcade on each side, a balustrade above and a fountain
//! in the middle.
//!
//! Architecture as tree builders know it: large flat walls beside fine detail,
//! axis-aligned planes, and rays that pass many columns before they hit.

use super::builder::{Builder, turn};
use crate::{Material, Scene};
use glam::{Vec2, Vec3};

/// Bays, that is arches, along each side.
const BAYS: u32 = 7;
/// Distance between columns.
const BAY: f32 = 2.0;
/// From the centre to the axis of the columns.
const HALF: f32 = 0.5 * BAY * BAYS as f32;
/// Depth of the walk behind the columns.
const WALK: f32 = 2.4;
/// Half the thickness of the arcade's wall.
const HALF_WALL: f32 = 0.3;
/// Where the arches spring from the columns.
const SPRING: f32 = 3.0;
const ARCH_RADIUS: f32 = 0.72;
/// Top of the arcade's wall.
const CORNICE: f32 = 4.4;
/// Straight pieces in an arch.
const ARCH_STEPS: u32 = 8;
/// Paving stones along a side of the court and of the walk around it.
const PAVING: u32 = 14;

const STONE: u32 = 0;
const PLASTER: u32 = 1;
const PALE_SLAB: u32 = 2;
const DARK_SLAB: u32 = 3;
const TILES: u32 = 4;
const WATER: u32 = 5;
const LAMP: u32 = 6;

/// The courtyard: some 9,000 triangles, about 19 units square, y up.
pub fn courtyard() -> Scene {
    let mut builder = Builder::new(materials());
    paving(&mut builder);
    for side in 0..4 {
        let mut wing = Wing {
            side,
            builder: &mut builder,
        };
        wing.back_wall();
        wing.cornice_and_roof();
        for bay in 0..BAYS {
            wing.arch(bay);
            wing.balusters(bay);
        }
        wing.lamp();
    }
    for side in 0..4 {
        for place in 0..BAYS {
            let along = -HALF + BAY * place as f32;
            column(&mut builder, turned(side, Vec3::new(along, 0.0, -HALF)));
        }
    }
    fountain(&mut builder);
    builder.finish("courtyard")
}

fn materials() -> Vec<Material> {
    let matt = |name, r, g, b| Material::matt(name, Vec3::new(r, g, b));
    vec![
        matt("stone", 0.72, 0.68, 0.6),
        matt("plaster", 0.8, 0.7, 0.52),
        matt("pale_slab", 0.66, 0.64, 0.6),
        matt("dark_slab", 0.38, 0.36, 0.35),
        matt("tiles", 0.6, 0.27, 0.18),
        Material {
            specular: Vec3::splat(0.5),
            shininess: 200.0,
            ..matt("water", 0.12, 0.28, 0.33)
        },
        Material {
            emission: Vec3::new(12.0, 9.0, 6.0),
            ..matt("lamp", 0.9, 0.85, 0.7)
        },
    ]
}

/// `p` after `side` quarter turns about the vertical axis. Exact, so that
/// the four wings meet without gaps.
fn turned(side: u32, p: Vec3) -> Vec3 {
    (0..side).fold(p, |p, _| Vec3::new(-p.z, p.y, p.x))
}

/// Square slabs in a chequer over the court and the walks.
fn paving(builder: &mut Builder) {
    let half = HALF + WALK;
    let at = |i: u32| -half + 2.0 * half * i as f32 / PAVING as f32;
    for row in 0..PAVING {
        for column in 0..PAVING {
            builder.material(if (row + column) % 2 == 0 {
                PALE_SLAB
            } else {
                DARK_SLAB
            });
            let (x0, x1, z0, z1) = (at(column), at(column + 1), at(row), at(row + 1));
            builder
                .quad([(x0, z0), (x0, z1), (x1, z1), (x1, z0)].map(|(x, z)| Vec3::new(x, 0.0, z)));
        }
    }
}

/// A column on a square base, with an abacus on top.
fn column(builder: &mut Builder, foot: Vec3) {
    builder.material(STONE);
    let slab = |half: f32, low: f32, high: f32| {
        (
            foot + Vec3::new(-half, low, -half),
            foot + Vec3::new(half, high, half),
        )
    };
    let (min, max) = slab(0.32, 0.0, 0.2);
    builder.cuboid(min, max);
    // The shaft swells a little below the middle, as shafts do.
    let profile = [
        (0.28, 0.2),
        (0.22, 0.34),
        (0.23, 1.2),
        (0.19, SPRING - 0.4),
        (0.29, SPRING - 0.14),
    ];
    builder.lathe(foot, 12, &profile);
    let (min, max) = slab(HALF_WALL, SPRING - 0.14, SPRING);
    builder.cuboid(min, max);
}

/// One of the four sides: built at negative z, then turned into place.
struct Wing<'a> {
    side: u32,
    builder: &'a mut Builder,
}

impl Wing<'_> {
    fn quad(&mut self, corners: [Vec3; 4]) {
        let side = self.side;
        self.builder
            .quad(corners.map(|corner| turned(side, corner)));
    }

    fn cuboid(&mut self, min: Vec3, max: Vec3) {
        let (a, b) = (turned(self.side, min), turned(self.side, max));
        self.builder.cuboid(a.min(b), a.max(b));
    }

    fn back_wall(&mut self) {
        self.builder.material(PLASTER);
        let (half, thick) = (HALF + WALK, 0.3);
        let front = -half;
        self.cuboid(
            Vec3::new(-half, 0.0, front - thick),
            Vec3::new(half + thick, CORNICE + 0.9, front),
        );
        // A bench and a skirting along the wall, short of the corners.
        self.builder.material(STONE);
        let end = HALF - 0.5;
        self.cuboid(
            Vec3::new(-end, 0.0, front),
            Vec3::new(end, 0.45, front + 0.4),
        );
    }

    /// The slab over the walk and a roof that falls towards the court.
    fn cornice_and_roof(&mut self) {
        let (inner, outer) = (HALF - HALF_WALL - 0.12, HALF + WALK);
        self.builder.material(STONE);
        // Mitred at the corners: each wing ends on the diagonal.
        let corner = |depth: f32, y: f32, sign: f32| Vec3::new(sign * depth, y, -depth);
        let (low, high) = (CORNICE, CORNICE + 0.2);
        let ring = |depth, y| [corner(depth, y, -1.0), corner(depth, y, 1.0)];
        let [a, b] = ring(outer, low);
        let [d, c] = ring(inner, low);
        self.quad([a, b, c, d]);
        let [e, f] = ring(inner, high);
        self.quad([d, c, f, e]);
        self.builder.material(TILES);
        let [ridge_left, ridge_right] = ring(outer, CORNICE + 0.9);
        self.quad([e, f, ridge_right, ridge_left]);
    }

    /// The wall over one bay: two faces with a round opening, and its soffit.
    fn arch(&mut self, bay: u32) {
        self.builder.material(PLASTER);
        let left = -HALF + BAY * bay as f32;
        let middle = left + 0.5 * BAY;
        let (front, back) = (-HALF + HALF_WALL, -HALF - HALF_WALL);
        let point = |step: u32, z: f32| {
            // Half a turn from the left springing to the right one.
            let around = Vec2::from_angle(turn(ARCH_STEPS - step, 2 * ARCH_STEPS));
            Vec3::new(middle, SPRING, z) + Vec3::new(around.x, around.y, 0.0) * ARCH_RADIUS
        };
        let above = |step: u32, z: f32| {
            let x = left + BAY * step as f32 / ARCH_STEPS as f32;
            Vec3::new(x, CORNICE, z)
        };
        for step in 0..ARCH_STEPS {
            let next = step + 1;
            self.quad([
                point(step, front),
                point(next, front),
                above(next, front),
                above(step, front),
            ]);
            self.quad([
                point(next, back),
                point(step, back),
                above(step, back),
                above(next, back),
            ]);
            self.quad([
                point(step, back),
                point(next, back),
                point(next, front),
                point(step, front),
            ]);
        }
        // The strips between the opening and the axes of the columns.
        for (end, step) in [(left, 0), (left + BAY, ARCH_STEPS)] {
            for z in [front, back] {
                let foot = Vec3::new(end, SPRING, z);
                let corners = [foot, point(step, z), above(step, z), above(step, z)];
                let facing_court = (step == 0) == (z == front);
                self.quad(if facing_court {
                    corners
                } else {
                    [corners[0], corners[2], corners[1], corners[1]]
                });
            }
        }
    }

    /// Three balusters and the rail over one bay, on the edge of the roof.
    fn balusters(&mut self, bay: u32) {
        self.builder.material(STONE);
        let left = -HALF + BAY * bay as f32;
        let base = CORNICE + 0.2;
        let profile = [(0.09, 0.0), (0.05, 0.12), (0.12, 0.32), (0.06, 0.62)];
        for place in 0..3 {
            let x = left + BAY * (place as f32 + 0.5) / 3.0;
            let foot = turned(self.side, Vec3::new(x, base, -HALF + HALF_WALL));
            self.builder.lathe(foot, 6, &profile);
        }
        self.cuboid(
            Vec3::new(left, base + 0.62, -HALF + HALF_WALL - 0.12),
            Vec3::new(left + BAY, base + 0.74, -HALF + HALF_WALL + 0.12),
        );
    }

    /// A lamp under the middle of the walk's ceiling.
    fn lamp(&mut self) {
        self.builder.material(LAMP);
        let centre = Vec3::new(0.0, CORNICE - 0.5, -HALF - 0.5 * WALK);
        let half = Vec3::new(0.25, 0.08, 0.25);
        self.cuboid(centre - half, centre + half);
    }
}

/// Two basins on a stepped foot.
fn fountain(builder: &mut Builder) {
    const SIDES: u32 = 24;
    builder.material(STONE);
    let basin = [
        (2.3, 0.0),
        (2.3, 0.16),
        (2.0, 0.16),
        (2.0, 0.7),
        (1.8, 0.7),
        (1.8, 0.3),
    ];
    builder.lathe(Vec3::ZERO, SIDES, &basin);
    let stem = [
        (0.3, 0.3),
        (0.18, 0.7),
        (0.22, 1.1),
        (0.14, 1.5),
        (0.85, 1.85),
        (0.8, 1.9),
        (0.2, 1.62),
        (0.1, 2.3),
        (0.0, 2.4),
    ];
    builder.lathe(Vec3::ZERO, SIDES, &stem);
    builder.material(WATER);
    builder.lathe(Vec3::ZERO, SIDES, &[(1.8, 0.55), (0.0, 0.55)]);
    builder.lathe(Vec3::ZERO, SIDES, &[(0.72, 1.85), (0.0, 1.85)]);
}
