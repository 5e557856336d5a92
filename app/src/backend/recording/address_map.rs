//! Live blocks by their addresses, launch by launch.

use std::collections::HashMap;

use heapwood_device::allocators::{Operation, RecordedCall};

/// Cells of a pool, of equal size.
pub const MAP_ROWS: usize = 512;
/// Columns that are kept at most; then each other one is dropped, and half as many are taken.
const MAX_COLUMNS: usize = 1024;

/// A cell of a pool behind a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MapCell {
    /// Bytes of blocks in it, as requested.
    pub used_bytes: u64,
    /// The size of the largest block that has bytes in it.
    pub largest_bytes: u64,
}

/// The cells of a pool behind each launch that made calls, or behind every few of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddressMap {
    /// Bytes of the pool.
    pub pool_bytes: u64,
    live: HashMap<u64, u64>,
    columns: Vec<[MapCell; MAP_ROWS]>,
    /// Launches for each column, less 1.
    skips: u64,
    launches: u64,
}

impl AddressMap {
    /// Columns, from the first launch to the last.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The cell of this number, in the order of addresses, in a column.
    pub fn cell(&self, column: usize, cell: usize) -> MapCell {
        self.columns[column][cell]
    }

    /// Bytes of a cell.
    pub fn cell_bytes(&self) -> u64 {
        self.pool_bytes.div_ceil(MAP_ROWS as u64).max(1)
    }

    /// Forgets all blocks, as a launch does that makes the heap empty.
    pub fn clear(&mut self) {
        self.live.clear();
    }

    /// Makes the calls of a launch, over a pool that begins there.
    pub fn launch(&mut self, pool: u64, calls: &[RecordedCall]) {
        for call in calls {
            match call.operation {
                Operation::Granted => {
                    self.live
                        .insert(call.address.wrapping_sub(pool), call.bytes);
                }
                Operation::Freed => {
                    self.live.remove(&call.address.wrapping_sub(pool));
                }
                Operation::Refused => {}
            }
        }
        if calls.is_empty() {
            return;
        }
        self.launches += 1;
        if !(self.launches - 1).is_multiple_of(self.skips + 1) {
            return;
        }
        if self.columns.len() == MAX_COLUMNS {
            let mut number = 0;
            self.columns.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.skips = 2 * self.skips + 1;
        }
        let column = self.column();
        self.columns.push(column);
    }

    /// The cells as they are. Blocks outside of the pool are in none.
    fn column(&self) -> [MapCell; MAP_ROWS] {
        let mut cells = [MapCell::default(); MAP_ROWS];
        let size = self.cell_bytes();
        for (&first, &bytes) in &self.live {
            let end = first.saturating_add(bytes.max(1)).min(self.pool_bytes);
            let mut begin = first;
            while begin < end {
                let number = begin / size;
                let next = end.min((number + 1) * size);
                let cell = &mut cells[number as usize];
                cell.used_bytes += next - begin;
                cell.largest_bytes = cell.largest_bytes.max(bytes);
                begin = next;
            }
        }
        cells
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

    #[test]
    fn blocks_are_in_the_cells_of_their_addresses() {
        let mut map = map();
        map.launch(
            4096,
            &[
                call(Operation::Granted, 4096 + 256, 300),
                call(Operation::Granted, 4096 + 1024, 16),
                call(Operation::Refused, 0, 9999),
            ],
        );
        map.launch(4096, &[call(Operation::Freed, 4096 + 256, 0)]);
        map.launch(4096, &[]);
        assert_eq!(map.columns(), 2);
        let cell = |used_bytes, largest_bytes| MapCell {
            used_bytes,
            largest_bytes,
        };
        assert_eq!(map.cell(0, 0), cell(256, 300));
        assert_eq!(map.cell(0, 1), cell(44, 300));
        assert_eq!(map.cell(0, 2), cell(16, 16));
        assert_eq!(map.cell(1, 0), MapCell::default());
        assert_eq!(map.cell(1, 2), cell(16, 16));
    }

    #[test]
    fn columns_stay_few() {
        let mut map = map();
        for launch in 0..5 * MAX_COLUMNS as u64 {
            map.launch(0, &[call(Operation::Granted, 16 * launch, 16)]);
        }
        assert!(map.columns() <= MAX_COLUMNS && 2 * map.columns() >= MAX_COLUMNS);
        let used = |column: usize| -> u64 {
            (0..MAP_ROWS)
                .map(|row| map.cell(column, row).used_bytes)
                .sum()
        };
        // Equal distances.
        assert_eq!(used(2) - used(1), used(1) - used(0));
    }
}
