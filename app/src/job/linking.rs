//! Linking with an allocator of the user's before the first case of a run. An error in its files is
//! the same in every case, and reported once.
//!
//! A process of its own does it, as it does cases: a crash while the user's library is loaded takes
//! nothing else down, and no GPU is held meanwhile.

use serde::{Deserialize, Serialize};

use super::{Job, Progress};
use crate::Error;
use crate::allocators::Spec;
use crate::backend::{Backend, Options};
use crate::word;
use crate::workload::micro::allocator_costs;

/// A pool in which any allocator fits, in bytes; nobody uses it.
const POOL: u64 = 1 << 30;

/// Links a kernel that allocates and frees with the functions of each allocator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Linking {
    backend: Options,
    #[serde(with = "word::list")]
    allocators: Vec<Spec>,
}

impl Linking {
    /// That of a run over these allocators on a backend that is decided; nothing if none of them
    /// is in files of the user's.
    pub fn of(backend: &Options, specs: &[Spec]) -> Option<Self> {
        let own = specs.iter().filter(|spec| spec.is_external());
        let allocators: Vec<Spec> = own.cloned().collect();
        (!allocators.is_empty()).then(|| Self {
            backend: backend.clone(),
            allocators,
        })
    }
}

impl Job for Linking {
    const KIND: &'static str = "link";

    type Report = ();

    fn backend(&self) -> &Options {
        &self.backend
    }

    fn run(&self, backend: &dyn Backend, _: &mut dyn Progress) -> Result<(), Error> {
        let processors = backend.info().processors;
        for spec in &self.allocators {
            // Pools that do not fit an allocator are rows of it.
            if let Ok(heap) = spec.setup(std::ptr::null_mut(), POOL, processors) {
                backend.bind(spec.allocator, heap)?;
            }
            allocator_costs(spec.allocator, backend)?;
        }
        Ok(())
    }
}
