//! The locations of a run by their addresses: a table for each page of memory that it accesses, so
//! that neighbours are found side by side and an address is hashed only where the page changes.

use std::collections::HashMap;

use super::location::Location;
use super::mapped::is_mapped;

/// Bytes of what is accessed plainly that one location stands for.
pub const GRAIN: usize = 4;
/// Bytes of a page: systems map memory in multiples of it.
const PAGE_BYTES: usize = 4096;
const SLOTS: usize = PAGE_BYTES / GRAIN;

/// The index of a location plus one; 0 where there is none yet.
type Page = [u32; SLOTS];

/// All locations that a run has accessed.
pub struct Locations {
    /// The numbers of pages, and where their tables are.
    numbers: HashMap<usize, usize>,
    pages: Vec<Box<Page>>,
    /// The page of the last access: its number, and where its table is.
    last: Option<(usize, usize)>,
    /// The number of the page that was found to be memory last.
    mapped: Option<usize>,
    locations: Vec<Location>,
}

impl Locations {
    /// No location.
    pub fn new() -> Self {
        Self {
            numbers: HashMap::new(),
            pages: Vec::new(),
            last: None,
            mapped: None,
            locations: Vec::new(),
        }
    }

    /// Whether there is memory at `address`.
    pub fn has(&mut self, address: usize) -> bool {
        let number = address / PAGE_BYTES;
        if self.mapped != Some(number) && is_mapped(number * PAGE_BYTES) {
            self.mapped = Some(number);
        }
        self.mapped == Some(number)
    }

    /// The location at `address`, a multiple of [`GRAIN`]; nothing where there is no memory.
    pub fn at(&mut self, address: usize) -> Option<&mut Location> {
        let page = self.page(address / PAGE_BYTES)?;
        let slot = &mut self.pages[page][address % PAGE_BYTES / GRAIN];
        if *slot == 0 {
            self.locations.push(Location::default());
            *slot = u32::try_from(self.locations.len()).expect("fewer than 2^32 locations");
        }
        Some(&mut self.locations[*slot as usize - 1])
    }

    /// Where the table of a page is, which is made if there is none.
    fn page(&mut self, number: usize) -> Option<usize> {
        if let Some((last, page)) = self.last
            && last == number
        {
            return Some(page);
        }
        let page = match self.numbers.get(&number) {
            Some(page) => *page,
            None if is_mapped(number * PAGE_BYTES) => {
                self.pages.push(Box::new([0; SLOTS]));
                self.numbers.insert(number, self.pages.len() - 1);
                self.pages.len() - 1
            }
            None => return None,
        };
        self.last = Some((number, page));
        Some(page)
    }
}
