//! Live blocks by their addresses, launch by launch.

use std::collections::HashMap;

use heapwood_device::allocator::Occupancy;
use heapwood_device::allocators::{Operation, RecordedCall};

/// Cells of a pool in a column of a picture, of equal size.
pub const MAP_ROWS: usize = 512;
/// Rows and columns of cells of a frame.
pub const FRAME_SIDE: usize = 256;
/// Columns that are kept at most; then each other one is dropped, and half as many are taken.
const MAX_COLUMNS: usize = 1024;

/// A cell of a pool behind a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MapCell {
    /// 255ths of its bytes that are in blocks, as requested; 0 only if none is.
    pub used: u8,
    /// The power of two up to which the largest block goes that has bytes in it.
    pub power: u8,
}

/// A pool behind a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapColumn {
    /// Its cells, in the order of addresses.
    pub cells: Vec<MapCell>,
    /// Bytes of live blocks, as requested.
    pub requested_bytes: u64,
    /// The bytes that a walk of the heap found, if the allocator can be walked.
    pub occupancy: Option<Occupancy>,
}

/// The cells of a pool behind each launch that made calls, or behind every few of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressMap {
    /// Bytes of the pool.
    pub pool_bytes: u64,
    /// Whether cells are small enough for frames.
    has_frames: bool,
    live: HashMap<u64, u64>,
    requested_bytes: u64,
    columns: Vec<MapColumn>,
    /// Launches for each column, less 1.
    skips: u64,
    launches: u64,
}

/// The power of two up to which a size is counted.
pub fn power_of(bytes: u64) -> u32 {
    bytes.max(1).next_power_of_two().ilog2()
}

impl AddressMap {
    /// A map, with small cells for frames if it has any.
    pub fn new(has_frames: bool) -> Self {
        Self {
            has_frames,
            ..Self::default()
        }
    }

    /// The pool behind launches, from the first to the last.
    pub fn columns(&self) -> &[MapColumn] {
        &self.columns
    }

    /// Cells of the pool: [`MAP_ROWS`], or those of a frame.
    pub fn cells(&self) -> usize {
        match self.has_frames {
            true => FRAME_SIDE * FRAME_SIDE,
            false => MAP_ROWS,
        }
    }

    /// Bytes of a cell.
    fn cell_bytes(&self) -> u64 {
        self.pool_bytes.div_ceil(self.cells() as u64).max(1)
    }

    /// Forgets all blocks, as a launch does that makes the heap empty.
    pub fn clear(&mut self) {
        self.live.clear();
        self.requested_bytes = 0;
    }

    /// Makes the calls of a launch, over a pool that begins there. Returns whether a column is
    /// due.
    pub fn launch(&mut self, pool: u64, calls: &[RecordedCall]) -> bool {
        for call in calls {
            let place = call.address.wrapping_sub(pool);
            match call.operation {
                Operation::Granted => {
                    self.live.insert(place, call.bytes);
                    self.requested_bytes += call.bytes;
                }
                Operation::Freed => {
                    let bytes = self.live.remove(&place);
                    self.requested_bytes -= bytes.unwrap_or_default();
                }
                Operation::Refused => {}
            }
        }
        if calls.is_empty() {
            return false;
        }
        self.launches += 1;
        (self.launches - 1).is_multiple_of(self.skips + 1)
    }

    /// Adds a column of the cells as they are, with what a walk found.
    pub fn add_column(&mut self, occupancy: Option<Occupancy>) {
        if self.columns.len() == MAX_COLUMNS {
            let mut number = 0;
            self.columns.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.skips = 2 * self.skips + 1;
        }
        self.columns.push(MapColumn {
            cells: self.filled_cells(),
            requested_bytes: self.requested_bytes,
            occupancy,
        });
    }

    /// The cells as they are. Blocks outside of the pool are in none.
    fn filled_cells(&self) -> Vec<MapCell> {
        let mut used = vec![(0, 0); self.cells()];
        let size = self.cell_bytes();
        for (&first, &bytes) in &self.live {
            let end = first.saturating_add(bytes.max(1)).min(self.pool_bytes);
            let mut begin = first;
            while begin < end {
                let number = begin / size;
                let next = end.min((number + 1) * size);
                let (used_bytes, largest_bytes): &mut (u64, u64) = &mut used[number as usize];
                *used_bytes += next - begin;
                *largest_bytes = bytes.max(*largest_bytes);
                begin = next;
            }
        }
        let cell = |(used_bytes, largest_bytes): (u64, u64)| MapCell {
            used: (u128::from(used_bytes) * 255)
                .div_ceil(size.into())
                .min(255) as u8,
            power: power_of(largest_bytes) as u8,
        };
        used.into_iter().map(cell).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(operation: Operation, address: u64, bytes: u64) -> RecordedCall {
        RecordedCall {
            clock: 0,
            bytes,
            address,
            operation,
            lane: 0,
            warp: 0,
            cycles: 0,
        }
    }

    fn map() -> AddressMap {
        AddressMap {
            pool_bytes: 512 * MAP_ROWS as u64,
            ..AddressMap::default()
        }
    }

    fn launch(map: &mut AddressMap, pool: u64, calls: &[RecordedCall]) {
        if map.launch(pool, calls) {
            map.add_column(None);
        }
    }

    #[test]
    fn blocks_are_in_the_cells_of_their_addresses() {
        let mut map = map();
        let calls = [
            call(Operation::Granted, 4096 + 256, 300),
            call(Operation::Granted, 4096 + 1024, 16),
            call(Operation::Refused, 0, 9999),
        ];
        launch(&mut map, 4096, &calls);
        launch(&mut map, 4096, &[call(Operation::Freed, 4096 + 256, 0)]);
        launch(&mut map, 4096, &[]);
        let [first, second] = map.columns() else {
            panic!("{map:?}")
        };
        // Half of 512 bytes, 44 and 16 of them; 300 bytes go up to 2^9.
        let cell = |used, power| MapCell { used, power };
        assert_eq!(first.cells[..3], [cell(128, 9), cell(22, 9), cell(8, 4)]);
        assert_eq!(second.cells[..3], [cell(0, 0), cell(0, 0), cell(8, 4)]);
        assert_eq!((first.requested_bytes, second.requested_bytes), (316, 16));
    }

    #[test]
    fn frames_have_smaller_cells() {
        let mut map = AddressMap {
            pool_bytes: 512 * MAP_ROWS as u64,
            ..AddressMap::new(true)
        };
        launch(&mut map, 0, &[call(Operation::Granted, 8, 4)]);
        let cells = &map.columns()[0].cells;
        assert_eq!(cells.len(), FRAME_SIDE * FRAME_SIDE);
        let used = |cell: &MapCell| cell.used > 0;
        assert_eq!(cells.iter().position(used), Some(2));
        assert_eq!(
            cells[2],
            MapCell {
                used: 255,
                power: 2
            }
        );
    }

    #[test]
    fn columns_stay_few() {
        let mut map = map();
        for number in 0..5 * MAX_COLUMNS as u64 {
            launch(&mut map, 0, &[call(Operation::Granted, 16 * number, 16)]);
        }
        let columns = map.columns();
        assert!(columns.len() <= MAX_COLUMNS && 2 * columns.len() >= MAX_COLUMNS);
        let requested = |column: usize| columns[column].requested_bytes;
        // Equal distances.
        assert_eq!(requested(2) - requested(1), requested(1) - requested(0));
    }
}
