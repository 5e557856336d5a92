//! Why a file cannot be linked, sorted by what the user can do about it.

use std::path::PathBuf;

use thiserror::Error;

use super::kind::Kind;
use super::{CREATE, DESTROY, FREE, MALLOC};

/// The command that compiles a C source to a shared library.
const HOST_COMPILER: &str = "cc -O2 -shared -fPIC";

/// Why the functions of an allocator cannot be had. Each displays as one line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkError {
    /// No file was given.
    #[error("the allocator external is in a file of your own")]
    Nothing,
    /// A file cannot be read.
    #[error("{}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: String,
    },
    /// A file is nothing that can be linked.
    #[error(
        "{}: linking takes {}",
        path.display(),
        LinkError::linkable(*.on_gpu)
    )]
    Unknown {
        /// The file.
        path: PathBuf,
        /// Whether the GPU runs.
        on_gpu: bool,
    },
    /// Device code that nothing can be linked with any more.
    #[error(
        "{}: its device code is not relocatable: compile it with nvcc -rdc=true",
        path.display()
    )]
    NotRelocatable {
        /// The file.
        path: PathBuf,
    },
    /// An object of the host.
    #[error("{}: there is no device code in it: compile it with nvcc -rdc=true -c", path.display())]
    NoDeviceCode {
        /// The file.
        path: PathBuf,
    },
    /// A shared library without device code beside it, and the GPU runs.
    #[error(
        "{}: a shared library is for the CPU: give device code, compiled with nvcc -rdc=true -c",
        path.display()
    )]
    ForCpu {
        /// The file.
        path: PathBuf,
    },
    /// A shared library beside device code that makes no heap.
    #[error(
        "{}: it has no {CREATE}, by which a shared library is of use beside device code: write \
         const char* {CREATE}(unsigned long long bytes, void** heap), in C++ as extern \"C\", or \
         leave the file out",
        path.display()
    )]
    WithoutCreate {
        /// The file.
        path: PathBuf,
    },
    /// It was said to have memory of its own, and nothing makes that.
    #[error("external:pool=own has its memory from a shared library with {CREATE} and {DESTROY}")]
    NoLibrary,
    /// A library makes memory, and it was not said that blocks lie there.
    #[error("a shared library has {CREATE}: name its allocator external:pool=own")]
    OwnMemory,
    /// A library could not make a heap.
    #[error("{CREATE} failed: {cause}")]
    Create {
        /// The message of the library.
        cause: String,
    },
    /// Device code, and the CPU runs.
    #[error(
        "{}: this is {}, and the CPU takes a shared library: compile the source with \
         {HOST_COMPILER}, or run on a GPU",
        path.display(), kind.name()
    )]
    NotForCpu {
        /// The file.
        path: PathBuf,
        /// The kind of the file.
        kind: Kind,
    },
    /// Something else than text, which cannot become a part of a module.
    #[error(
        "{}: this is {}, and merging takes {}",
        path.display(), kind.name(), LinkError::MERGEABLE
    )]
    NotText {
        /// The file.
        path: PathBuf,
        /// The kind of the file.
        kind: Kind,
    },
    /// A shared library cannot be loaded.
    #[error("{}: cannot load it: {cause}", path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        cause: String,
    },
    /// A function is in none of the files.
    #[error("{}", missing(function))]
    Missing {
        /// Its name.
        function: &'static str,
    },
    /// A function is in none of the shared libraries.
    #[error("{}", missing_on_host(function))]
    MissingOnHost {
        /// Its name.
        function: &'static str,
    },
    /// It was said not to free, and there is a function that does.
    #[error("a file has {FREE}, and external:free=no says that there is none: leave out free=no")]
    Frees,
    /// Some other function that one of the files calls.
    #[error("{}", missing(name))]
    Undefined {
        /// Its name.
        name: String,
    },
    /// A function is there more than once.
    #[error("{name} is in two of the files: leave one out")]
    Twice {
        /// Its name.
        name: String,
    },
    /// PTX of a version that the driver does not know.
    #[error(
        "{file}: its PTX is newer than this driver: compile it for the GPU, with nvcc -rdc=true \
         -c -arch=native, or by an older nvcc"
    )]
    Newer {
        /// The file, as far as it is known which.
        file: String,
    },
    /// Code for other GPUs.
    #[error(
        "{file}: there is no code for this GPU in it: compile it with nvcc -rdc=true -c \
         -arch=native ({line})"
    )]
    OtherGpu {
        /// The file, as far as it is known which.
        file: String,
        /// The message of the linker.
        line: String,
    },
    /// The linker refuses a file for another reason.
    #[error(
        "{file}: {result}: {line}; was it compiled with nvcc -rdc=true, from functions that are \
         extern \"C\"?"
    )]
    Refused {
        /// The file, as far as it is known which.
        file: String,
        /// The driver's name for the failure.
        result: String,
        /// The message of the linker.
        line: String,
    },
}

/// The message about a function of the device that is in none of the files.
fn missing(function: &str) -> String {
    match function {
        MALLOC => format!(
            "no file has {MALLOC}: write extern \"C\" __device__ void* {MALLOC}(void* state, \
             unsigned long long bytes), and compile it with nvcc -rdc=true -arch=native"
        ),
        FREE => format!(
            "no file has {FREE}: write extern \"C\" __device__ void {FREE}(void* state, \
             void* block), or name an allocator without it external:free=no"
        ),
        other => format!("no file has {other}"),
    }
}

/// The message about a function of the host that is in none of the libraries.
fn missing_on_host(function: &str) -> String {
    let (signature, otherwise) = match function {
        FREE => (
            format!("void {FREE}(void* state, void* block)"),
            ", or name an allocator without it external:free=no",
        ),
        DESTROY => (format!("void {DESTROY}(void* heap)"), ""),
        _ => (
            format!("void* {MALLOC}(void* state, unsigned long long bytes)"),
            "",
        ),
    };
    format!("no file has {function}: write {signature}, in C++ as extern \"C\"{otherwise}")
}

impl LinkError {
    /// Files that can be merged, and how they are made.
    pub(crate) const MERGEABLE: &str = "PTX: compile it with nvcc -rdc=true -ptx";

    /// Files that can be linked, and how they are made for where they run.
    pub(crate) fn linkable(on_gpu: bool) -> String {
        let compiler = match on_gpu {
            true => "nvcc -rdc=true -c",
            false => HOST_COMPILER,
        };
        format!(
            "a cubin, a fatbin, an object or PTX for a GPU, and a shared library for the CPU: compile \
             the source with {compiler}"
        )
    }
}
