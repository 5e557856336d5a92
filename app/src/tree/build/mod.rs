//! Builders: kernels over an allocator, the cores of a CPU, or a file with a tree that one of them
//! made.

mod kernels;

use std::sync::Arc;
use std::time::Instant;

use heapwood_device::kdtree::plan::Options;
use heapwood_device::render::Triangle;
use heapwood_scenes::Scene;

pub(crate) use kernels::first_pool;
pub(super) use kernels::run_build;
pub use kernels::{BuildMemory, KernelBuild};

use super::built::{BuildStats, Built};
use super::cores::Cores;
use super::device_tree::DeviceTree;
use super::error::TreeError;
use super::file::TreeFile;
use super::triangles;
use crate::allocators::{DEFAULT, Spec};
use crate::backend::Backend;
use crate::size::Pool;

/// Where a tree comes from. All builders make the same tree.
pub enum Builder {
    /// The kernels for GPUs, over an allocator; the CPU runs them too.
    Kernels {
        /// The allocator.
        spec: Spec,
        /// Its memory; a multiple is one of the bytes of the root's reference array.
        pool: Pool,
    },
    /// Code for the cores of a CPU, without an allocator.
    Cores {
        /// Threads; one a core if there is none.
        threads: Option<usize>,
    },
    /// A file of [`HostTree::write`](super::HostTree::write), with the tree of the scene. How the
    /// tree is built is the file's own.
    File(TreeFile),
}

/// A builder with its memory or threads, which builds the tree of one scene any number of times.
pub struct PreparedBuild<'s, 'b> {
    backend: &'b dyn Backend,
    source: Source<'s, 'b>,
}

enum Source<'s, 'b> {
    Kernels(Box<KernelBuild<'b>>),
    Host {
        build: HostBuild<'s>,
        triangles: Arc<Vec<Triangle>>,
    },
}

/// A builder in host memory.
enum HostBuild<'s> {
    Cores(Cores, Options),
    File(&'s TreeFile, &'s Scene),
}

impl Builder {
    /// The default builder on a backend: cores on the CPU, else kernels over the default allocator.
    pub fn of(backend: &dyn Backend) -> Self {
        match backend.info().is_gpu {
            true => Self::Kernels {
                spec: Spec::parse(DEFAULT).expect("the default allocator is one of them"),
                pool: Pool::Auto,
            },
            false => Self::Cores { threads: None },
        }
    }

    /// Builds or reads the tree of a scene.
    ///
    /// ```
    /// use heapwood::prelude::*;
    ///
    /// let backend = backend::open()?;
    /// let scene = generate::by_name("terrain").expect("a scene of the generator");
    /// let built = Builder::of(&*backend).build(&*backend, &scene, tree::Options::default())?;
    /// let ray = Ray { origin: [0.1, 90.0, 0.2], direction: [0.0, -1.0, 0.0] };
    /// assert_ne!(built.tree.trace(&[ray])?[0], Hit::NONE);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A pool that does not suffice, any failure of the build, and a file with another tree or
    /// none.
    pub fn build<'b>(
        &self,
        backend: &'b dyn Backend,
        scene: &Scene,
        options: Options,
    ) -> Result<Built<DeviceTree<'b>>, TreeError> {
        self.prepare(backend, scene, options)?.into_built()
    }

    /// Makes ready for builds: finds a pool and a workspace that suffice, or starts threads.
    ///
    /// # Errors
    ///
    /// As for [`build`](Self::build).
    pub fn prepare<'s, 'b>(
        &'s self,
        backend: &'b dyn Backend,
        scene: &'s Scene,
        options: Options,
    ) -> Result<PreparedBuild<'s, 'b>, TreeError> {
        let triangles = Arc::new(triangles(scene));
        let host = |build| Source::Host {
            build,
            triangles: Arc::clone(&triangles),
        };
        let source = match self {
            Self::Kernels { spec, pool } => {
                let build = KernelBuild::prepare(backend, &triangles, spec, *pool, options)?;
                Source::Kernels(Box::new(build))
            }
            Self::Cores { threads } => host(HostBuild::Cores(Cores::new(*threads)?, options)),
            Self::File(file) => host(HostBuild::File(file, scene)),
        };
        Ok(PreparedBuild { backend, source })
    }
}

impl<'b> PreparedBuild<'_, 'b> {
    /// Builds the tree. It may lie in the memory of this build, which it borrows.
    ///
    /// # Errors
    ///
    /// As for [`Builder::build`].
    pub fn build(&mut self) -> Result<Built<DeviceTree<'_>>, TreeError> {
        match &mut self.source {
            Source::Kernels(build) => build.build().map(Built::into_any),
            Source::Host { build, triangles } => build.build(self.backend, triangles),
        }
    }

    /// The same, and kernels collect statistics of allocations, which takes time.
    ///
    /// # Errors
    ///
    /// As for [`Builder::build`].
    pub fn build_with_statistics(&mut self) -> Result<Built<DeviceTree<'_>>, TreeError> {
        match &mut self.source {
            Source::Kernels(build) => build.build_with_statistics().map(Built::into_any),
            Source::Host { build, triangles } => build.build(self.backend, triangles),
        }
    }

    /// Builds a last tree, which keeps its memory. A pool is given back.
    ///
    /// # Errors
    ///
    /// As for [`Builder::build`].
    pub fn into_built(self) -> Result<Built<DeviceTree<'b>>, TreeError> {
        match self.source {
            Source::Kernels(build) => build.into_built().map(Built::into_any),
            Source::Host { build, triangles } => build.build(self.backend, &triangles),
        }
    }

    /// The memory of builds by kernels.
    pub fn memory(&self) -> Option<BuildMemory> {
        match &self.source {
            Source::Kernels(build) => Some(build.memory()),
            Source::Host { .. } => None,
        }
    }
}

impl HostBuild<'_> {
    fn build<'b>(
        &self,
        backend: &'b dyn Backend,
        triangles: &Arc<Vec<Triangle>>,
    ) -> Result<Built<DeviceTree<'b>>, TreeError> {
        let Built { tree, stats } = match self {
            Self::Cores(cores, options) => cores.build(triangles, *options)?,
            Self::File(file, scene) => {
                let begun = Instant::now();
                let tree = file.tree(scene)?;
                let stats = BuildStats {
                    build_ms: begun.elapsed().as_secs_f64() * 1e3,
                    ..BuildStats::default()
                };
                Built { tree, stats }
            }
        };
        Ok(Built {
            tree: DeviceTree::of_builder(backend, Arc::new(tree), Arc::clone(triangles)),
            stats,
        })
    }
}
