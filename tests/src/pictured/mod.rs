//! Subjects of golden pictures and of pictures on GPUs. They are every scene that the program makes
//! and ships, scenes with all materials and textures, and a smooth one. The tests take every kind
//! of picture of them.

mod parlour;
mod scenes;
mod smooth;

use std::sync::Arc;

use glam::{DVec3, Vec3};
use heapwood::backend::Backend;
use heapwood::tree::{
    Cores, Crop, DeviceTree, HostTree, Lighting, Options, RenderedImage, Shade, Shading, Sky,
    Triangle, triangles,
};
use heapwood_device::render::Mode;
use heapwood_scenes::{Camera, CameraView, Lights, Panorama, Scene};

pub use parlour::parlour;
pub use scenes::{far_ground, room, subjects};
pub use smooth::smooth;

/// The program's sky where none is given.
const SKY: Sky = Sky {
    zenith: Vec3::new(0.5, 0.7, 1.0),
    nadir: Vec3::ONE,
};

/// Triangles with their light, a tree and a camera.
pub struct Subject {
    /// Name, without blanks.
    pub name: String,
    triangles: Arc<Vec<Triangle>>,
    lighting: Lighting,
    tree: Arc<HostTree>,
    view: CameraView,
    bounds: heapwood_scenes::Bounds,
}

impl Subject {
    /// A scene with further lights, seen from where the view says and all of it otherwise.
    ///
    /// # Panics
    ///
    /// If no tree can be built.
    pub fn new(scene: &Scene, view: CameraView, lights: &Lights) -> Self {
        let triangles = triangles(scene);
        let cores = Cores::new(None).expect("threads");
        let built = cores.build(&triangles, Options::default());
        Self {
            name: scene.name().replace(' ', "-"),
            lighting: Lighting::with_lights(scene, lights, SKY),
            tree: Arc::new(built.expect("a tree").tree),
            triangles: Arc::new(triangles),
            view,
            bounds: scene.bounds(),
        }
    }

    /// A scene under the program's sky, all of it.
    ///
    /// # Panics
    ///
    /// As [`new`](Self::new).
    pub fn of(scene: &Scene) -> Self {
        Self::new(scene, CameraView::default(), &Lights::default())
    }

    /// The same within an image, as [`Lighting::with_environment`] has it.
    pub fn within(self, image: &Panorama, scale: f32, turn_degrees: f32) -> Self {
        Self {
            lighting: self.lighting.with_environment(image, scale, turn_degrees),
            ..self
        }
    }

    /// The camera of pictures with so many pixels.
    ///
    /// # Panics
    ///
    /// If there is no such camera.
    pub fn camera(&self, width: u32, height: u32) -> Camera {
        let view = CameraView {
            size: Some([width, height]),
            ..self.view
        };
        view.camera(self.bounds, DVec3::ZERO).expect("a camera")
    }

    /// A picture with so many pixels.
    ///
    /// # Panics
    ///
    /// If the backend fails.
    pub fn render(
        &self,
        backend: &dyn Backend,
        size: [u32; 2],
        shading: &Shading,
    ) -> RenderedImage {
        let (tree, triangles) = (Arc::clone(&self.tree), Arc::clone(&self.triangles));
        let tree = DeviceTree::from_host(backend, tree, triangles).expect("a whole tree");
        let [width, height] = size;
        let picture = tree.render(&self.camera(width, height), shading, 1);
        picture.expect("a picture")
    }

    /// Everything that a picture can show, under names without blanks, with several samples where
    /// that is possible, and a window of a picture of at least 64x48 pixels.
    pub fn shadings(&self) -> Vec<(&'static str, Shading<'_>)> {
        let shading = |shade, samples| Shading {
            shade,
            samples,
            seed: 3,
            ..Shading::from(Mode::default())
        };
        let modes = Mode::ALL.into_iter();
        let mut all: Vec<_> = modes
            .map(|mode| (mode.name(), shading(Shade::Surface(mode), 1)))
            .collect();
        let path = |bounces| Shade::Path {
            lighting: &self.lighting,
            bounces,
        };
        let ambient = Shade::Ambient {
            samples: 16,
            distance: 0.1 * self.bounds.extent().length(),
        };
        let window = Crop {
            left: 11,
            top: 7,
            width: 41,
            height: 33,
        };
        all.extend([
            ("eyelight-3", shading(Shade::Surface(Mode::Eyelight), 3)),
            ("cost", shading(Shade::Cost { most: None }, 2)),
            ("ao", shading(ambient, 2)),
            ("emitted", shading(path(0), 1)),
            ("path", shading(path(8), 8)),
            (
                "window",
                Shading {
                    crop: Some(window),
                    ..shading(Shade::Surface(Mode::Normal), 1)
                },
            ),
        ]);
        all
    }
}
