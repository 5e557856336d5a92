//! Calls of kernels of the table on warps in lockstep.

use std::marker::PhantomData;

use heapwood_device::allocator::{Allocator, Heap};
use heapwood_device::kernel::{Args, Kernel, PlainKernel};
use heapwood_device::launch::{Call, Visit};

use super::{LockstepError, Outcome, Plan, run};

/// Runs the kernel of a call on all lanes of all warps of `plan`, over a heap of the
/// allocator `A`, if it needs one.
///
/// # Panics
///
/// If it does and there is none.
///
/// # Errors
///
/// As for [`run`].
///
/// # Safety
///
/// The arguments satisfy the kernel's contract, and the heap is one of `A`, initialised
/// unless the kernel does that.
pub unsafe fn run_call<A: Allocator>(
    plan: Plan,
    heap: Option<Heap>,
    call: Call,
) -> Result<Outcome, LockstepError> {
    call.kernel().visit(Run::<A> {
        plan,
        heap,
        args: call.args(),
        allocator: PhantomData,
    })
}

/// Runs the kernel that it visits. Only [`run_call`] makes one, whose caller promises what
/// the kernel asks for.
struct Run<A> {
    plan: Plan,
    heap: Option<Heap>,
    args: Args,
    allocator: PhantomData<A>,
}

impl<A: Allocator> Visit for Run<A> {
    type Output = Result<Outcome, LockstepError>;

    fn over_heap<K: Kernel>(self) -> Self::Output {
        let heap = self.heap.expect("the kernel works over an allocator");
        // SAFETY: the promise of the caller of `run_call`.
        run(self.plan, |warp| unsafe {
            K::run(warp, A::new(heap), self.args.into())
        })
    }

    fn plain<K: PlainKernel>(self) -> Self::Output {
        // SAFETY: as above.
        run(self.plan, |warp| unsafe { K::run(warp, self.args.into()) })
    }
}
