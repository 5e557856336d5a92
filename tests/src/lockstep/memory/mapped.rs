//! Which addresses are memory: an access anywhere else is a fault of the kernel,
//! to be reported with its lane and place like any other, and not the end of the
//! process.

use std::cell::RefCell;
use std::fs;

thread_local! {
    /// The ranges of memory that the process had at the last look, in order.
    static RANGES: RefCell<Vec<(usize, usize)>> = const { RefCell::new(Vec::new()) };
}

/// Whether there is memory at `address`. Where the system does not tell which
/// memory there is, there is memory everywhere.
pub fn is_mapped(address: usize) -> bool {
    RANGES.with_borrow_mut(|ranges| {
        if !has(ranges, address) {
            // It may be new since the last look.
            *ranges = look();
        }
        has(ranges, address)
    })
}

fn has(ranges: &[(usize, usize)], address: usize) -> bool {
    let index = ranges.partition_point(|(start, _)| *start <= address);
    index > 0 && address < ranges[index - 1].1
}

fn look() -> Vec<(usize, usize)> {
    match fs::read_to_string("/proc/self/maps") {
        Ok(text) => text.lines().filter_map(range).collect(),
        Err(_) => vec![(0, usize::MAX)],
    }
}

/// The range of a line of `/proc/self/maps`, if it may be read and written.
fn range(line: &str) -> Option<(usize, usize)> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let parse = |text| usize::from_str_radix(text, 16).ok();
    words
        .next()?
        .starts_with("rw")
        .then_some((parse(start)?, parse(end)?))
}
