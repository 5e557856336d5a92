//! The begin and the end of a lattice: its first particles, its fingerprint, and freeing all frames.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU64;

use super::frames::{CellList, FrameList, next, request_frames, slot};
use super::{FRAME_BYTES, FRAME_PARTICLES, Lattice, LatticeArguments, Particle};
use crate::device_heap::DeviceHeap;
use crate::kernel::Kernel;
use crate::simt::Warp;
use crate::simt::reduce::all_sum64;
use crate::simt::rows::Rows;
use crate::workload::random::mix64;
use crate::workload::tally::Tally;

/// Fills the cells with particles.
pub struct ParticlesSeed;

/// Frees all frames.
pub struct ParticlesClear;

/// Adds the fingerprint, the number of particles and the bytes of their frames to the counters.
pub struct ParticlesDigest;

impl Kernel for ParticlesSeed {
    type Arguments = LatticeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: LatticeArguments,
    ) {
        // SAFETY: the kernel's contract.
        let lattice = unsafe { Lattice::new(arguments) };
        let mut tally = Tally::new(false);
        let rows = Rows::new(warp, lattice.cells(), 1);
        let mut cell = rows.first;
        while cell < rows.end {
            let mut list = FrameList::empty();
            let mut index = 0;
            while index < lattice.particles {
                let number = cell * lattice.particles + index + warp.lane();
                let particle = lattice.complete(lattice.draw_x(number), number);
                let is_present = index + warp.lane() < lattice.particles;
                let lanes = warp.ballot(W::FULL, is_present);
                let wanted = (list.lacks_frame(lanes.count_ones()), false);
                let (frame, _) = request_frames(warp, heap, &mut tally, wanted);
                // SAFETY: the list of this warp, and a frame if it lacks one.
                unsafe { list.append(warp, heap, (particle, lanes), frame) };
                index += W::LANES;
            }
            // SAFETY: a cell that is this warp's.
            unsafe { lattice.store(warp, cell, CellList::Own, list) };
            cell += rows.step;
        }
        // SAFETY: the kernel's contract.
        unsafe { tally.publish(warp, lattice.counters) };
    }
}

impl Kernel for ParticlesClear {
    type Arguments = LatticeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: LatticeArguments,
    ) {
        // SAFETY: the kernel's contract.
        let lattice = unsafe { Lattice::new(arguments) };
        let mut tally = Tally::new(false);
        let rows = Rows::new(warp, lattice.cells(), 1);
        let mut cell = rows.first;
        while cell < rows.end {
            // SAFETY: a cell that is this warp's. Outboxes have no frames between steps.
            unsafe {
                let mut list = lattice.load::<A::Handle>(cell, CellList::Own);
                list.truncate(warp, heap, &mut tally, 0);
                lattice.store(warp, cell, CellList::Own, list);
            }
            cell += rows.step;
        }
        // SAFETY: the kernel's contract.
        unsafe { tally.publish(warp, lattice.counters) };
    }
}

impl Kernel for ParticlesDigest {
    type Arguments = LatticeArguments;

    #[inline(always)]
    unsafe fn run<W: Warp, A: DeviceHeap<W> + ?Sized>(
        warp: W,
        heap: &A,
        arguments: LatticeArguments,
    ) {
        // SAFETY: the kernel's contract.
        let lattice = unsafe { Lattice::new(arguments) };
        let (mut hash, mut particles, mut granted) = (0_u64, 0_u64, 0_u64);
        let rows = Rows::new(warp, lattice.cells(), 1);
        let mut cell = rows.first;
        while cell < rows.end {
            // SAFETY: no thread writes to lists and frames.
            let list = unsafe { lattice.load::<A::Handle>(cell, CellList::Own) };
            let mut frame = list.first;
            let mut read = 0;
            while read < list.count {
                let index = read + warp.lane();
                if index.is_multiple_of(FRAME_PARTICLES) {
                    // SAFETY: a frame of the list, requested with so many bytes.
                    let bytes = unsafe { heap.granted(frame, u64::from(FRAME_BYTES)) };
                    granted = granted.wrapping_add(bytes);
                }
                if index < list.count {
                    // SAFETY: the frame that has a particle with this index.
                    let particle = unsafe { slot(warp, heap, frame, index).read() };
                    hash = hash.wrapping_add(hash_of(cell, particle));
                    particles += 1;
                }
                read += W::LANES;
                if read.is_multiple_of(FRAME_PARTICLES) && read < list.count {
                    // SAFETY: a frame of the list.
                    frame = unsafe { next(warp, heap, frame) };
                }
            }
            cell += rows.step;
        }
        let mut word = lattice.counters;
        for sum in [hash, particles, granted] {
            let sum = all_sum64(warp, sum);
            if warp.lane() == 0 {
                // SAFETY: the kernel's contract: `DIGEST_WORDS` words. Relaxed: the host reads them
                // after the launch.
                unsafe { (*word.cast::<AtomicU64>()).fetch_add(sum, Relaxed) };
            }
            word = word.wrapping_add(1);
        }
    }
}

/// The hash of a particle in a cell.
#[inline(always)]
fn hash_of(cell: u32, particle: Particle) -> u64 {
    let hash = mix64(mix64(u64::from(cell)) ^ particle.position);
    mix64(hash ^ particle.velocity)
}
