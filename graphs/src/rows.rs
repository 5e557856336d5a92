//! Rows of a CSR as disjoint mutable parts, for threads to work on.

use std::ops::Range;

/// Consecutive rows and their entries.
pub(crate) struct Block<'a, T> {
    /// The rows.
    pub rows: Range<usize>,
    /// Their entries, one row after the other.
    pub entries: &'a mut [T],
}

/// Ranges of rows that have about as many entries as each other, where row `i`
/// has `offsets[i + 1] - offsets[i]`.
pub(crate) fn ranges(offsets: &[u64]) -> Vec<Range<usize>> {
    const ENTRIES: u64 = 1 << 16;
    const ROWS: usize = 1 << 16;
    let count = offsets.len() - 1;
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < count {
        let full = offsets[start] + ENTRIES;
        let most = &offsets[start + 1..=count.min(start + ROWS)];
        // One row at least, however long.
        let end = start + most.partition_point(|&end| end <= full).max(1);
        ranges.push(start..end);
        start = end;
    }
    ranges
}

/// The [`ranges`] with their entries.
pub(crate) fn blocks<'a, T>(offsets: &[u64], mut entries: &'a mut [T]) -> Vec<Block<'a, T>> {
    let mut blocks = Vec::new();
    for rows in ranges(offsets) {
        let length = (offsets[rows.end] - offsets[rows.start]) as usize;
        let (head, tail) = entries.split_at_mut(length);
        entries = tail;
        blocks.push(Block {
            rows,
            entries: head,
        });
    }
    blocks
}

/// Replaces counts by the sums of all counts before them and appends the total.
pub(crate) fn prefix_sums(counts: &mut Vec<u64>) {
    let mut sum = 0;
    for count in counts.iter_mut() {
        sum += std::mem::replace(count, sum);
    }
    counts.push(sum);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_all_rows_once() {
        let mut offsets = vec![3, 0, 200_000, 0, 1, 60_000, 70_000];
        offsets.extend(std::iter::repeat_n(0, 100_000));
        prefix_sums(&mut offsets);
        let total = *offsets.last().unwrap() as usize;
        assert_eq!(total, 330_004);
        let mut entries: Vec<usize> = (0..total).collect();
        let blocks = blocks(&offsets, &mut entries);
        let mut row = 0;
        for block in &blocks {
            assert_eq!(block.rows.start, row);
            assert!(!block.rows.is_empty());
            row = block.rows.end;
            let start = offsets[block.rows.start] as usize;
            let end = offsets[block.rows.end] as usize;
            assert!(block.entries.iter().copied().eq(start..end));
            // Only a row that is longer makes a longer block.
            assert!(block.rows.len() == 1 || block.entries.len() <= 1 << 16);
        }
        assert_eq!(row, offsets.len() - 1);
        // Neither one for all nor one for each.
        assert!((5..20).contains(&blocks.len()), "{}", blocks.len());
    }

    #[test]
    fn no_rows_make_no_blocks() {
        assert!(blocks::<u32>(&[0], &mut []).is_empty());
    }
}
