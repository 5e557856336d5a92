//! Host only: a hook in front of every access to shared memory.
//!
//! A scheduler that runs many device threads in one host thread takes over at
//! each access, because that is where interleavings differ; and it may perform
//! the access itself, in a memory of its own making, because what a load may
//! return is more than the last store. Without a hook the cost is one relaxed
//! load of a flag.

use std::cell::Cell;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};

/// The operation of an access, with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Reads a word.
    Load,
    /// Writes a word.
    Store(u64),
    /// Replaces a word.
    Swap(u64),
    /// Adds to a word, with wrap-around.
    Add(u64),
    /// Bitwise and.
    And(u64),
    /// Bitwise or.
    Or(u64),
    /// Minimum of unsigned values.
    Min(u64),
    /// Maximum of unsigned values.
    Max(u64),
    /// Replaces a word if it holds a value.
    CompareExchange {
        /// The value that is replaced.
        current: u64,
        /// The value that replaces it.
        new: u64,
    },
    /// Orders accesses; touches no word.
    Fence,
    /// A read that is not atomic.
    PlainRead,
    /// A write that is not atomic.
    PlainWrite,
}

/// An access to shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Where; 0 for a fence.
    pub address: usize,
    /// Bytes of the word, or of the plain access.
    pub bytes: usize,
    /// Its operation.
    pub operation: Operation,
    /// The order asked for; relaxed for a plain access.
    pub order: Ordering,
    /// Whether the word is the first that the call accesses. One instruction may access several
    /// words, which do not wait for each other.
    pub leads: bool,
    /// The call.
    pub site: &'static Location<'static>,
}

/// A hook: it gives back the value that an atomic access returns if it has
/// performed it, and nothing if the caller is to do so.
pub type Hook = fn(&Access) -> Option<u64>;

static HOOKED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static HOOK: Cell<Option<Hook>> = const { Cell::new(None) };
}

/// Calls `hook` before every access of this host thread from now on; `None`
/// ends that.
pub fn set_hook(hook: Option<Hook>) {
    HOOK.with(|cell| cell.set(hook));
    if hook.is_some() {
        // The flag is never cleared: another thread may still have its hook.
        HOOKED.store(true, Ordering::Relaxed);
    }
}

/// Offers an access to the hook, if there is one.
#[inline(always)]
pub fn offer(access: impl FnOnce() -> Access) -> Option<u64> {
    if HOOKED.load(Ordering::Relaxed) {
        call_hook(&access())
    } else {
        None
    }
}

#[cold]
fn call_hook(access: &Access) -> Option<u64> {
    HOOK.with(Cell::get).and_then(|hook| hook(access))
}
