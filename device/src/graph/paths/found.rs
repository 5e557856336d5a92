//! The vertices that a warp makes near or far.
//!
//! They wait in the warp's scratch memory until there are many: reserving places in a queue is an
//! atomic addition to one word, which the L2 cache serves one after the other. The first near vertices
//! wait with their rows, so that a warp which goes on with them need not read their records.

use core::sync::atomic::Ordering::Relaxed;

use super::edge::NearRow;
use super::{CHUNK, Paths, word};
use crate::graph::store::VertexId;
use crate::simt::reduce::has;
use crate::simt::segments::Segments;
use crate::simt::{SCRATCH_BYTES, Warp, rank};

/// Rows that the scratch memory has room for, at its beginning: one for each lane of a warp.
const ROWS: usize = 32;

/// Vertices of each kind that it has room for behind the rows, near ones before far ones.
const ROOM: u32 = (SCRATCH_BYTES - ROWS * size_of::<NearRow>()) as u32 / 8;

/// Vertices of each kind that are added between two calls of `make_room`, at the most: four a lane.
const ADDED: u32 = 128;

const _: () = assert!(ADDED < ROOM);

/// Vertices that a warp has found.
pub struct Found<'a> {
    paths: &'a Paths,
    /// The step that finds them.
    step: u32,
    /// Divisions after which the pile is that which far vertices are added to.
    divisions: u32,
    /// Near vertices in the scratch memory.
    near: u32,
    /// Far vertices there.
    far: u32,
    /// Near vertices before this one were taken, by a lane that is alone in its warp.
    taken: u32,
    /// No vertex that this lane has found far has a lesser distance.
    least: u64,
}

impl<'a> Found<'a> {
    /// Nothing as yet, in a step after so many divisions, or in the division that is the last of them.
    #[inline(always)]
    pub fn new(paths: &'a Paths, step: u32, divisions: u32) -> Self {
        Self {
            paths,
            step,
            divisions,
            near: 0,
            far: 0,
            taken: 0,
            least: u64::MAX,
        }
    }

    /// The word of a vertex that waits: of a near one by its place, of a far one from `ROOM` on.
    ///
    /// # Safety
    ///
    /// The place is below `2 * ROOM`.
    #[inline(always)]
    unsafe fn waiting<W: Warp>(warp: W, place: u32) -> *mut u32 {
        // SAFETY: the words lie behind the rows, and the scratch memory has so many.
        unsafe {
            let rows = warp.scratch().cast::<NearRow>();
            rows.add(ROWS).cast::<u32>().add(place as usize)
        }
    }

    /// Adds the vertices of lanes that have found one near, with their rows, or with
    /// [`NearRow::UNREAD`]. All lanes call this.
    ///
    /// # Safety
    ///
    /// There is room, and the vertex exists where it is near.
    #[inline(always)]
    pub unsafe fn add_near<W: Warp>(&mut self, warp: W, is_near: bool, vertex: u32, row: &NearRow) {
        let lanes = warp.ballot(W::FULL, is_near);
        if has(lanes, warp.lane()) {
            let place = self.near + rank(lanes, warp.lane());
            // SAFETY: there is room, the caller says, and a row for each lane.
            unsafe {
                Self::waiting(warp, place).write(vertex);
                if !W::IS_SOLO && place < W::LANES {
                    let rows = warp.scratch().cast::<NearRow>();
                    rows.add(place as usize).write(*row);
                }
            }
        }
        self.near += lanes.count_ones();
    }

    /// Adds the vertices of lanes that have found one far, which the pile does not have. All lanes call
    /// this.
    ///
    /// # Safety
    ///
    /// As for `add_near`.
    #[inline(always)]
    pub unsafe fn add_far<W: Warp>(&mut self, warp: W, is_far: bool, vertex: u32) {
        let lanes = warp.ballot(W::FULL, is_far);
        if has(lanes, warp.lane()) {
            let place = ROOM + self.far + rank(lanes, warp.lane());
            // SAFETY: there is room, the caller says.
            unsafe { Self::waiting(warp, place).write(vertex) };
        }
        self.far += lanes.count_ones();
    }

    /// Notes the distance of a far vertex, whether the pile has it or not.
    #[inline(always)]
    pub fn note(&mut self, distance: u64) {
        if distance < self.least {
            self.least = distance;
        }
    }

    /// Whether near vertices wait, and no more than one for each lane. A lane that is alone takes
    /// them one after the other.
    #[inline(always)]
    pub fn has_few<W: Warp>(&self) -> bool {
        self.near > 0 && (W::IS_SOLO || self.near <= W::LANES)
    }

    /// Takes the near vertices that wait, one for each lane at the most: this lane's, and its row, which
    /// is [`NearRow::NONE`] if it has none. All lanes call this.
    #[inline(always)]
    pub fn take<W: Warp>(&mut self, warp: W) -> (u32, NearRow) {
        // The lanes' vertices are written.
        warp.sync(W::FULL);
        let place = if W::IS_SOLO { self.taken } else { warp.lane() };
        let (mut vertex, mut row) = (0, NearRow::NONE);
        if place < self.near {
            // SAFETY: below the number of those that wait, which exist; there are no more than lanes
            // but for one that is alone.
            unsafe {
                vertex = *Self::waiting(warp, place);
                if !W::IS_SOLO {
                    row = *warp.scratch().cast::<NearRow>().add(place as usize);
                }
                if W::IS_SOLO || row.is_unread() {
                    row = NearRow::of(self.paths, VertexId::new(vertex));
                }
            }
        }
        if W::IS_SOLO && place + 1 < self.near {
            self.taken = place + 1;
        } else {
            (self.near, self.taken) = (0, 0);
        }
        // They were read, before others take their place.
        warp.sync(W::FULL);
        (vertex, row)
    }

    /// Makes room for four more vertices of each lane. All lanes call this.
    ///
    /// # Safety
    ///
    /// As for `end`.
    #[inline(always)]
    pub unsafe fn make_room<W: Warp>(&mut self, warp: W) {
        // SAFETY: the vertices that wait are not added again.
        unsafe {
            if self.near > ROOM - ADDED {
                self.enqueue(warp);
            }
            if self.far > ROOM - ADDED {
                self.pile_up(warp);
            }
        }
    }

    /// Enqueues what waits, and leaves the least distance. All lanes call this.
    ///
    /// # Safety
    ///
    /// No vertex is made near twice in a step, or is in a pile twice.
    #[inline(always)]
    pub unsafe fn end<W: Warp>(&mut self, warp: W) {
        // SAFETY: the caller's promise.
        unsafe {
            if self.near > 0 {
                self.enqueue(warp);
            }
            if self.far > 0 {
                self.pile_up(warp);
            }
        }
        if self.least != u64::MAX {
            let least = self.paths.pile::<{ word::MIN_DISTANCE }>(self.divisions);
            // Most lanes find a lesser distance there. Relaxed: the next division reads it.
            if least.load(Relaxed) < !self.least {
                least.fetch_max(!self.least, Relaxed);
            }
        }
    }

    /// Enqueues the chunks of the near vertices that wait. All lanes call this.
    ///
    /// # Safety
    ///
    /// As for `end`.
    #[inline(always)]
    unsafe fn enqueue<W: Warp>(&mut self, warp: W) {
        let paths = self.paths;
        // The lanes' vertices are written.
        warp.sync(W::FULL);
        let mut first = self.taken;
        while first < self.near {
            let (mut vertex, mut chunks) = (0, 0);
            if first + warp.lane() < self.near {
                // SAFETY: below the number of those that wait, which exist.
                unsafe {
                    vertex = *Self::waiting(warp, first + warp.lane());
                    let id = VertexId::new(vertex);
                    if paths.stamp(id, self.step) {
                        chunks = paths.row(id).degree.div_ceil(CHUNK);
                    }
                }
            }
            let segments = Segments::new(warp, chunks);
            let mut place = 0;
            if warp.lane() == 0 && segments.total > 0 {
                let count = paths.frontier::<{ word::NEAR }>(1);
                // Relaxed: the next launch reads the queue.
                place = count.fetch_add(segments.total.into(), Relaxed) as u32;
            }
            place = warp.shuffle(W::FULL, place, 0);
            let mut base = 0;
            while base < segments.total {
                let item = base + warp.lane();
                let (owner, chunk) = segments.locate(warp, item);
                let vertex = warp.shuffle(W::FULL, vertex, owner);
                if item < segments.total {
                    let word = u64::from(chunk) << 32 | u64::from(vertex);
                    // SAFETY: the places are this warp's, and the queue has room for the chunks of
                    // all vertices, each once.
                    unsafe {
                        paths
                            .near(self.step + 1)
                            .add((place + item) as usize)
                            .write(word)
                    };
                }
                base += W::LANES;
            }
            first += W::LANES;
        }
        (self.near, self.taken) = (0, 0);
        // They were read, before others take their place.
        warp.sync(W::FULL);
    }

    /// Moves the far vertices that wait to the pile. All lanes call this.
    ///
    /// # Safety
    ///
    /// As for `end`.
    #[inline(always)]
    unsafe fn pile_up<W: Warp>(&mut self, warp: W) {
        let paths = self.paths;
        // The lanes' vertices are written.
        warp.sync(W::FULL);
        let mut place = 0;
        if warp.lane() == 0 {
            let count = paths.pile::<{ word::FAR }>(self.divisions);
            // Relaxed: a later launch reads the pile.
            place = count.fetch_add(self.far.into(), Relaxed) as u32;
        }
        place = warp.shuffle(W::FULL, place, 0);
        let pile = paths.far(self.divisions);
        let mut index = warp.lane();
        while index < self.far {
            // SAFETY: below the number of those that wait; the places are this warp's, and a pile has
            // room for all vertices, each once.
            unsafe {
                let vertex = *Self::waiting(warp, ROOM + index);
                pile.add((place + index) as usize).write(vertex);
            }
            index += W::LANES;
        }
        self.far = 0;
        // They were read, before others take their place.
        warp.sync(W::FULL);
    }
}
