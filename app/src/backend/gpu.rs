//! The GPU backend: modules of PTX loaded when first used, and launches.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use heapwood_device::host::HostAllocator;
use heapwood_device::warp::WARPS_PER_BLOCK;

use super::{BackendError, Facts, Launch, Shape, heap_kernel, plain_kernel};
use crate::cuda::{DeviceFacts, Function, Gpu, Module};
use crate::ptx;

/// Threads of a block.
const BLOCK: u32 = 32 * WARPS_PER_BLOCK;

/// A GPU with the kernels loaded so far.
pub struct Cuda {
    gpu: Gpu,
    limit: Duration,
    loaded: Mutex<Loaded>,
}

/// A launch as the driver takes it.
struct Ready {
    function: Function,
    /// None for a launch of nothing.
    blocks: u32,
    words: Vec<u64>,
}

#[derive(Default)]
struct Loaded {
    /// By allocator (empty for none) and family.
    modules: HashMap<(&'static str, &'static str), Module>,
    /// By name of the PTX entry, each with the blocks that a multiprocessor holds.
    functions: HashMap<&'static str, (Function, u32)>,
}

impl Cuda {
    /// Opens the GPU of this number; no launch may take longer than `limit`.
    pub(super) fn open(ordinal: u32, limit: Duration) -> Result<Self, BackendError> {
        let gpu = Gpu::open(ordinal)?;
        if !ptx::is_embedded() {
            return Err(BackendError::NoDeviceCode);
        }
        Ok(Self {
            gpu,
            limit,
            loaded: Mutex::default(),
        })
    }

    pub(super) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    pub(super) fn facts(&self) -> Facts {
        facts_of(self.gpu.facts())
    }

    /// # Safety
    ///
    /// As for [`super::Backend::launch_parts`].
    pub(super) unsafe fn launch_parts(
        &self,
        parts: &[&[Launch]],
    ) -> Result<Vec<f64>, BackendError> {
        // Modules are loaded before the clock starts.
        let parts: Vec<Vec<Ready>> = parts
            .iter()
            .map(|part| part.iter().map(|launch| self.ready(launch)).collect())
            .collect::<Result<_, _>>()?;
        let work = parts.iter().map(|part| {
            move || {
                for ready in part.iter().filter(|ready| ready.blocks > 0) {
                    // SAFETY: every entry takes these words; the rest is the
                    // caller's promise.
                    unsafe {
                        self.gpu
                            .launch(&ready.function, ready.blocks, BLOCK, &ready.words)?;
                    }
                }
                Ok(())
            }
        });
        Ok(self.gpu.time_parts(self.limit, work)?)
    }

    /// What the driver takes for a launch.
    fn ready(&self, launch: &Launch) -> Result<Ready, BackendError> {
        let allocator = launch.heap.map(|(allocator, _)| allocator);
        let (function, resident) = self.function(launch.kernel, allocator)?;
        let blocks = match launch.shape {
            Shape::Threads(threads) | Shape::Strided(threads) | Shape::Ranges(threads) => {
                threads.div_ceil(BLOCK)
            }
            Shape::Warps(warps) => warps.div_ceil(WARPS_PER_BLOCK),
            Shape::Persistent => resident * self.gpu.facts().multiprocessors,
        };
        let mut words = Vec::with_capacity(33);
        if let Some((_, heap)) = launch.heap {
            words.extend(heap.pointers.map(|pointer| pointer.addr() as u64));
            words.extend(heap.integers);
        }
        words.extend(launch.args.pointers.map(|pointer| pointer.addr() as u64));
        words.extend(launch.args.integers);
        Ok(Ready {
            function,
            blocks,
            words,
        })
    }

    pub(super) fn persistent_warps(
        &self,
        kernel: &str,
        allocator: Option<&'static HostAllocator>,
    ) -> Result<u32, BackendError> {
        let (_, resident) = self.function(kernel, allocator)?;
        Ok(resident * self.gpu.facts().multiprocessors * WARPS_PER_BLOCK)
    }

    pub(super) fn registers(
        &self,
        kernel: &str,
        allocator: &'static HostAllocator,
    ) -> Result<(u32, u32), BackendError> {
        let (function, _) = self.function(kernel, Some(allocator))?;
        Ok((function.registers()?, function.local_bytes()?))
    }

    /// A kernel and the blocks of it that a multiprocessor holds.
    fn function(
        &self,
        kernel: &str,
        allocator: Option<&'static HostAllocator>,
    ) -> Result<(Function, u32), BackendError> {
        let (entry, family) = match allocator {
            Some(allocator) => {
                let kernel = heap_kernel(kernel, allocator)?;
                (kernel.entry, kernel.family)
            }
            None => {
                let kernel = plain_kernel(kernel)?;
                (kernel.entry, kernel.family)
            }
        };
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = loaded.functions.get(entry) {
            return Ok(found.clone());
        }
        let name = allocator.map(|allocator| allocator.name);
        let key = (name.unwrap_or_default(), family);
        let module = match loaded.modules.get(&key) {
            Some(module) => module.clone(),
            None => {
                let text = ptx::module(name, family).ok_or(BackendError::NoDeviceCode)?;
                let module = Module::load(&self.gpu, &text)?;
                loaded.modules.insert(key, module.clone());
                module
            }
        };
        let function = module.function(entry)?;
        let resident = function.occupancy(BLOCK)?.max(1);
        loaded.functions.insert(entry, (function.clone(), resident));
        Ok((function, resident))
    }
}

/// The facts of a device as those of a backend.
pub(super) fn facts_of(facts: &DeviceFacts) -> Facts {
    Facts {
        backend: "cuda",
        device: facts.name.clone(),
        processors: facts.multiprocessors,
        driver: facts.driver_release.clone(),
    }
}
