//! Launches that are made again and again, as one CUDA graph.
//!
//! The host takes some 3.5 us to ask for a launch, as long as a short kernel runs. A graph is asked
//! for at once, and its kernels follow each other in half that time.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::time::Duration;

use cust::sys::{self, CUevent, CUgraph, CUgraphExec, CUgraphNode, CUresult};

use super::error::{CudaError, check};
use super::gpu::Gpu;
use super::module::KernelLaunch;

/// Parts of launches, one after the other, with an event before the first part and behind each.
#[derive(Debug)]
pub struct LaunchGraph {
    executable: CUgraphExec,
    template: Template,
    events: Vec<CUevent>,
    /// The launches as they would be made now, each with its node.
    parts: Vec<Vec<(KernelLaunch, CUgraphNode)>>,
    gpu: Gpu,
}

// SAFETY: handles are not tied to a thread; only methods that borrow the graph mutably use them.
unsafe impl Send for LaunchGraph {}

impl LaunchGraph {
    /// Makes a graph of the launches, which are not made yet.
    ///
    /// # Errors
    ///
    /// [`CudaError::Call`] for a grid or block that is empty or too large, and faults of earlier
    /// work.
    pub fn new(gpu: &Gpu, parts: &[Vec<KernelLaunch>]) -> Result<Self, CudaError> {
        let mut graph = Self {
            executable: ptr::null_mut(),
            template: Template::new(gpu)?,
            events: Vec::new(),
            parts: Vec::new(),
            gpu: gpu.clone(),
        };
        graph.record()?;
        for part in parts {
            let add = |launch: &KernelLaunch| {
                let node = graph.template.add_launch(launch)?;
                Ok((launch.clone(), node))
            };
            let part = part.iter().map(add).collect::<Result<_, CudaError>>()?;
            graph.parts.push(part);
            graph.record()?;
        }
        // Local memory of more threads than before is allocated now.
        graph.executable = gpu.with_memory(|| graph.template.instantiate(gpu.shared().stream()))?;
        Ok(graph)
    }

    /// Adds an event.
    fn record(&mut self) -> Result<(), CudaError> {
        // SAFETY: the driver writes the handle where the call succeeds.
        let event = unsafe { made("cuEventCreate", |event| sys::cuEventCreate(event, 0))? };
        self.events.push(event);
        let record = |node, graph, after, count| {
            // SAFETY: handles that exist, and so many nodes.
            unsafe { sys::cuGraphAddEventRecordNode(node, graph, after, count, event) }
        };
        self.template.add("cuGraphAddEventRecordNode", record)?;
        Ok(())
    }

    /// Whether these launches are of the same kernels.
    pub fn suits(&self, parts: &[Vec<KernelLaunch>]) -> bool {
        let functions = self
            .parts
            .iter()
            .map(|part| part.iter().map(|(launch, _)| launch));
        functions.len() == parts.len()
            && functions.zip(parts).all(|(own, others)| {
                own.map(|launch| &launch.function)
                    .eq(others.iter().map(|launch| &launch.function))
            })
    }

    /// Takes over the blocks and the parameters of launches that the graph suits.
    ///
    /// # Errors
    ///
    /// As for [`LaunchGraph::new`]; the graph is of no use then.
    pub fn update(&mut self, parts: &[Vec<KernelLaunch>]) -> Result<(), CudaError> {
        self.gpu.shared().enter()?;
        let own = self.parts.iter_mut().flatten();
        for ((launch, node), other) in own.zip(parts.iter().flatten()) {
            if launch != other {
                let set = |parameters: &sys::CUDA_KERNEL_NODE_PARAMS| {
                    // SAFETY: handles that exist; the driver copies the parameters.
                    let result = unsafe {
                        sys::cuGraphExecKernelNodeSetParams(self.executable, *node, parameters)
                    };
                    check("cuGraphExecKernelNodeSetParams", result)
                };
                with_parameters(other, set)?;
                launch.clone_from(other);
            }
        }
        Ok(())
    }

    /// Makes the launches, and returns how long the GPU was busy with each part, in milliseconds.
    ///
    /// # Errors
    ///
    /// As for [`Gpu::time`].
    ///
    /// # Safety
    ///
    /// Each launch may be made now; see [`Function::launch`](super::Function::launch).
    pub unsafe fn time(&mut self, limit: Duration) -> Result<Vec<f64>, CudaError> {
        self.gpu.shared().enter()?;
        let launch = || {
            // SAFETY: the graph has been made of launches that the caller promises to be sound. A
            // call that fails for want of memory has started nothing.
            let result = unsafe { sys::cuGraphLaunch(self.executable, self.gpu.shared().stream()) };
            check("cuGraphLaunch", result)
        };
        self.gpu.with_memory(launch)?;
        self.gpu.synchronize_within(limit)?;
        let elapsed = |pair: &[CUevent]| {
            let mut ms = 0.0;
            // SAFETY: both events have been recorded.
            let result = unsafe { sys::cuEventElapsedTime(&mut ms, pair[0], pair[1]) };
            check("cuEventElapsedTime", result).map(|()| f64::from(ms))
        };
        self.events.windows(2).map(elapsed).collect()
    }
}

impl Drop for LaunchGraph {
    fn drop(&mut self) {
        if self.gpu.shared().enter().is_ok() {
            // SAFETY: the handles are not used again, and the graph does not run: `time` has waited
            // for it. Failures are those of earlier work, reported there.
            unsafe {
                if !self.executable.is_null() {
                    let _ = sys::cuGraphExecDestroy(self.executable);
                }
                for &event in &self.events {
                    let _ = sys::cuEventDestroy_v2(event);
                }
            }
        }
    }
}

/// A chain of nodes.
#[derive(Debug)]
struct Template {
    gpu: Gpu,
    graph: CUgraph,
    last: Option<CUgraphNode>,
}

impl Template {
    fn new(gpu: &Gpu) -> Result<Self, CudaError> {
        gpu.shared().enter()?;
        // SAFETY: the driver writes the handle where the call succeeds.
        let graph = unsafe { made("cuGraphCreate", |graph| sys::cuGraphCreate(graph, 0))? };
        let gpu = gpu.clone();
        let last = None;
        Ok(Self { gpu, graph, last })
    }

    /// Adds a node behind the last one.
    fn add(
        &mut self,
        name: &'static str,
        call: impl FnOnce(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize) -> CUresult,
    ) -> Result<CUgraphNode, CudaError> {
        let after = self.last.as_slice();
        // SAFETY: the driver writes the handle where the call succeeds.
        let node = unsafe {
            made(name, |node| {
                call(node, self.graph, after.as_ptr(), after.len())
            })?
        };
        self.last = Some(node);
        Ok(node)
    }

    fn add_launch(&mut self, launch: &KernelLaunch) -> Result<CUgraphNode, CudaError> {
        with_parameters(launch, |parameters| {
            self.add("cuGraphAddKernelNode", |node, graph, after, count| {
                // SAFETY: handles that exist, and so many nodes; the driver copies the parameters.
                unsafe { sys::cuGraphAddKernelNode(node, graph, after, count, parameters) }
            })
        })
    }

    /// The graph in a form that a stream can be asked for.
    fn instantiate(&self, stream: sys::CUstream) -> Result<CUgraphExec, CudaError> {
        // SAFETY: handles that exist; the driver writes the new one where the call succeeds.
        unsafe {
            let executable = made("cuGraphInstantiate", |executable| {
                sys::cuGraphInstantiateWithFlags(executable, self.graph, 0)
            })?;
            // The first launch would do this else, and be timed for it.
            let uploaded = check("cuGraphUpload", sys::cuGraphUpload(executable, stream));
            if uploaded.is_err() {
                let _ = sys::cuGraphExecDestroy(executable);
            }
            uploaded.map(|()| executable)
        }
    }
}

impl Drop for Template {
    fn drop(&mut self) {
        if self.gpu.shared().enter().is_ok() {
            // SAFETY: the handle is not used again. Failures are those of earlier work, reported
            // there.
            let _ = unsafe { sys::cuGraphDestroy(self.graph) };
        }
    }
}

/// Calls `use_them` with a launch as the driver takes it.
fn with_parameters<T>(
    launch: &KernelLaunch,
    use_them: impl FnOnce(&sys::CUDA_KERNEL_NODE_PARAMS) -> T,
) -> T {
    let mut words: Vec<*mut c_void> = launch
        .words
        .iter()
        .map(|word| ptr::from_ref(word).cast_mut().cast())
        .collect();
    use_them(&sys::CUDA_KERNEL_NODE_PARAMS {
        func: launch.function.handle(),
        gridDimX: launch.shape.blocks,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: launch.shape.block_threads,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: launch.shape.shared_bytes,
        kernelParams: words.as_mut_ptr(),
        extra: ptr::null_mut(),
    })
}

/// The value that a call makes.
///
/// # Safety
///
/// The call writes it where it succeeds.
unsafe fn made<T>(
    name: &'static str,
    call: impl FnOnce(*mut T) -> CUresult,
) -> Result<T, CudaError> {
    let mut value = MaybeUninit::uninit();
    check(name, call(value.as_mut_ptr()))?;
    // SAFETY: the caller's promise.
    Ok(unsafe { value.assume_init() })
}
