//! Rounds whose kernel both allocates and frees.

use heapwood_device::bench::{
    AllocCycleDealloc, AllocDealloc, ProbabilityArguments, Turns, TurnsArguments, WarpsArguments,
};
use heapwood_device::launch::Call;

use super::{Bench, Draws, Microbenchmark, TURNS, warps};
use crate::backend::{BackendError, Grid, Launch};
use crate::workload::micro::draws;

impl Bench<'_> {
    /// Runs the kernel of a round, or its launches, that allocates and frees.
    pub fn run_one_kernel(&self, frees: bool, counts_frees: bool) -> Result<f64, BackendError> {
        match self.case.workload {
            Microbenchmark::Probability => self.run_draws(frees, counts_frees),
            Microbenchmark::Turns => self.run_turns(counts_frees),
            _ => self.run_warps(counts_frees),
        }
    }

    /// Runs the kernel of a round in which every thread allocates and frees by turns.
    fn run_turns(&self, counts_frees: bool) -> Result<f64, BackendError> {
        let call = Call::of::<Turns>(TurnsArguments {
            counters: self.counters.address().cast(),
            threads: self.case.threads,
            turns: self.case.turns.unwrap_or(TURNS),
            bytes: self.case.bytes,
            counts_frees,
        });
        // SAFETY: the counters are there.
        unsafe { self.launch(call, Grid::Threads(self.case.threads)) }
    }

    /// Runs the kernel of a round in which one lane of each warp works.
    fn run_warps(&self, counts_frees: bool) -> Result<f64, BackendError> {
        let arguments = WarpsArguments {
            counters: self.counters.address().cast(),
            bytes: self.case.bytes,
            kept: self.case.kept,
            counts_frees,
        };
        let call = match self.case.workload {
            Microbenchmark::AllocCycleDealloc => Call::of::<AllocCycleDealloc>(arguments),
            _ => Call::of::<AllocDealloc>(arguments),
        };
        // SAFETY: the counters are there.
        unsafe { self.launch(call, Grid::Warps(warps(self.case))) }
    }

    /// The launches of a round of `probability`, timed together; blocks that are left are freed
    /// after that, if the allocator can.
    fn run_draws(&self, frees: bool, counts_frees: bool) -> Result<f64, BackendError> {
        let warps = warps(self.case);
        let nulls = vec![u8::MAX; self.blocks.bytes() as usize];
        self.blocks.upload(0, &nulls)?;
        let arguments = ProbabilityArguments {
            blocks: self.blocks.address(),
            counters: self.counters.address().cast(),
            bytes: self.case.bytes,
            allocates: 0,
            frees: 0,
            launch: 0,
            counts_frees,
        };
        let launches = |draws: Draws, arguments| -> Vec<Launch> {
            let launch = |call| Launch {
                call,
                heap: Some(self.heap.parts()),
                grid: Grid::Warps(warps),
            };
            draws::calls(draws, arguments).map(launch).collect()
        };
        let drawn = launches(self.case.draws.unwrap_or_default(), arguments);
        let mut parts = vec![&drawn[..]];
        let arguments = ProbabilityArguments {
            counts_frees: false,
            ..arguments
        };
        let clearing = launches(draws::CLEARING, arguments);
        parts.extend(frees.then_some(&clearing[..]));
        // SAFETY: a handle for each warp, null at first and else from the launch before; the
        // counters are there, and the heap was initialised.
        let times = unsafe { self.backend.launch_parts(&parts)? };
        Ok(times[0])
    }
}
