//! A building of many rooms, of any number of triangles.
//!
//! The building has the features that tree builders meet in architecture:
//!
//! - slabs as wide as the house beside the beads of a chair's leg,
//! - walls along the axes with doors in them,
//! - the same detailed furniture in many rooms,
//! - long thin rails and cables,
//! - empty rooms.

mod furniture;

use super::builder::Builder;
use super::{MAX_TRIANGLES, noise};
use crate::{Scene, SceneError};
use glam::Vec3;

/// Width and length of a room, from the middle of one wall to that of the next.
const ROOM: f32 = 6.0;
/// From floor to floor.
const STOREY: f32 = 3.5;
/// Thickness of the slab below a floor.
const SLAB: f32 = 0.3;
/// Half the thickness of walls, and of the posts where they meet.
const HALF_WALL: f32 = 0.1;
const HALF_POST: f32 = 0.15;
/// Triangles of a box, as a slab and a post are.
const BOX: u64 = 12;
/// Triangles of a wall with a door: two sides and a lintel.
const DOOR_WALL: u64 = 3 * BOX;
/// Triangles of what each storey has once: its slab and four outer walls.
const SHELL: u64 = 5 * BOX;

/// A building of at least so many triangles, in metres, y up: the fewest rooms that have them.
/// The seed chooses what is in which room.
///
/// # Errors
/// [`SceneError::TooMany`] beyond [`MAX_TRIANGLES`].
pub fn building(triangles: u64, seed: u32) -> Result<Scene, SceneError> {
    let furniture = furniture::all();
    let contents =
        |room: u32| &furniture[furniture::choice(noise::scramble(room ^ noise::scramble(seed)))];
    let mut furnished = 0;
    let mut rooms = 0;
    let (plan, count) = loop {
        furnished += contents(rooms).len() as u64;
        rooms += 1;
        let plan = Plan::of(rooms);
        let count = furnished + plan.triangles();
        if count >= triangles || count > MAX_TRIANGLES {
            break (plan, count);
        }
    };
    if count > MAX_TRIANGLES {
        return Err(SceneError::TooMany {
            name: "building".to_owned(),
            count: triangles.max(count),
            limit: MAX_TRIANGLES,
        });
    }
    let mut builder = Builder::new(furniture::materials());
    plan.build(&mut builder);
    for room in 0..rooms {
        let (column, storey, row) = plan.place(room);
        let corner = Vec3::new(
            ROOM * column as f32,
            STOREY * storey as f32,
            ROOM * row as f32,
        );
        let turns = noise::scramble(noise::scramble(room) ^ seed) >> 30;
        builder.add(contents(room), |point| corner + turned(point, turns));
    }
    Ok(builder.into_scene("building"))
}

/// A point of a room after so many quarter turns about the room's middle.
fn turned(point: Vec3, turns: u32) -> Vec3 {
    (0..turns).fold(point, |p, _| Vec3::new(ROOM - p.z, p.y, p.x))
}

/// How rooms are arranged: row by row of a square, storey by storey.
struct Plan {
    rooms: u32,
    storeys: u32,
    /// Rooms along a side.
    side: u32,
}

impl Plan {
    /// The plan of so many rooms: about twice as wide as there are storeys.
    fn of(rooms: u32) -> Self {
        let mut storeys = 1;
        while u64::from(rooms) > 8 * u64::from(storeys).pow(3) {
            storeys += 1;
        }
        let floor = rooms.div_ceil(storeys);
        let root = floor.isqrt();
        let side = root + u32::from(root * root < floor);
        Self {
            rooms,
            storeys: rooms.div_ceil(side * side),
            side,
        }
    }

    /// Column, storey and row of a room.
    fn place(&self, room: u32) -> (u32, u32, u32) {
        let floor = self.side * self.side;
        let (storey, there) = (room / floor, room % floor);
        (there % self.side, storey, there / self.side)
    }

    /// Triangles of slabs, walls and posts.
    fn triangles(&self) -> u64 {
        let floor = self.side * self.side;
        // Rooms without a wall to the column, and to the row, before them.
        let first_columns = self.rooms.div_ceil(self.side);
        let first_rows = self.rooms / floor * self.side + (self.rooms % floor).min(self.side);
        let walls = 2 * self.rooms - first_columns - first_rows;
        u64::from(walls) * DOOR_WALL
            + u64::from(self.rooms) * BOX
            + u64::from(self.storeys) * SHELL
            + BOX
    }

    /// Adds slabs, walls and posts.
    fn build(&self, builder: &mut Builder) {
        let extent = ROOM * self.side as f32;
        let ends = [-HALF_POST, extent + HALF_POST];
        for storey in 0..=self.storeys {
            let floor = STOREY * storey as f32;
            builder.material(furniture::STONE);
            builder.cuboid(
                Vec3::new(ends[0], floor - SLAB, ends[0]),
                Vec3::new(ends[1], floor, ends[1]),
            );
            if storey == self.storeys {
                break;
            }
            builder.material(furniture::PLASTER);
            let top = floor + STOREY - SLAB;
            for [near, far] in [[ends[0] - 0.2, ends[0]], [ends[1], ends[1] + 0.2]] {
                builder.cuboid(
                    Vec3::new(near, floor, ends[0]),
                    Vec3::new(far, top, ends[1]),
                );
                builder.cuboid(
                    Vec3::new(ends[0], floor, near),
                    Vec3::new(ends[1], top, far),
                );
            }
        }
        for room in 0..self.rooms {
            let (column, storey, row) = self.place(room);
            let at = Vec3::new(
                ROOM * column as f32,
                STOREY * storey as f32,
                ROOM * row as f32,
            );
            let half = Vec3::new(HALF_POST, 0.0, HALF_POST);
            builder.material(furniture::STONE);
            builder.cuboid(at - half, at + half.with_y(STOREY - SLAB));
            builder.material(furniture::PLASTER);
            if column > 0 {
                door_wall(builder, at, |along, up, across| {
                    Vec3::new(across, up, along)
                });
            }
            if row > 0 {
                door_wall(builder, at, |along, up, across| {
                    Vec3::new(along, up, across)
                });
            }
        }
    }
}

/// A wall from post to post with a door in it; `place` turns (along, up, across) into a vector.
fn door_wall(builder: &mut Builder, at: Vec3, place: fn(f32, f32, f32) -> Vec3) {
    let (begin, end, top) = (HALF_POST, ROOM - HALF_POST, STOREY - SLAB);
    let (door_begin, door_end, lintel) = (0.4 * ROOM, 0.6 * ROOM, 2.2);
    for [from, to, low, high] in [
        [begin, door_begin, 0.0, lintel],
        [door_end, end, 0.0, lintel],
        [begin, end, lintel, top],
    ] {
        builder.cuboid(
            at + place(from, low, -HALF_WALL),
            at + place(to, high, HALF_WALL),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CleanOptions;
    use crate::generate::testing::{edges_by_position, volume};

    #[test]
    fn there_are_at_least_as_many_triangles_as_asked_for_and_not_a_room_more() {
        let most = furniture::all().iter().map(Scene::len).max().unwrap();
        for asked in [0, 1_000, 50_000, 150_000] {
            let building = building(asked, 7).unwrap();
            assert!(building.len() as u64 >= asked);
            let room = most + 200;
            assert!(building.len() < asked as usize + room, "{}", building.len());
            let (cleaned, report) = building.clone().clean(CleanOptions::default()).unwrap();
            assert_eq!(cleaned.len(), building.len(), "{report}");
        }
        let refused = building(MAX_TRIANGLES + 1, 1);
        assert!(matches!(refused, Err(SceneError::TooMany { .. })));
    }

    #[test]
    fn plans_count_what_they_build() {
        for rooms in 1..80 {
            let plan = Plan::of(rooms);
            let mut builder = Builder::new(furniture::materials());
            plan.build(&mut builder);
            assert_eq!(builder.into_scene("plan").len() as u64, plan.triangles());
            let mut places: Vec<_> = (0..rooms).map(|room| plan.place(room)).collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), rooms as usize);
            assert!(places.iter().all(|&(_, storey, _)| storey < plan.storeys));
        }
    }

    #[test]
    fn walls_and_furniture_are_closed_and_look_outwards() {
        let building = building(100_000, 7).unwrap();
        assert!(edges_by_position(&building).values().all(|&n| n % 2 == 0));
        assert!(volume(&building) > 0.0);
        for piece in furniture::all() {
            assert!(piece.is_empty() || volume(&piece) > 0.0, "{}", piece.name());
        }
    }

    #[test]
    fn triangles_are_of_every_size_and_half_of_the_area_is_in_the_axes() {
        let building = building(150_000, 7).unwrap();
        let crosses: Vec<Vec3> = building
            .positions()
            .iter()
            .map(|[a, b, c]| (*b - *a).cross(*c - *a))
            .collect();
        let (mut least, mut most) = (f32::MAX, 0.0_f32);
        let (mut aligned, mut all) = (0.0, 0.0);
        for cross in crosses {
            let area = cross.length();
            (least, most) = (least.min(area), most.max(area));
            all += f64::from(area);
            let along = cross.abs().max_element();
            aligned += if along == area { f64::from(area) } else { 0.0 };
        }
        assert!(most > 1e6 * least, "{least} to {most}");
        assert!(aligned > 0.5 * all);
    }

    #[test]
    fn a_seed_gives_the_same_bits_everywhere() {
        let made = building(60_000, 7).unwrap();
        assert_eq!(made.input_hash(), 0x5704_4124_e503_ba2f);
        assert_ne!(made.input_hash(), building(60_000, 8).unwrap().input_hash());
    }
}
