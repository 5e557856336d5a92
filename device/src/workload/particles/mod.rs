//! Particles in cells, as plasma simulations keep them (PIConGPU: Bussmann and others 2013): each cell
//! of a lattice has a list of frames, blocks of 256 particles.
//!
//! Particles fly freely, in fixed-point numbers, so that the result depends on no order. A step goes
//! along one axis after the other. For each axis there are two launches, in which a warp takes a cell:
//!
//! - [`ParticlesMove`]: the particles of the cell move. Those that stay are written densely from the
//!   front of the list, and the frames behind the last of them are freed. Those that leave go into one of the
//!   cell's two outboxes, which are lists of frames, too.
//! - [`ParticlesGather`]: the cell takes the particles of the outboxes that its neighbours have towards it,
//!   and frees their frames.
//!
//! The axes y and z are periodic. The x axis has two faces. Particles that leave there are absorbed.
//! Beyond each cell at a face, a bath begins each step with particles as the lattice did in the begin:
//! those that cross the face are injected.
//!
//! A particle whose frame is refused is lost, and the refusal counts in the tally. The host gives such
//! a run up.

mod ends;
mod frames;
mod gather;
mod motion;

pub use ends::{ParticlesClear, ParticlesDigest, ParticlesSeed};
pub use frames::{FRAME_BYTES, FRAME_PARTICLES, ListRecord, ParticleFrame};
pub use gather::ParticlesGather;
pub use motion::ParticlesMove;

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::random::draw;
use crate::arguments;
use crate::kernel::Valid;
use crate::simt::Warp;

/// Axes of the lattice.
pub const AXES: u32 = 3;
/// The axis with faces.
pub const X: u32 = 0;

/// The side of a cell towards lower coordinates, and that towards higher ones.
const LOWER: u32 = 0;
const HIGHER: u32 = 1;

/// Purposes of random numbers.
pub mod purpose {
    /// The positions on the axes x and y, in the low and the high half.
    pub const POSITION_XY: u32 = 0;
    /// The position on the axis z, and the low half of the tag.
    pub const POSITION_Z: u32 = 1;
    /// The velocity along x, and the next two along y and z.
    pub const VELOCITY: u32 = 2;
    /// The high half of the tag, in the low half.
    pub const TAG: u32 = 5;
}

/// A particle. The 16 bits of an axis begin at 16 times its number, in both words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Particle {
    /// Positions in the cell, in its 65,536ths; and the low half of a tag that never changes.
    pub position: u64,
    /// Signed velocities in the same unit a step, less than half a cell; and the tag's high half.
    pub velocity: u64,
}

impl Particle {
    /// Moves along an axis; returns by how many cells it has left its own: -1, 0 or 1.
    #[inline(always)]
    fn advance(&mut self, axis: u32) -> i32 {
        let shift = 16 * axis;
        let position = i32::from((self.position >> shift) as u16);
        let velocity = i32::from((self.velocity >> shift) as i16);
        let moved = position + velocity;
        let others = self.position & !(0xffff << shift);
        self.position = others | u64::from(moved as u16) << shift;
        moved >> 16
    }
}

arguments! {
    /// A lattice of cells. A cell is numbered by `x + width * (y + height * z)`.
    pub struct LatticeArguments {
        pointers {
            /// The list of each cell, then all outboxes towards lower cells, then the others.
            lists: ListRecord,
            /// The words of [`Flows`], which kernels add to.
            flows: u64,
            /// The words of a tally; of [`ParticlesDigest`] those of [`Digest`](ParticleDigest).
            counters: u64,
        }
        integers {
            /// Cells along x, at least 1.
            width: u32,
            /// Cells along y, at least 1.
            height: u32,
            /// Cells along z, at least 1; at most 2^26 cells in all.
            depth: u32,
            /// Particles that a cell begins with; at most 2^31 in all cells.
            particles: u32,
            /// The bound of velocities, at most 32,767.
            speed: u32,
            /// Seed.
            seed: u32,
            /// The step, from 1 on.
            step: u32,
            /// The axis along which particles move, below [`AXES`].
            axis: u32,
            /// Whether the time in the allocator is taken.
            is_clocked: bool,
        }
    }
}

/// Words of [`Flows`].
pub const FLOW_WORDS: usize = 2;

/// The particles that have crossed the faces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    /// Those that left.
    pub absorbed: u64,
    /// Those that came.
    pub injected: u64,
}

impl Flows {
    /// Those of the kernels' words.
    pub fn from_words(words: &[u64; FLOW_WORDS]) -> Self {
        Self {
            absorbed: words[0],
            injected: words[1],
        }
    }
}

/// Words that [`ParticlesDigest`] adds to.
pub const DIGEST_WORDS: usize = 3;

/// The particles of a lattice, their frames and their fingerprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParticleDigest {
    /// The sum of the hashes of all particles with their cells.
    pub hash: u64,
    /// Particles.
    pub particles: u64,
    /// Bytes of their frames, as granted.
    pub granted_bytes: u64,
}

impl ParticleDigest {
    /// That of the kernel's words.
    pub fn from_words(words: &[u64; DIGEST_WORDS]) -> Self {
        Self {
            hash: words[0],
            particles: words[1],
            granted_bytes: words[2],
        }
    }
}

/// A lattice whose contract holds.
type Lattice = Valid<LatticeArguments>;

impl Lattice {
    #[inline(always)]
    fn cells(&self) -> u32 {
        self.width * self.height * self.depth
    }

    /// The difference between the numbers of two cells that follow each other along the step's
    /// axis, the cells along it, and the coordinate of a cell.
    #[inline(always)]
    fn along_axis(&self, cell: u32) -> (u32, u32, u32) {
        let (stride, extent) = match self.axis {
            X => (1, self.width),
            1 => (self.width, self.height),
            _ => (self.width * self.height, self.depth),
        };
        // A lattice without cells would be a division by 0.
        let row = cell.checked_div(stride).unwrap_or(0);
        (stride, extent, row.checked_rem(extent).unwrap_or(0))
    }

    /// The neighbour of a cell on one side along the step's axis, around the lattice's end.
    #[inline(always)]
    fn neighbour(&self, cell: u32, side: u32) -> u32 {
        let (stride, extent, coordinate) = self.along_axis(cell);
        let around = (extent - 1) * stride;
        match side {
            LOWER if coordinate == 0 => cell + around,
            LOWER => cell - stride,
            _ if coordinate + 1 == extent => cell - around,
            _ => cell + stride,
        }
    }

    /// Whether a side of a cell, along the step's axis, is a face of the lattice.
    #[inline(always)]
    fn is_face(&self, cell: u32, side: u32) -> bool {
        let (_, extent, coordinate) = self.along_axis(cell);
        let end = if side == LOWER { 0 } else { extent - 1 };
        self.axis == X && coordinate == end
    }

    /// A random number.
    #[inline(always)]
    fn draw(&self, purpose: u32, number: u32) -> u32 {
        draw(self.seed, purpose, self.step, number)
    }

    /// A particle of the step by its number, without what only [`Self::complete`] draws: the axis x
    /// is drawn.
    #[inline(always)]
    fn draw_x(&self, number: u32) -> Particle {
        Particle {
            position: u64::from(self.draw(purpose::POSITION_XY, number)),
            velocity: self.draw_velocity(X, number),
        }
    }

    /// Draws the rest of a particle of [`Self::draw_x`].
    #[inline(always)]
    fn complete(&self, particle: Particle, number: u32) -> Particle {
        let high = self.draw(purpose::POSITION_Z, number);
        let tag = u64::from(self.draw(purpose::TAG, number) as u16);
        Particle {
            position: particle.position | u64::from(high) << 32,
            velocity: particle.velocity
                | self.draw_velocity(1, number) << 16
                | self.draw_velocity(2, number) << 32
                | tag << 48,
        }
    }

    /// The 16 bits of a velocity. A sum of four uniform numbers is about normal; its deviation is
    /// the bound, divided by the root of 12.
    #[inline(always)]
    fn draw_velocity(&self, axis: u32, number: u32) -> u64 {
        let random = self.draw(purpose::VELOCITY + axis, number);
        let byte = |index: u32| (random >> (8 * index) & 0xff) as i32;
        let sum = byte(0) + byte(1) + byte(2) + byte(3) - 510;
        u64::from((sum * self.speed as i32 / 512) as u16)
    }

    /// Adds a warp's particles to one of the words of [`Flows`].
    #[inline(always)]
    fn add_flow<W: Warp>(&self, warp: W, word: usize, particles: u32) {
        if warp.lane() == 0 && particles > 0 {
            let sum = self.flows.wrapping_add(word).cast::<AtomicU64>();
            // SAFETY: the kernel's contract. Relaxed: the host reads the sums after the launch.
            unsafe { (*sum).fetch_add(u64::from(particles), Relaxed) };
        }
    }
}
