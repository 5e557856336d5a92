//! Where a result comes from.

use heapwood::backend::DeviceInfo;
use heapwood::meta::{self, Meta};
use heapwood_results::benches::{Machine, Origin};

/// The origin of a result on a graph of this hash.
pub fn origin(info: &DeviceInfo, allocator: &str, threads: usize, seed: u64, hash: u64) -> Origin {
    Origin {
        allocator: allocator.to_owned(),
        threads: threads as u64,
        meta: Meta {
            seed: Some(seed),
            input_hash: Some(format!("{hash:016x}")),
            ..meta::of_device(info)
        },
        machine: Machine {
            cpu: info.device.clone(),
            cores: threads as u64,
        },
    }
}
