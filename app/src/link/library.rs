//! The functions of an allocator of the user's on the CPU: in shared libraries.

use std::error::Error;
use std::ffi::c_void;

use heapwood_device::allocator::Heap;
use heapwood_device::allocators::External;
use libloading::Library;

use super::{FREE, INIT, Link, LinkError, MALLOC};

/// Libraries that were loaded, and the functions in them. They stay loaded while this lives.
#[derive(Debug)]
pub struct Libraries {
    /// Addresses, 0 for a function that there is not.
    malloc: u64,
    free: u64,
    init: u64,
    _loaded: Vec<Library>,
}

impl Libraries {
    /// Loads the files, and looks for the functions.
    ///
    /// # Errors
    ///
    /// A file that is no library for this machine, and a missing `heapwood_malloc`.
    pub fn load(link: &Link) -> Result<Self, LinkError> {
        let load = |file: &super::LinkedFile| {
            let failed = |cause: libloading::Error| LinkError::Load {
                path: file.path.clone(),
                cause: match cause.source() {
                    Some(source) => source.to_string(),
                    None => cause.to_string(),
                },
            };
            // A name without a folder would be looked for where the system has its libraries.
            let path = std::path::absolute(&file.path).unwrap_or_else(|_| file.path.clone());
            // SAFETY: whoever names a library has its initialisers run, as its functions are.
            unsafe { Library::new(path) }.map_err(failed)
        };
        let loaded = link.files().iter().map(load);
        let loaded = loaded.collect::<Result<Vec<_>, _>>()?;
        let address = |name: &str| {
            let found = loaded.iter().find_map(|library| {
                // SAFETY: only the address is taken here.
                unsafe { library.get::<*mut c_void>(name) }.ok()
            });
            found.map_or(0, |symbol| symbol.expose_provenance() as u64)
        };
        let (malloc, free, init) = (address(MALLOC), address(FREE), address(INIT));
        if malloc == 0 {
            return Err(LinkError::Missing { function: MALLOC });
        }
        Ok(Self {
            malloc,
            free,
            init,
            _loaded: loaded,
        })
    }

    /// A heap over these functions, which frees or does not, as it says.
    ///
    /// # Errors
    ///
    /// [`LinkError::Missing`] if it frees and there is no function for that,
    /// [`LinkError::Frees`] if it does not and there is one.
    pub fn bind(&self, heap: Heap, frees: bool) -> Result<Heap, LinkError> {
        match (frees, self.free != 0) {
            (true, false) => Err(LinkError::Missing { function: FREE }),
            (false, true) => Err(LinkError::Frees),
            _ => Ok(External::bind(heap, [self.malloc, self.free, self.init])),
        }
    }
}
