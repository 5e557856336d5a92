//! The devices of this machine, and their properties, which go into every result.

use cust::CudaApiVersion;
use cust::device::{Device, DeviceAttribute};
use cust::sys;

use super::driver;
use super::error::{CudaError, check, from_cust};

/// Where the kernel module of the driver tells its release.
const RELEASE_FILE: &str = "/proc/driver/nvidia/version";

/// The properties of a device that are known without opening it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceProperties {
    /// Its number, from 0, in the driver's order.
    pub ordinal: u32,
    /// The product, such as `NVIDIA H200`.
    pub name: String,
    /// Its identity, in the form that `nvidia-smi -L` prints: `GPU-` and a UUID.
    pub uuid: String,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Memory of the device, in bytes.
    pub total_memory: u64,
    /// Peak clock of the multiprocessors, in kHz.
    pub clock_khz: u32,
    /// The newest CUDA version that the driver supports, such as `13.0`.
    pub cuda_version: String,
    /// Release of the driver, such as `580.95.05`, where the system tells it.
    pub driver_release: Option<String>,
}

/// The devices of this machine, at least one.
///
/// # Errors
///
/// [`CudaError::NoDriver`] and [`CudaError::NoDevice`] say why there is none.
pub fn devices() -> Result<Vec<DeviceProperties>, CudaError> {
    (0..initialise()?)
        .map(|ordinal| Ok(find(ordinal)?.1))
        .collect()
}

/// The device with this number, and its properties.
///
/// # Errors
///
/// As [`devices`], and [`CudaError::NoSuchDevice`].
pub(super) fn find(ordinal: u32) -> Result<(Device, DeviceProperties), CudaError> {
    let count = initialise()?;
    if ordinal >= count {
        return Err(CudaError::NoSuchDevice { ordinal, count });
    }
    let device = Device::get_device(ordinal).map_err(from_cust("cuDeviceGet"))?;
    let attribute = |attribute| {
        let value = device.get_attribute(attribute);
        let value = value.map_err(from_cust("cuDeviceGetAttribute"))?;
        Ok(value.unsigned_abs())
    };
    let version = CudaApiVersion::get().map_err(from_cust("cuDriverGetVersion"))?;
    let memory = device.total_memory();
    let properties = DeviceProperties {
        ordinal,
        name: device.name().map_err(from_cust("cuDeviceGetName"))?,
        uuid: uuid(device)?,
        compute_capability: (
            attribute(DeviceAttribute::ComputeCapabilityMajor)?,
            attribute(DeviceAttribute::ComputeCapabilityMinor)?,
        ),
        multiprocessors: attribute(DeviceAttribute::MultiprocessorCount)?,
        total_memory: memory.map_err(from_cust("cuDeviceTotalMem"))? as u64,
        clock_khz: attribute(DeviceAttribute::ClockRate)?,
        cuda_version: format!("{}.{}", version.major(), version.minor()),
        driver_release: std::fs::read_to_string(RELEASE_FILE)
            .ok()
            .and_then(|text| release(&text)),
    };
    Ok((device, properties))
}

/// Starts the driver, if that has not happened, and counts its devices.
fn initialise() -> Result<u32, CudaError> {
    driver::library().map_err(|cause| CudaError::NoDriver {
        cause: cause.to_owned(),
    })?;
    // `cust::init` would report what is usual here, a driver newer than its kernel
    // module or a fabric manager that does not run, as an unknown error.
    // SAFETY: may be called at any time, any number of times.
    check("cuInit", unsafe { sys::cuInit(0) })?;
    match Device::num_devices().map_err(from_cust("cuDeviceGetCount"))? {
        0 => Err(CudaError::NoDevice),
        count => Ok(count),
    }
}

/// The identity of the device, as `nvidia-smi -L` prints it.
fn uuid(device: Device) -> Result<String, CudaError> {
    let mut uuid = sys::CUuuid { bytes: [0; 16] };
    // SAFETY: `uuid` outlives the call, which fills it.
    let result = unsafe { sys::cuDeviceGetUuid_v2(&mut uuid, device.as_raw()) };
    check("cuDeviceGetUuid", result)?;
    let number = u128::from_be_bytes(uuid.bytes.map(|byte| byte as u8));
    let digits = format!("{number:032x}");
    let (a, b, c) = (&digits[..8], &digits[8..12], &digits[12..16]);
    let (d, e) = (&digits[16..20], &digits[20..]);
    Ok(format!("GPU-{a}-{b}-{c}-{d}-{e}"))
}

/// The release in the text of [`RELEASE_FILE`]: the first word of its first line
/// that consists of numbers and dots.
fn release(text: &str) -> Option<String> {
    let numeric =
        |word: &&str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let word = text.lines().next()?.split_whitespace().find(numeric)?;
    Some(word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::release;

    #[test]
    fn the_release_is_found_in_both_forms_of_the_file() {
        let closed = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19\nGCC";
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release";
        assert_eq!(release(closed).as_deref(), Some("535.104.05"));
        assert_eq!(release(open).as_deref(), Some("580.65.06"));
        assert_eq!(release("nothing of the kind 12"), None);
    }
}
