//! A few triangles with materials, and pictures of the light on them.

use glam::Vec3;
use heapwood::tree::{
    Aovs, Cores, DeviceTree, Lighting, Options, RenderedImage, Shade, Shading, Sky,
};
use heapwood_device::render::{Mode, SurfaceMaterial, Triangle};
use heapwood_scenes::Camera;

use crate::gpu::cpu;

/// A grey that only scatters.
pub const MATT: SurfaceMaterial = SurfaceMaterial {
    diffuse: Vec3::splat(0.5),
    specular: Vec3::ZERO,
    emission: Vec3::ZERO,
    roughness: 1.0,
    transmission: 0.0,
    refraction: 1.5,
    transparency: 0.0,
};
/// A white that only scatters, and absorbs nothing.
pub const CHALK: SurfaceMaterial = SurfaceMaterial {
    diffuse: Vec3::ONE,
    ..MATT
};
/// Clear, and refracts.
pub const GLASS: SurfaceMaterial = SurfaceMaterial {
    transmission: 1.0,
    ..MATT
};
/// No light from around.
pub const DARK: Sky = Sky {
    zenith: Vec3::ZERO,
    nadir: Vec3::ZERO,
};
/// The same light from everywhere.
pub const WHITE: Sky = Sky {
    zenith: Vec3::ONE,
    nadir: Vec3::ONE,
};

/// A light that reflects nothing.
pub fn glowing(emission: f32) -> SurfaceMaterial {
    SurfaceMaterial {
        diffuse: Vec3::ZERO,
        emission: Vec3::splat(emission),
        ..MATT
    }
}

/// Grey with a lobe of reflections.
pub fn glossy(diffuse: f32, specular: f32, roughness: f32) -> SurfaceMaterial {
    SurfaceMaterial {
        diffuse: Vec3::splat(diffuse),
        specular: Vec3::splat(specular),
        roughness,
        ..MATT
    }
}

/// Triangles with their materials.
#[derive(Default)]
pub struct Stage {
    triangles: Vec<Triangle>,
    materials: Vec<SurfaceMaterial>,
    material_of: Vec<u32>,
}

impl Stage {
    /// The same with triangles of one more material.
    pub fn with(mut self, triangles: &[Triangle], material: SurfaceMaterial) -> Self {
        let number = self.materials.len() as u32;
        self.materials.push(material);
        self.material_of.extend(triangles.iter().map(|_| number));
        self.triangles.extend(triangles);
        self
    }

    /// Its lighting: its own materials and a sky.
    pub fn lighting(&self, sky: Sky) -> Lighting {
        Lighting::new(&self.triangles, &self.materials, &self.material_of, sky)
    }

    /// A picture under a sky.
    ///
    /// # Panics
    ///
    /// As [`render_with`](Self::render_with).
    pub fn render(&self, camera: &Camera, sky: Sky, samples: u32, bounces: u32) -> RenderedImage {
        self.render_with(camera, &self.lighting(sky), samples, bounces)
    }

    /// A picture of paths over so many surfaces, on the CPU.
    ///
    /// # Panics
    ///
    /// If it cannot be rendered.
    pub fn render_with(
        &self,
        camera: &Camera,
        lighting: &Lighting,
        samples: u32,
        bounces: u32,
    ) -> RenderedImage {
        let shading = Shading {
            shade: Shade::Path { lighting, bounces },
            samples,
            ..Shading::from(Mode::default())
        };
        self.picture(camera, &shading)
    }

    /// The auxiliary outputs (AOVs) of the first hit in the middle of each pixel.
    ///
    /// # Panics
    ///
    /// As [`render_with`](Self::render_with).
    pub fn aovs(&self, camera: &Camera, lighting: &Lighting) -> Aovs {
        let shading = Shading {
            shade: Shade::Path {
                lighting,
                bounces: 0,
            },
            aovs: true,
            ..Shading::from(Mode::default())
        };
        let picture = self.picture(camera, &shading);
        picture.aovs.expect("the layers of a path traced picture")
    }

    /// A picture of another kind than paths, of one sample a pixel.
    ///
    /// # Panics
    ///
    /// As [`render_with`](Self::render_with).
    pub fn picture_of(&self, camera: &Camera, shade: Shade) -> RenderedImage {
        let shading = Shading {
            shade,
            ..Shading::from(Mode::default())
        };
        self.picture(camera, &shading)
    }

    fn picture(&self, camera: &Camera, shading: &Shading) -> RenderedImage {
        let backend = cpu(2);
        let cores = Cores::new(Some(2)).expect("threads");
        let built = cores.build(&self.triangles, Options::default());
        let tree = built.expect("a tree").tree;
        let tree =
            DeviceTree::from_host(&*backend, tree, self.triangles.clone()).expect("a whole tree");
        tree.render(camera, shading, 1).expect("a picture")
    }
}

/// A cube of side 2 around the origin.
pub fn cube() -> Vec<Triangle> {
    let mut triangles = Vec::new();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let corner = |u: f32, v: f32| {
                let mut at = [side; 3];
                at[(axis + 1) % 3] = u;
                at[(axis + 2) % 3] = v;
                at
            };
            triangles.push([corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0)]);
            triangles.push([corner(-1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]);
        }
    }
    triangles
}

/// A square picture of what is around the origin.
///
/// # Panics
///
/// If there is no such camera.
pub fn camera(eye: Vec3, fov: f32, side: u32) -> Camera {
    let up = Vec3::new(0.1, 1.0, 0.0);
    Camera::new(eye, Vec3::ZERO, up, fov, side, side).expect("a camera")
}

/// Mean and standard error of the red channel.
pub fn mean(picture: &RenderedImage) -> (f64, f64) {
    let values = || picture.raw.iter().map(|pixel| f64::from(pixel[0]));
    let count = picture.raw.len() as f64;
    let mean = values().sum::<f64>() / count;
    let variance = values().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, (variance / count).sqrt())
}
