//! The ways in which a shape is tried: how far its corners are off, its axes, its winding, and
//! who builds which tree of it.

use std::fmt;

use heapwood::allocators::Spec;
use heapwood::tree::{Cores, HostTree, Options, Quality};
use heapwood_device::kdtree::check::{Fault, check};

use super::Family;
use crate::clipping::pairs::OFFSETS;
use crate::random::Random;
use crate::soups::Triangles;
use crate::trees;

/// Orders of axes.
const AXES: [[usize; 3]; 6] = [
    [0, 1, 2],
    [1, 2, 0],
    [2, 0, 1],
    [0, 2, 1],
    [2, 1, 0],
    [1, 0, 2],
];

/// Numbers of segments.
const SEGMENTS: std::ops::RangeInclusive<usize> = 3..=64;

/// A shape as it is written to a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Form {
    /// The family.
    pub family: Family,
    /// Segments of a full turn, or what stands for it.
    pub segments: usize,
    /// How far coordinates are off, up or down or not at all.
    pub offset: Option<f64>,
    /// The axes that take the place of x, y and z.
    pub axes: [usize; 3],
    /// Whether triangles are clockwise.
    pub is_clockwise: bool,
}

/// The builder of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builder {
    /// The builder for cores.
    Cores,
    /// The kernels.
    Kernels,
    /// The kernels, with allocations at every split.
    AllocPerSplit,
}

/// A tree of a shape.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The shape.
    pub form: Form,
    /// The quality of the tree.
    pub quality: Quality,
    /// Its builder.
    pub builder: Builder,
}

impl Form {
    /// All of them: of each family by segments, offsets, axes and windings.
    pub fn all() -> impl Iterator<Item = Self> {
        let families = Family::ALL.into_iter();
        let sizes = families.flat_map(|family| SEGMENTS.map(move |segments| (family, segments)));
        let offsets = std::iter::once(None).chain(OFFSETS.map(Some));
        sizes.flat_map(move |(family, segments)| {
            offsets.clone().flat_map(move |offset| {
                AXES.into_iter().flat_map(move |axes| {
                    [false, true].map(move |is_clockwise| Self {
                        family,
                        segments,
                        offset,
                        axes,
                        is_clockwise,
                    })
                })
            })
        })
    }

    /// One of them.
    pub fn draw(random: &mut Random) -> Self {
        let choices = OFFSETS.len() + 1;
        Self {
            family: Family::ALL[random.below(Family::ALL.len())],
            segments: SEGMENTS.start() + random.below(SEGMENTS.clone().count()),
            offset: OFFSETS.get(random.below(choices)).copied(),
            axes: AXES[random.below(AXES.len())],
            is_clockwise: random.below(2) == 1,
        }
    }

    /// The triangles, as they are read from a file, and a point inside if they are closed.
    pub fn triangles(&self) -> (Triangles, Option<[f32; 3]>) {
        let mut random = Random(self.segments as u64);
        let mesh = self.family.mesh(self.segments).mapped(|point| {
            let moved =
                point.map(|x| x + self.offset.unwrap_or(0.0) * (random.below(3) as f64 - 1.0));
            self.axes.map(|axis| moved[axis])
        });
        let vertices: Vec<[f32; 3]> = mesh
            .vertices
            .iter()
            .map(|point| point.map(|x| x as f32))
            .collect();
        let faces = mesh.faces.iter();
        let triangles = faces.map(|&[a, b, c]| {
            let face = if self.is_clockwise {
                [a, c, b]
            } else {
                [a, b, c]
            };
            face.map(|vertex| vertices[vertex])
        });
        let inside = self.family.inside();
        let inside = inside.map(|point| self.axes.map(|axis| point[axis] as f32));
        (triangles.collect(), inside)
    }
}

impl Variant {
    /// All trees of a shape.
    pub fn all(form: Form) -> impl Iterator<Item = Self> {
        Quality::ALL.into_iter().flat_map(move |quality| {
            [Builder::Cores, Builder::Kernels, Builder::AllocPerSplit].map(|builder| Self {
                form,
                quality,
                builder,
            })
        })
    }

    /// Builds the tree.
    ///
    /// # Panics
    ///
    /// If that fails.
    pub fn build(&self, cores: &Cores, triangles: &Triangles) -> HostTree {
        let options = Options {
            alloc_per_split: self.builder == Builder::AllocPerSplit,
            ..Options::of(self.quality)
        };
        if self.builder == Builder::Cores {
            let built = cores.build(triangles, options);
            return built.unwrap_or_else(|error| panic!("{self}: {error}")).tree;
        }
        let spec = Spec::parse("cfmalloc").expect("an allocator");
        trees::build_served(&spec, 1, triangles, options).tree
    }

    /// Builds the tree and checks it.
    ///
    /// # Errors
    ///
    /// The fault of the tree.
    ///
    /// # Panics
    ///
    /// If it is not built.
    pub fn verify(&self, cores: &Cores, triangles: &Triangles) -> Result<(), Fault> {
        let tree = self.build(cores, triangles);
        check(&tree.nodes, &tree.references, triangles, tree.bounds)
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?}, {:?}, {:?}", self.form, self.quality, self.builder)
    }
}
