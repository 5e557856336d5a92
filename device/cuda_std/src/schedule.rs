//! Host only: a hook in front of every atomic operation.
//!
//! A scheduler that runs many device threads in one host thread needs to take
//! over at each access to shared memory; that is where interleavings differ.
//! Without a hook the cost is one relaxed load of a flag.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

static HOOKED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static HOOK: Cell<Option<fn()>> = const { Cell::new(None) };
}

/// Calls `hook` before every atomic operation of this host thread from now on;
/// `None` ends that.
pub fn set_hook(hook: Option<fn()>) {
    HOOK.with(|cell| cell.set(hook));
    if hook.is_some() {
        // The flag is never cleared: another thread may still have its hook.
        HOOKED.store(true, Ordering::Relaxed);
    }
}

/// A place where the schedule may change; called by the atomic types.
#[inline(always)]
pub fn point() {
    if HOOKED.load(Ordering::Relaxed) {
        call_hook();
    }
}

#[cold]
fn call_hook() {
    if let Some(hook) = HOOK.with(Cell::get) {
        hook();
    }
}
