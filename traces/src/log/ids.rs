//! Ids of blocks, and numbers of calls, for events that name addresses and threads.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use crate::{Event, HeapOperation};

/// Numbers blocks in the order of their grants, by keys that are used again: addresses.
#[derive(Debug)]
pub struct BlockIds<K> {
    live: HashMap<K, u64>,
    /// Blocks of no bytes. They may lie at the address of another block.
    empty: HashMap<K, Vec<u64>>,
    granted: u64,
}

impl<K> Default for BlockIds<K> {
    fn default() -> Self {
        Self {
            live: HashMap::new(),
            empty: HashMap::new(),
            granted: 0,
        }
    }
}

impl<K: Copy + Eq + Hash> BlockIds<K> {
    /// The id of a block that is granted; nothing if one is live at this key already.
    pub fn grant(&mut self, key: K, bytes: u64) -> Option<u64> {
        let block = self.granted;
        match self.live.entry(key) {
            _ if bytes == 0 => self.empty.entry(key).or_default().push(block),
            Entry::Vacant(place) => {
                place.insert(block);
            }
            Entry::Occupied(_) => return None,
        }
        self.granted += 1;
        Some(block)
    }

    /// The id of the block that is freed; nothing if none is live at this key.
    pub fn free(&mut self, key: K) -> Option<u64> {
        self.live.remove(&key).or_else(|| {
            let empty = self.empty.get_mut(&key)?;
            let block = empty.pop();
            if empty.is_empty() {
                self.empty.remove(&key);
            }
            block
        })
    }
}

/// Makes events of calls of threads, which become warps of one lane in the order of their first
/// calls.
#[derive(Default)]
pub struct Threads(HashMap<u64, (u32, u32)>);

impl Threads {
    /// The next event of a thread.
    pub fn event(&mut self, thread: u64, clock: u64, operation: HeapOperation) -> Event {
        let warp = self.0.len() as u32;
        let (warp, order) = self.0.entry(thread).or_insert((warp, 0));
        let event = Event {
            launch: 0,
            warp: *warp,
            order: *order,
            lane: 0,
            clock,
            operation,
        };
        // The writer refuses the event after 2^32 of them, since calls then go back.
        *order = order.wrapping_add(1);
        event
    }
}
