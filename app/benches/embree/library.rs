//! The few functions of Embree that are used, of version 4 or 3, bound when the program runs.

use std::ffi::{CString, c_char, c_void};
use std::ptr;

use glam::Vec3;
use heapwood::Error;
use libloading::{Library, Symbol};

/// The libraries that are tried, in this order.
pub const NAMES: [&str; 2] = ["libembree4.so.4", "libembree3.so.3"];

// From rtcore_geometry.h, rtcore_buffer.h, rtcore_common.h and rtcore_scene.h, the same in both.
const TRIANGLES: u32 = 0;
const INDICES: u32 = 0;
const VERTICES: u32 = 1;
const UINT3: u32 = 0x5003;
const FLOAT3: u32 = 0x9003;
const HIGH_QUALITY: u32 = 2;
const ROBUST: u32 = 4;
/// `RTC_INVALID_GEOMETRY_ID`.
const NONE: u32 = u32::MAX;

type Handle = *mut c_void;

/// `RTCRayHit`, with room behind for what later versions add.
#[repr(C, align(16))]
pub struct RayHit {
    origin: [f32; 3],
    near: f32,
    direction: [f32; 3],
    time: f32,
    far: f32,
    mask: u32,
    id: u32,
    flags: u32,
    normal: [f32; 3],
    uv: [f32; 2],
    primitive: u32,
    geometry: u32,
    instance: [u32; 5],
}

impl RayHit {
    /// A ray that nothing was looked for along.
    pub fn new(origin: Vec3, direction: Vec3) -> Self {
        Self {
            origin: origin.to_array(),
            near: 0.0,
            direction: direction.to_array(),
            time: 0.0,
            far: f32::INFINITY,
            mask: u32::MAX,
            id: 0,
            flags: 0,
            normal: [0.0; 3],
            uv: [0.0; 2],
            primitive: NONE,
            geometry: NONE,
            instance: [NONE; 5],
        }
    }

    /// The normal where the ray has hit something, of any length.
    pub fn normal(&self) -> Option<Vec3> {
        (self.geometry != NONE).then(|| Vec3::from_array(self.normal))
    }
}

/// `RTCIntersectContext` of version 3.
#[repr(C)]
struct Context {
    flags: u32,
    filter: *const c_void,
    instance: [u32; 4],
}

/// The library.
pub struct Embree {
    library: Library,
    is_version_3: bool,
}

/// A scene that was built. It is the library's, and may be searched by any thread.
pub struct Scene<'a> {
    embree: &'a Embree,
    device: Handle,
    scene: Handle,
    /// `rtcIntersect1`, whose parameters after the scene differ between the versions.
    intersect: unsafe extern "C" fn(Handle, *mut c_void, *mut c_void),
}

// SAFETY: Embree's scenes may be searched by several threads at a time once they are committed.
unsafe impl Sync for Scene<'_> {}

impl Embree {
    /// The newest that there is.
    pub fn load() -> Option<Self> {
        NAMES.into_iter().find_map(|name| {
            // SAFETY: loading Embree runs no code of it but constructors.
            let library = unsafe { Library::new(name) }.ok()?;
            Some(Self {
                library,
                is_version_3: name == NAMES[1],
            })
        })
    }

    /// A function.
    ///
    /// # Safety
    ///
    /// `F` is its type.
    unsafe fn function<F>(&self, name: &str) -> Result<Symbol<'_, F>, Error> {
        // SAFETY: the caller's promise.
        let found = unsafe { self.library.get(name.as_bytes()) };
        found.map_err(|error| Error::Failed(format!("Embree has no {name}: {error}")))
    }

    /// Builds a scene of triangles with so many threads.
    ///
    /// # Errors
    ///
    /// A library that lacks a function or fails.
    pub fn build(
        &self,
        triangles: &[[[f32; 3]; 3]],
        threads: usize,
        is_robust: bool,
    ) -> Result<Scene<'_>, Error> {
        type New = unsafe extern "C" fn(Handle) -> Handle;
        type Set = unsafe extern "C" fn(Handle, u32);
        type Run = unsafe extern "C" fn(Handle);
        let configuration = CString::new(format!("threads={threads}")).expect("no byte is 0");
        let count = triangles.len();
        // SAFETY: types are those of Embree's headers. Buffers have the items that are asked for,
        // and are written before they are committed.
        unsafe {
            let new_device =
                self.function::<unsafe extern "C" fn(*const c_char) -> Handle>("rtcNewDevice")?;
            let device = new_device(configuration.as_ptr());
            let scene = self.function::<New>("rtcNewScene")?(device);
            self.function::<Set>("rtcSetSceneBuildQuality")?(scene, HIGH_QUALITY);
            if is_robust {
                self.function::<Set>("rtcSetSceneFlags")?(scene, ROBUST);
            }
            let new_geometry =
                self.function::<unsafe extern "C" fn(Handle, u32) -> Handle>("rtcNewGeometry")?;
            let geometry = new_geometry(device, TRIANGLES);
            let new_buffer = self.function::<unsafe extern "C" fn(
                Handle,
                u32,
                u32,
                u32,
                usize,
                usize,
            ) -> *mut c_void>("rtcSetNewGeometryBuffer")?;
            let vertices = new_buffer(geometry, VERTICES, 0, FLOAT3, 12, 3 * count);
            let indices = new_buffer(geometry, INDICES, 0, UINT3, 12, count);
            if vertices.is_null() || indices.is_null() {
                return Err(Error::Failed("Embree has no memory".to_owned()));
            }
            ptr::copy_nonoverlapping(triangles.as_ptr(), vertices.cast(), count);
            let indices = indices.cast::<u32>();
            (0..3 * count).for_each(|at| indices.add(at).write(at as u32));
            self.function::<Run>("rtcCommitGeometry")?(geometry);
            self.function::<unsafe extern "C" fn(Handle, Handle) -> u32>("rtcAttachGeometry")?(
                scene, geometry,
            );
            self.function::<Run>("rtcReleaseGeometry")?(geometry);
            self.function::<Run>("rtcCommitScene")?(scene);
            let error =
                self.function::<unsafe extern "C" fn(Handle) -> u32>("rtcGetDeviceError")?;
            match error(device) {
                0 => {}
                code => return Err(Error::Failed(format!("Embree failed with error {code}"))),
            }
            Ok(Scene {
                embree: self,
                device,
                scene,
                intersect: *self.function("rtcIntersect1")?,
            })
        }
    }
}

impl Scene<'_> {
    /// Looks for what the ray hits first.
    pub fn intersect(&self, ray: &mut RayHit) {
        let mut context = Context {
            flags: 0,
            filter: ptr::null(),
            instance: [NONE; 4],
        };
        let (ray, context) = (
            ptr::from_mut(ray).cast(),
            ptr::from_mut(&mut context).cast(),
        );
        // Version 4 has the ray first, and takes no arguments for the default ones.
        let (second, third): (*mut c_void, *mut c_void) = match self.embree.is_version_3 {
            true => (context, ray),
            false => (ray, ptr::null_mut()),
        };
        // SAFETY: the scene is committed, and the structures are those of its version.
        unsafe { (self.intersect)(self.scene, second, third) }
    }
}

impl Drop for Scene<'_> {
    fn drop(&mut self) {
        type Run = unsafe extern "C" fn(Handle);
        // SAFETY: both are the library's, and no later call uses them.
        unsafe {
            if let Ok(release) = self.embree.function::<Run>("rtcReleaseScene") {
                release(self.scene);
            }
            if let Ok(release) = self.embree.function::<Run>("rtcReleaseDevice") {
                release(self.device);
            }
        }
    }
}
