//! How the pool is divided: blocks, and behind them counters, words of groups, queues, and
//! names of groups to be merged.
//!
//! Blocks of *level* k are 2^k units. 32 blocks of a level that begin at a multiple of 32 are
//! a *group*, whose signals share a word. A level of n blocks has at most n / 32 + 1 groups,
//! rounded down, and a queue of as many slots at least: a power of two, since slots are
//! found by masking.
//!
//! A pool of `units` that are no power of two has several *roots*, one for each bit of the
//! number, the largest in front. So each lies at a multiple of its own size, as blocks that
//! are split off it do. The buddy of a root would end behind the pool. It is no thread's, is
//! never free, and so never merged with.
//!
//! A handle is `(2 index + 1) << level`: the lowest bit that is set gives the level, and
//! nothing need be stored for it (the paper's *level table*).

use crate::allocator::{Heap, Request, SetupError};
use crate::allocators::common::with_unit_alone;
use crate::allocators::number::numbers;

/// Blocks of a group.
pub const GROUP_BLOCKS: u32 = 32;
/// Levels that the tables of counts and tickets have: more than any heap.
pub const LEVELS: u32 = 32;
/// No block, or no group.
pub const NONE: u32 = u32::MAX;
/// The most units: handles are twice as large, and one is null.
const MAX_UNITS: u64 = (1 << 31) - 1;
/// Slots that every queue has at least.
const MIN_SLOTS: u32 = 4;
/// Names of a row, which are read at once.
pub const ROW_NAMES: u32 = 16;
/// Slots of a queue for each row of names.
const ROW_SLOTS: u32 = 2 * ROW_NAMES;
/// The logarithm of the maximum number of rows of a level: 4096 names.
const MAX_ROWS_SHIFT: u32 = 8;
/// The alignment of the tables.
const LINE: u64 = 256;

/// Where the tables lie, in bytes from their beginning.
pub mod table {
    /// A count of free blocks a level, 4 bytes each.
    pub const FREE: usize = 0;
    /// A count of groups in the queue a level, 4 bytes each.
    pub const LISTED: usize = 128;
    /// A count of names a level, 4 bytes each.
    pub const NAMED: usize = 256;
    /// HEAD and TAIL of a level's queue, 8 bytes each.
    pub const TICKETS: usize = 384;
    /// The words of groups, 8 bytes each.
    pub const GROUPS: usize = 896;
}

/// The scalars of a heap.
#[derive(Clone, Copy)]
pub struct Layout {
    /// Units of the pool, at least one.
    pub units: u32,
    /// The logarithm of a unit's bytes.
    pub unit_shift: u32,
}

numbers! {
    /// A level that has words in the tables.
    Level: "below [`LEVELS`]";
}

impl Layout {
    /// The largest level, which has one block.
    #[inline(always)]
    pub fn top(&self) -> u32 {
        // Not `ilog2`, which panics if there are no units.
        31 - (self.units | 1).leading_zeros()
    }

    /// Blocks of a level that lie in the pool.
    #[inline(always)]
    pub fn blocks(&self, level: u32) -> u32 {
        self.units >> level
    }

    /// The root of a level: its last block if their number is odd, or else [`NONE`].
    #[inline(always)]
    pub fn root(&self, level: u32) -> u32 {
        let blocks = self.blocks(level);
        if blocks % 2 == 1 { blocks - 1 } else { NONE }
    }

    /// The groups of a level that are full, if all levels have theirs.
    #[inline(always)]
    fn full_groups(&self) -> u32 {
        self.units / GROUP_BLOCKS
    }

    /// The number of a group's word among those of all levels.
    #[inline(always)]
    pub fn word(&self, level: u32, group: u32) -> u32 {
        // Twice a number that is halved and rounded down is not more than the number: level k
        // has room for `full_groups() >> k` groups and one.
        let full = self.full_groups();
        2 * (full - (full >> level)) + level + group
    }

    /// Words of groups.
    #[inline(always)]
    pub fn words(&self) -> u32 {
        2 * self.full_groups() + LEVELS
    }

    /// Slots of level 0's queue.
    #[inline(always)]
    fn max_slots(&self) -> u32 {
        // The next power of two of `full_groups() + 1`, which is not zero.
        1 << (32 - self.full_groups().leading_zeros())
    }

    /// Slots of a level's queue.
    #[inline(always)]
    pub fn slots(&self, level: u32) -> u32 {
        let slots = self.max_slots() >> level;
        if slots < MIN_SLOTS { MIN_SLOTS } else { slots }
    }

    /// The number of the first slot of a level's queue among those of all levels.
    #[inline(always)]
    pub fn first_slot(&self, level: u32) -> u32 {
        let most = self.max_slots();
        2 * (most - (most >> level)) + MIN_SLOTS * level
    }

    /// Slots of all queues.
    #[inline(always)]
    pub fn all_slots(&self) -> u32 {
        2 * self.max_slots() + MIN_SLOTS * LEVELS
    }

    /// Rows of names of a level, a power of two: a name for each two slots, unless these are few
    /// or many.
    #[inline(always)]
    pub fn name_rows(&self, level: u32) -> u32 {
        let rows = (self.max_slots() / ROW_SLOTS) >> level;
        if rows == 0 {
            1
        } else if rows >> MAX_ROWS_SHIFT != 0 {
            1 << MAX_ROWS_SHIFT
        } else {
            rows
        }
    }

    /// The number of the first row of names of a level among those of all levels.
    #[inline(always)]
    pub fn first_row(&self, level: u32) -> u32 {
        let most = self.max_slots() / ROW_SLOTS;
        // Levels with the most rows; each one above them has half as many, or one.
        let full = (31 - (most | 1).leading_zeros()).saturating_sub(MAX_ROWS_SHIFT);
        if level <= full {
            return level << MAX_ROWS_SHIFT;
        }
        let (most, above) = (most >> full, level - full);
        (full << MAX_ROWS_SHIFT) + 2 * (most - (most >> above)) + above
    }

    /// Rows of names of all levels.
    pub fn all_rows(&self) -> u32 {
        self.first_row(LEVELS - 1) + 1
    }

    /// Bytes of the blocks, up to where the tables begin.
    fn block_bytes(&self) -> u64 {
        (u64::from(self.units) << self.unit_shift).next_multiple_of(LINE)
    }

    /// Bytes of the tables, up to where names begin.
    fn table_bytes(&self) -> u64 {
        let words = u64::from(self.words()) + u64::from(self.all_slots());
        (table::GROUPS as u64 + 8 * words).next_multiple_of(LINE)
    }

    /// Bytes of blocks and tables.
    fn bytes(&self) -> u64 {
        self.block_bytes() + self.table_bytes() + 4 * u64::from(ROW_NAMES * self.all_rows())
    }

    /// All of it in a word.
    #[inline(always)]
    pub fn to_bits(self) -> u64 {
        u64::from(self.unit_shift) << 32 | u64::from(self.units)
    }

    /// The layout in a word.
    #[inline(always)]
    pub fn from_bits(bits: u64) -> Self {
        Self {
            units: bits as u32,
            unit_shift: (bits >> 32) as u32,
        }
    }
}

/// Divides a pool into units of `1 << unit_shift` bytes: the most that fit with their tables.
fn divide(request: &Request, unit_shift: u32) -> Result<Heap, SetupError> {
    let of = |units: u64| Layout {
        units: units as u32,
        unit_shift,
    };
    if request.pool_bytes < of(1).bytes() {
        return Err(SetupError::PoolTooSmall {
            needed: of(1).bytes(),
        });
    }
    let limit = of(MAX_UNITS).bytes();
    if request.pool_bytes > limit {
        return Err(SetupError::PoolTooLarge { limit });
    }
    let mut units = 0;
    for bit in (0..31).rev() {
        if of(units | 1 << bit).bytes() <= request.pool_bytes {
            units |= 1 << bit;
        }
    }
    let tables = request.base.wrapping_add(of(units).block_bytes() as usize);
    let names = tables.wrapping_add(of(units).table_bytes() as usize);
    Ok(Heap {
        pointers: [request.base, tables, names, core::ptr::null_mut()],
        integers: [units, u64::from(unit_shift), 0, 0, 0, 0, 0],
    })
}

/// Divides the memory of `request` into units of the size that it names, or of the least
/// that can all be numbered.
///
/// # Errors
///
/// As of [`Allocator::setup`](crate::allocator::Allocator::setup).
pub fn plan(request: &Request) -> Result<Heap, SetupError> {
    with_unit_alone(request, |unit_shift| divide(request, unit_shift))
}

#[cfg(test)]
mod tests {
    use super::{GROUP_BLOCKS, LEVELS, Layout};

    /// Groups, queues and names of levels do not overlap, and each queue has a slot for each group.
    #[test]
    fn levels_have_tables_of_their_own() {
        let near = |bit: u32| [(1_u32 << bit) - 1, 1 << bit, (1 << bit) + 1];
        let sizes = (1..31).flat_map(near).chain([3, 100_003, 0x7fff_ffff]);
        for units in sizes {
            let layout = Layout {
                units,
                unit_shift: 4,
            };
            assert!(layout.top() < LEVELS);
            assert_eq!(layout.blocks(layout.top()), 1, "{units}");
            for level in 0..=layout.top() {
                let groups = layout.blocks(level).div_ceil(GROUP_BLOCKS);
                assert!(layout.slots(level).is_power_of_two());
                assert!(layout.slots(level) >= groups, "{units} {level}");
                let end = layout.word(level, groups - 1);
                let rows = layout.name_rows(level);
                assert!(rows.is_power_of_two());
                let end_row = layout.first_row(level) + rows;
                let end_slot = layout.first_slot(level) + layout.slots(level) - 1;
                if level == layout.top() {
                    assert!(end < layout.words(), "{units}");
                    assert!(end_slot < layout.all_slots(), "{units}");
                    assert!(end_row <= layout.all_rows(), "{units}");
                } else {
                    assert!(end < layout.word(level + 1, 0), "{units} {level}");
                    assert!(end_slot < layout.first_slot(level + 1), "{units} {level}");
                    assert!(end_row <= layout.first_row(level + 1), "{units} {level}");
                }
            }
        }
    }
}
