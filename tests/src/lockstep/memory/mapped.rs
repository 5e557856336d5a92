//! Which addresses are memory: an access anywhere else is a fault of the kernel,
//! to be reported with its lane and place like any other, and not the end of the
//! process.

use std::fs;

/// The ranges of memory that the process has.
#[derive(Default)]
pub struct Mapped(Vec<(usize, usize)>);

impl Mapped {
    /// Whether there is memory at `address`. Where the system does not tell which
    /// memory there is, all addresses pass.
    pub fn has(&mut self, address: usize) -> bool {
        if !self.knows(address) {
            // It may be new since the last look.
            self.look();
        }
        self.knows(address)
    }

    fn knows(&self, address: usize) -> bool {
        self.0
            .iter()
            .any(|(start, end)| (*start..*end).contains(&address))
    }

    fn look(&mut self) {
        let text = fs::read_to_string("/proc/self/maps");
        self.0 = match &text {
            Ok(text) => text.lines().filter_map(range).collect(),
            Err(_) => vec![(1 << 12, usize::MAX)],
        };
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
