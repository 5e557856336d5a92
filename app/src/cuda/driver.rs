//! The CUDA driver's functions, bound when they are first called.
//!
//! A binary that is linked with `libcuda` does not even start on a machine without an
//! NVIDIA driver. `cust` (`vendor/README.md`) declares the functions, and this module defines them
//! under their C names. Each looks itself up in the real library on its first
//! call; without one it answers `CUDA_ERROR_NO_DEVICE`.
//!
//! Invariant: a result that leaves this module is a variant of [`CUresult`]. The
//! driver may be newer than that enumeration, and a number outside of it would be
//! undefined behaviour, so unknown numbers become `CUDA_ERROR_UNKNOWN`.
//!
//! To use one more driver function, add its line to the table at the end. The linker names the
//! missing one (before it looks, it drops the parts of `cust` without a caller), and the compiler
//! compares the types with those of `cust`.

use std::error::Error;
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_void};
use std::ops::RangeInclusive;
use std::sync::OnceLock;

use cust::sys::{
    self, CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunc_cache, CUfunction,
    CUfunction_attribute, CUgraph, CUgraphExec, CUgraphNode, CUjit_option, CUjitInputType, CUlimit,
    CUlinkState, CUmodule, CUresult, CUstream, CUuuid,
};
use libloading::Library;

/// The library's names: as installed by the driver, then as left by some containers.
const NAMES: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// The numbers that [`CUresult`] knows.
const KNOWN: [RangeInclusive<i32>; 14] = [
    0..=8,
    34..=34,
    100..=102,
    200..=202,
    205..=224,
    300..=304,
    400..=401,
    500..=500,
    600..=600,
    700..=705,
    708..=720,
    800..=809,
    900..=911,
    999..=999,
];

/// The driver library, opened on the first call and never closed.
///
/// # Errors
///
/// The dynamic loader's message about the first of the library's names.
pub(super) fn library() -> Result<&'static Library, &'static str> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    let opened = LIBRARY.get_or_init(|| {
        // SAFETY: loading runs the library's initialisers; those of the NVIDIA
        // driver ask nothing of the program.
        let load = |name| unsafe { Library::new(name) };
        load(NAMES[0])
            .or_else(|error| load(NAMES[1]).map_err(|_| error))
            .map_err(|error| match error.source() {
                Some(source) => source.to_string(),
                None => error.to_string(),
            })
    });
    opened.as_ref().map_err(String::as_str)
}

/// The result with this number, `CUDA_ERROR_UNKNOWN` if there is none.
pub(super) fn result(number: i32) -> CUresult {
    if KNOWN.iter().any(|range| range.contains(&number)) {
        // SAFETY: CUresult is `repr(i32)` and has a variant for each number in KNOWN.
        unsafe { std::mem::transmute::<i32, CUresult>(number) }
    } else {
        CUresult::CUDA_ERROR_UNKNOWN
    }
}

/// Defines each function of the table as a forwarder to the one of the same name
/// in the driver library.
macro_rules! forward {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?);)*) => {$(
        /// # Safety
        ///
        /// As for the function of this name in the driver library.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> CUresult {
            type Real = unsafe extern "C" fn($($type),*) -> i32;
            static REAL: OnceLock<Result<Real, CUresult>> = OnceLock::new();
            let real = REAL.get_or_init(|| {
                let library = library().map_err(|_| CUresult::CUDA_ERROR_NO_DEVICE)?;
                // SAFETY: the driver's ABI is stable under this name, and the types
                // are those declared by `cust`, as checked below.
                unsafe { library.get::<Real>(stringify!($name)) }
                    .map(|symbol| *symbol)
                    .map_err(|_| CUresult::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND)
            });
            match real {
                // SAFETY: the caller keeps the contract of this very function.
                Ok(real) => result(unsafe { real($($argument),*) }),
                Err(missing) => *missing,
            }
        }
        const _: unsafe extern "C" fn($($type),*) -> CUresult = sys::$name;
    )*};
}

/// Writes the driver's description of a result; `cust` prints its errors with it,
/// the one about a missing driver too, so it answers without a driver as well.
///
/// # Safety
///
/// `text` is a place for a pointer.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorString(error: CUresult, text: *mut *const c_char) -> CUresult {
    type Real = unsafe extern "C" fn(CUresult, *mut *const c_char) -> i32;
    let real = library().and_then(|library| {
        // SAFETY: the driver's ABI is stable under this name, with these types.
        unsafe { library.get::<Real>("cuGetErrorString") }.map_err(|_| "no such function")
    });
    match real {
        // SAFETY: the caller keeps the contract of this very function.
        Ok(real) => result(unsafe { real(error, text) }),
        Err(_) => {
            // SAFETY: the caller's promise; the text is static.
            unsafe { text.write(c"there is no NVIDIA driver".as_ptr()) };
            CUresult::CUDA_SUCCESS
        }
    }
}

forward! {
    // The driver, its devices and their contexts.
    fn cuInit(flags: c_uint);
    fn cuDriverGetVersion(version: *mut c_int);
    fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    fn cuDeviceGetCount(count: *mut c_int);
    fn cuDeviceGetName(name: *mut c_char, room: c_int, device: CUdevice);
    fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, device: CUdevice);
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);
    fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    fn cuDevicePrimaryCtxRelease_v2(device: CUdevice);
    fn cuDevicePrimaryCtxSetFlags_v2(device: CUdevice, flags: c_uint);
    fn cuCtxSetCurrent(context: CUcontext);
    fn cuCtxGetCurrent(context: *mut CUcontext);
    fn cuCtxSetLimit(limit: CUlimit, value: usize);
    fn cuCtxGetLimit(value: *mut usize, limit: CUlimit);
    fn cuCtxSynchronize();

    // Modules, functions, launches.
    fn cuModuleLoadDataEx(
        module: *mut CUmodule, image: *const c_void,
        count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void,
    );
    fn cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    fn cuLinkCreate_v2(
        count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void,
        state: *mut CUlinkState,
    );
    fn cuLinkAddData_v2(
        state: CUlinkState, kind: CUjitInputType, data: *mut c_void, bytes: usize,
        name: *const c_char,
        count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void,
    );
    fn cuLinkComplete(state: CUlinkState, image: *mut *mut c_void, bytes: *mut usize);
    fn cuLinkDestroy(state: CUlinkState);
    fn cuModuleUnload(module: CUmodule);
    fn cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction);
    fn cuFuncSetAttribute(function: CUfunction, attribute: CUfunction_attribute, value: c_int);
    fn cuFuncSetCacheConfig(function: CUfunction, config: CUfunc_cache);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int, function: CUfunction, block_threads: c_int, shared_bytes: usize,
    );
    fn cuLaunchKernel(
        function: CUfunction,
        grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
        block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared_bytes: c_uint, stream: CUstream,
        parameters: *mut *mut c_void, extra: *mut *mut c_void,
    );

    // Graphs of launches.
    fn cuGraphCreate(graph: *mut CUgraph, flags: c_uint);
    fn cuGraphAddKernelNode(
        node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize,
        parameters: *const sys::CUDA_KERNEL_NODE_PARAMS,
    );
    fn cuGraphAddEventRecordNode(
        node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize,
        event: CUevent,
    );
    fn cuGraphInstantiateWithFlags(executable: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong);
    fn cuGraphExecKernelNodeSetParams(
        executable: CUgraphExec, node: CUgraphNode, parameters: *const sys::CUDA_KERNEL_NODE_PARAMS,
    );
    fn cuGraphUpload(executable: CUgraphExec, stream: CUstream);
    fn cuGraphLaunch(executable: CUgraphExec, stream: CUstream);
    fn cuGraphExecDestroy(executable: CUgraphExec);
    fn cuGraphDestroy(graph: CUgraph);

    // Memory.
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
    fn cuMemFree_v2(address: CUdeviceptr);
    fn cuMemAllocAsync(address: *mut CUdeviceptr, bytes: usize, stream: CUstream);
    fn cuMemFreeAsync(address: CUdeviceptr, stream: CUstream);
    fn cuMemcpyHtoD_v2(to: CUdeviceptr, from: *const c_void, bytes: usize);
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize);
    fn cuMemcpyDtoD_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize);
    fn cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
    fn cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
    fn cuMemsetD8_v2(to: CUdeviceptr, value: c_uchar, count: usize);
    fn cuMemsetD8Async(to: CUdeviceptr, value: c_uchar, count: usize, stream: CUstream);
    fn cuMemsetD32_v2(to: CUdeviceptr, value: c_uint, count: usize);
    fn cuMemsetD32Async(to: CUdeviceptr, value: c_uint, count: usize, stream: CUstream);

    // Streams and events.
    fn cuStreamCreateWithPriority(stream: *mut CUstream, flags: c_uint, priority: c_int);
    fn cuStreamQuery(stream: CUstream);
    fn cuStreamSynchronize(stream: CUstream);
    fn cuStreamDestroy_v2(stream: CUstream);
    fn cuEventCreate(event: *mut CUevent, flags: c_uint);
    fn cuEventRecord(event: CUevent, stream: CUstream);
    fn cuEventQuery(event: CUevent);
    fn cuEventSynchronize(event: CUevent);
    fn cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, stop: CUevent);
    fn cuEventDestroy_v2(event: CUevent);
}
