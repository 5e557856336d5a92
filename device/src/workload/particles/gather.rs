//! Cells take the particles that come along an axis.

use super::frames::{CellList, FrameList, free_frame, next, request_frames, slot};
use super::{FRAME_PARTICLES, HIGHER, LOWER, Lattice, LatticeArguments, Particle, X};
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::simt::Warp;
use crate::simt::rows::Rows;
use crate::workload::tally::Tally;

/// Every cell takes the particles that its neighbours along an axis have for it, and those that come
/// from the bath beyond a face.
pub struct ParticlesGather;

impl Kernel for ParticlesGather {
    type Arguments = LatticeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: LatticeArguments,
    ) {
        // SAFETY: the kernel's contract.
        let lattice = unsafe { Lattice::new(arguments) };
        let mut tally = Tally::new(lattice.is_clocked);
        let mut injected = 0;
        let rows = Rows::new(warp, lattice.cells(), 1);
        let mut cell = rows.first;
        while cell < rows.end {
            // SAFETY: a cell that is this warp's, with the outboxes towards it.
            injected += unsafe { lattice.gather_particles(warp, heap, &mut tally, cell) };
            cell += rows.step;
        }
        lattice.add_flow(warp, 1, injected);
        // SAFETY: the kernel's contract.
        unsafe { tally.publish(warp, lattice.counters) };
    }
}

impl Lattice {
    /// Appends the particles that come into a cell to its list; returns how many were injected.
    ///
    /// # Safety
    ///
    /// The cell is one of the lattice. Its list, and the outboxes towards it, are this warp's alone.
    #[inline(always)]
    unsafe fn gather_particles<W: Warp, A: DeviceHeap<W> + ?Sized>(
        &self,
        warp: W,
        heap: &A,
        tally: &mut Tally,
        cell: u32,
    ) -> u32 {
        // SAFETY: the caller's promise.
        let mut own = unsafe { self.load::<A::Handle>(cell, CellList::Own) };
        let mut injected = 0;
        let mut side = LOWER;
        while side <= HIGHER {
            // One loop for outboxes and baths, so that a kernel has one copy of the allocator.
            let is_bath = self.is_face(cell, side);
            let incoming = if is_bath {
                FrameList {
                    count: self.particles,
                    ..FrameList::empty()
                }
            } else {
                // The outboxes of the lower neighbour towards higher cells, and the reverse.
                let outbox = match side {
                    LOWER => CellList::HigherOutbox,
                    _ => CellList::LowerOutbox,
                };
                // SAFETY: a cell of the lattice, whose outbox the launch before has stored.
                unsafe { self.load(self.neighbour(cell, side), outbox) }
            };
            let mut frame = incoming.first;
            let mut read = 0;
            while read < incoming.count {
                let number = read + warp.lane();
                let mut particle = None;
                if number < incoming.count {
                    particle = if is_bath {
                        self.draw_injected(cell, side, number)
                    } else {
                        // SAFETY: the frame that has a particle with this index.
                        Some(unsafe { slot(warp, heap, frame, number).read() })
                    };
                }
                let lanes = warp.ballot(W::FULL, particle.is_some());
                let count = lanes.count_ones();
                let wanted = (own.lacks_frame(count), false);
                let (added, _) = request_frames(warp, heap, tally, wanted);
                let particle = particle.unwrap_or_default();
                // SAFETY: the list of this warp, and a frame if it lacks one.
                unsafe { own.append(warp, heap, (particle, lanes), added) };
                read += W::LANES;
                if is_bath {
                    injected += count;
                } else if read.is_multiple_of(FRAME_PARTICLES) || read >= incoming.count {
                    // SAFETY: a frame of the outbox, which is read.
                    unsafe {
                        let behind = next(warp, heap, frame);
                        free_frame(warp, heap, tally, frame);
                        frame = behind;
                    }
                }
            }
            side += 1;
        }
        // SAFETY: the caller's promise.
        unsafe { self.store(warp, cell, CellList::Own, own) };
        injected
    }

    /// The particle with this number in the bath beyond a face of a cell, if it comes into the cell in
    /// this step.
    #[inline(always)]
    fn draw_injected(&self, cell: u32, side: u32, number: u32) -> Option<Particle> {
        // Cells at a face are numbered by their rows along x.
        let row = cell.checked_div(self.width).unwrap_or(0);
        let number = (2 * row + side) * self.particles + number;
        let mut particle = self.draw_x(number);
        let inward = if side == LOWER { 1 } else { -1 };
        let comes = particle.advance(X) == inward;
        comes.then(|| self.complete(particle, number))
    }
}
