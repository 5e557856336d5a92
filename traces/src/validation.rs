//! The rules of traces, which reader and writer check alike.

use ahash::HashMap;

use crate::{
    Event, EventProblem, Footer, HeapOperation, Launch, LaunchProblem, TraceEntry, TraceError,
};

/// Max bytes of a kernel's name.
pub const MAX_KERNEL_BYTES: usize = 1024;
/// Lanes of a warp at most: those of a wavefront of 64.
const MAX_LANES: u8 = 64;

/// The state that the entries so far leave, for the rules of the next ones.
#[derive(Default)]
pub struct Validation {
    events: u64,
    granted: u64,
    /// Bytes of live blocks, by id.
    live: HashMap<u64, u64>,
    live_bytes: u64,
    /// The last call of each warp of the current launch, with its lane.
    calls: HashMap<u32, (u32, u8)>,
    /// Launches with events, in order.
    active: Vec<u32>,
    /// Numbers of launches, in order.
    launches: Vec<u32>,
}

impl Validation {
    /// Checks the next entry.
    ///
    /// # Errors
    ///
    /// [`TraceError::Event`] or [`TraceError::Launch`].
    pub fn entry(&mut self, entry: &TraceEntry) -> Result<(), TraceError> {
        match entry {
            TraceEntry::Event(event) => self.event(event),
            TraceEntry::Launch(launch) => self.launch(launch),
        }
    }

    /// Checks the next event.
    ///
    /// # Errors
    ///
    /// [`TraceError::Event`].
    pub fn event(&mut self, event: &Event) -> Result<(), TraceError> {
        let number = self.events;
        let checked = self.order(event).and_then(|()| self.block(event));
        checked.map_err(|problem| TraceError::Event { number, problem })?;
        self.events += 1;
        Ok(())
    }

    fn order(&mut self, event: &Event) -> Result<(), EventProblem> {
        let (launch, warp, order, lane) = (event.launch, event.warp, event.order, event.lane);
        if lane >= MAX_LANES {
            return Err(EventProblem::Lane(lane));
        }
        match self.active.last() {
            Some(&before) if before > launch => {
                return Err(EventProblem::LaunchOrder { launch, before });
            }
            Some(&before) if before == launch => {}
            _ => {
                self.active.push(launch);
                self.calls.clear();
            }
        }
        match self.calls.insert(warp, (order, lane)) {
            Some((last, last_lane)) if (last, last_lane) >= (order, lane) => {
                Err(EventProblem::WarpOrder {
                    warp,
                    order,
                    lane,
                    last,
                    last_lane,
                })
            }
            _ => Ok(()),
        }
    }

    fn block(&mut self, event: &Event) -> Result<(), EventProblem> {
        match event.operation {
            HeapOperation::Grant { bytes, block } => {
                let next = self.granted;
                if block != next {
                    return Err(EventProblem::Grant { block, next });
                }
                let live_bytes = self.live_bytes.checked_add(bytes);
                self.live_bytes = live_bytes.ok_or(EventProblem::TooLarge)?;
                self.granted += 1;
                self.live.insert(block, bytes);
            }
            HeapOperation::Free { block } => match self.live.remove(&block) {
                Some(bytes) => self.live_bytes -= bytes,
                None if block < self.granted => return Err(EventProblem::FreedTwice(block)),
                None => return Err(EventProblem::NotGranted(block)),
            },
            HeapOperation::Refusal { .. } => {}
        }
        Ok(())
    }

    /// Checks the next launch.
    ///
    /// # Errors
    ///
    /// [`TraceError::Launch`].
    pub fn launch(&mut self, launch: &Launch) -> Result<(), TraceError> {
        let number = launch.number;
        let problem = match self.launches.last() {
            Some(&before) if before >= number => LaunchProblem::Order(before),
            _ if launch.begin_ns > launch.end_ns => LaunchProblem::Times,
            _ if launch.kernel.len() > MAX_KERNEL_BYTES => LaunchProblem::Name,
            _ => {
                self.launches.push(number);
                return Ok(());
            }
        };
        Err(TraceError::Launch { number, problem })
    }

    /// Checks that all is there at the end, and returns the totals.
    ///
    /// # Errors
    ///
    /// [`TraceError::Launch`] for events whose launch is not listed, where launches are.
    pub fn finish(&self) -> Result<Footer, TraceError> {
        let is_missing = |number: &&u32| self.launches.binary_search(number).is_err();
        let missing = self.active.iter().find(is_missing);
        match missing.filter(|_| !self.launches.is_empty()) {
            Some(&number) => Err(TraceError::Launch {
                number,
                problem: LaunchProblem::Missing,
            }),
            None => Ok(Footer {
                events: self.events,
                launches: self.launches.len() as u64,
                live_blocks: self.live.len() as u64,
                cost: None,
            }),
        }
    }
}
