//! Random operations beside a model that knows only what a pool promises: which blocks are
//! live, which are free, and what work each may wait for.
//!
//! The model does not choose blocks. It checks the one that the pool chose, whether a hit was
//! due, and all statistics, after each operation.

use std::collections::BTreeMap;

use super::device::{Call, Device, TestStream};
use crate::pool::{Block, Limits, Pool, Stats, Stream};
use crate::random::SplitMix64;

const MIB: u64 = 1 << 20;

/// The work that must be done before memory is idle: a position of each stream.
type Waits = BTreeMap<u64, u64>;

struct Run {
    device: Device,
    pool: Pool<Device>,
    streams: Vec<TestStream>,
    random: SplitMix64,
    limit: u64,
    capacity: u64,
    live: Vec<(Block<Device>, Waits)>,
    /// By address: size, and what it waits for.
    free: BTreeMap<u64, (u64, Waits)>,
    /// The ends of live blocks, by their beginnings.
    ends: BTreeMap<u64, u64>,
    expected: Stats,
}

impl Run {
    fn new(seed: u64, streams: usize, capacity: u64, limit: u64) -> Self {
        let device = Device::new(capacity);
        let limits = Limits {
            cached_bytes: limit,
        };
        Self {
            pool: Pool::new(device.clone(), limits),
            streams: (0..streams).map(|_| device.stream()).collect(),
            device,
            random: SplitMix64::new(seed),
            limit,
            capacity,
            live: vec![],
            free: BTreeMap::new(),
            ends: BTreeMap::new(),
            expected: Stats::default(),
        }
    }

    /// Does so many operations, then frees everything and ends the pool.
    fn go(mut self, operations: u32) -> Stats {
        for _ in 0..operations {
            match self.random.below(64) {
                0..26 => self.allocate(),
                26..52 => self.deallocate(),
                52..63 => self.advance(),
                _ if self.random.below(16) == 0 => self.trim(),
                _ => self.reclaim(),
            }
            self.check();
        }
        while !self.live.is_empty() {
            self.deallocate();
            self.check();
        }
        let stats = self.pool.stats();
        drop(self.pool);
        assert_eq!(self.device.state().used, 0, "memory has leaked");
        stats
    }

    fn stream(&mut self) -> Option<TestStream> {
        let count = self.streams.len() as u64;
        let number = self.random.below(2 * count + 1);
        self.streams.get(number as usize / 2).cloned()
    }

    /// Small sizes of few classes, or large ones, so that blocks are used again.
    fn size(&mut self) -> u64 {
        match self.random.below(8) {
            0 => 33 * MIB + self.random.below(8 * MIB),
            1 => MIB + self.random.below(MIB),
            _ => self.random.below(4096),
        }
    }

    fn allocate(&mut self) {
        let (bytes, stream) = (self.size(), self.stream());
        if self.live.len() > 200 {
            return;
        }
        let (least, most) = sizes(bytes);
        let id = stream.as_ref().map(Stream::id);
        let fits = |size: u64| (least..=most).contains(&size);
        let candidates = self.free.values().filter(|(size, _)| fits(*size));
        let candidates: Vec<&Waits> = candidates.map(|(_, waits)| waits).collect();
        let usable = |waits: &&&Waits| self.is_done_but(waits, id);
        let due = candidates.iter().filter(usable).count() > 0;
        // A block that waits for several streams is looked at under one of them.
        let is_certain = candidates.iter().all(|waits| waits.len() <= 1);

        let block = match &stream {
            Some(stream) => self.pool.allocate_async(bytes, stream),
            None => self.pool.allocate(bytes),
        };
        let obtained = self.follow_log();
        let Ok(block) = block else {
            self.expected.refused += 1;
            assert!(self.free.is_empty(), "refused with memory to give back");
            assert!(self.device.state().used + least > self.capacity);
            return;
        };
        let (address, size) = (block.address(), block.bytes());
        assert!(size >= bytes && fits(size), "{size} for {bytes}");
        let waits = match obtained {
            Some(fresh) => {
                assert_eq!(fresh, (address, least));
                assert!(!(due && is_certain), "a free block was not used");
                self.expected.misses += 1;
                Waits::new()
            }
            None => {
                let (_, waits) = self.free.remove(&address).expect("a free block");
                assert!(self.is_done_but(&waits, id), "work is pending");
                self.expected.hits += 1;
                waits
            }
        };
        let users = self.device.users(address);
        assert!(users.iter().all(|&user| Some(user) == id), "{users:?}");
        let before = self.ends.range(..address + size).next_back();
        assert!(before.is_none_or(|(_, &end)| end <= address), "overlap");
        self.ends.insert(address, address + size);
        self.expected.live_blocks += 1;
        self.expected.live_bytes += size;
        self.expected.requested_bytes += bytes;
        let most = &mut self.expected.live_high_water_bytes;
        *most = self.expected.live_bytes.max(*most);
        if let Some(stream) = stream
            && self.random.below(4) > 0
        {
            stream.launch(address);
        }
        self.live.push((block, waits));
    }

    fn deallocate(&mut self) {
        if self.live.is_empty() {
            return;
        }
        let chosen = self.random.below(self.live.len() as u64);
        let (block, mut waits) = self.live.swap_remove(chosen as usize);
        let (address, size) = (block.address(), block.bytes());
        self.ends.remove(&address);
        self.expected.live_blocks -= 1;
        self.expected.live_bytes -= size;
        self.expected.requested_bytes -= block.requested();
        // Mostly on the stream that uses it; elsewhere once it is not used any more.
        let users = self.device.users(address);
        let any = self.stream();
        let stream = match users.first() {
            Some(&user) if self.random.below(4) > 0 => Some(self.streams[user as usize].clone()),
            Some(&user) => {
                self.streams[user as usize].finish();
                any
            }
            None => any,
        };
        match &stream {
            Some(stream) => {
                waits.insert(stream.id(), stream.positions().0);
                self.pool.deallocate_async(block, stream);
            }
            None => self.pool.deallocate(block),
        }
        self.free.insert(address, (size, waits));
        assert_eq!(self.follow_log(), None);
    }

    fn advance(&mut self) {
        let count = self.random.below(6);
        if let Some(stream) = self.stream() {
            stream.advance(count);
        }
    }

    fn reclaim(&mut self) {
        let before = self.expected.released;
        let bytes = self.pool.reclaim();
        self.follow_log();
        assert_eq!(bytes > 0, self.expected.released > before);
        let pending = self
            .free
            .values()
            .filter(|(_, waits)| !self.is_done_but(waits, None));
        let pending: u64 = pending.map(|(size, _)| size).sum();
        assert_eq!(self.pool.stats().pending_bytes, pending);
    }

    fn trim(&mut self) {
        let keep = self.random.below(80 * MIB);
        self.pool.trim(keep);
        self.follow_log();
        assert!(self.pool.stats().cached_bytes <= keep);
    }

    /// Whether all that memory waits for is done, but for the work of one stream.
    fn is_done_but(&self, waits: &Waits, stream: Option<u64>) -> bool {
        let done = |id: u64| self.streams[id as usize].positions().1;
        let mut waits = waits.iter();
        waits.all(|(&id, &position)| Some(id) == stream || done(id) >= position)
    }

    /// Takes the memory that was given back out of the model; returns what was obtained.
    fn follow_log(&mut self) -> Option<(u64, u64)> {
        let log = std::mem::take(&mut self.device.state().log);
        let mut obtained = None;
        for call in log {
            match call {
                Call::Obtain(address, bytes) => {
                    assert_eq!(obtained.replace((address, bytes)), None);
                }
                Call::Release(address, bytes) => {
                    let (size, waits) = self.free.remove(&address).expect("a free block");
                    assert_eq!(size, bytes);
                    assert!(self.is_done_but(&waits, None), "work is pending");
                    self.expected.released += 1;
                }
            }
        }
        obtained
    }

    fn check(&self) {
        let stats = self.pool.stats();
        let state = self.device.state();
        let free: u64 = self.free.values().map(|(size, _)| size).sum();
        assert!(stats.cached_bytes <= self.limit);
        assert_eq!(stats.cached_bytes + stats.pending_bytes, free);
        let expected = Stats {
            cached_bytes: stats.cached_bytes,
            pending_bytes: stats.pending_bytes,
            held_bytes: state.used,
            held_high_water_bytes: state.most_used,
            ..self.expected
        };
        assert_eq!(stats, expected);
        assert_eq!(state.used, stats.live_bytes + free);
    }
}

/// The sizes of blocks that serve a request: of a new one, and of the largest.
fn sizes(bytes: u64) -> (u64, u64) {
    if bytes > 32 * MIB {
        let pages = bytes.div_ceil(2 * MIB);
        return (pages * 2 * MIB, bytes + bytes / 8);
    }
    let mut size = 512;
    let mut step = 512;
    while size < bytes {
        size += step;
        if size == 8 * step {
            step *= 2;
        }
    }
    (size, size)
}

#[test]
fn a_pool_keeps_its_promises_over_a_million_operations() {
    let stats = Run::new(1, 3, u64::MAX, u64::MAX).go(700_000);
    assert!(stats.hits > 10 * stats.misses, "{stats:?}");
    let stats = Run::new(2, 0, u64::MAX, u64::MAX).go(400_000);
    assert!(stats.hits > 10 * stats.misses, "{stats:?}");
}

#[test]
fn so_does_one_with_little_memory() {
    for seed in 0..4 {
        let stats = Run::new(seed, 2, 300 * MIB, u64::MAX).go(50_000);
        assert!(stats.refused > 100 && stats.released > 1000, "{stats:?}");
    }
}

#[test]
fn so_does_one_that_keeps_little() {
    for (seed, limit) in [(5, 0), (6, 1024), (7, MIB), (8, 80 * MIB)] {
        let stats = Run::new(seed, 2, u64::MAX, limit).go(50_000);
        assert!(stats.released > 1000, "{stats:?}");
    }
}

#[test]
fn the_sizes_of_the_model_are_those_of_the_pool() {
    for bytes in (0..40 * MIB).step_by(811) {
        assert_eq!(sizes(bytes).0, crate::pool::size_class::block_bytes(bytes));
    }
}
