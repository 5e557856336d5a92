//! Which backend a command runs on.

use std::ops::Deref;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::cpu::Cpu;
use super::gpu::{Cuda, info_of};
use super::{Backend, BackendError, DeviceInfo, LAUNCH_LIMIT};
use crate::allocators::Spec;
use crate::cuda::{self, CudaError};
use crate::link::{Link, LinkOptions};
use crate::ptx;

/// The backend asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// The GPU where there is one, else the CPU.
    #[default]
    Auto,
    /// The GPU.
    Cuda,
    /// The CPU.
    Cpu,
}

/// The backend to open, and its options. The keys in JSON are the names on the command line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(
    feature = "cli",
    derive(clap::Args),
    command(next_help_heading = "Device")
)]
pub struct Options {
    /// Device that runs the kernels
    ///
    /// With auto, it is the GPU if there is one.
    #[cfg_attr(
        feature = "cli",
        arg(
            id = "backend",
            long = "backend",
            value_enum,
            value_name = "auto|cuda|cpu",
            hide_possible_values = true,
            default_value_t
        )
    )]
    #[serde(rename = "backend")]
    pub choice: Choice,
    /// Number of the GPU
    #[cfg_attr(
        feature = "cli",
        arg(long, hide_short_help = true, value_name = "N", default_value_t = 0)
    )]
    pub device: u32,
    /// Worker threads of the CPU backend [default: one per core]
    #[cfg_attr(feature = "cli", arg(id = "cpu_threads", long = "cpu-threads", hide_short_help = true, value_name = "N", value_parser = parse_workers))]
    #[serde(rename = "cpu-threads")]
    pub threads: Option<usize>,
    /// How long a launch on the GPU may take.
    #[cfg_attr(feature = "cli", arg(skip = LAUNCH_LIMIT))]
    pub limit: Duration,
    /// The files of an allocator of the user's, which are linked with its kernels.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub link: LinkOptions,
    /// Whether heapwood's own file ([`Link::reference`]) is linked in place of the user's.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub reference: bool,
}

impl Default for Options {
    /// The first GPU, or else a worker of the CPU for each core.
    fn default() -> Self {
        Self {
            choice: Choice::Auto,
            device: 0,
            threads: None,
            limit: LAUNCH_LIMIT,
            link: LinkOptions::default(),
            reference: false,
        }
    }
}

#[cfg(feature = "cli")]
fn parse_workers(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=1024) => Ok(count),
        _ => Err("write a number from 1 to 1024".to_owned()),
    }
}

/// A backend that [`open`] found. It dereferences to the backend.
pub struct Opened {
    /// The backend.
    pub backend: Box<dyn Backend>,
    /// Why it is the CPU, if no GPU can run.
    pub fallback: Option<BackendError>,
}

impl Deref for Opened {
    type Target = dyn Backend;

    fn deref(&self) -> &Self::Target {
        &*self.backend
    }
}

/// Opens the first GPU, or all cores of the CPU where no GPU can run.
///
/// # Errors
///
/// When the GPU or the threads cannot be used.
pub fn open() -> Result<Opened, BackendError> {
    let (options, fallback) = Options::default().decide()?;
    Ok(Opened {
        backend: options.open()?,
        fallback,
    })
}

impl Options {
    /// These options with `auto` decided, and why the CPU was taken if it was.
    /// Opens nothing.
    ///
    /// # Errors
    ///
    /// When the GPU is asked for, by `cuda` or with a number that does not exist,
    /// and cannot run.
    pub fn decide(mut self) -> Result<(Self, Option<BackendError>), BackendError> {
        if self.choice == Choice::Cpu {
            return Ok((self, None));
        }
        let why = match self.find_gpu() {
            Ok(_) => None,
            // A GPU that was named and is not there is a mistake.
            Err(error @ BackendError::Cuda(CudaError::NoSuchDevice { .. })) => return Err(error),
            Err(error) if self.choice == Choice::Cuda => return Err(error),
            Err(error) => Some(error),
        };
        self.choice = if why.is_some() {
            Choice::Cpu
        } else {
            Choice::Cuda
        };
        Ok((self, why))
    }

    /// The same for work over this allocator: files to link are for one that is in them.
    #[must_use]
    pub fn over(&self, spec: &Spec) -> Self {
        let mut options = self.clone();
        if !spec.is_external() {
            options.link = LinkOptions::default();
        }
        options
    }

    /// The device that these options would open.
    ///
    /// # Errors
    ///
    /// As for [`Options::decide`], and files to link that cannot be used.
    pub fn info(&self) -> Result<DeviceInfo, BackendError> {
        let info = match self.choice {
            Choice::Auto => return self.clone().decide()?.0.info(),
            Choice::Cpu => self.cpu()?.info(),
            Choice::Cuda => self.find_gpu()?,
        };
        let linked = self.files()?.map(|link| link.about());
        Ok(DeviceInfo { linked, ..info })
    }

    /// The files to link, read.
    ///
    /// # Errors
    ///
    /// [`BackendError::Link`] with one that cannot be used on this backend.
    fn files(&self) -> Result<Option<Link>, BackendError> {
        if self.reference {
            return Ok(Some(Link::reference()));
        }
        if self.link.files.is_empty() {
            return Ok(None);
        }
        let on_gpu = self.choice != Choice::Cpu;
        Ok(Some(Link::read(&self.link, on_gpu)?))
    }

    /// Opens the backend of these options.
    ///
    /// # Errors
    ///
    /// When it cannot run, and files to link that cannot be used.
    pub fn open(&self) -> Result<Box<dyn Backend>, BackendError> {
        Ok(match self.choice {
            Choice::Auto => return self.clone().decide()?.0.open(),
            Choice::Cpu => {
                let link = self.files()?;
                Box::new(self.cpu()?.linked(link)?)
            }
            Choice::Cuda => {
                let link = self.files()?;
                Box::new(Cuda::open(self.device, self.limit)?.linked(link)?)
            }
        })
    }

    fn cpu(&self) -> Result<Cpu, BackendError> {
        self.threads.map_or_else(Cpu::new, Cpu::with_threads)
    }

    fn find_gpu(&self) -> Result<DeviceInfo, BackendError> {
        let devices = cuda::devices()?;
        let count = devices.len() as u32;
        let ordinal = self.device;
        let found = devices
            .iter()
            .find(|properties| properties.ordinal == ordinal);
        let properties = found.ok_or(CudaError::NoSuchDevice { ordinal, count })?;
        if !ptx::is_embedded() {
            return Err(BackendError::NoDeviceCode);
        }
        Ok(info_of(properties))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_for_the_cpu_is_told() {
        let opened = open().unwrap();
        let reason = opened.fallback.as_ref().map(ToString::to_string);
        assert_eq!(
            reason.is_some(),
            opened.info().backend == "cpu",
            "{reason:?}"
        );
        assert_ne!(reason.as_deref(), Some(""));
        // The options decide by themselves, too.
        let options = Options::default();
        let device = options.info().unwrap().device;
        assert_eq!(device, opened.info().device);
        assert_eq!(options.open().unwrap().info().device, device);
    }
}
