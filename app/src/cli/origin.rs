//! Where the tree of `heapwood render` comes from, and the tree when it is there.

use std::time::Instant;

use heapwood_scenes::{Camera, Scene};

use crate::Error;
use crate::allocators::Spec;
use crate::backend::{Backend, BackendError};
use crate::report::{TreeOrigin, kept_report};
use crate::size::Pool;
use crate::tree::{
    self, BuiltTree, Cores, KeptFile, Options, PlacedTree, PreparedBuild, RenderedImage, Shading,
    TreeBuilder,
};

/// Where a tree is to come from.
pub enum Origin {
    /// A build over an allocator.
    Kernels {
        /// The allocator.
        spec: Spec,
        /// Its memory.
        pool: Pool,
        /// How to build.
        options: Options,
    },
    /// A build on cores.
    Cores {
        /// Threads that were asked for.
        threads: Option<usize>,
        /// How to build.
        options: Options,
    },
    /// A file.
    File(KeptFile),
}

/// A tree on a backend.
pub enum ReadyTree<'b> {
    /// Where it was built.
    Built(Box<PreparedBuild<'b>>, Box<BuiltTree>),
    /// Where it was copied to.
    Placed(PlacedTree<'b>),
}

impl Origin {
    /// Builds or reads the tree of a scene.
    ///
    /// # Errors
    ///
    /// Whatever goes wrong in a build, and a file with another tree or none.
    pub fn ready<'b>(
        self,
        backend: &'b dyn Backend,
        scene: &Scene,
    ) -> Result<(ReadyTree<'b>, TreeOrigin), Error> {
        let triangles = tree::triangles(scene);
        Ok(match self {
            Self::Kernels {
                spec,
                pool,
                options,
            } => {
                let builder = TreeBuilder::new(backend, &triangles)?;
                let ready = builder.prepare(&spec, pool, options)?;
                let built = ready.build(false)?;
                let build_ms = built.build_ms;
                let origin = TreeOrigin::Kernels { spec, build_ms };
                (ReadyTree::Built(Box::new(ready), Box::new(built)), origin)
            }
            Self::Cores { threads, options } => {
                let built = Cores::new(threads)?.build(&triangles, options)?;
                let placed = PlacedTree::new(backend, &built.tree, &triangles, built.bounds)?;
                let build_ms = built.build_ms;
                (ReadyTree::Placed(placed), TreeOrigin::Cores { build_ms })
            }
            Self::File(file) => {
                let begun = Instant::now();
                let kept = file.tree(scene)?;
                let load_ms = begun.elapsed().as_secs_f64() * 1e3;
                let placed = PlacedTree::new(backend, &kept.tree, &triangles, kept.bounds)?;
                let name = file.path().display().to_string();
                let report = kept_report(&kept, &name, load_ms);
                (ReadyTree::Placed(placed), TreeOrigin::File(report))
            }
        })
    }
}

impl ReadyTree<'_> {
    /// Renders it, as [`tree::render`] does.
    ///
    /// # Errors
    ///
    /// Faults of the backend, and too little memory.
    pub fn render(
        &self,
        camera: &Camera,
        shading: &Shading,
        runs: u32,
    ) -> Result<RenderedImage, BackendError> {
        match self {
            Self::Built(prepared, built) => tree::render(prepared, built, camera, shading, runs),
            Self::Placed(placed) => tree::render_placed(placed, camera, shading, runs),
        }
    }
}
