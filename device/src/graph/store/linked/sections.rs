//! The runs of changes of a row's sections.

use super::row::{Directory, Place, max_degree};
use crate::device_heap::Blocks;
use crate::graph::store::Vertex;
use crate::graph::store::changes::{Change, Changes, Run};
use crate::simt::{Warp, leader};

/// The run of changes of a vertex, divided by the sections of the row.
#[derive(Clone, Copy)]
pub struct SectionRuns<'a> {
    changes: &'a Changes,
    run: Run,
}

impl<'a> SectionRuns<'a> {
    /// Of a linked store's run.
    #[inline(always)]
    pub fn new(changes: &'a Changes, run: Run) -> Self {
        Self { changes, run }
    }

    /// The section of change `index` of the run.
    #[inline(always)]
    fn section(self, change: Change) -> u32 {
        Place::of(self.changes, change).section()
    }

    /// The number of the first change from `low` on that is in a section from `section` on, or the
    /// end of the run.
    #[inline(always)]
    fn first_from(self, low: u32, section: u32) -> u32 {
        let place = Place::first_of(section).word();
        // SAFETY: numbers of changes of the run.
        unsafe { self.changes.first_from(low, self.run.end(), place) }
    }

    /// The numbers of the changes of a section: the first, and the one behind the last.
    #[inline(always)]
    pub fn of_section(self, section: u32) -> (u32, u32) {
        let first = self.first_from(self.run.first().index(), section);
        (first, self.first_from(first, section + 1))
    }

    /// Whether a section has changes.
    #[inline(always)]
    pub fn has_changes(self, section: u32) -> bool {
        let (first, end) = self.of_section(section);
        first < end
    }

    /// The section that has its first change at this number, and the changes of that section.
    #[inline(always)]
    fn from(self, index: u32) -> Option<(u32, Run)> {
        let change = self.run.get(index)?;
        let section = self.section(change);
        let first = self.run.first().index();
        // SAFETY: a number of the run.
        if index > first && self.section(unsafe { Change::new(index - 1) }) == section {
            return None;
        }
        let end = self.first_from(index, section + 1);
        // SAFETY: changes of the run, at least this one.
        Some((section, unsafe { Run::new(change, end) }))
    }

    /// How lanes come upon the sections with changes: the first and the end of what they look at.
    #[inline(always)]
    fn walk(self, directory: Directory) -> Walk {
        let sections = directory.sections();
        match self.run.length() > sections {
            true => Walk {
                by_section: true,
                next: 0,
                end: sections,
            },
            false => Walk {
                by_section: false,
                next: self.run.first().index(),
                end: self.run.end(),
            },
        }
    }

    /// The section with changes that a lane finds at this place of a walk, and its changes.
    #[inline(always)]
    fn at(self, walk: Walk, index: u32) -> Option<(u32, Run)> {
        if !walk.by_section {
            return self.from(index);
        }
        if index >= walk.end {
            return None;
        }
        let (first, end) = self.of_section(index);
        // SAFETY: changes of the run, at least one.
        (first < end).then(|| (index, unsafe { Run::new(Change::new(first), end) }))
    }

    /// Whether an insertion makes the chain of a section longer than a chain may be. All lanes of
    /// the warp call this.
    ///
    /// # Safety
    ///
    /// The directory is that of the row.
    #[inline(always)]
    pub unsafe fn overflow<W: Warp, A: Blocks + ?Sized>(
        self,
        warp: W,
        directory: Directory,
    ) -> bool {
        let mut walk = self.walk(directory);
        while walk.next < walk.end {
            let section = self.at(walk, walk.next + warp.lane());
            let is_too_long = section.is_some_and(|(section, run)| {
                // SAFETY: sections of changes are those of the row.
                let chain = unsafe { directory.chain(section) };
                !fits::<A>(&chain, run.length())
            });
            if warp.ballot(W::FULL, is_too_long) != 0 {
                return true;
            }
            walk.next += W::LANES;
        }
        false
    }
}

/// Numbers that the lanes of a warp look at for sections with changes: those of all sections, or
/// those of the changes if these are fewer.
#[derive(Clone, Copy)]
struct Walk {
    by_section: bool,
    next: u32,
    end: u32,
}

/// Whether a chain has room for so many insertions.
#[inline(always)]
pub fn fits<A: Blocks + ?Sized>(chain: &Vertex, insertions: u32) -> bool {
    insertions <= max_degree::<A>() - chain.degree
}

/// A chain, and the run of its changes.
#[derive(Clone, Copy)]
pub struct ChangedChain {
    /// The section of this directory with this number; none for the chain of a vertex.
    pub section: Option<(Directory, u32)>,
    /// The changes.
    pub run: Run,
}

impl ChangedChain {
    /// The record of the chain.
    ///
    /// # Safety
    ///
    /// The section is one of the directory.
    #[inline(always)]
    pub unsafe fn record(&self, changes: &Changes) -> Vertex {
        match self.section {
            // SAFETY: such a section.
            Some((directory, index)) => unsafe { directory.chain(index) },
            None => changes.record(changes.source(self.run.first())),
        }
    }
}

/// Calls `visit` with the chains that the runs of a warp's lanes change, one a lane at a time, and
/// with none where a lane has none: first those of vertices whose row is a chain, then the sections
/// of each hub. `hub` gets the runs of hubs, and returns the directory if sections are to be visited.
///
/// `visit` and `hub` are called at one place each, so that what they inline is there once. All lanes
/// of the warp call this and both.
#[inline(always)]
pub fn for_each_chain<W: Warp>(
    warp: W,
    changes: &Changes,
    run: Option<Run>,
    is_hub: bool,
    mut hub: impl FnMut(Run) -> Option<Directory>,
    mut visit: impl FnMut(Option<ChangedChain>),
) {
    let mut hubs = warp.ballot(W::FULL, is_hub);
    let mut chain = run
        .filter(|_| !is_hub)
        .map(|run| ChangedChain { section: None, run });
    // The directory and the run of the hub whose sections are visited.
    let mut current = None;
    let mut walk = Walk {
        by_section: false,
        next: 0,
        end: 0,
    };
    loop {
        visit(chain);
        while walk.next >= walk.end {
            if hubs == 0 {
                return;
            }
            // SAFETY: lanes of the ballot have a run.
            let run = unsafe { Run::of_lane(warp, run, leader(hubs)) };
            hubs &= hubs - 1;
            if let Some(directory) = hub(run) {
                current = Some((directory, run));
                walk = SectionRuns::new(changes, run).walk(directory);
            }
        }
        chain = current.and_then(|(directory, run)| {
            let index = walk.next + warp.lane();
            let (index, run) = SectionRuns::new(changes, run).at(walk, index)?;
            let section = Some((directory, index));
            Some(ChangedChain { section, run })
        });
        walk.next += W::LANES;
    }
}
