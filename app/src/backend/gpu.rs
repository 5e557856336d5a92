//! The GPU backend: modules of PTX loaded when first used, and launches.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use heapwood_device::allocator::Heap;
use heapwood_device::allocators::link_external;
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::KernelId;
use heapwood_device::simt::WARPS_PER_BLOCK;

use super::{Allocation, Backend, BackendError, DeviceInfo, Grid, Launch, Memory};
use crate::cuda::{
    Buffer, CudaError, DeviceProperties, Function, Gpu, KernelLaunch, LaunchShape, Module,
};
use crate::link::{GRANTED, Libraries, Link, LinkError, Linked, OwnHeap};
use crate::ptx;

mod graphs;

use graphs::{GRAPH_LAUNCHES, Graphs};

/// Threads of a block.
const BLOCK: u32 = 32 * WARPS_PER_BLOCK;
/// Threads of a block that trace rays.
const RAY_BLOCK: u32 = BLOCK / 2;

/// A GPU with the kernels loaded so far.
pub struct Cuda {
    gpu: Gpu,
    limit: Duration,
    /// Files with an allocator of the user's.
    link: Option<Link>,
    /// The libraries among them.
    libraries: Option<Arc<Libraries>>,
    loaded: Mutex<Loaded>,
    graphs: Mutex<Graphs>,
}

#[derive(Default)]
struct Loaded {
    /// The size of CUDA's heap, in bytes, if it was set.
    system_heap: Option<u64>,
    /// Whether a module is among those below that uses this heap: the driver sets its memory
    /// aside with the first.
    uses_system_heap: bool,
    /// By allocator and family.
    modules: HashMap<(Option<Over>, &'static str), Module>,
    /// By kernel and allocator, each with the blocks that a multiprocessor holds.
    functions: HashMap<(KernelId, Option<Over>), (Function, u32)>,
    /// How long modules were linked with the user's files.
    link_time: Duration,
    /// The most registers of a kernel of these modules.
    link_registers: Option<u32>,
}

/// The allocator that a kernel works over: its name, and whether it frees, which makes two of
/// one of the user's.
type Over = (&'static str, bool);

impl Cuda {
    /// Opens the GPU of this number; no launch may take longer than `limit`.
    ///
    /// # Errors
    ///
    /// When there is none of that number, and where the program has no PTX.
    pub fn open(ordinal: u32, limit: Duration) -> Result<Self, BackendError> {
        let gpu = Gpu::open(ordinal)?;
        if !ptx::is_embedded() {
            return Err(BackendError::NoDeviceCode);
        }
        Ok(Self {
            gpu,
            limit,
            link: None,
            libraries: None,
            loaded: Mutex::default(),
            graphs: Mutex::default(),
        })
    }

    /// The same with an allocator of the user's.
    ///
    /// # Errors
    ///
    /// When one of its libraries cannot be loaded, or lacks a function.
    pub fn linked(self, link: Option<Link>) -> Result<Self, BackendError> {
        let libraries = link.as_ref().map(|link| Libraries::load(link, true));
        Ok(Self {
            libraries: libraries.transpose()?.map(Arc::new),
            link,
            ..self
        })
    }

    fn loaded(&self) -> MutexGuard<'_, Loaded> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The arguments of the driver for a launch.
    fn ready(&self, launch: &Launch) -> Result<KernelLaunch, BackendError> {
        let over = launch.over()?;
        let allocator = over.map(|(allocator, _)| allocator);
        let (function, resident) = self.function(launch.call.kernel(), allocator)?;
        let shape = launch.call.kernel().block();
        let (blocks, block_threads) = match launch.bounded_grid()? {
            Grid::Blocks(blocks) => (blocks, 32 * shape.warps),
            Grid::Threads(threads) | Grid::Strided(threads) | Grid::Ranges(threads) => {
                (threads.div_ceil(BLOCK), BLOCK)
            }
            Grid::Rays(threads) => (threads.div_ceil(RAY_BLOCK), RAY_BLOCK),
            Grid::Warps(warps) => (warps.div_ceil(WARPS_PER_BLOCK), BLOCK),
            Grid::Persistent => (resident * self.gpu.properties().multiprocessors, BLOCK),
        };
        let mut words = Vec::with_capacity(33);
        if let Some((_, heap)) = over {
            words.extend(heap.pointers.map(|pointer| pointer.addr() as u64));
            words.extend(heap.integers);
        }
        let args = launch.call.args();
        words.extend(args.pointers.map(|pointer| pointer.addr() as u64));
        words.extend(args.integers);
        Ok(KernelLaunch {
            function,
            shape: LaunchShape {
                blocks,
                block_threads,
                shared_bytes: shape.shared_bytes as u32,
            },
            words,
        })
    }

    /// A kernel and the blocks of it that a multiprocessor holds.
    fn function(
        &self,
        kernel: KernelId,
        over: Option<&'static HostAllocator>,
    ) -> Result<(Function, u32), BackendError> {
        let mut loaded = self.loaded();
        let key = over.map(|allocator| (allocator.name, allocator.properties.frees));
        if let Some(found) = loaded.functions.get(&(kernel, key)) {
            return Ok(found.clone());
        }
        let family = kernel.family();
        let module = match loaded.modules.get(&(key, family)) {
            Some(module) => module.clone(),
            None => {
                let module = self.module(over, family, &mut loaded.link_time)?;
                loaded.uses_system_heap |= over.is_some_and(|over| over.properties.system_heap);
                loaded.modules.insert((key, family), module.clone());
                module
            }
        };
        let function = module.function(&kernel.entry(over.map(|allocator| allocator.name)))?;
        let shared = kernel.block().shared_bytes;
        if shared > 0 {
            function.allow_shared(shared as u32)?;
        }
        let resident = function.occupancy(BLOCK)?.max(1);
        if over.is_some_and(|over| over.properties.external) {
            let registers = Some(function.registers()?);
            loaded.link_registers = loaded.link_registers.max(registers);
        }
        let found = (function, resident);
        loaded.functions.insert((kernel, key), found.clone());
        Ok(found)
    }

    /// Makes the launches, as a graph where that pays.
    ///
    /// # Safety
    ///
    /// As for [`Function::launch`], of each launch.
    unsafe fn time_parts(&self, parts: &[Vec<KernelLaunch>]) -> Result<Vec<f64>, CudaError> {
        let launches = parts.iter().map(Vec::len).sum();
        let graph = match GRAPH_LAUNCHES.contains(&launches) {
            true => self.graphs().take(&self.gpu, parts),
            false => None,
        };
        if let Some(mut graph) = graph {
            // SAFETY: the caller's promise.
            let times = unsafe { graph.time(self.limit) };
            self.graphs().keep(graph);
            return times;
        }
        let work = parts.iter().map(|part| {
            move || {
                part.iter().try_for_each(|launch| {
                    // SAFETY: the caller's promise.
                    unsafe { launch.function.launch(launch.shape, &launch.words) }
                })
            }
        });
        self.gpu.time_parts(self.limit, work)
    }

    fn graphs(&self) -> MutexGuard<'_, Graphs> {
        self.graphs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A module, which over an allocator of the user's is linked: that takes as long as is added
    /// to `link_time`.
    fn module(
        &self,
        over: Option<&'static HostAllocator>,
        family: &str,
        link_time: &mut Duration,
    ) -> Result<Module, BackendError> {
        let name = over.map(|allocator| allocator.name);
        let text = ptx::module(name, family).ok_or(BackendError::NoDeviceCode)?;
        let Some(over) = over.filter(|allocator| allocator.properties.external) else {
            return Ok(Module::load(&self.gpu, &text)?);
        };
        let link = self.link.as_ref().ok_or(LinkError::Nothing)?;
        let (module, took) = Module::link(&self.gpu, &text, link, over.properties.frees)?;
        *link_time += took;
        Ok(module)
    }
}

impl Backend for Cuda {
    fn info(&self) -> DeviceInfo {
        let loaded = self.loaded();
        let linked = self.link.as_ref().map(|link| Linked {
            time: loaded.link_time,
            registers: loaded.link_registers,
            ..link.about()
        });
        drop(loaded);
        DeviceInfo {
            linked,
            ..info_of(self.gpu.properties())
        }
    }

    fn solo_workers(&self) -> u32 {
        0
    }

    fn free_memory(&self) -> Result<u64, BackendError> {
        Ok(self.gpu.free_memory()?)
    }

    fn allocate(&self, bytes: u64) -> Result<Memory, BackendError> {
        Ok(Memory::new(Buffer::new(&self.gpu, bytes)?))
    }

    /// A driver that is asked for another size behind this backend's back refuses it too late.
    fn size_system_heap(&self, bytes: u64, exact: bool) -> Result<(), BackendError> {
        let mut loaded = self.loaded();
        let has_by_now = |now| now == bytes || (!exact && now > bytes);
        if loaded.system_heap.is_some_and(has_by_now) {
            return Ok(());
        }
        let fixed = |bytes_now| BackendError::SystemHeapFixed {
            bytes: bytes_now,
            wanted: bytes,
        };
        if loaded.uses_system_heap {
            return Err(fixed(self.gpu.heap_bytes()?));
        }
        self.gpu.set_heap_bytes(bytes)?;
        // The driver rounds, and keeps what it has where it cannot change that.
        let now = self.gpu.heap_bytes()?;
        if now < bytes {
            return Err(fixed(now));
        }
        loaded.system_heap = Some(bytes);
        Ok(())
    }

    fn fixed_system_heap(&self) -> Result<Option<u64>, BackendError> {
        let loaded = self.loaded();
        Ok(loaded.system_heap.filter(|_| loaded.uses_system_heap))
    }

    /// The functions are linked with the kernels.
    fn bind(&self, allocator: &'static HostAllocator, heap: Heap) -> Result<Heap, BackendError> {
        if !allocator.properties.external {
            return Ok(heap);
        }
        let linked = self.link.as_ref().zip(self.libraries.as_ref());
        let (link, libraries) = linked.ok_or(LinkError::Nothing)?;
        libraries.check_memory(allocator)?;
        Ok(link_external(heap, link.has_on_gpu(GRANTED)))
    }

    fn own_heap(&self, bytes: u64) -> Result<OwnHeap, BackendError> {
        let libraries = self.libraries.as_ref().ok_or(LinkError::Nothing)?;
        // The library finds the device current, and nothing that its memory was used for.
        self.gpu.wait()?;
        let gpu = self.gpu.clone();
        Ok(OwnHeap::new(libraries, bytes, move || gpu.wait().is_ok())?)
    }

    unsafe fn launch_parts(&self, parts: &[&[Launch]]) -> Result<Vec<f64>, BackendError> {
        // Modules are loaded before the clock starts.
        let parts: Vec<Vec<KernelLaunch>> = parts
            .iter()
            .map(|part| {
                let ready = part.iter().map(|launch| self.ready(launch));
                // A launch of nothing has no blocks.
                ready
                    .filter(|ready| ready.as_ref().map_or(true, |ready| ready.shape.blocks > 0))
                    .collect()
            })
            .collect::<Result<_, _>>()?;
        // SAFETY: every entry takes these words; the rest is the caller's promise.
        Ok(unsafe { self.time_parts(&parts)? })
    }

    fn registers(
        &self,
        kernel: KernelId,
        allocator: &'static HostAllocator,
    ) -> Result<Option<(u32, u32)>, BackendError> {
        let (function, _) = self.function(kernel, Some(allocator))?;
        Ok(Some((function.registers()?, function.local_bytes()?)))
    }
}

impl Allocation for Buffer {
    fn address(&self) -> *mut u8 {
        std::ptr::without_provenance_mut(self.address() as usize)
    }

    fn bytes(&self) -> u64 {
        self.bytes()
    }

    /// The GPU fills all of it faster than it would be told what to leave out.
    fn zero_front(&self, bytes: u64) -> Result<(), BackendError> {
        assert!(bytes <= self.bytes(), "a buffer of {} bytes", self.bytes());
        Ok(self.zero()?)
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), BackendError> {
        Ok(self.upload(offset, bytes)?)
    }

    fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), BackendError> {
        Ok(self.download(offset, bytes)?)
    }
}

/// The properties of a device, as those of a backend.
pub(super) fn info_of(properties: &DeviceProperties) -> DeviceInfo {
    DeviceInfo {
        backend: "cuda",
        device: properties.name.clone(),
        is_gpu: true,
        processors: properties.multiprocessors,
        driver: properties.driver_release.clone(),
        clock_hz: u64::from(properties.clock_khz) * 1000,
        linked: None,
    }
}
