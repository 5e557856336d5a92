//! Files with an allocator of the user's, which the kernels are linked with: their kinds, and on
//! the CPU the addresses of their functions. docs/external-allocators.md describes the functions.
//!
//! Checks of the files alone come before anything else. The driver's linker finds out whether their
//! code fits the GPU and whether all functions are there ([`crate::cuda::Module::link`]).

mod error;
mod kind;
mod library;
mod merge;
mod reference;

use std::path::{Path, PathBuf};
use std::time::Duration;

use heapwood_files::read_as_is;
use heapwood_scenes::fnv1a;
use serde::{Deserialize, Serialize};

pub use error::LinkError;
pub use heapwood_results::meta::AboutFile;
pub use kind::Kind;
pub use library::{Libraries, OwnHeap};
pub use merge::merged;

use kind::{names_in, of};

/// The function that every allocator has.
pub const MALLOC: &str = "heapwood_malloc";
/// The one that gives blocks back.
pub const FREE: &str = "heapwood_free";
/// The one that makes a pool ready.
pub const INIT: &str = "heapwood_init";
/// The one that returns the size of a block.
pub const GRANTED: &str = "heapwood_granted";

/// The one of a shared library that gets memory of the allocator's own, on the host.
pub const CREATE: &str = "heapwood_create";
/// The one that gives that back.
pub const DESTROY: &str = "heapwood_destroy";

/// PTX with a `heapwood_init`, which may be left out: a weak one yields to the user's.
pub const INIT_STUB: &str = "\
.version 7.0
.target sm_70
.address_size 64
.weak .func heapwood_init(.param .b64 a,.param .b64 b,.param .b64 c,.param .b32 d,.param .b32 e)
{
ret;
}
";
/// PTX with a `heapwood_granted`, which may be left out: this one returns 0, so that the size is
/// unknown, and yields to the user's.
pub const GRANTED_STUB: &str = "\
.version 7.0
.target sm_70
.address_size 64
.weak .func (.param .b64 r) heapwood_granted(.param .b64 a,.param .b64 b)
{
st.param.b64 [r], 0;
ret;
}
";
/// PTX with a `heapwood_free` that is said to be left out: it is an error if the user has one.
pub const FREE_STUB: &str = "\
.version 7.0
.target sm_70
.address_size 64
.visible .func heapwood_free(.param .b64 a,.param .b64 b)
{
ret;
}
";

/// The most bytes of a file.
const MAX_BYTES: u64 = 1 << 30;

/// The files to link with the kernels of an allocator of the user's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkOptions {
    /// The files; none if there is no such allocator.
    #[serde(with = "crate::word::list")]
    pub files: Vec<PathBuf>,
    /// Whether they are PTX that becomes a part of the kernels' modules ([`merged`]).
    pub merge: bool,
}

/// The files that are linked with the kernels of an allocator of the user's, as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    files: Vec<LinkedFile>,
    merge: bool,
}

/// A file that is linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedFile {
    /// Where it is.
    pub path: PathBuf,
    /// The kind of the file.
    pub kind: Kind,
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// Fingerprint of the content.
    hash: u64,
}

impl Link {
    /// Reads the files, and finds out what each is. For the CPU they are shared libraries; for a
    /// GPU there may be some beside the device code ([`Libraries`]).
    ///
    /// # Errors
    ///
    /// [`LinkError`] with the file that cannot be used.
    pub fn read(options: &LinkOptions, on_gpu: bool) -> Result<Self, LinkError> {
        if options.files.is_empty() {
            return Err(LinkError::Nothing);
        }
        let merge = options.merge;
        let files = options.files.iter();
        let files = files.map(|path| LinkedFile::read(path, on_gpu));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        for file in &files {
            file.check(on_gpu, merge)?;
        }
        let of_host = |file: &&LinkedFile| file.kind == Kind::SharedLibrary;
        if let Some(library) = files.iter().find(of_host)
            && on_gpu
            && files.iter().all(|file| of_host(&file))
        {
            let path = library.path.clone();
            return Err(LinkError::ForCpu { path });
        }
        // Whether the others have a function is not to be seen: they may be compressed.
        let is_open = |file: &LinkedFile| matches!(file.kind, Kind::Cubin | Kind::Ptx);
        let has_malloc = |file: &LinkedFile| names_in(file.kind, &file.bytes, MALLOC);
        let mut of_gpu = files.iter().filter(|file| !of_host(file));
        if on_gpu && of_gpu.all(is_open) && !files.iter().any(has_malloc) {
            return Err(LinkError::Missing { function: MALLOC });
        }
        Ok(Self { files, merge })
    }

    /// Whether the files are made a part of the kernels' modules.
    pub fn merges(&self) -> bool {
        self.merge
    }

    /// The files with device code, in the order in which they were given.
    pub fn device_files(&self) -> impl Iterator<Item = &LinkedFile> {
        self.files
            .iter()
            .filter(|file| file.kind != Kind::SharedLibrary)
    }

    /// An object, or an archive of them, whose part for the host names this function. So the file
    /// has it, for the GPUs that it was compiled for.
    pub fn object_with(&self, function: &str) -> Option<&LinkedFile> {
        self.device_files().find(|file| {
            matches!(file.kind, Kind::Object | Kind::Archive)
                && names_in(Kind::Cubin, &file.bytes, function)
        })
    }

    /// Whether the files have this function for the GPU. A fatbin is not searched, since its
    /// contents may be compressed.
    pub fn has_on_gpu(&self, function: &str) -> bool {
        let is_named = |file: &LinkedFile| {
            matches!(file.kind, Kind::Cubin | Kind::Ptx)
                && names_in(file.kind, &file.bytes, function)
        };
        self.device_files().any(is_named) || self.object_with(function).is_some()
    }

    /// The shared libraries, in the order in which they were given.
    pub fn libraries(&self) -> impl Iterator<Item = &LinkedFile> {
        self.files
            .iter()
            .filter(|file| file.kind == Kind::SharedLibrary)
    }

    /// The description of the files for results.
    pub fn about(&self) -> Linked {
        let file = |file: &LinkedFile| AboutFile {
            file: file.path.display().to_string(),
            kind: file.kind,
            hash: format!("{:016x}", file.hash),
        };
        Linked {
            files: self.files.iter().map(file).collect(),
            merged: self.merge,
            time: Duration::ZERO,
            registers: None,
        }
    }
}

impl LinkedFile {
    fn read(path: &Path, on_gpu: bool) -> Result<Self, LinkError> {
        let owned = path.to_owned();
        let bytes = read_as_is(path, MAX_BYTES).map_err(|cause| LinkError::Read {
            path: owned.clone(),
            cause: cause.to_string(),
        })?;
        match of(&bytes) {
            Some(kind) => Ok(Self::new(owned, kind, bytes)),
            None => Err(LinkError::Unknown {
                path: owned,
                on_gpu,
            }),
        }
    }

    fn new(path: PathBuf, kind: Kind, bytes: Vec<u8>) -> Self {
        let hash = fnv1a(bytes.iter().copied());
        Self {
            path,
            kind,
            bytes,
            hash,
        }
    }

    /// Whether it can be linked there.
    fn check(&self, on_gpu: bool, merge: bool) -> Result<(), LinkError> {
        let path = self.path.clone();
        Err(match (self.kind, on_gpu) {
            (Kind::SharedLibrary, true) => return Ok(()),
            (kind, _) if merge && kind != Kind::Ptx => LinkError::NotText { path, kind },
            (Kind::Whole, true) => LinkError::NotRelocatable { path },
            (Kind::HostObject, true) => LinkError::NoDeviceCode { path },
            (Kind::SharedLibrary, false) => return Ok(()),
            (kind, false) => LinkError::NotForCpu { path, kind },
            (_, true) => return Ok(()),
        })
    }
}

/// The files that were linked with the kernels, as results describe them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked {
    /// The files.
    pub files: Vec<AboutFile>,
    /// Whether they were made a part of the kernels' modules.
    pub merged: bool,
    /// How long linking took so far, with what the driver compiled for it.
    pub time: Duration,
    /// The most registers of a thread of the linked kernels so far; nothing where threads have
    /// none.
    pub registers: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_for_other_gpus_is_known_by_the_names_of_its_host_part() {
        let link = |kind, bytes: &[u8]| Link {
            files: vec![LinkedFile::new("a.o".into(), kind, bytes.to_vec())],
            merge: false,
        };
        let named = b"\x7fELF __nv_relfatbin\0heapwood_malloc\0";
        let mangled = b"\x7fELF __nv_relfatbin\0_Z15heapwood_mallocPvy\0";
        let has = |link: &Link| link.object_with(MALLOC).is_some();
        assert!(has(&link(Kind::Object, named)) && has(&link(Kind::Archive, named)));
        assert!(!has(&link(Kind::Object, mangled)) && !has(&link(Kind::Fatbin, named)));
    }
}
