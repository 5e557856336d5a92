//! Wa-Tor (Dewdney 1984): fish and sharks on a torus, each a block that its birth requests and its
//! death frees.
//!
//! A step has two phases, of the sharks and then of the fish. In a phase each animal of its kind
//! first *plans* ([`AgentsPlan`]): it draws one of the four cells beside its own, a shark one of those
//! with fish if there are any, else one of the empty ones. Where several plan to go to one cell, the
//! greatest plan wins, which is a random number. Then each *acts* ([`AgentsAct`]):
//!
//! - The winner goes there. A shark eats the fish that it finds, whose block is freed.
//! - All others stay.
//! - A shark that has not eaten for `hunger` steps dies, and its block is freed.
//! - An animal that has moved leaves a newborn in the cell that it comes from, if its last birth, or
//!   its own, is long enough ago.
//!
//! One thread acts for an animal, and changes the cell that it leaves and the one that it goes to. No
//! other does: only the winner goes there, and no animal plans to go to a cell with a shark, nor in the
//! phase of the fish to one that is not empty. Plans are made in a launch of their own, so that they
//! do not change meanwhile.
//!
//! An animal without a block lives in the record of its cell, and asks for one in each step in which
//! it does not give birth: those that the sea begins with, and those whose block was refused. So the
//! sea is the same over all allocators and pools, and refusals are a figure of their own.

mod act;
mod ends;
mod plan;

pub use act::AgentsAct;
pub use ends::{AgentsClear, AgentsDigest, AgentsSeed};
pub use plan::AgentsPlan;

use super::random::draw;
use crate::allocator::Handle;
use crate::arguments;
use crate::kernel::Valid;

/// A cell without an animal.
pub const EMPTY: u8 = 0;
/// A cell with a fish.
pub const FISH: u8 = 1;
/// A cell with a shark.
pub const SHARK: u8 = 2;

/// Meals that a shark remembers.
pub const MEALS: usize = 6;
/// Bytes of a shark's block: all of an [`Animal`].
pub const SHARK_BYTES: u32 = size_of::<Animal>() as u32;
/// Bytes of a fish's block: an [`Animal`] without meals.
pub const FISH_BYTES: u32 = core::mem::offset_of!(Animal, meals) as u32;

/// The bits of a null handle, whichever type an allocator's handles have.
pub const NO_BLOCK: u64 = <u64 as Handle>::NULL;

/// The first step. Animals that the sea begins with are of earlier ones.
pub const FIRST_STEP: u32 = 1;

/// Purposes of random numbers. The kind of an animal is added to those of its plans.
pub mod purpose {
    /// The animal that a cell begins with.
    pub const POPULATION: u32 = 0;
    /// The choice of a fish or a shark.
    pub const CHOICE: u32 = 0;
    /// The rank of its plan.
    pub const RANK: u32 = 2;
    /// The age of an animal that the sea begins with.
    pub const AGE: u32 = 5;
    /// Its hunger.
    pub const HUNGER: u32 = 6;
}

/// An animal: a block, or the record of a cell if the block was refused.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Animal {
    /// A hash of its ancestors' and of when each was born.
    pub lineage: u64,
    /// The step in which it gave birth for the last time, or else was born.
    pub born: u32,
    /// The step in which it ate for the last time, or else was born; 0 for fish.
    pub fed: u32,
    /// The lineages of fish that it ate, by the remainder of the step. Sharks only.
    pub meals: [u64; MEALS],
}

arguments! {
    /// A sea.
    pub struct SeaArguments {
        pointers {
            /// The kind of the animal in each cell.
            kinds: u8,
            /// The bits of the handle of its block; of null if there is none.
            blocks: u64,
            /// The plan of each cell's animal, 0 for none.
            plans: u32,
            /// A record for each cell.
            records: Animal,
            /// The words of a tally; of [`AgentsDigest`] those of [`Digest`].
            counters: u64,
        }
        integers {
            /// Cells of a row, at least 3.
            width: u32,
            /// Rows, at least 3; at most 2^30 cells in all.
            height: u32,
            /// Seed.
            seed: u32,
            /// The step, from [`FIRST_STEP`] on.
            step: u32,
            /// The kind that plans and acts.
            kind: u32,
            /// Steps after a birth in which a fish has the next, at least 1.
            fish_age: u32,
            /// The same of a shark.
            shark_age: u32,
            /// Steps without a meal after which a shark dies, at least 1.
            hunger: u32,
            /// The part of the cells that begin with a fish, of 2^32.
            fish: u32,
            /// The part of those that begin with a shark; both together are below 2^32.
            sharks: u32,
            /// Whether the time in the allocator is taken.
            is_clocked: bool,
        }
    }
}

/// Words that [`AgentsDigest`] adds to.
pub const DIGEST_WORDS: usize = 4;

/// A sea's population, its blocks and its fingerprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// The sum of the hashes of all animals with their cells.
    pub hash: u64,
    /// Fish.
    pub fish: u64,
    /// Sharks.
    pub sharks: u64,
    /// Bytes of their blocks, as granted.
    pub granted_bytes: u64,
}

impl Digest {
    /// That of the kernel's words.
    pub fn from_words(words: &[u64; DIGEST_WORDS]) -> Self {
        Self {
            hash: words[0],
            fish: words[1],
            sharks: words[2],
            granted_bytes: words[3],
        }
    }
}

/// A sea whose contract holds.
type Sea = Valid<SeaArguments>;

impl Sea {
    #[inline(always)]
    fn cells(&self) -> u32 {
        self.width * self.height
    }

    /// The cell beside another: north, east, south, west.
    #[inline(always)]
    fn beside(&self, cell: u32, direction: u32) -> u32 {
        let cells = self.cells();
        // Rows and columns of a sea without any would be divisions by 0.
        let row = cell.checked_div(self.width).unwrap_or(0);
        let column = cell - row * self.width;
        match direction {
            0 if row == 0 => cell + cells - self.width,
            0 => cell - self.width,
            1 if column + 1 == self.width => cell + 1 - self.width,
            1 => cell + 1,
            2 if row + 1 == self.height => cell + self.width - cells,
            2 => cell + self.width,
            _ if column == 0 => cell + self.width - 1,
            _ => cell - 1,
        }
    }

    /// The kind of the animal in a cell.
    ///
    /// # Safety
    ///
    /// It is one of the cells, and no other thread writes it.
    #[inline(always)]
    unsafe fn kind(&self, cell: u32) -> u8 {
        // SAFETY: the caller's promise.
        unsafe { self.kinds.add(cell as usize).read() }
    }

    /// The plan of a cell.
    ///
    /// # Safety
    ///
    /// It is one of the cells, and no thread writes its plan.
    #[inline(always)]
    unsafe fn plan(&self, cell: u32) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { self.plans.add(cell as usize).read() }
    }

    /// The record of a cell.
    #[inline(always)]
    fn record(&self, cell: u32) -> *mut Animal {
        self.records.wrapping_add(cell as usize)
    }

    /// A random number of a cell in this step.
    #[inline(always)]
    fn draw(&self, purpose: u32, cell: u32) -> u32 {
        draw(self.seed, purpose, self.step, cell)
    }
}

/// Bytes of the block of an animal of this kind.
#[inline(always)]
fn bytes_of(kind: u8) -> u32 {
    if kind == SHARK {
        SHARK_BYTES
    } else {
        FISH_BYTES
    }
}
