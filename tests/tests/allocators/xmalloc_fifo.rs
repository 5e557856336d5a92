//! The queue of XMalloc's bins: each value is dequeued once, by one thread; no value is lost
//! wherever a thread stalls, and no thread waits. The tests run every schedule of two threads,
//! those of three with few changes of thread, warps in lockstep over weak memory, and OS threads.

use std::sync::atomic::{AtomicU32 as Count, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use cuda_std::atomic::{AtomicU32, AtomicU64};
use cuda_std::schedule;
use heapwood_device::allocators::xmalloc::{Fifo, NOTHING};
use heapwood_device::simt::{SCRATCH_BYTES, Solo, Warp};
use heapwood_tests::conformance::{Machine, OsThreads};
use heapwood_tests::lockstep::{self, Plan, Random};

/// The memory of a queue, and a word of plain data for each value.
struct Words {
    head: AtomicU32,
    tail: AtomicU32,
    slots: Vec<AtomicU64>,
}

impl Words {
    fn new(bits: u32) -> Self {
        let words = Self {
            head: AtomicU32::new(0),
            tail: AtomicU32::new(0),
            slots: (0..1 << bits).map(|_| AtomicU64::new(0)).collect(),
        };
        words.fifo().init(solo(&mut Scratch([0; SCRATCH_BYTES])));
        words
    }

    fn fifo(&self) -> Fifo {
        let bits = self.slots.len().ilog2();
        // SAFETY: the words of this value; `new` has initialised the queue.
        unsafe { Fifo::new(&self.head, &self.tail, self.slots.as_ptr(), bits) }
    }
}

#[repr(C, align(16))]
struct Scratch([u8; SCRATCH_BYTES]);

/// A thread on its own, as far as its warp is asked.
fn solo(scratch: &mut Scratch) -> Solo {
    // SAFETY: the only warp of its launch; the scratch memory outlives its use.
    unsafe { Solo::new(0, 1, 0, scratch.0.as_mut_ptr()) }
}

/// A step of a thread.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Enqueues a value.
    Put(u32),
    /// Dequeues.
    Take,
}
use Step::{Put, Take};

/// The results of a thread's steps: the values that it enqueued, and those that it dequeued.
#[derive(Clone, Debug, Default)]
struct Outcome {
    put: Vec<u32>,
    taken: Vec<u32>,
}

fn perform<W: Warp>(warp: W, fifo: Fifo, steps: &[Step]) -> Outcome {
    let mut outcome = Outcome::default();
    for step in steps {
        match *step {
            Put(value) if fifo.enqueue(value) => outcome.put.push(value),
            Put(_) => {}
            Take => outcome.taken.extend(dequeued(fifo.dequeue(warp))),
        }
    }
    outcome
}

fn dequeued(value: u32) -> Option<u32> {
    (value != NOTHING).then_some(value)
}

/// Dequeues the remaining values of a queue that no other thread uses.
fn drain(fifo: Fifo) -> Vec<u32> {
    let mut scratch = Scratch([0; SCRATCH_BYTES]);
    let warp = solo(&mut scratch);
    let mut values = Vec::new();
    fifo.drain(warp, |value| values.push(value));
    assert!(fifo.is_empty());
    values
}

/// Checks that each enqueued value came out once.
fn check(outcomes: &[Outcome], left: &[u32], what: &dyn Fn() -> String) {
    let sorted = |values: Vec<u32>| {
        let mut values = values;
        values.sort_unstable();
        values
    };
    let put = outcomes.iter().flat_map(|outcome| outcome.put.clone());
    let taken = outcomes.iter().flat_map(|outcome| outcome.taken.clone());
    let (put, out) = (
        sorted(put.collect()),
        sorted(taken.chain(left.iter().copied()).collect()),
    );
    assert_eq!(put, out, "{}", what());
}

/// The schedule of threads that run one at a time.
struct Baton {
    /// The thread that runs; none before the first.
    turn: Option<usize>,
    finished: Vec<bool>,
    started: usize,
    /// Choices to make, each a number among the threads that may run.
    prefix: Vec<usize>,
    /// Choices that were made, and among how many.
    made: Vec<(usize, usize)>,
    /// Changes of thread that are left.
    changes: u32,
}

static BATON: Mutex<Option<Baton>> = Mutex::new(None);
static PASSED: Condvar = Condvar::new();
/// Tests that explore schedules share the baton.
static EXPLORING: Mutex<()> = Mutex::new(());

thread_local! {
    static THREAD: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn baton() -> MutexGuard<'static, Option<Baton>> {
    BATON.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Baton {
    /// Chooses who runs next: thread `last`, unless it has finished, or another.
    fn pass(&mut self, last: Option<usize>) {
        let stays = last.filter(|&thread| !self.finished[thread]);
        // The one that runs comes first, so that choice 0 changes nothing.
        let others = (0..self.finished.len())
            .filter(|&thread| Some(thread) != stays && !self.finished[thread]);
        let may_change = stays.is_none() || self.changes > 0;
        let options: Vec<_> = stays
            .into_iter()
            .chain(others.filter(|_| may_change))
            .collect();
        if options.is_empty() {
            self.turn = None;
            return;
        }
        let choice = self.prefix.get(self.made.len()).copied().unwrap_or(0);
        self.made.push((choice, options.len()));
        if stays.is_some() && choice > 0 {
            self.changes -= 1;
        }
        self.turn = Some(options[choice]);
    }
}

/// Waits until it is this thread's turn.
fn wait_for_turn(mut held: MutexGuard<'static, Option<Baton>>, own: usize) {
    while held.as_ref().expect("a run").turn != Some(own) {
        held = PASSED.wait(held).unwrap_or_else(PoisonError::into_inner);
    }
}

/// In front of each access of a thread that is explored.
fn at_access(_: &schedule::Access) -> Option<u64> {
    let own = THREAD.get();
    let mut held = baton();
    held.as_mut().expect("a run").pass(Some(own));
    if held.as_ref().expect("a run").turn != Some(own) {
        PASSED.notify_all();
        wait_for_turn(held, own);
    }
    None
}

/// One thread of a run.
fn explored(own: usize, fifo: Fifo, steps: &[Step]) -> Outcome {
    THREAD.set(own);
    let mut held = baton();
    let run = held.as_mut().expect("a run");
    run.started += 1;
    if run.started == run.finished.len() {
        run.pass(None);
        PASSED.notify_all();
    }
    wait_for_turn(held, own);
    schedule::set_hook(Some(at_access));
    let outcome = perform(solo(&mut Scratch([0; SCRATCH_BYTES])), fifo, steps);
    schedule::set_hook(None);
    let mut held = baton();
    let run = held.as_mut().expect("a run");
    run.finished[own] = true;
    run.pass(None);
    PASSED.notify_all();
    outcome
}

/// A queue for the threads of a run, which are done with it when the run ends.
#[derive(Clone, Copy)]
struct Shared(Fifo);

// SAFETY: all of a queue's words are atomic.
unsafe impl Send for Shared {}

impl Shared {
    fn get(self) -> Fifo {
        self.0
    }
}

/// Runs the threads under every schedule with up to `changes` changes away from a thread that
/// could go on; returns how many schedules there are.
fn explore(bits: u32, before: &[u32], threads: &[&[Step]], changes: u32) -> u32 {
    let _alone = EXPLORING.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut prefix, mut schedules) = (Vec::new(), 0);
    loop {
        let words = Words::new(bits);
        let fifo = Shared(words.fifo());
        for &value in before {
            assert!(words.fifo().enqueue(value));
        }
        *baton() = Some(Baton {
            turn: None,
            finished: vec![false; threads.len()],
            started: 0,
            prefix,
            made: Vec::new(),
            changes,
        });
        let mut outcomes: Vec<Outcome> = thread::scope(|scope| {
            let handles: Vec<_> = (0..threads.len())
                .map(|own| scope.spawn(move || explored(own, fifo.get(), threads[own])))
                .collect();
            let join = |handle: thread::ScopedJoinHandle<'_, Outcome>| handle.join();
            handles
                .into_iter()
                .map(|handle| join(handle).expect("a thread that does not panic"))
                .collect()
        });
        outcomes.push(Outcome {
            put: before.to_vec(),
            taken: Vec::new(),
        });
        let made = baton().take().expect("a run").made;
        check(&outcomes, &drain(words.fifo()), &|| {
            format!("{threads:?} under {made:?}: {outcomes:?}")
        });
        schedules += 1;
        // The next schedule: the last choice that has another.
        let Some(last) = made.iter().rposition(|&(choice, of)| choice + 1 < of) else {
            return schedules;
        };
        prefix = made[..last].iter().map(|&(choice, _)| choice).collect();
        prefix.push(made[last].0 + 1);
    }
}

#[test]
fn every_schedule_of_two_threads_loses_nothing() {
    // A value that no thread has taken yet, a queue that is full, one that is empty.
    assert!(explore(1, &[], &[&[Put(1)], &[Take]], 99) > 200);
    assert!(explore(1, &[7], &[&[Put(1)], &[Take]], 99) > 200);
    assert!(explore(0, &[7], &[&[Put(1)], &[Take]], 99) > 200);
    assert!(explore(1, &[7], &[&[Take], &[Take]], 99) > 200);
    assert!(explore(1, &[7], &[&[Put(1)], &[Put(2)]], 99) > 200);
    assert!(explore(0, &[], &[&[Put(1)], &[Put(2)]], 99) > 200);
}

#[test]
fn schedules_with_few_changes_lose_nothing() {
    // Tickets that are overtaken on both sides, in one slot and in two.
    for bits in [0, 1] {
        explore(bits, &[], &[&[Put(1), Take], &[Take, Put(2)]], 3);
        explore(bits, &[7], &[&[Take, Put(1)], &[Take, Put(2)], &[Take]], 2);
        explore(bits, &[], &[&[Put(1), Put(2)], &[Take, Take], &[Take]], 2);
    }
}

#[test]
fn a_thread_alone_gets_values_in_order() {
    let words = Words::new(2);
    let fifo = words.fifo();
    let mut scratch = Scratch([0; SCRATCH_BYTES]);
    let warp = solo(&mut scratch);
    // Tickets wrap after two capacities.
    for round in 0..40 {
        let count = round % 5;
        for value in 0..count {
            assert!(fifo.enqueue(10 * round + value), "{round} {value}");
        }
        if count == 4 {
            assert!(!fifo.enqueue(1));
        }
        assert_eq!(fifo.is_empty(), count == 0);
        for value in 0..count {
            assert_eq!(fifo.dequeue(warp), 10 * round + value);
        }
        assert_eq!(fifo.dequeue(warp), NOTHING);
    }
}

/// Two warps saw the same room, and both drew tickets for all of it: those of the second are void.
/// A drain finds the values that are enqueued behind them.
#[test]
fn void_tickets_hide_no_value_from_a_drain() {
    let words = Words::new(5);
    let fifo = words.fifo();
    let mut scratch = Scratch([0; SCRATCH_BYTES]);
    let warp = solo(&mut scratch);
    // These are never used.
    assert_eq!(fifo.draw_back(32).count, 32);
    assert!(!fifo.enqueue(1), "no room");
    assert_eq!(fifo.dequeue(warp), NOTHING);
    assert!(fifo.enqueue(1));
    assert_eq!(fifo.dequeue(warp), NOTHING, "more void tickets");
    assert_eq!(drain(fifo), [1]);
}

/// Lanes enqueue what they hold and dequeue what others did, and write to it: over weak memory
/// two owners that nothing orders are a race.
fn passed_around(seed: u64) {
    const TURNS: u32 = 12;
    let mut random = Random::new(seed);
    let lanes = 1 + random.below(8) as u32;
    let warps = 1 + random.below(2) as u32;
    let words = Words::new(random.below(4) as u32);
    let values: Vec<u64> = vec![0; (32 * warps) as usize];
    let address = |value: u32| &raw const values[value as usize] as usize;
    let owned: Vec<_> = (0..32 * warps).map(|_| Count::new(0)).collect();
    let plan = Plan::varied(warps, lanes, u64::from(TURNS) * 8, seed).weak();
    let kernel = |warp: lockstep::Lockstep| {
        if warp.lane() >= lanes {
            return;
        }
        let fifo = words.fifo();
        let mut random = Random::new(seed << 8 | u64::from(warp.thread()));
        let mut held = vec![warp.thread()];
        owned[warp.thread() as usize].store(1, SeqCst);
        for _ in 0..TURNS {
            if random.one_in(2) {
                let Some(value) = held.pop() else { continue };
                lockstep::writes(address(value), 8);
                assert_eq!(owned[value as usize].swap(0, SeqCst), 1, "{value}");
                if !fifo.enqueue(value) {
                    owned[value as usize].store(1, SeqCst);
                    held.push(value);
                }
            } else if let Some(value) = dequeued(fifo.dequeue(warp)) {
                assert_eq!(owned[value as usize].swap(1, SeqCst), 0, "{value}");
                lockstep::writes(address(value), 8);
                held.push(value);
            }
        }
    };
    lockstep::run(plan, kernel).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    for value in drain(words.fifo()) {
        assert_eq!(owned[value as usize].swap(1, SeqCst), 0, "seed {seed}");
    }
    for lane in (0..32 * warps).filter(|thread| thread % 32 < lanes) {
        assert_eq!(owned[lane as usize].load(SeqCst), 1, "seed {seed}: {lane}");
    }
}

#[test]
fn warps_in_lockstep_pass_values_around() {
    for seed in 0..if cfg!(miri) { 0 } else { 3000 } {
        passed_around(seed);
    }
}

#[test]
fn threads_pass_values_around() {
    let words = Words::new(3);
    let shared = Mutex::new(Shared(words.fifo()));
    let outcomes = Mutex::new(Vec::new());
    OsThreads.launch(&|warp| {
        let fifo = shared.lock().expect("no panic in here").get();
        let mut random = Random::new(u64::from(warp.thread()));
        let steps: Vec<_> = (0..OsThreads::TURNS)
            .map(|turn| match random.one_in(2) {
                true => Put(turn * OsThreads::THREADS + warp.thread()),
                false => Take,
            })
            .collect();
        let outcome = perform(warp, fifo, &steps);
        outcomes.lock().expect("no panic in here").push(outcome);
    });
    let outcomes = outcomes.into_inner().expect("no panic in here");
    check(&outcomes, &drain(words.fifo()), &|| "threads".to_owned());
}
