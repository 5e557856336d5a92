//! Animals act: they go, eat, die and give birth.

use super::{Animal, EMPTY, FISH, FISH_BYTES, MEALS, SHARK, Sea, SeaArguments, bytes_of};
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::simt::Warp;
use crate::simt::rows::Rows;
use crate::workload::random::mix64;
use crate::workload::tally::Tally;

/// Every animal of the kind whose phase it is does what its plan says, or as little as it can.
pub struct AgentsAct;

/// The calls of the allocator that an animal's turn asks for.
struct Turn<H> {
    /// The block of an animal that has died, or null.
    dead: H,
    dead_kind: u8,
    /// The cell of the animal that wants a block.
    home: u32,
    /// The block's bytes; 0 if none is wanted.
    wanted: u32,
    /// The lineage of a newborn that is to move in; others are in their record.
    newborn: Option<u64>,
}

impl Kernel for AgentsAct {
    type Arguments = SeaArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(warp: W, heap: &A, arguments: SeaArguments) {
        // SAFETY: the kernel's contract.
        let sea = unsafe { Sea::new(arguments) };
        let mut tally = Tally::new(sea.is_clocked);
        let rows = Rows::new(warp, sea.cells(), W::LANES);
        let mut row = rows.first;
        while row < rows.end {
            let cell = row + warp.lane();
            let mut turn = Turn::none();
            // SAFETY: a cell, whose animal, if it has a plan, is this lane's; see the module. A dead
            // animal is in no cell any more, and what wants a block has none.
            unsafe {
                if cell < rows.end {
                    turn = sea.turn(warp, heap, cell);
                }
                let dead_bytes = u64::from(bytes_of(turn.dead_kind));
                tally.free(warp, heap, turn.dead, dead_bytes);
                let block = tally.request(warp, heap, u64::from(turn.wanted));
                if turn.wanted > 0 {
                    sea.move_in(warp, heap, &turn, block);
                }
            }
            row += rows.step;
        }
        // SAFETY: the kernel's contract.
        unsafe { tally.publish(warp, sea.counters) };
    }
}

impl<H: Handle> Turn<H> {
    /// Nothing.
    #[inline(always)]
    fn none() -> Self {
        Self {
            dead: H::NULL,
            dead_kind: EMPTY,
            home: 0,
            wanted: 0,
            newborn: None,
        }
    }
}

impl Sea {
    /// The block of a cell's animal.
    ///
    /// # Safety
    ///
    /// The cell is one of the sea, and the caller's.
    #[inline(always)]
    pub(super) unsafe fn block<H: Handle>(&self, cell: u32) -> H {
        // SAFETY: the caller's promise.
        H::from_bits(unsafe { self.blocks.add(cell as usize).read() })
    }

    /// Where the animal with this block, or without one in this cell, is.
    #[inline(always)]
    pub(super) fn animal<W: Warp, A: DeviceHeap<W> + ?Sized>(
        &self,
        _warp: W,
        heap: &A,
        cell: u32,
        block: A::Handle,
    ) -> *mut Animal {
        if block.is_null() {
            self.record(cell)
        } else {
            heap.address(block).cast()
        }
    }

    /// Gives a cell to an animal of this kind with this block.
    ///
    /// # Safety
    ///
    /// As for [`Self::block`].
    #[inline(always)]
    pub(super) unsafe fn settle<H: Handle>(&self, cell: u32, kind: u8, block: H) {
        // SAFETY: the caller's promise.
        unsafe {
            self.kinds.add(cell as usize).write(kind);
            self.blocks.add(cell as usize).write(block.to_bits());
        }
    }

    /// The turn of a cell's animal, but for the calls of the allocator.
    ///
    /// # Safety
    ///
    /// It is one of the cells, and its lane the only one that acts for it. No thread writes plans.
    #[inline(always)]
    unsafe fn turn<W: Warp, A: DeviceHeap<W> + ?Sized>(
        &self,
        warp: W,
        heap: &A,
        cell: u32,
    ) -> Turn<A::Handle> {
        let mut turn = Turn::none();
        // SAFETY: the caller's promise; cells that animals go to are theirs alone, see the module.
        unsafe {
            let plan = self.plan(cell);
            if plan == 0 {
                return turn;
            }
            let kind = self.kind as u8;
            let block = self.block::<A::Handle>(cell);
            let animal = self.animal(warp, heap, cell, block);
            let target = self.target(cell, plan);
            let mut age = self.fish_age;
            if kind == SHARK {
                age = self.shark_age;
                let eats = target != cell && self.kind(target) == FISH;
                if eats {
                    turn.dead = self.block(target);
                    turn.dead_kind = FISH;
                    let prey = self.animal(warp, heap, target, turn.dead);
                    let meal = self.step as usize % MEALS;
                    (&raw mut (*animal).meals)
                        .cast::<u64>()
                        .add(meal)
                        .write((*prey).lineage);
                    (*animal).fed = self.step;
                } else if self.step.wrapping_sub((*animal).fed) >= self.hunger {
                    turn.dead = block;
                    turn.dead_kind = SHARK;
                    self.settle(cell, EMPTY, A::Handle::NULL);
                    return turn;
                }
            }
            if block.is_null() {
                turn.home = target;
                turn.wanted = bytes_of(kind);
            }
            if target == cell {
                return turn;
            }
            let gives_birth = self.step.wrapping_sub((*animal).born) >= age;
            if gives_birth {
                (*animal).born = self.step;
                turn.newborn = Some(mix64((*animal).lineage ^ u64::from(self.step)));
                turn.home = cell;
                turn.wanted = bytes_of(kind);
            }
            if block.is_null() {
                copy(animal, self.record(target), kind);
            }
            self.settle(target, kind, block);
            let left = if gives_birth { kind } else { EMPTY };
            self.settle(cell, left, A::Handle::NULL);
        }
        turn
    }

    /// Moves the animal of a turn into the block that it wanted, or the record of its cell if that
    /// is null.
    ///
    /// # Safety
    ///
    /// The block has as many bytes as the turn wants, and is the caller's, as the cell is.
    #[inline(always)]
    unsafe fn move_in<W: Warp, A: DeviceHeap<W> + ?Sized>(
        &self,
        warp: W,
        heap: &A,
        turn: &Turn<A::Handle>,
        block: A::Handle,
    ) {
        let kind = self.kind as u8;
        let place = self.animal(warp, heap, turn.home, block);
        // SAFETY: the caller's promise: a block or a record, each of the kind's bytes.
        unsafe {
            match turn.newborn {
                Some(lineage) => {
                    let fed = if kind == SHARK { self.step } else { 0 };
                    bear(place, kind, lineage, self.step, fed);
                }
                None if block.is_null() => return,
                None => copy(self.record(turn.home), place, kind),
            }
            self.settle(turn.home, kind, block);
        }
    }
}

/// Writes an animal that has not eaten.
///
/// # Safety
///
/// The place has the bytes of an animal of this kind, and is the caller's.
#[inline(always)]
pub(super) unsafe fn bear(place: *mut Animal, kind: u8, lineage: u64, born: u32, fed: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        (&raw mut (*place).lineage).write(lineage);
        (&raw mut (*place).born).write(born);
        (&raw mut (*place).fed).write(fed);
        if kind == SHARK {
            let meals = (&raw mut (*place).meals).cast::<u64>();
            for meal in 0..MEALS {
                meals.add(meal).write(0);
            }
        }
    }
}

/// Copies an animal.
///
/// # Safety
///
/// Both places have the bytes of an animal of this kind, are different and the caller's.
#[inline(always)]
unsafe fn copy(from: *const Animal, to: *mut Animal, kind: u8) {
    const { assert!(FISH_BYTES == 16) };
    let words = bytes_of(kind) as usize / 8;
    for word in 0..words {
        // SAFETY: the caller's promise.
        unsafe {
            to.cast::<u64>()
                .add(word)
                .write(from.cast::<u64>().add(word).read())
        };
    }
}
