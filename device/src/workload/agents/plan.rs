//! Plans: a word for each cell, the rank of the plan above the direction.

use super::{EMPTY, FISH, SHARK, Sea, SeaArguments, purpose};
use crate::kernel::PlainKernel;
use crate::simt::Warp;
use crate::simt::rows::Rows;

/// Bits of the direction in a plan.
const DIRECTION_BITS: u32 = 3;
/// The direction of an animal that has nowhere to go. Others are one more than those of
/// [`Sea::beside`].
const STAY: u32 = 5;

/// Every animal of the kind whose phase it is draws the cell that it would go to.
pub struct AgentsPlan;

impl PlainKernel for AgentsPlan {
    type Arguments = SeaArguments;

    #[inline(always)]
    unsafe fn run<W: Warp>(warp: W, arguments: SeaArguments) {
        // SAFETY: the kernel's contract.
        let sea = unsafe { Sea::new(arguments) };
        let rows = Rows::new(warp, sea.cells(), W::LANES);
        let mut row = rows.first;
        while row < rows.end {
            let cell = row + warp.lane();
            if cell < rows.end {
                // SAFETY: a cell, whose plan this lane alone writes; no kind changes.
                unsafe { sea.plans.add(cell as usize).write(sea.plan_of(cell)) };
            }
            row += rows.step;
        }
    }
}

impl Sea {
    /// The plan of the animal in a cell; 0 if there is none of the kind that plans.
    ///
    /// # Safety
    ///
    /// It is one of the cells, and no thread writes kinds.
    #[inline(always)]
    unsafe fn plan_of(&self, cell: u32) -> u32 {
        // SAFETY: the caller's promise; cells beside a cell are cells, too.
        unsafe {
            if u32::from(self.kind(cell)) != self.kind {
                return 0;
            }
            let (mut prey, mut empty) = (0, 0);
            for direction in 0..4 {
                let kind = self.kind(self.beside(cell, direction));
                prey |= u32::from(kind == FISH) << direction;
                empty |= u32::from(kind == EMPTY) << direction;
            }
            let hunts = self.kind == u32::from(SHARK) && prey != 0;
            let mut choices = if hunts { prey } else { empty };
            let rank = self.draw(self.kind + purpose::RANK, cell) << DIRECTION_BITS;
            if choices == 0 {
                return rank | STAY;
            }
            let random = self.draw(self.kind + purpose::CHOICE, cell);
            let choice = (u64::from(random) * u64::from(choices.count_ones())) >> 32;
            for _ in 0..choice {
                choices &= choices - 1;
            }
            rank | (choices.trailing_zeros() + 1)
        }
    }

    /// The cell that an animal with this plan goes to; its own if it stays, since it wants to, or
    /// another has the greater plan.
    ///
    /// # Safety
    ///
    /// It is one of the cells, and no thread writes plans.
    #[inline(always)]
    pub(super) unsafe fn target(&self, cell: u32, plan: u32) -> u32 {
        let direction = plan & ((1 << DIRECTION_BITS) - 1);
        if direction == STAY {
            return cell;
        }
        let target = self.beside(cell, direction - 1);
        let mut winner = 0;
        for side in 0..4 {
            // SAFETY: the caller's promise.
            let other = unsafe { self.plan(self.beside(target, side)) };
            // It comes from that side if it goes the opposite way.
            let comes = other & ((1 << DIRECTION_BITS) - 1) == (side ^ 2) + 1;
            if comes && other > winner {
                winner = other;
            }
        }
        if winner == plan { target } else { cell }
    }
}
