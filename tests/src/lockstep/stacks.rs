//! A pool of coroutine stacks, one a host thread: a run of some hundred lanes
//! would otherwise spend most of its time mapping memory.

use std::cell::RefCell;

use corosensei::stack::DefaultStack;

/// Bytes of a stack. Pages are committed when first touched.
const STACK_BYTES: usize = 128 * 1024;

thread_local! {
    static POOL: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// A stack, from the pool if it has one.
pub fn take() -> DefaultStack {
    POOL.with(|pool| pool.borrow_mut().pop())
        .unwrap_or_else(|| DefaultStack::new(STACK_BYTES).expect("memory for a coroutine's stack"))
}

/// Gives a stack back to the pool.
pub fn give(stack: DefaultStack) {
    POOL.with(|pool| pool.borrow_mut().push(stack));
}
