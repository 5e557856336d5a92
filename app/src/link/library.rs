//! Shared libraries of an allocator of the user's: on the CPU they have its functions, and where
//! the allocator has memory of its own, on a GPU too, they have what gets that.

use std::collections::BTreeSet;
use std::error::Error;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

use heapwood_device::allocator::Heap;
use heapwood_device::allocators::bind_external;
use heapwood_device::host::HostAllocator;
use libloading::Library;

use super::kind::is_foreign;
use super::reference;
use super::{CREATE, DESTROY, FREE, GRANTED, INIT, Link, LinkError, LinkedFile, MALLOC};

/// Gets memory for a heap of so many bytes, and makes what `heapwood_malloc` finds at the begin
/// of its state; returns null, or a line that says what failed.
type Create = unsafe extern "C" fn(bytes: u64, heap: *mut *mut c_void) -> *const c_char;
/// Gives that back.
type Destroy = unsafe extern "C" fn(heap: *mut c_void);

/// Libraries that were loaded, and the functions in them. They stay loaded while this lives.
#[derive(Debug)]
pub struct Libraries {
    /// Addresses, 0 for a function that there is not.
    malloc: u64,
    free: u64,
    init: u64,
    granted: u64,
    memory: Option<(Create, Destroy)>,
    _loaded: Vec<Library>,
}

impl Libraries {
    /// Loads the libraries among the files, and looks for the functions: all of them on the CPU,
    /// and for a GPU those that get memory.
    ///
    /// # Errors
    ///
    /// A file that is no library for this machine, a missing function, and one that two files
    /// have.
    pub fn load(link: &Link, on_gpu: bool) -> Result<Self, LinkError> {
        if link.is_reference() {
            return Ok(Self::reference());
        }
        let loaded = link.libraries().map(load).collect::<Result<Vec<_>, _>>()?;
        let address = |name: &'static str| {
            let found = loaded.iter().filter_map(|library| {
                // SAFETY: only the address is taken here.
                let symbol = unsafe { library.get::<*mut c_void>(name) }.ok()?;
                Some(symbol.expose_provenance() as u64)
            });
            let found: BTreeSet<u64> = found.collect();
            match found.len() {
                // A library also shows what is in those that it was linked with.
                0 | 1 => Ok(found.first().copied().unwrap_or(0)),
                _ => Err(LinkError::Twice { name: name.into() }),
            }
        };
        let (malloc, free, init) = (address(MALLOC)?, address(FREE)?, address(INIT)?);
        // Kernels do not call it.
        let granted = if on_gpu { 0 } else { address(GRANTED)? };
        if malloc == 0 && !on_gpu {
            return Err(LinkError::MissingOnHost { function: MALLOC });
        }
        let memory = match (address(CREATE)? as usize, address(DESTROY)? as usize) {
            (0, _) => match link.libraries().next() {
                Some(file) if on_gpu => {
                    let path = file.path.clone();
                    return Err(LinkError::WithoutCreate { path });
                }
                _ => None,
            },
            (_, 0) => return Err(LinkError::MissingOnHost { function: DESTROY }),
            (create, destroy) => {
                let create = std::ptr::with_exposed_provenance::<c_void>(create);
                let destroy = std::ptr::with_exposed_provenance::<c_void>(destroy);
                // SAFETY: functions of these names have these signatures
                // (docs/external-allocators.md), as the user promises.
                Some(unsafe {
                    (
                        std::mem::transmute::<*const c_void, Create>(create),
                        std::mem::transmute::<*const c_void, Destroy>(destroy),
                    )
                })
            }
        };
        Ok(Self {
            malloc,
            free,
            init,
            granted,
            memory,
            _loaded: loaded,
        })
    }

    /// The functions of [`Link::reference`], which are the program's own.
    fn reference() -> Self {
        Self {
            malloc: reference::malloc as *const c_void as u64,
            free: 0,
            init: reference::init as *const c_void as u64,
            granted: 0,
            memory: None,
            _loaded: Vec::new(),
        }
    }

    /// A heap over these functions, which frees or does not, as it says.
    ///
    /// # Errors
    ///
    /// [`LinkError::MissingOnHost`] if it frees and there is no function for that,
    /// [`LinkError::Frees`] if it does not and there is one; those of [`Self::check_memory`].
    pub fn bind(&self, heap: Heap, allocator: &HostAllocator) -> Result<Heap, LinkError> {
        self.check_memory(allocator)?;
        match (allocator.properties.frees, self.free != 0) {
            (true, false) => Err(LinkError::MissingOnHost { function: FREE }),
            (false, true) => Err(LinkError::Frees),
            _ => {
                let functions = [self.malloc, self.free, self.init, self.granted];
                Ok(bind_external(heap, functions))
            }
        }
    }

    /// Makes sure that an allocator with memory of its own, and no other, gets that here.
    ///
    /// # Errors
    ///
    /// [`LinkError::NoLibrary`], [`LinkError::OwnMemory`].
    pub fn check_memory(&self, allocator: &HostAllocator) -> Result<(), LinkError> {
        match (allocator.properties.own_memory, self.memory.is_some()) {
            (true, false) => Err(LinkError::NoLibrary),
            (false, true) => Err(LinkError::OwnMemory),
            _ => Ok(()),
        }
    }
}

fn load(file: &LinkedFile) -> Result<Library, LinkError> {
    let failed = |cause: libloading::Error| LinkError::Load {
        path: file.path.clone(),
        cause: match cause.source() {
            _ if is_foreign(&file.bytes) => "it is for another processor".to_owned(),
            Some(source) => source.to_string(),
            None => cause.to_string(),
        },
    };
    // A name without a folder would be looked for where the system has its libraries.
    let path = std::path::absolute(&file.path).unwrap_or_else(|_| file.path.clone());
    // SAFETY: the user who names a library has its initialisers run, as its functions are.
    unsafe { Library::new(path) }.map_err(failed)
}

/// Memory that a library has got for a heap. Dropping it gives it back.
pub struct OwnHeap {
    heap: *mut c_void,
    libraries: Arc<Libraries>,
    /// Whether the memory may be given back now: nothing uses it, and nothing ever will.
    may_end: Box<dyn Fn() -> bool + Send>,
}

impl OwnHeap {
    /// Has a library get memory for so many bytes. The caller has made the device of that memory
    /// current.
    ///
    /// # Errors
    ///
    /// [`LinkError::NoLibrary`], and [`LinkError::Create`] with what the library said.
    pub fn new(
        libraries: &Arc<Libraries>,
        bytes: u64,
        may_end: impl Fn() -> bool + Send + 'static,
    ) -> Result<Self, LinkError> {
        let (create, _) = libraries.memory.ok_or(LinkError::NoLibrary)?;
        let mut heap = std::ptr::null_mut();
        // SAFETY: a function of this signature, as the user promises, of a library that stays
        // loaded as long as `libraries`; it is given a place for a pointer.
        let failed = unsafe { create(bytes, &raw mut heap) };
        if !failed.is_null() {
            // SAFETY: a C string, as the user promises.
            let cause = unsafe { CStr::from_ptr(failed) };
            return Err(LinkError::Create {
                cause: cause.to_string_lossy().trim().replace('\n', " "),
            });
        }
        Ok(Self {
            heap,
            libraries: Arc::clone(libraries),
            may_end: Box::new(may_end),
        })
    }

    /// The first word of the functions' state: the library's heap.
    pub fn word(&self) -> u64 {
        self.heap.expose_provenance() as u64
    }
}

// SAFETY: the pointer is used as a number, and by the library when this is dropped.
unsafe impl Send for OwnHeap {}

impl Drop for OwnHeap {
    fn drop(&mut self) {
        if let Some((_, destroy)) = self.libraries.memory
            && (self.may_end)()
        {
            // SAFETY: it came from `create` of the same library, which `libraries` keeps loaded,
            // and no kernel uses it any more.
            unsafe { destroy(self.heap) }
        }
    }
}
