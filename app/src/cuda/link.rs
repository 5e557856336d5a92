//! Linking our kernels with files of the user's, by the driver's linker.
//!
//! The driver compiles PTX for it, ours and theirs, and takes the rest as it is. Registers of
//! a kernel are those of the functions that it calls, too. Its log is what tells which file is
//! not as it should be; messages of `nvlink` of the CUDA toolkit read the same.

use std::ffi::CString;
use std::ptr;
use std::time::{Duration, Instant};

use cust::sys::{self, CUjitInputType, CUlinkState, CUmodule, CUresult};

use super::error::{CudaError, check};
use super::gpu::Gpu;
use super::log::{Log, first_error};
use crate::link::{FREE, FREE_STUB, GRANTED_STUB, INIT_STUB, Kind, Link, LinkError, MALLOC};

/// Something to link, with a name for the log.
struct Input<'a> {
    kind: CUjitInputType,
    bytes: Vec<u8>,
    name: &'a str,
}

/// A linker at work, which owns the image that it makes.
struct Linker {
    state: CUlinkState,
    /// The driver writes there until the linker is gone.
    log: Log,
}

impl Linker {
    /// A linker for the current context.
    fn new() -> Result<Self, CudaError> {
        let mut log = Log::new();
        let (count, names, values) = log.options();
        let mut state = ptr::null_mut();
        // SAFETY: names and values are so many. The driver writes into the logs, which have the
        // size told, and into the values until the linker is gone; both are the log's own, and
        // stay where they are as long as the linker.
        let result = unsafe { sys::cuLinkCreate_v2(count, names, values, &mut state) };
        check("cuLinkCreate", result)?;
        Ok(Self { state, log })
    }

    fn add(&mut self, mut input: Input) -> Result<(), CudaError> {
        let name = CString::new(input.name).unwrap_or_default();
        // SAFETY: the bytes and the name outlive the call, which copies what it needs.
        let result = unsafe {
            sys::cuLinkAddData_v2(
                self.state,
                input.kind,
                input.bytes.as_mut_ptr().cast(),
                input.bytes.len(),
                name.as_ptr(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        self.sorted("cuLinkAddData", result, Some(input.name))
    }

    /// Links what was added, and loads it.
    fn load(&mut self) -> Result<CUmodule, CudaError> {
        let (mut image, mut bytes) = (ptr::null_mut(), 0);
        // SAFETY: places for a pointer and a size.
        let result = unsafe { sys::cuLinkComplete(self.state, &mut image, &mut bytes) };
        self.sorted("cuLinkComplete", result, None)?;
        let mut handle = ptr::null_mut();
        // SAFETY: the image is the linker's, which lives; it needs no options.
        let result = unsafe {
            sys::cuModuleLoadDataEx(&mut handle, image, 0, ptr::null_mut(), ptr::null_mut())
        };
        self.sorted("cuModuleLoadDataEx", result, None)?;
        Ok(handle)
    }

    fn sorted(
        &self,
        call: &'static str,
        result: CUresult,
        file: Option<&str>,
    ) -> Result<(), CudaError> {
        check(call, result).map_err(|error| match error {
            CudaError::Call { name, .. } => CudaError::Link(why(&name, &self.log.text(), file)),
            other => other,
        })
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: the state is ours, and its image is not used any more.
        let _ = unsafe { sys::cuLinkDestroy(self.state) };
    }
}

/// Links kernels with the user's functions, which free blocks or not, and loads the result;
/// returns how long that took, too.
pub(super) fn link(
    gpu: &Gpu,
    ptx: &str,
    link: &Link,
    frees: bool,
) -> Result<(CUmodule, Duration), CudaError> {
    let begun = Instant::now();
    let handle = gpu.with_memory(|| {
        let mut linker = Linker::new()?;
        linker.add(text(ptx.as_bytes(), "heapwood kernels"))?;
        for stub in [INIT_STUB, GRANTED_STUB] {
            linker.add(text(stub.as_bytes(), "heapwood defaults"))?;
        }
        if !frees {
            linker.add(text(FREE_STUB.as_bytes(), "external:free=no"))?;
        }
        for file in link.device_files() {
            let name = file.path.display().to_string();
            linker.add(match input_kind(file.kind) {
                CUjitInputType::CU_JIT_INPUT_PTX => text(&file.bytes, &name),
                kind => Input {
                    kind,
                    bytes: file.bytes.clone(),
                    name: &name,
                },
            })?;
        }
        linker.load()
    });
    let handle = handle.map_err(|error| left_out(error, link))?;
    Ok((handle, begun.elapsed()))
}

/// The error of a link in which a function is missing that one of the objects has for other GPUs:
/// the driver leaves that out without a word.
fn left_out(error: CudaError, link: &Link) -> CudaError {
    match error {
        CudaError::Link(LinkError::Missing { function }) => match link.object_with(function) {
            Some(file) => CudaError::Link(LinkError::OtherGpu {
                file: file.path.display().to_string(),
                line: format!("it names {function}"),
            }),
            None => CudaError::Link(LinkError::Missing { function }),
        },
        other => other,
    }
}

/// The error of a module that the user's PTX is a part of.
pub(super) fn unmerged(error: CudaError) -> CudaError {
    match error {
        CudaError::Jit { name, line } => {
            CudaError::Link(why(&name, &line, Some("merged with the kernels")))
        }
        other => other,
    }
}

/// PTX, whose size includes the zero behind it.
fn text<'a>(ptx: &[u8], name: &'a str) -> Input<'a> {
    let mut bytes = ptx.to_vec();
    bytes.push(0);
    Input {
        kind: CUjitInputType::CU_JIT_INPUT_PTX,
        bytes,
        name,
    }
}

/// The driver's number of a kind that [`Link`] lets through.
fn input_kind(kind: Kind) -> CUjitInputType {
    match kind {
        Kind::Cubin | Kind::Whole => CUjitInputType::CU_JIT_INPUT_CUBIN,
        Kind::Fatbin => CUjitInputType::CU_JIT_INPUT_FATBINARY,
        Kind::Archive => CUjitInputType::CU_JIT_INPUT_LIBRARY,
        Kind::Ptx => CUjitInputType::CU_JIT_INPUT_PTX,
        Kind::Object | Kind::HostObject | Kind::SharedLibrary => {
            CUjitInputType::CU_JIT_INPUT_OBJECT
        }
    }
}

/// The error for a failed link, from the driver's name for it and the linker's log.
fn why(result: &str, log: &str, file: Option<&str>) -> LinkError {
    let file = file.unwrap_or("a file").to_owned();
    let line = first_error(log).to_owned();
    // The name in quotes behind these words.
    let named = |words: &str| {
        let (_, rest) = log.split_once(words)?;
        rest.split('\'').nth(1).map(str::to_owned)
    };
    // An object for other GPUs is left out with a warning, and its functions are missing then.
    if let Some(line) = log.lines().find(|line| line.contains("SM Arch")) {
        let file = line.rsplit('\'').nth(1).unwrap_or(&file).to_owned();
        let line = line.trim().to_owned();
        return LinkError::OtherGpu { file, line };
    }
    if let Some(name) = named("Undefined reference to") {
        return match [MALLOC, FREE].into_iter().find(|known| *known == name) {
            Some(function) => LinkError::Missing { function },
            None => LinkError::Undefined { name },
        };
    }
    let twice = named("Multiple definition of");
    if let Some(name) = twice.or_else(|| named("Duplicate definition of function")) {
        return match name == FREE && log.contains("external:free=no") {
            true => LinkError::Frees,
            false => LinkError::Twice { name },
        };
    }
    if result == "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" || log.contains("Unsupported .version") {
        return LinkError::Newer { file };
    }
    let other_gpu = ["does not match target", "is higher than default"];
    if result == "CUDA_ERROR_NO_BINARY_FOR_GPU" || other_gpu.iter().any(|part| log.contains(part)) {
        return LinkError::OtherGpu { file, line };
    }
    let result = result.to_owned();
    LinkError::Refused { file, result, line }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message about a log that `nvlink` of CUDA 13.0 has printed.
    fn said(log: &str) -> String {
        why("CUDA_ERROR_UNKNOWN", log, Some("bump.o")).to_string()
    }

    #[test]
    fn a_log_becomes_what_to_do() {
        let undefined = |name: &str| {
            said(&format!(
                "error   : Undefined reference to '{name}' in 'heapwood kernels'\n"
            ))
        };
        assert!(undefined("heapwood_malloc").starts_with("no file has heapwood_malloc: write"));
        assert!(undefined("heapwood_free").ends_with("external:free=no"));
        let twice = said(
            "nvlink error   : Multiple definition of 'heapwood_malloc' in 'b.o', first defined in \
             'a.o'\nnvlink fatal   : merge_elf failed\n",
        );
        assert_eq!(
            twice,
            "heapwood_malloc is in two of the files: leave one out"
        );
        let frees = said(
            "error   : Multiple definition of 'heapwood_free' in 'a.o', first defined in \
             'external:free=no'\n",
        );
        assert!(frees.ends_with("leave out free=no"), "{frees}");
        for other_gpu in [
            "nvlink fatal   : Input file 'bump.o' arch does not match target 'sm_90'",
            "nvlink warning : SM Arch ('sm_90') not found in 'bump.o'",
        ] {
            let said = said(other_gpu);
            assert!(
                said.starts_with("bump.o: there is no code for this GPU"),
                "{said}"
            );
        }
        let left_out = why(
            "CUDA_ERROR_UNKNOWN",
            "nvlink warning : SM Arch ('sm_90') not found in 'b.o'\nnvlink error   : Undefined \
             reference to 'heapwood_malloc' in 'kernels.o'\n",
            None,
        );
        assert!(
            left_out
                .to_string()
                .starts_with("b.o: there is no code for this GPU"),
            "{left_out}"
        );
        let merged = said("line 161; error   : Duplicate definition of function 'heapwood_init'\n");
        assert!(merged.starts_with("heapwood_init is in two of the files"));
        let newer = said("ptxas application ptx input, line 9; fatal   : Unsupported .version 9.9");
        assert!(newer.contains("newer than this driver"), "{newer}");
        let version = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
        let newer = |file: &str| LinkError::Newer {
            file: file.to_owned(),
        };
        assert_eq!(why(version, "", Some("a.ptx")), newer("a.ptx"));
        assert_eq!(why(version, "", None), newer("a file"));
        assert!(said("").contains("the log is empty"));
        assert!(said("\n info : x\n error : y\n").contains("error : y"));
    }
}
