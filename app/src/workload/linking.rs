//! Linking with an allocator of the user's before the first case of a run. What is wrong with its
//! files is so in every case, and said once.
//!
//! A process of its own does it, as it does cases: what a library of the user's does when it is
//! loaded takes nothing else down, and no GPU is held meanwhile.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::micro::allocator_costs;
use crate::Error;
use crate::allocators::Spec;
use crate::backend::Options;
use crate::process::{self, Ended};

/// A pool in which any allocator fits, in bytes; nobody uses it.
const POOL: u64 = 1 << 30;

/// The answer when it worked.
const LINKED: &str = "linked";

/// What is linked, and where.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Linking {
    backend: Options,
    /// As on the command line.
    allocators: Vec<String>,
}

impl Linking {
    /// What the hidden command `case` calls it.
    pub const KIND: &'static str = "link";

    /// That of a run over these allocators on a backend that is decided; nothing if none of them
    /// is in files of the user's.
    pub fn of(backend: &Options, specs: &[Spec]) -> Option<Self> {
        let own = specs.iter().filter(|spec| spec.is_external());
        let allocators: Vec<String> = own.map(Spec::to_string).collect();
        (!allocators.is_empty()).then(|| Self {
            backend: backend.clone(),
            allocators,
        })
    }

    /// Has another process link, for at most `timeout`.
    ///
    /// # Errors
    ///
    /// What is wrong with the files, as that process says it.
    pub fn run_in_child(&self, timeout: Duration) -> Result<(), Error> {
        let text = serde_json::to_string(self)
            .map_err(|error| Error::Failed(format!("cannot describe what to link: {error}")))?;
        match process::run(&["case", Self::KIND, &text], timeout)? {
            Ended::Well(answer) if answer.trim() == LINKED => Ok(()),
            Ended::Well(_) => Err(Error::Failed(
                "--link: a file of it has ended the process".to_owned(),
            )),
            Ended::Badly { code, message } => match code {
                Some(code) => Err(Error::Relayed { code, message }),
                None => Err(Error::Failed(format!(
                    "--link: a file of it has crashed: {message}"
                ))),
            },
            Ended::Timeout => Err(Error::Failed(format!(
                "--link: not linked after {} s: use a larger --timeout",
                timeout.as_secs_f64()
            ))),
        }
    }
}

/// What the process that [`Linking::run_in_child`] started does: links a kernel that allocates and frees
/// with the functions of each allocator.
///
/// # Errors
///
/// When the backend does not open, and what is wrong with the files.
pub fn child_main(linking: &str) -> Result<String, Error> {
    let Linking {
        backend,
        allocators,
    } = serde_json::from_str(linking)
        .map_err(|cause| Error::Usage(format!("this is nothing to link: {cause}")))?;
    let backend = backend.open()?;
    let processors = backend.info().processors;
    for allocator in &allocators {
        let spec = Spec::parse(allocator).map_err(Error::Usage)?;
        // Pools that do not fit an allocator are rows of it.
        if let Ok(heap) = spec.setup(std::ptr::null_mut(), POOL, processors) {
            backend.bind(spec.allocator, heap)?;
        }
        allocator_costs(spec.allocator, &*backend)?;
    }
    Ok(LINKED.to_owned())
}
