//! Linking with an allocator of the user's before the first case of a run. An error in its files is
//! the same in every case, and reported once.
//!
//! A process of its own does it, as it does cases: a crash while the user's library is loaded takes
//! nothing else down, and no GPU is held meanwhile.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::child::{Ended, run_in_child};
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

    /// Has another process link, for at most `timeout`.
    ///
    /// # Errors
    ///
    /// The error in the files, in the words of that process.
    pub fn run_in_child(&self, timeout: Duration) -> Result<(), Error> {
        Err(Error::Failed(match run_in_child(self, timeout)? {
            Ended::Report(()) => return Ok(()),
            Ended::Badly {
                code: Some(code),
                message,
            } => return Err(Error::Relayed { code, message }),
            Ended::Badly { message, .. } => format!("--link: a file of it has crashed: {message}"),
            Ended::Silent | Ended::Garbled(_) => {
                "--link: a file of it has ended the process".to_owned()
            }
            Ended::Timeout(limit) => format!(
                "--link: not linked after {} s: use a larger --timeout",
                limit.as_secs_f64()
            ),
        }))
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
