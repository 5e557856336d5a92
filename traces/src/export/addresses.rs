//! Made-up addresses, at which live blocks do not overlap.

use std::collections::HashMap;

use crate::{Event, HeapOperation, TraceError};

/// The first address: that of device memory on a usual machine, and exact as a float.
pub const FIRST_ADDRESS: u64 = 0x7f00_0000_0000;
/// Bytes of the smallest place: CUDA's alignment of allocations.
const MIN_PLACE_BYTES: u64 = 256;

/// A block at its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The address.
    pub address: u64,
    /// Bytes, as requested.
    pub bytes: u64,
}

impl Placed {
    /// Bytes of its place, a power of two; nothing above 2^63.
    pub fn place_bytes(&self) -> Option<u64> {
        self.bytes.max(MIN_PLACE_BYTES).checked_next_power_of_two()
    }
}

/// Live blocks at addresses. A freed place is the next one of its size.
#[derive(Default)]
pub struct AddressSpace {
    /// Live blocks by id.
    pub live: HashMap<u64, Placed>,
    free: HashMap<u64, Vec<u64>>,
    /// Bytes of all places.
    pub place_bytes: u64,
    /// Bytes of live blocks, as requested.
    pub live_bytes: u64,
    events: u64,
}

impl AddressSpace {
    /// The block that an event grants or frees; nothing for a refusal.
    ///
    /// # Errors
    ///
    /// [`TraceError::Addresses`].
    pub fn place(&mut self, event: &Event) -> Result<Option<Placed>, TraceError> {
        let number = self.events;
        self.events += 1;
        Ok(match event.operation {
            HeapOperation::Grant { bytes, block } => {
                let placed = self.grant(bytes).ok_or(TraceError::Addresses { number })?;
                self.live.insert(block, placed);
                self.live_bytes += bytes;
                Some(placed)
            }
            HeapOperation::Free { block } => {
                let freed = self.live.remove(&block);
                if let Some(freed) = freed
                    && let Some(size) = freed.place_bytes()
                {
                    self.live_bytes -= freed.bytes;
                    self.free.entry(size).or_default().push(freed.address);
                }
                freed
            }
            HeapOperation::Refusal { .. } => None,
        })
    }

    fn grant(&mut self, bytes: u64) -> Option<Placed> {
        let mut placed = Placed { address: 0, bytes };
        let size = placed.place_bytes()?;
        placed.address = match self.free.get_mut(&size).and_then(Vec::pop) {
            Some(address) => address,
            None => {
                let address = FIRST_ADDRESS + self.place_bytes;
                let place_bytes = self.place_bytes.checked_add(size);
                self.place_bytes = place_bytes.filter(|&all| all <= 1 << 63)?;
                address
            }
        };
        Some(placed)
    }

    /// Events so far.
    pub fn events(&self) -> u64 {
        self.events
    }
}
