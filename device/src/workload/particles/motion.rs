//! Particles move along an axis.

use super::frames::{CellList, FrameList, next, request_frames, slot};
use super::{FRAME_PARTICLES, HIGHER, LOWER, Lattice, LatticeArguments, Particle};
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::simt::reduce::has;
use crate::simt::rows::Rows;
use crate::simt::{Warp, rank};
use crate::workload::tally::Tally;

/// The particles of every cell move along an axis, and those that leave go into its outboxes.
pub struct ParticlesMove;

impl Kernel for ParticlesMove {
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
        let mut absorbed = 0;
        let rows = Rows::new(warp, lattice.cells(), 1);
        let mut cell = rows.first;
        while cell < rows.end {
            // SAFETY: a cell that is this warp's, with its outboxes.
            absorbed += unsafe { lattice.move_particles(warp, heap, &mut tally, cell) };
            cell += rows.step;
        }
        lattice.add_flow(warp, 0, absorbed);
        // SAFETY: the kernel's contract.
        unsafe { tally.publish(warp, lattice.counters) };
    }
}

impl Lattice {
    /// Moves the particles of a cell; returns how many were absorbed.
    ///
    /// # Safety
    ///
    /// The cell is one of the lattice, and its lists are this warp's alone. Its outboxes have no
    /// frames.
    #[inline(always)]
    unsafe fn move_particles<W: Warp, A: DeviceHeap<W> + ?Sized>(
        &self,
        warp: W,
        heap: &A,
        tally: &mut Tally,
        cell: u32,
    ) -> u32 {
        // SAFETY: the caller's promise.
        let mut own = unsafe { self.load::<A::Handle>(cell, CellList::Own) };
        let (mut lower, mut higher) = (FrameList::empty(), FrameList::empty());
        let (is_lower_face, is_higher_face) =
            (self.is_face(cell, LOWER), self.is_face(cell, HIGHER));
        let mut absorbed = 0;
        let (mut source, mut target) = (own.first, own.first);
        let (mut read, mut written) = (0, 0);
        while read < own.count {
            let is_present = read + warp.lane() < own.count;
            let (mut particle, mut crossing) = (Particle::default(), 0);
            if is_present {
                // SAFETY: the frame that has a particle with this index.
                particle = unsafe { slot(warp, heap, source, read + warp.lane()).read() };
                crossing = particle.advance(self.axis);
            }
            // All lanes have read before one writes in their places.
            warp.sync(W::FULL);
            read += W::LANES;
            if read.is_multiple_of(FRAME_PARTICLES) && read < own.count {
                // SAFETY: a frame of the list, whose links no lane writes before the end.
                source = unsafe { next(warp, heap, source) };
            }

            let staying = warp.ballot(W::FULL, is_present && crossing == 0);
            let index = written + rank(staying, warp.lane());
            let frame = written / FRAME_PARTICLES;
            written += staying.count_ones();
            let mut next_target = target;
            if written / FRAME_PARTICLES > frame {
                // SAFETY: as for the source. It is null behind the last frame, if no particle is left.
                next_target = unsafe { next(warp, heap, target) };
            }
            if has(staying, warp.lane()) {
                let to = if index / FRAME_PARTICLES > frame {
                    next_target
                } else {
                    target
                };
                // SAFETY: a place up to where all lanes have read, which no other lane has.
                unsafe { slot(warp, heap, to, index).write(particle) };
            }
            target = next_target;

            let mut downward = warp.ballot(W::FULL, crossing < 0);
            if is_lower_face {
                absorbed += downward.count_ones();
                downward = 0;
            }
            let mut upward = warp.ballot(W::FULL, crossing > 0);
            if is_higher_face {
                absorbed += upward.count_ones();
                upward = 0;
            }
            let wanted = (
                lower.lacks_frame(downward.count_ones()),
                higher.lacks_frame(upward.count_ones()),
            );
            let frames = request_frames(warp, heap, tally, wanted);
            // SAFETY: lists of this warp, and frames for those that lack one.
            unsafe {
                lower.append(warp, heap, (particle, downward), frames.0);
                higher.append(warp, heap, (particle, upward), frames.1);
            }
        }
        // SAFETY: the caller's promise, and as many particles were written.
        unsafe {
            own.truncate(warp, heap, tally, written);
            self.store(warp, cell, CellList::Own, own);
            self.store(warp, cell, CellList::LowerOutbox, lower);
            self.store(warp, cell, CellList::HigherOutbox, higher);
        }
        absorbed
    }
}
