//! The camera of an image, and the order in which lanes take its pixels.

use glam::Vec3;

use crate::simt::Warp;

/// A tile is 8 pixels wide and 4 high, so that the rays of a GPU warp are near
/// one another and take similar ways through the tree.
pub(super) const TILE_WIDTH: u32 = 8;
pub(super) const TILE_HEIGHT: u32 = 4;
pub(super) const TILE: u64 = 32;

/// The camera's rays, as four vectors in memory: where they begin, the direction to the upper
/// left corner of the image, the steps to the pixel on the right and to the one below.
#[derive(Clone, Copy)]
pub(super) struct CameraRays {
    pub origin: Vec3,
    corner: Vec3,
    right: Vec3,
    down: Vec3,
}

impl CameraRays {
    /// # Safety
    ///
    /// The four vectors may be read.
    #[inline(always)]
    pub unsafe fn read(vectors: *const [f32; 3]) -> Self {
        // SAFETY: the four vectors may be read, and each index is below 4.
        let vector = |index: usize| unsafe { Vec3::from_array(vectors.add(index).read()) };
        Self {
            origin: vector(0),
            corner: vector(1),
            right: vector(2),
            down: vector(3),
        }
    }

    /// The direction, not normalised, to a point of the image in pixels from its upper left
    /// corner.
    #[inline(always)]
    pub fn direction(&self, x: f32, y: f32) -> Vec3 {
        self.corner + self.right * x + self.down * y
    }
}

/// The pixels of a window that a lane renders.
pub(super) struct Pixels {
    width: u32,
    height: u32,
    tiles_across: u32,
    slots: u64,
    slot: u64,
    step: u64,
}

impl Pixels {
    /// Those of this lane in a window of these sides, at most 65536 each.
    #[inline(always)]
    pub fn new<W: Warp>(warp: W, width: u32, height: u32) -> Self {
        let tiles_across = width.div_ceil(TILE_WIDTH);
        let tiles_down = height.div_ceil(TILE_HEIGHT);
        Self {
            width,
            height,
            tiles_across,
            slots: u64::from(tiles_across) * u64::from(tiles_down) * TILE,
            slot: u64::from(warp.thread()),
            step: u64::from(warp.threads()),
        }
    }

    /// Column and row of the next one.
    #[inline(always)]
    pub fn next(&mut self) -> Option<(u32, u32)> {
        while self.slot < self.slots {
            // Below 2^27 tiles, by the limits of the sides.
            let tile = (self.slot / TILE) as u32;
            let within = (self.slot % TILE) as u32;
            let row = tile.checked_div(self.tiles_across).unwrap_or(0);
            let column = tile - row * self.tiles_across;
            let x = column * TILE_WIDTH + within % TILE_WIDTH;
            let y = row * TILE_HEIGHT + within / TILE_WIDTH;
            self.slot += self.step;
            if x < self.width && y < self.height {
                return Some((x, y));
            }
        }
        None
    }
}
