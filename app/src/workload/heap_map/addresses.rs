//! Blocks by their addresses, over launches and behind one of them.

use super::{FREE, between, colour_of};
use crate::backend::{AddressMap, FRAME_SIDE, MAP_ROWS, MapCell, MapColumn};
use crate::workload::steps::Picture;

/// Rows of the part below, with the bytes of the pool.
const SHARE_ROWS: usize = 128;
/// Rows between the parts, and their colour.
const GAP_ROWS: usize = 4;
const GAP: [u8; 3] = [128, 128, 128];
/// The colours of bytes as requested, of those granted beyond them, and of the allocator's own.
const REQUESTED: [u8; 3] = [70, 110, 160];
const PADDING: [u8; 3] = [245, 190, 80];
const HEADERS: [u8; 3] = [200, 60, 50];

/// The colour of a cell: that of its largest block, paler as it has fewer bytes of blocks.
fn cell_colour(cell: MapCell) -> [u8; 3] {
    between(
        FREE,
        colour_of(cell.power.into()),
        f64::from(cell.used) / 255.0,
    )
}

/// The cell that some cells are together.
fn joined(cells: &[MapCell]) -> MapCell {
    let used: u32 = cells.iter().map(|cell| u32::from(cell.used)).sum();
    let power = cells.iter().map(|cell| cell.power).max();
    MapCell {
        used: used.div_ceil(cells.len() as u32) as u8,
        power: power.unwrap_or_default(),
    }
}

/// The colour at a height above the bottom of the lower part, of so many rows. From the bottom up:
/// bytes of blocks as requested, as granted beyond that, the allocator's own, and free ones.
fn share_colour(column: &MapColumn, pool_bytes: u64, height: usize) -> [u8; 3] {
    let Some(occupancy) = column.occupancy else {
        return GAP;
    };
    let granted = occupancy.used_bytes.max(column.requested_bytes);
    let taken = pool_bytes.saturating_sub(occupancy.free_bytes);
    let place = height as u128 * u128::from(pool_bytes) / SHARE_ROWS as u128;
    let parts = [
        (column.requested_bytes, REQUESTED),
        (granted, PADDING),
        (taken, HEADERS),
    ];
    let part = parts.iter().find(|&&(end, _)| place < u128::from(end));
    part.map_or(FREE, |&(_, colour)| colour)
}

/// A picture of addresses over launches, from the left to the right, with the begin of the pool
/// at the top. Where the heap was walked, the bytes of the pool are below.
pub fn picture_of_addresses(map: &AddressMap) -> Picture {
    let columns = map.columns();
    let is_walked = columns.iter().any(|column| column.occupancy.is_some());
    let below = if is_walked { GAP_ROWS + SHARE_ROWS } else { 0 };
    let cells_of_row = map.cells() / MAP_ROWS;
    let rows = MAP_ROWS + below;
    let count = columns.len().max(1);
    // Few columns are wide, rather than the picture high.
    let width = MAP_ROWS.div_ceil(count);
    Picture::of((count * width) as u32, rows as u32, |x, row| {
        let row = row as usize;
        let Some(column) = columns.get(x as usize / width) else {
            return FREE;
        };
        if row < MAP_ROWS {
            cell_colour(joined(&column.cells[row * cells_of_row..][..cells_of_row]))
        } else if row < MAP_ROWS + GAP_ROWS {
            GAP
        } else {
            share_colour(column, map.pool_bytes, rows - 1 - row)
        }
    })
}

/// A picture of addresses behind one launch, row by row, of a map that has frames.
pub fn frame_of(column: &MapColumn) -> Picture {
    let side = FRAME_SIDE as u32;
    Picture::of(side, side, |x, y| {
        cell_colour(column.cells[(y * side + x) as usize])
    })
}

#[cfg(test)]
mod tests {
    use heapwood_device::allocator::Occupancy;

    use super::*;

    #[test]
    fn an_empty_map_is_a_picture() {
        let picture = picture_of_addresses(&AddressMap::default());
        assert_eq!(
            (picture.width, picture.height),
            (MAP_ROWS as u32, MAP_ROWS as u32)
        );
    }

    #[test]
    fn bytes_of_the_pool_stand_on_each_other() {
        let occupancy = Occupancy {
            used_bytes: 512,
            free_bytes: 256,
            largest_free_bytes: 256,
        };
        let column = MapColumn {
            cells: Vec::new(),
            requested_bytes: 256,
            occupancy: Some(occupancy),
        };
        let colours = [0, 31, 32, 63, 64, 95, 96, 127].map(|row| share_colour(&column, 1024, row));
        assert_eq!(
            colours,
            [
                REQUESTED, REQUESTED, PADDING, PADDING, HEADERS, HEADERS, FREE, FREE
            ]
        );
        assert_eq!(share_colour(&MapColumn::default(), 1024, 0), GAP);
    }

    #[test]
    fn a_row_has_the_mean_of_its_cells_and_the_largest_block() {
        let cells = [(255, 4), (0, 0), (1, 9)].map(|(used, power)| MapCell { used, power });
        assert_eq!(joined(&cells), MapCell { used: 86, power: 9 });
    }
}
