//! Calls of kernels of the table on warps in lockstep.

use heapwood_device::device_heap::AnyHeap;
use heapwood_device::kernel::{Args, Kernel, PlainKernel};
use heapwood_device::launch::{Call, Visit};

use super::{Lockstep, LockstepError, Outcome, Plan, run};

/// Runs the kernel of a call on all lanes of all warps of `plan`, over a heap, if it needs
/// one.
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
/// The arguments satisfy the kernel's contract, and the heap is initialised unless the
/// kernel does that.
pub unsafe fn run_call(
    plan: Plan,
    heap: Option<&AnyHeap<'_, Lockstep, u32>>,
    call: Call,
) -> Result<Outcome, LockstepError> {
    call.kernel().visit(Run {
        plan,
        heap,
        args: call.args(),
    })
}

/// Runs the kernel that it visits. Only [`run_call`] makes one, whose caller promises what
/// the kernel asks for.
struct Run<'a> {
    plan: Plan,
    heap: Option<&'a AnyHeap<'a, Lockstep, u32>>,
    args: Args,
}

impl Visit for Run<'_> {
    type Output = Result<Outcome, LockstepError>;

    fn over_heap<K: Kernel>(self) -> Self::Output {
        let heap = self.heap.expect("the kernel works over an allocator");
        // SAFETY: the promise of the caller of `run_call`.
        run(self.plan, |warp| unsafe {
            K::run(warp, heap, self.args.into())
        })
    }

    fn plain<K: PlainKernel>(self) -> Self::Output {
        // SAFETY: as above.
        run(self.plan, |warp| unsafe { K::run(warp, self.args.into()) })
    }
}
