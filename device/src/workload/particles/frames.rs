//! Frames, and lists of them.
//!
//! All lanes of a warp hold the same list, and call its functions together. Lane 0 writes the links.

use super::{Lattice, Particle};
use crate::allocator::Handle;
use crate::device_heap::DeviceHeap;
use crate::simt::reduce::has;
use crate::simt::{Warp, rank};
use crate::workload::tally::Tally;

/// Particles of a frame.
pub const FRAME_PARTICLES: u32 = 256;
/// Bytes of a frame's block.
pub const FRAME_BYTES: u32 = size_of::<ParticleFrame>() as u32;

/// A frame, which is a block of the heap.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct ParticleFrame {
    /// The bits of the next frame's handle; those of null in the last frame.
    pub next: u64,
    /// The same of the previous one.
    pub previous: u64,
    /// Particles. All frames of a list are full, except for the last one.
    pub particles: [Particle; FRAME_PARTICLES as usize],
}

/// A list of frames, in memory.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ListRecord {
    /// The bits of the first frame's handle; those of null in an empty list.
    pub first: u64,
    /// The same of the last one.
    pub last: u64,
    /// Particles.
    pub count: u64,
}

/// The lists of a cell.
#[derive(Clone, Copy)]
pub(super) enum CellList {
    /// Its particles.
    Own,
    /// Those that leave towards lower cells.
    LowerOutbox,
    /// Those that leave towards higher cells.
    HigherOutbox,
}

/// A list of frames, in registers.
#[derive(Clone, Copy)]
pub(super) struct FrameList<H> {
    pub first: H,
    pub last: H,
    pub count: u32,
}

impl Lattice {
    /// The place of a list in memory.
    #[inline(always)]
    fn list(&self, cell: u32, list: CellList) -> *mut ListRecord {
        let index = list as usize * self.cells() as usize + cell as usize;
        self.lists.wrapping_add(index)
    }

    /// Reads a list.
    ///
    /// # Safety
    ///
    /// The cell is one of the lattice, whose list was stored, and no other warp writes it.
    #[inline(always)]
    pub(super) unsafe fn load<H: Handle>(&self, cell: u32, list: CellList) -> FrameList<H> {
        // SAFETY: the caller's promise.
        let list = unsafe { self.list(cell, list).read() };
        FrameList {
            first: H::from_bits(list.first),
            last: H::from_bits(list.last),
            count: list.count as u32,
        }
    }

    /// Writes a list.
    ///
    /// # Safety
    ///
    /// The cell is one of the lattice, and no other warp uses its list.
    #[inline(always)]
    pub(super) unsafe fn store<W: Warp, H: Handle>(
        &self,
        warp: W,
        cell: u32,
        list: CellList,
        value: FrameList<H>,
    ) {
        // Every lane has loaded the list by now.
        warp.sync(W::FULL);
        if warp.lane() == 0 {
            let value = ListRecord {
                first: value.first.to_bits(),
                last: value.last.to_bits(),
                count: u64::from(value.count),
            };
            // SAFETY: the caller's promise.
            unsafe { self.list(cell, list).write(value) };
        }
    }
}

impl<H: Handle> FrameList<H> {
    /// No frames.
    #[inline(always)]
    pub fn empty() -> Self {
        Self {
            first: H::NULL,
            last: H::NULL,
            count: 0,
        }
    }

    /// Whether so many `more` particles take a frame more. For at most as many as a frame has, one
    /// suffices.
    #[inline(always)]
    pub fn lacks_frame(&self, more: u32) -> bool {
        (self.count + more).div_ceil(FRAME_PARTICLES) > self.count.div_ceil(FRAME_PARTICLES)
    }

    /// Appends the particles of these `lanes`. If a frame lacks, `frame` is used; those that it
    /// would have are lost if it is null.
    ///
    /// # Safety
    ///
    /// The list is the warp's, as `frame` is, which is null unless a frame lacks.
    #[inline(always)]
    pub unsafe fn append<W: Warp, A: DeviceHeap<W, Handle = H> + ?Sized>(
        &mut self,
        warp: W,
        heap: &A,
        (particle, lanes): (Particle, u32),
        frame: H,
    ) {
        let index = self.count + rank(lanes, warp.lane());
        let before = self.last;
        let begin = self.count.next_multiple_of(FRAME_PARTICLES);
        let mut end = begin;
        if !frame.is_null() {
            // SAFETY: the caller's promise; the last frame of a list lives.
            unsafe { self.link(warp, heap, frame) };
            end += FRAME_PARTICLES;
        }
        if has(lanes, warp.lane()) && index < end {
            let frame = if index < begin { before } else { frame };
            // SAFETY: one of the last two frames, and an index that no other lane has.
            unsafe { slot(warp, heap, frame, index).write(particle) };
        }
        let count = self.count + lanes.count_ones();
        self.count = if count < end { count } else { end };
    }

    /// Appends a frame without particles.
    ///
    /// # Safety
    ///
    /// The list is the warp's, as the frame is.
    #[inline(always)]
    unsafe fn link<W: Warp, A: DeviceHeap<W, Handle = H> + ?Sized>(
        &mut self,
        warp: W,
        heap: &A,
        frame: H,
    ) {
        if warp.lane() == 0 {
            // SAFETY: the caller's promise; lane 0 alone writes links.
            unsafe {
                let links = address(warp, heap, frame);
                (*links).next = H::NULL.to_bits();
                (*links).previous = self.last.to_bits();
                if !self.last.is_null() {
                    (*address(warp, heap, self.last)).next = frame.to_bits();
                }
            }
        }
        if self.last.is_null() {
            self.first = frame;
        }
        self.last = frame;
    }

    /// Keeps so many particles of the list, and frees the frames behind them from the last on.
    ///
    /// # Safety
    ///
    /// The list is the warp's, and has as many.
    #[inline(always)]
    pub unsafe fn truncate<W: Warp, A: DeviceHeap<W, Handle = H> + ?Sized>(
        &mut self,
        warp: W,
        heap: &A,
        tally: &mut Tally,
        count: u32,
    ) {
        let mut freed = self.count.div_ceil(FRAME_PARTICLES) - count.div_ceil(FRAME_PARTICLES);
        let cuts = freed > 0;
        while freed > 0 {
            // SAFETY: the last frame of the list lives, and no other warp uses it.
            unsafe {
                let previous = (*address(warp, heap, self.last)).previous;
                free_frame(warp, heap, tally, self.last);
                self.last = H::from_bits(previous);
            }
            freed -= 1;
        }
        if count == 0 {
            self.first = H::NULL;
        } else if cuts && warp.lane() == 0 {
            // SAFETY: the last frame of a list that is not empty.
            unsafe { (*address(warp, heap, self.last)).next = H::NULL.to_bits() };
        }
        self.count = count;
    }
}

/// The frame of a block.
#[inline(always)]
fn address<W: Warp, A: DeviceHeap<W> + ?Sized>(
    _warp: W,
    heap: &A,
    frame: A::Handle,
) -> *mut ParticleFrame {
    heap.address(frame).cast()
}

/// The frame behind another, or null.
///
/// # Safety
///
/// The frame lives, and no thread writes its links.
#[inline(always)]
pub(super) unsafe fn next<W: Warp, A: DeviceHeap<W> + ?Sized>(
    warp: W,
    heap: &A,
    frame: A::Handle,
) -> A::Handle {
    // SAFETY: the caller's promise.
    A::Handle::from_bits(unsafe { (*address(warp, heap, frame)).next })
}

/// The place of a particle by its index in a list, in the frame that has it.
///
/// # Safety
///
/// The frame lives.
#[inline(always)]
pub(super) unsafe fn slot<W: Warp, A: DeviceHeap<W> + ?Sized>(
    warp: W,
    heap: &A,
    frame: A::Handle,
    index: u32,
) -> *mut Particle {
    let frame = address(warp, heap, frame);
    // SAFETY: the frame lives, and the index is one of its particles'.
    unsafe {
        let particles = (&raw mut (*frame).particles).cast::<Particle>();
        particles.add((index % FRAME_PARTICLES) as usize)
    }
}

/// A frame for each of two lists that lacks one, or null if it does not, or the frame is refused. On
/// a warp of one lane at most one list may lack one.
#[inline(always)]
pub(super) fn request_frames<W: Warp, A: DeviceHeap<W> + ?Sized>(
    warp: W,
    heap: &A,
    tally: &mut Tally,
    (is_lower_wanted, is_higher_wanted): (bool, bool),
) -> (A::Handle, A::Handle) {
    if !is_lower_wanted && !is_higher_wanted {
        return (A::Handle::NULL, A::Handle::NULL);
    }
    // Two lanes ask at the same time.
    let (lower_lane, higher_lane) = (0, W::LANES - 1);
    let asks = is_lower_wanted && warp.lane() == lower_lane
        || is_higher_wanted && warp.lane() == higher_lane;
    let bytes = if asks { u64::from(FRAME_BYTES) } else { 0 };
    let block = tally.request(warp, heap, bytes).to_bits();
    // The accesses of a block's last owner come before those of all lanes, not only of these two.
    warp.sync(W::FULL);
    let frame = |is_wanted: bool, lane: u32| {
        let bits = warp.shuffle64(W::FULL, block, lane);
        if is_wanted {
            A::Handle::from_bits(bits)
        } else {
            A::Handle::NULL
        }
    };
    (
        frame(is_lower_wanted, lower_lane),
        frame(is_higher_wanted, higher_lane),
    )
}

/// Frees a frame.
///
/// # Safety
///
/// The frame lives, and is this warp's alone.
#[inline(always)]
pub(super) unsafe fn free_frame<W: Warp, A: DeviceHeap<W> + ?Sized>(
    warp: W,
    heap: &A,
    tally: &mut Tally,
    frame: A::Handle,
) {
    // All lanes are done with it.
    warp.sync(W::FULL);
    let block = if warp.lane() == 0 {
        frame
    } else {
        A::Handle::NULL
    };
    // SAFETY: the caller's promise; one lane frees it.
    unsafe { tally.free(warp, heap, block, u64::from(FRAME_BYTES)) };
}
