//! The host's side of distances that are carried along.

use super::jump::HOPS;
use super::{
    PathTreeArguments, TreeGain, TreeJump, TreeParents, TreeResume, TreeShift, TreeStart,
    TreeSupport,
};
use crate::graph::paths::plan::{Lengths, PathSpace};
use crate::graph::store::plan::Graph;
use crate::launch::{Grid, PlannedLaunch};

/// Threads of a launch at the most. Each takes many vertices then, so that few warps add to one word.
const THREADS: u32 = 1 << 18;

/// A search whose tree is kept, in a workspace with room for it.
#[derive(Clone, Copy, Debug)]
pub struct KeptPaths<'a> {
    /// The layout of the workspace.
    pub space: &'a PathSpace,
    /// Where the workspace begins.
    pub workspace: *mut u8,
    /// The source.
    pub source: u32,
    /// By how much the bound of near vertices rises: an integer, or the bits of an `f32`.
    pub delta: u32,
    /// Rounds before other steps; none for real weights.
    pub rounds: u32,
}

impl Graph {
    /// The launches after which a search goes on with distances that were found before the graph has
    /// changed: [`Graph::path_round`] from number 1 on follows. Parents are those of before.
    ///
    /// # Panics
    ///
    /// If there is no room for a tree, or the graph has no weights.
    pub fn path_resume(&self, search: &KeptPaths) -> Vec<PlannedLaunch> {
        let grid = self.tree_grid();
        let arguments = PathTreeArguments {
            is_last: search.rounds == 0,
            ..self.tree_arguments(search, 0)
        };
        let support = PlannedLaunch::of::<TreeSupport>(grid, arguments);
        let resume = PlannedLaunch::of::<TreeResume>(grid, arguments);
        let jumps = self.tree_jumps(arguments);
        [support].into_iter().chain(jumps).chain([resume]).collect()
    }

    /// The launches of a step, numbered from 1, and of the round whose step it is. Those after the last
    /// that is needed do nothing.
    ///
    /// # Panics
    ///
    /// As [`Graph::path_resume`], or if the number is 0.
    pub fn path_round(&self, search: &KeptPaths, number: u32) -> Vec<PlannedLaunch> {
        let step = self.path_launch(
            search.space,
            search.workspace,
            number,
            Lengths::Weights(search.delta),
        );
        if number > search.rounds {
            return vec![step];
        }
        let grid = self.tree_grid();
        let arguments = PathTreeArguments {
            is_gain: true,
            is_last: number == search.rounds,
            ..self.tree_arguments(search, number)
        };
        let gain = PlannedLaunch::of::<TreeGain>(grid, arguments);
        let shift = PlannedLaunch::of::<TreeShift>(grid, arguments);
        let jumps = self.tree_jumps(arguments);
        [step, gain]
            .into_iter()
            .chain(jumps)
            .chain([shift])
            .collect()
    }

    /// The launches that find the parents of all vertices after the steps `1..=launched` of a search
    /// that has ended.
    ///
    /// # Panics
    ///
    /// As [`Graph::path_resume`].
    pub fn path_parents(&self, search: &KeptPaths, launched: u32) -> [PlannedLaunch; 2] {
        let at = |launch| self.tree_arguments(search, launch);
        let grid = self.tree_grid();
        // The last step has cleared the frontier that the first of these lists rows in.
        [
            PlannedLaunch::of::<TreeStart>(grid, at(launched + 1)),
            PlannedLaunch::of::<TreeParents>(grid, at(launched + 2)),
        ]
    }

    fn tree_grid(&self) -> Grid {
        Grid::strided(self.shape.vertices.min(THREADS))
    }

    fn tree_arguments(&self, search: &KeptPaths, launch: u32) -> PathTreeArguments {
        let KeptPaths {
            space, workspace, ..
        } = *search;
        let tree = space.tree();
        let at = |offset: usize| workspace.wrapping_add(offset);
        PathTreeArguments {
            search: self.path_arguments(
                space,
                workspace,
                (search.source, launch),
                Lengths::Weights(search.delta),
            ),
            parents: at(tree.parents).cast(),
            climbs: at(tree.climbs).cast(),
            along: at(tree.along).cast(),
            jump: 0,
            is_gain: false,
            is_last: false,
        }
    }

    /// The launches that take all vertices to their roots.
    fn tree_jumps(&self, arguments: PathTreeArguments) -> impl Iterator<Item = PlannedLaunch> {
        let grid = self.tree_grid();
        // A way to a root has fewer edges than there are vertices. A launch goes on `HOPS` times from
        // where others have come at least: so many times as far, and once.
        let far = |jump: &u32| u64::from(HOPS + 1).pow(*jump) < self.shape.vertices.into();
        let jumps = 1 + (0..).take_while(far).count() as u32;
        (1..=jumps).map(move |jump| {
            PlannedLaunch::of::<TreeJump>(grid, PathTreeArguments { jump, ..arguments })
        })
    }
}
