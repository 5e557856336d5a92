//! The live bytes of a trace by size, over its events.

use std::collections::HashMap;
use std::io::Read;

use heapwood_traces::{HeapOperation, Reader, TraceEntry, TraceError, TraceReport};

use super::{FREE, colour_of};
use crate::backend::power_of;
use crate::workload::steps::Picture;

const COLUMNS: u64 = 1024;
const ROWS: u32 = 512;
/// Powers of two of sizes.
const POWERS: usize = 65;

/// Live bytes of each power of two of sizes.
#[derive(Clone, Copy)]
struct LiveSizes([u64; POWERS]);

impl LiveSizes {
    fn bytes(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The power of two at a height, with the smallest sizes at the bottom.
    fn at(&self, height: u64) -> Option<u32> {
        let mut below = 0;
        (0..).zip(self.0).find_map(|(power, bytes)| {
            below += bytes;
            (height < below).then_some(power)
        })
    }
}

/// Columns of events, each with the sizes of live blocks when they had the most bytes.
pub struct SizeMap {
    columns: Vec<LiveSizes>,
    max_bytes: u64,
}

impl SizeMap {
    /// Reads a trace again that was summarised.
    ///
    /// # Errors
    ///
    /// That of an entry.
    pub fn new<R: Read>(reader: Reader<R>, summary: &TraceReport) -> Result<Self, TraceError> {
        let events = summary.events.max(1);
        let count = events.min(COLUMNS);
        let mut columns = vec![LiveSizes([0; POWERS]); count as usize];
        let mut live = LiveSizes([0; POWERS]);
        let mut blocks = HashMap::new();
        let mut number = 0_u64;
        for entry in reader {
            let TraceEntry::Event(event) = entry? else {
                continue;
            };
            match event.operation {
                HeapOperation::Grant { bytes, block } => {
                    blocks.insert(block, bytes);
                    live.0[power_of(bytes) as usize] += bytes;
                }
                HeapOperation::Free { block } => {
                    let bytes = blocks.remove(&block).unwrap_or_default();
                    live.0[power_of(bytes) as usize] -= bytes;
                }
                HeapOperation::Refusal { .. } => {}
            }
            let place = u128::from(number) * u128::from(count) / u128::from(events);
            let is_first =
                (u128::from(number) * u128::from(count)) % u128::from(events) < u128::from(count);
            if let Some(column) = columns.get_mut(place as usize)
                && (is_first || live.bytes() > column.bytes())
            {
                *column = live;
            }
            number += 1;
        }
        Ok(Self {
            columns,
            max_bytes: summary.max_live_bytes.value,
        })
    }

    /// The picture: events from the left to the right, and bytes from the bottom to the most at the
    /// top.
    pub fn picture(&self) -> Picture {
        Picture::of(self.columns.len() as u32, ROWS, |column, row| {
            let rows = u128::from(ROWS);
            let height = (rows - 1 - u128::from(row)) * u128::from(self.max_bytes) / rows;
            let power = self.columns[column as usize].at(height as u64);
            power.map_or(FREE, colour_of)
        })
    }
}

#[cfg(test)]
mod tests {
    use heapwood_traces::{Event, Header, Writer, summarise};

    use super::*;

    #[test]
    fn bytes_stand_on_each_other_by_size() {
        let mut file = Vec::new();
        let mut writer = Writer::new(&mut file, &Header::default()).unwrap();
        let operations = [
            HeapOperation::Grant {
                bytes: 16,
                block: 0,
            },
            HeapOperation::Grant {
                bytes: 48,
                block: 1,
            },
            HeapOperation::Refusal { bytes: 999 },
            HeapOperation::Free { block: 0 },
        ];
        for (order, operation) in (0..).zip(operations) {
            let event = Event {
                launch: 0,
                warp: 0,
                order,
                lane: 0,
                clock: 0,
                operation,
            };
            writer.event(&event).unwrap();
        }
        writer.finish(None).unwrap();
        let reader = || Reader::new(&file[..]).unwrap();
        let summary = summarise("a".to_owned(), reader()).unwrap();
        let picture = SizeMap::new(reader(), &summary).unwrap().picture();
        assert_eq!((picture.width, picture.height), (4, ROWS));
        let pixel = |column: u32, row: u32| {
            let first = 3 * (row * 4 + column) as usize;
            [0, 1, 2].map(|channel| picture.bytes[first + channel])
        };
        let (small, large) = (colour_of(4), colour_of(6));
        let column = |column| [0, ROWS / 2, ROWS - 1].map(|row| pixel(column, row));
        assert_eq!(column(0), [FREE, FREE, small]);
        assert_eq!(column(1), [large, large, small]);
        assert_eq!(column(2), column(1));
        assert_eq!(column(3), [FREE, large, large]);
    }
}
