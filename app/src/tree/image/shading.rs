//! The content of a picture, and its sampling.

use heapwood_device::render::Mode;

use super::lighting::Lighting;
use super::placed_lighting::PlacedLighting;

/// The content of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shade<'a> {
    /// The surface that the ray of a pixel hits.
    Surface(Mode),
    /// The work of each pixel's ray, the nodes that it visits and the triangles that it is
    /// tested with, as a heat map.
    Cost {
        /// The sum of both that is the brightest colour; none for the largest of the picture.
        most: Option<f32>,
    },
    /// How open the surroundings of each surface are.
    Ambient {
        /// Rays of a hit.
        samples: u32,
        /// How far away a surface occludes, in units of the scene.
        distance: f32,
    },
    /// The light that arrives over any number of surfaces.
    Path {
        /// The surfaces and lights.
        lighting: &'a Lighting,
        /// The most surfaces over which it comes; 0 for emitted light alone.
        bounces: u32,
    },
}

impl Shade<'_> {
    /// As on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Surface(mode) => mode.name(),
            Self::Cost { .. } => "cost",
            Self::Ambient { .. } => "ao",
            Self::Path { .. } => "path",
        }
    }

    /// Names of what is rendered, as channels of an OpenEXR file.
    pub(super) fn channels(&self) -> [&'static str; 3] {
        match self {
            Self::Surface(Mode::Depth) => ["Z", "", ""],
            Self::Cost { .. } => ["nodes", "triangles", ""],
            Self::Ambient { .. } => ["Y", "", ""],
            Self::Surface(_) | Self::Path { .. } => ["R", "G", "B"],
        }
    }
}

/// A window of a picture, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crop {
    /// Its first column.
    pub left: u32,
    /// Its first row.
    pub top: u32,
    /// Columns, at least 1.
    pub width: u32,
    /// Rows, at least 1.
    pub height: u32,
}

impl Crop {
    /// Whether it is within a picture of this size.
    pub fn is_within(&self, width: u32, height: u32) -> bool {
        let fits = |first: u32, count: u32, all: u32| {
            count > 0 && first.checked_add(count).is_some_and(|end| end <= all)
        };
        fits(self.left, self.width, width) && fits(self.top, self.height, height)
    }
}

/// The content of a picture, and its sampling.
#[derive(Clone, Copy)]
pub struct Shading<'a> {
    /// The content.
    pub shade: Shade<'a>,
    /// Samples of a pixel, whose mean it is; one is in its middle. Depth has one.
    pub samples: u32,
    /// The part that is rendered; none for all of it.
    pub crop: Option<Crop>,
    /// The seed of random numbers.
    pub seed: u32,
    /// The light of [`Shade::Path`] on the backend of the tree; it is copied there for this picture
    /// alone if there is none.
    pub placed: Option<&'a PlacedLighting<'a>>,
    /// Whether to render arbitrary output variables: albedo, normal and depth beside light.
    pub aovs: bool,
    /// Whether to time primary, shadow and secondary rays apart: by further runs that leave some
    /// of them out.
    pub ray_times: bool,
    /// Is called after each launch of a run with how many were done, and of how many; with
    /// `enough`, after each pass with samples.
    pub progress: &'a dyn Fn(u64, u64),
    /// Renders once, in passes of some samples each; the first pass counts too. After each pass the
    /// function decides whether the samples so far are enough. The picture is then that of so many
    /// samples.
    pub enough: Option<&'a dyn Fn() -> bool>,
}

impl From<Mode> for Shading<'_> {
    /// One sample a pixel of the whole picture.
    fn from(mode: Mode) -> Self {
        Self {
            shade: Shade::Surface(mode),
            samples: 1,
            crop: None,
            seed: 0,
            placed: None,
            aovs: false,
            ray_times: false,
            progress: &|_, _| (),
            enough: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_within_the_picture() {
        let crop = |left, top, width, height| Crop {
            left,
            top,
            width,
            height,
        };
        assert!(crop(0, 0, 8, 6).is_within(8, 6));
        assert!(crop(7, 5, 1, 1).is_within(8, 6));
        for bad in [
            crop(8, 0, 1, 1),
            crop(0, 0, 0, 1),
            crop(0, 3, 1, 4),
            crop(u32::MAX, 0, 2, 1),
        ] {
            assert!(!bad.is_within(8, 6), "{bad:?}");
        }
    }
}
