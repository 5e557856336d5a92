//! What every result says about where it comes from.

use heapwood_scenes::Scene;
use serde::{Deserialize, Serialize};

use crate::backend::DeviceInfo;

/// Machine, program and input of a result; what does not apply is null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// The GPU's product name.
    pub gpu: Option<String>,
    /// The GPU driver's release.
    pub driver: Option<String>,
    /// The compiler of the program.
    pub compiler: Option<String>,
    /// The commit of the program's sources.
    pub commit: Option<String>,
    /// The seed of whatever is random.
    pub seed: Option<u64>,
    /// Fingerprint of the input, 16 hexadecimal digits.
    pub input_hash: Option<String>,
}

impl Meta {
    /// For a result from this backend.
    pub fn new(info: &DeviceInfo) -> Self {
        Self {
            gpu: info.is_gpu.then(|| info.device.clone()),
            driver: info.driver.clone(),
            compiler: option_env!("HEAPWOOD_RUSTC").map(str::to_owned),
            commit: option_env!("HEAPWOOD_COMMIT").map(str::to_owned),
            seed: None,
            input_hash: None,
        }
    }

    /// For a result of work on a scene.
    pub fn of_scene(info: &DeviceInfo, scene: &Scene) -> Self {
        Self {
            input_hash: Some(format!("{:016x}", scene.input_hash())),
            ..Self::new(info)
        }
    }
}
