//! Which builder makes the tree of `heapwood kdtree` and `heapwood render`.

use clap::Args;

use super::tree::AllocatorArguments;
use crate::Error;
use crate::backend::{Choice, Options};
use crate::job::TreeOptions;
use crate::size::Pool;
use crate::tree::BuilderKind;

/// The builder.
#[derive(Debug, Args)]
pub struct BuilderArguments {
    /// Builder of the tree [default: cores on the CPU, else kernels]
    ///
    /// Both build the same tree. On the CPU, an option that concerns an allocator, such as --pool,
    /// makes kernels the default.
    #[arg(
        long,
        help_heading = "Tree",
        hide_short_help = true,
        value_enum,
        value_name = "kernels|cores",
        hide_possible_values = true
    )]
    builder: Option<BuilderKind>,
}

impl BuilderArguments {
    /// The builder on this backend, which was decided.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for `cores` on a GPU, or with an option of allocators.
    pub fn decide(
        &self,
        backend: &Options,
        allocator: &AllocatorArguments,
        tree: &TreeOptions,
    ) -> Result<BuilderKind, Error> {
        let named = heap_argument(allocator, tree);
        let on_cpu = backend.choice == Choice::Cpu;
        Ok(match (self.builder, named) {
            (Some(BuilderKind::Cores), Some(named)) => {
                return Err(Error::Usage(format!(
                    "--builder cores has no allocator, and {named} concerns one: leave it out, or \
                     use --builder kernels"
                )));
            }
            (Some(BuilderKind::Cores), None) if !on_cpu => {
                return Err(Error::Usage(
                    "--builder cores runs on the CPU: use --backend cpu, or --builder kernels"
                        .to_owned(),
                ));
            }
            (Some(kind), _) => kind,
            (None, None) if on_cpu => BuilderKind::Cores,
            (None, _) => BuilderKind::Kernels,
        })
    }

    /// Refuses `cores` for trees of a moving scene, which stay in the pool of an allocator.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`].
    pub fn refuse_frames(&self) -> Result<(), Error> {
        if self.builder == Some(BuilderKind::Cores) {
            return Err(Error::Usage(
                "--builder cores has no allocator, in which --frames keeps trees: use --builder \
                 kernels, or build each frame by itself"
                    .to_owned(),
            ));
        }
        Ok(())
    }
}

/// The first argument that concerns an allocator, if there is one.
fn heap_argument(allocator: &AllocatorArguments, tree: &TreeOptions) -> Option<&'static str> {
    let named = [
        (allocator.allocator.is_some(), "--allocator"),
        (allocator.check.heap, "--check-heap"),
        (allocator.delay.is_some(), "--delay"),
        (tree.alloc_per_split, "--alloc-per-split"),
        (tree.pool != Pool::Auto, "--pool"),
    ];
    let named = named.into_iter().find(|(is_named, _)| *is_named);
    let named = named.map(|(_, name)| name);
    named.or_else(|| allocator.record.wanted())
}
