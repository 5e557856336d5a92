//! Kernels: PTX compiled by the driver, their launches, and what the driver says of
//! them.
//!
//! Not `cust`'s own types: they borrow the module for every function, and their
//! loader drops the compiler's log.

use std::ffi::{CStr, CString, c_void};
use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cust::sys::{self, CUfunction, CUfunction_attribute, CUmodule};

use super::error::{CudaError, check};
use super::gpu::Gpu;
use super::link::{link, unmerged};
use super::log::{Log, first_error};
use crate::link::{Link, merged};

/// A set of kernels, compiled for one device. Clones share it; with the last of them
/// and of its functions it is unloaded, after a wait for the kernels that still run.
#[derive(Debug, Clone)]
pub struct Module {
    loaded: Arc<Loaded>,
}

/// A kernel, which keeps its module loaded.
#[derive(Debug, Clone)]
pub struct Function {
    handle: CUfunction,
    module: Arc<Loaded>,
}

/// The blocks of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchShape {
    /// Blocks.
    pub blocks: u32,
    /// Threads of each.
    pub block_threads: u32,
    /// Bytes of shared memory of each that the launch asks for; beside them a kernel may declare
    /// some.
    pub shared_bytes: u32,
}

impl LaunchShape {
    /// Blocks that ask for no memory.
    pub fn new(blocks: u32, block_threads: u32) -> Self {
        Self {
            blocks,
            block_threads,
            shared_bytes: 0,
        }
    }
}

/// A kernel with its blocks and its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelLaunch {
    /// The kernel.
    pub function: Function,
    /// Its blocks.
    pub shape: LaunchShape,
    /// Its parameters.
    pub words: Vec<u64>,
}

/// A module that is unloaded with its last user.
#[derive(Debug)]
struct Loaded {
    handle: CUmodule,
    gpu: Gpu,
}

// SAFETY: the handle is not tied to a thread; the driver locks what it needs.
unsafe impl Send for Loaded {}
// SAFETY: as above; nothing is changed through a shared reference.
unsafe impl Sync for Loaded {}
// SAFETY: the handle is part of the module, which is Send and Sync.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

/// Both keep their modules loaded, so that a handle is that of one function.
impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.handle == other.handle
    }
}

impl Eq for Function {}

impl Module {
    /// Has the driver compile `ptx` for the device, or take it from its cache.
    ///
    /// # Errors
    ///
    /// [`CudaError::Jit`] with the first error in the compiler's log, and faults of
    /// earlier work.
    pub fn load(gpu: &Gpu, ptx: &str) -> Result<Self, CudaError> {
        gpu.shared().enter()?;
        let text = CString::new(ptx).map_err(|_| CudaError::Jit {
            name: "no text".to_owned(),
            line: "the PTX contains a zero byte".to_owned(),
        })?;
        let handle = gpu.with_memory(|| load(&text))?;
        let gpu = gpu.clone();
        let loaded = Arc::new(Loaded { handle, gpu });
        Ok(Self { loaded })
    }

    /// Has the driver link `ptx` with an allocator of the user's, which has a `heapwood_free`
    /// or not; returns how long that took, too.
    ///
    /// # Errors
    ///
    /// [`CudaError::Link`] with what is wrong with the user's files, and faults of earlier work.
    pub fn link(
        gpu: &Gpu,
        ptx: &str,
        with: &Link,
        frees: bool,
    ) -> Result<(Self, Duration), CudaError> {
        gpu.shared().enter()?;
        if with.merges() {
            let begun = Instant::now();
            let module = merged(ptx, with, frees).map_err(CudaError::Link)?;
            let module = Self::load(gpu, &module).map_err(unmerged)?;
            return Ok((module, begun.elapsed()));
        }
        let (handle, took) = link(gpu, ptx, with, frees)?;
        let gpu = gpu.clone();
        let loaded = Arc::new(Loaded { handle, gpu });
        Ok((Self { loaded }, took))
    }

    /// The kernel of this name.
    ///
    /// # Errors
    ///
    /// [`CudaError::NoFunction`], and faults of earlier work.
    pub fn function(&self, name: &str) -> Result<Function, CudaError> {
        let gpu = &self.loaded.gpu;
        gpu.shared().enter()?;
        let missing = || CudaError::NoFunction {
            name: name.to_owned(),
        };
        let text = CString::new(name).map_err(|_| missing())?;
        // The driver may load kernels one by one.
        let handle = gpu.with_memory(|| {
            let mut handle = ptr::null_mut();
            // SAFETY: the module is loaded, the name ends with a zero.
            let result =
                unsafe { sys::cuModuleGetFunction(&mut handle, self.loaded.handle, text.as_ptr()) };
            check("cuModuleGetFunction", result).map(|()| handle)
        });
        let handle = handle.map_err(|error| match error {
            CudaError::Call { .. } => missing(),
            other => other,
        })?;
        let module = Arc::clone(&self.loaded);
        Ok(Function { handle, module })
    }
}

impl Function {
    /// Starts the kernel with `words` as its parameters, each of 8 bytes: a device
    /// address or a number. Returns at once; the kernel runs after all that its device
    /// was asked for before.
    ///
    /// # Errors
    ///
    /// [`CudaError::Call`] for a grid or block that is empty or too large, and
    /// faults of earlier work. Faults of this kernel come with a later call.
    ///
    /// # Safety
    ///
    /// The kernel must take exactly these words, and access only memory that it may:
    /// the buffers among them, which must live until it has ended.
    pub unsafe fn launch(&self, shape: LaunchShape, words: &[u64]) -> Result<(), CudaError> {
        /// Tags of the list that hands over all parameters as one block of memory.
        const END: *mut c_void = ptr::null_mut();
        const POINTER: *mut c_void = ptr::without_provenance_mut(1);
        const SIZE: *mut c_void = ptr::without_provenance_mut(2);

        let gpu = &self.module.gpu;
        gpu.shared().enter()?;
        let block = words.as_ptr().cast_mut().cast();
        // Local memory of more threads than before is allocated now.
        gpu.with_memory(|| {
            let mut bytes = size_of_val(words);
            let mut extra = [POINTER, block, SIZE, (&raw mut bytes).cast(), END];
            // SAFETY: handles of this device; the driver copies the words before it returns. The
            // caller promises that the kernel is sound. A call that fails for want of memory has
            // started nothing.
            let result = unsafe {
                sys::cuLaunchKernel(
                    self.handle,
                    shape.blocks,
                    1,
                    1,
                    shape.block_threads,
                    1,
                    1,
                    shape.shared_bytes,
                    gpu.shared().stream(),
                    ptr::null_mut(),
                    extra.as_mut_ptr(),
                )
            };
            check("cuLaunchKernel", result)
        })
    }

    /// The driver's handle.
    pub(super) fn handle(&self) -> CUfunction {
        self.handle
    }

    /// Lets launches ask for so many bytes of shared memory a block.
    ///
    /// # Errors
    ///
    /// When the device does not have as many.
    pub fn allow_shared(&self, bytes: u32) -> Result<(), CudaError> {
        self.module.gpu.shared().enter()?;
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: a function of this device.
        let result = unsafe { sys::cuFuncSetAttribute(self.handle, attribute, bytes as i32) };
        check("cuFuncSetAttribute", result)
    }

    /// Registers of a thread.
    ///
    /// # Errors
    ///
    /// Faults of earlier work.
    pub fn registers(&self) -> Result<u32, CudaError> {
        self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)
    }

    /// Local memory of a thread, stack and spilled registers, in bytes.
    ///
    /// # Errors
    ///
    /// Faults of earlier work.
    pub fn local_bytes(&self) -> Result<u32, CudaError> {
        self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
    }

    /// Statically declared shared memory of a block, in bytes.
    ///
    /// # Errors
    ///
    /// Faults of earlier work.
    pub fn shared_bytes(&self) -> Result<u32, CudaError> {
        self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
    }

    /// How many blocks of `block_threads` threads a multiprocessor holds at a time;
    /// 0 if a block is too large for it.
    ///
    /// # Errors
    ///
    /// [`CudaError::Call`] for an empty block, and faults of earlier work.
    pub fn occupancy(&self, block_threads: u32) -> Result<u32, CudaError> {
        self.module.gpu.shared().enter()?;
        let threads = i32::try_from(block_threads).unwrap_or(i32::MAX);
        let mut blocks = 0;
        // SAFETY: `blocks` outlives the call, and the module is loaded.
        let result = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, self.handle, threads, 0)
        };
        check("cuOccupancyMaxActiveBlocksPerMultiprocessor", result)?;
        Ok(blocks.unsigned_abs())
    }

    fn attribute(&self, attribute: CUfunction_attribute) -> Result<u32, CudaError> {
        self.module.gpu.shared().enter()?;
        let mut value = 0;
        // SAFETY: `value` outlives the call, and the module is loaded.
        let result = unsafe { sys::cuFuncGetAttribute(&mut value, attribute, self.handle) };
        check("cuFuncGetAttribute", result)?;
        Ok(value.unsigned_abs())
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if self.gpu.shared().enter().is_ok() {
            // SAFETY: no function of the module is left, since each holds an `Arc` of
            // it, and no kernel runs. Failures are those of earlier work, reported there.
            unsafe {
                let _ = sys::cuStreamSynchronize(self.gpu.shared().stream());
                let _ = sys::cuModuleUnload(self.handle);
            }
        }
    }
}

/// Has the driver compile PTX.
fn load(ptx: &CStr) -> Result<CUmodule, CudaError> {
    let mut log = Log::new();
    let (count, names, values) = log.options();
    let mut handle = ptr::null_mut();
    // SAFETY: the text ends with a zero; names and values are so many; the logs have the size
    // told and outlive the call.
    let result =
        unsafe { sys::cuModuleLoadDataEx(&mut handle, ptx.as_ptr().cast(), count, names, values) };
    check("cuModuleLoadDataEx", result).map_err(|error| match error {
        CudaError::Call { name, .. } => CudaError::Jit {
            name,
            line: first_error(&log.text()).to_owned(),
        },
        other => other,
    })?;
    Ok(handle)
}
