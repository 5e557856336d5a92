//! The provenance of a result: program, device, allocator.

use std::sync::OnceLock;

use glam::DVec3;
use heapwood_scenes::Scene;
use heapwood_traces::Header;

use crate::allocators::Spec;
use crate::backend::{Backend, DeviceInfo};
use crate::link::Linked;

pub use heapwood_results::{CallCost, LinkMeta, Meta};

static COMMIT: OnceLock<&'static str> = OnceLock::new();

/// Notes the commit of the program's sources for all results of this process.
///
/// The library is not compiled with it, since each commit would compile the library again. Calls
/// after the first have no effect.
pub fn set_commit(commit: Option<&'static str>) {
    if let Some(commit) = commit {
        COMMIT.get_or_init(|| commit);
    }
}

/// The offset of a scene, if it is relative to one.
pub fn offset_of(scene: &Scene) -> Option<[f64; 3]> {
    (scene.offset() != DVec3::ZERO).then(|| scene.offset().to_array())
}

/// Machine and program of a result from this backend.
pub fn of_device(info: &DeviceInfo) -> Meta {
    Meta {
        gpu: info.is_gpu.then(|| info.device.clone()),
        driver: info.driver.clone(),
        compiler: option_env!("HEAPWOOD_RUSTC").map(str::to_owned),
        commit: COMMIT.get().map(|&commit| commit.to_owned()),
        ..Meta::default()
    }
}

/// The header of a trace of calls of `spec` on a backend, in this work. The pool is not known yet.
pub fn trace_header(backend: &dyn Backend, spec: &Spec, work: &str) -> Header {
    let info = backend.info();
    let meta = of_device(&info);
    Header {
        device: Some(info.device),
        driver: meta.driver,
        commit: meta.commit,
        workload: work.to_owned(),
        allocator: spec.name().to_owned(),
        parameters: spec.parameters(),
        pool_bytes: None,
        backend: info.backend.to_owned(),
        // Events have the clock that all threads share.
        clock_hz: Some(1_000_000_000),
    }
}

/// Machine, program and input of a result of work on a scene.
pub fn of_scene(info: &DeviceInfo, scene: &Scene) -> Meta {
    Meta {
        input_hash: Some(format!("{:016x}", scene.input_hash())),
        offset: offset_of(scene),
        ..of_device(info)
    }
}

/// The same with what the kernels were linked with, for a result over this allocator.
pub fn over(meta: Meta, spec: &Spec, info: &DeviceInfo) -> Meta {
    let linked = info.linked.as_ref().filter(|_| spec.is_external());
    let link = linked.map(of_link);
    Meta { link, ..meta }
}

/// The files that a backend has linked.
pub fn of_link(linked: &Linked) -> LinkMeta {
    LinkMeta {
        files: linked.files.clone(),
        merged: linked.merged,
        ms: (!linked.time.is_zero()).then_some(linked.time.as_secs_f64() * 1e3),
        registers: linked.registers,
        call: Vec::new(),
    }
}
