//! A backend in whose memory nothing may be assumed.

use heapwood::backend::{Backend, BackendError, Cpu, Launch, Memory};

/// The byte that fills memory unless the caller asked for zeros.
const DIRT: u8 = 0xa5;
/// Bytes that are written at a time.
const PIECE: u64 = 1 << 20;

/// Another backend whose memory holds arbitrary data of earlier owners, as on a GPU.
pub struct Dirty<B>(pub B);

/// The CPU with so many workers.
pub fn threads(workers: usize) -> Dirty<Cpu> {
    Dirty(Cpu::with_threads(workers).expect("workers"))
}

impl<B: Backend> Backend for Dirty<B> {
    crate::delegated!(0);

    fn allocate(&self, bytes: u64) -> Result<Memory, BackendError> {
        let memory = self.0.allocate(bytes)?;
        let dirt = vec![DIRT; PIECE.min(bytes) as usize];
        for begin in (0..bytes).step_by(PIECE as usize) {
            memory.upload(begin, &dirt[..PIECE.min(bytes - begin) as usize])?;
        }
        Ok(memory)
    }

    fn allocate_zeroed(&self, bytes: u64) -> Result<Memory, BackendError> {
        self.0.allocate_zeroed(bytes)
    }

    unsafe fn launch_parts(&self, parts: &[&[Launch]]) -> Result<Vec<f64>, BackendError> {
        // SAFETY: the caller's promise.
        unsafe { self.0.launch_parts(parts) }
    }
}
