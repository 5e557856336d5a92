//! The launches of a batch on one store: its keys are sorted, then what is to change is
//! prepared, then changed.

use super::{Batch, Change, MAX_TILES, TILE, UpdateSpace, part};
use crate::graph::components::plan::Labels;
use crate::graph::components::{ComponentUpdate, ComponentUpdateArguments};
use crate::graph::store::classify::{Classify, Compact};
use crate::graph::store::contiguous::commit::{Commit, FreeBlocks};
use crate::graph::store::contiguous::prepare::{Demand, Prepare};
use crate::graph::store::contiguous::relocate::{Relocate, RelocateWeights};
use crate::graph::store::contiguous::weights::ShiftWeights;
use crate::graph::store::keys::{DELETE, MIN_WEIGHT, MIRRORED, NO_LOOPS, TRANSPOSED, WEIGHTED};
use crate::graph::store::linked::{LinkedClassify, LinkedCommit, LinkedDemand, LinkedPrepare};
use crate::graph::store::plan::{Graph, Layout};
use crate::graph::store::provide::{Provide, ProvideArguments};
use crate::graph::store::sort::{
    self, MergeTiles, NarrowBuckets, NarrowPartition, NarrowSplit, SortArguments, SortClear,
    SortHistogram, SortTiles, Sorting, WideBuckets, WidePartition, WideSplit,
};
use crate::graph::store::update::{UpdateArguments, word};
use crate::graph::store::weights::{
    ClearWeights, FindWeights, LinkedSetWeights, SetWeights, WeightArguments,
};
use crate::graph::triangles::delta::DeltaTriangles;
use crate::graph::triangles::delta::copies::{DeltaCopyArguments, LinkedDeltaCopy};
use crate::launch::{Grid, PlannedLaunch};
use crate::workspace::tiles;

/// A batch on one store.
pub struct Job<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The batch.
    pub batch: &'a Batch,
    /// How a store's workspace is divided.
    pub space: &'a UpdateSpace,
    /// The workspace of the first store.
    pub front: *mut u8,
    /// The workspace of this one.
    pub workspace: *mut u8,
    /// Which store of the graph.
    pub store: usize,
}

impl Job<'_> {
    fn at(&self, part: usize) -> *mut u8 {
        self.workspace.wrapping_add(self.space.parts[part])
    }

    /// Keys that the edges make.
    pub fn keys(&self) -> u32 {
        if self.graph.shape.directed {
            self.batch.count
        } else {
            2 * self.batch.count
        }
    }

    /// Flags of the keys.
    fn flags(&self) -> u32 {
        let flag = |set: bool, flag: u32| if set { flag } else { 0 };
        flag(!self.graph.shape.directed, MIRRORED)
            | flag(self.store == 1, TRANSPOSED)
            | flag(self.batch.no_loops, NO_LOOPS)
            | flag(self.batch.change == Change::Delete, DELETE)
            | flag(self.graph.shape.weighting.is_some(), WEIGHTED)
            | flag(self.batch.least, MIN_WEIGHT)
    }

    /// Sorts the keys.
    pub fn sort(&self, sorting: Sorting) -> Vec<PlannedLaunch> {
        let keys = self.keys();
        match sorting {
            Sorting::Tiles => {
                let (tiles, merges) = sort::merge_blocks(keys);
                let arguments = SortArguments {
                    // Rests are whole keys.
                    shift: u64::BITS
                        - sort::greatest_key(self.graph.shape.vertices).leading_zeros(),
                    ..self.sort_arguments()
                };
                vec![
                    PlannedLaunch::of::<SortTiles>(Grid::Blocks(tiles), arguments),
                    PlannedLaunch::of::<MergeTiles>(Grid::Blocks(merges), arguments),
                ]
            }
            Sorting::Bins => self.sort_by_bins(),
        }
    }

    /// The arguments of the first launch of a sort, by bins.
    fn sort_arguments(&self) -> SortArguments {
        let (keys, vertices) = (self.keys(), self.graph.shape.vertices);
        let (shift, bins) = sort::plan(vertices, keys);
        // The last word counts on.
        const { assert!(word::FRESH + 1 == word::COUNT) };
        SortArguments {
            input: self.batch.edges,
            output: self.at(part::KEYS).cast(),
            rests: self.at(part::CHANGES),
            other_rests: self.at(part::MOVED),
            bin_counts: self.at(part::COUNTS).cast(),
            progress: self.at(part::PROGRESS).cast(),
            buckets: self.at(part::KEY_POSITIONS).cast(),
            large: self.at(part::POSITIONS).cast(),
            slot_counts: self.at(part::SLOT_COUNTS).cast(),
            header: self.at(part::HEADER).cast(),
            count: self.batch.count,
            vertices,
            flags: self.flags(),
            bins,
            shift,
            level: 0,
            room: sort::room(keys, shift),
            slots: sort::max_slots(keys, shift),
            header_words: word::COUNT as u32 - u32::from(self.batch.continues),
        }
    }

    fn sort_by_bins(&self) -> Vec<PlannedLaunch> {
        let (keys, first) = (self.keys(), self.sort_arguments());
        let (bins, shift, slots) = (first.bins, first.shift, first.slots);
        let arguments = |level: u32| SortArguments { level, ..first };
        let tiles = sort::tiles(keys, shift);
        let (all, narrow) = (Grid::Blocks(tiles), shift <= 32);
        // Most batches have no large bin: blocks that begin for nothing cost, too.
        let some = Grid::Blocks(tiles.min(512));
        let counting = Grid::Blocks(keys.div_ceil(2048).min(512));
        let cleared = (sort::MAX_BINS * 2).max(slots << 9);
        let mut steps = vec![
            PlannedLaunch::of::<SortClear>(Grid::strided(cleared), first),
            PlannedLaunch::of::<SortHistogram>(counting, first),
        ];
        steps.push(match narrow {
            true => PlannedLaunch::of::<NarrowPartition>(all, first),
            false => PlannedLaunch::of::<WidePartition>(all, first),
        });
        // Without room for a large bin there is none.
        let splits = if slots > 0 { sort::splits(shift) } else { 0 };
        steps.extend((1..=splits).map(|level| match narrow {
            true => PlannedLaunch::of::<NarrowSplit>(some, arguments(level)),
            false => PlannedLaunch::of::<WideSplit>(some, arguments(level)),
        }));
        steps.push(match narrow {
            true => PlannedLaunch::of::<NarrowBuckets>(Grid::Blocks(bins), first),
            false => PlannedLaunch::of::<WideBuckets>(Grid::Blocks(bins), first),
        });
        steps
    }

    /// The arguments of all kernels after the sort.
    pub fn arguments(&self) -> UpdateArguments {
        let (tile, tiles) = tiles(self.keys(), TILE, MAX_TILES);
        let refused = self.front.cast::<u64>().wrapping_add(word::REFUSED);
        UpdateArguments {
            records: self.graph.records(self.store),
            handles: self.graph.handles(self.store),
            keys: self.at(part::KEYS).cast(),
            key_positions: self.at(part::KEY_POSITIONS).cast(),
            sums: self.at(part::COUNTS).cast(),
            changes: self.at(part::CHANGES).cast(),
            positions: self.at(part::POSITIONS).cast(),
            moved: self.at(part::MOVED).cast(),
            fresh: self.at(part::FRESH),
            fresh_capacities: self.at(part::FRESH_CAPACITIES).cast(),
            key_weights: self.at(part::KEY_WEIGHTS).cast(),
            long: match self.graph.shape.weighting.is_some() {
                true => self.at(part::LONG).cast(),
                false => self.at(part::KEYS).cast(),
            },
            header: self.at(part::HEADER).cast(),
            refused,
            absent: self.graph.absent_word(),
            count: self.keys(),
            vertices: self.graph.shape.vertices,
            flags: self.flags(),
            tile,
            tiles,
        }
    }

    /// Whether the batch brings weights.
    fn has_weights(&self) -> bool {
        self.graph.shape.weighting.is_some() && self.batch.change == Change::Insert
    }

    /// Finds the weight of each sorted key, if there are weights.
    pub fn find_weights(&self) -> Vec<PlannedLaunch> {
        if !self.has_weights() {
            return Vec::new();
        }
        assert!(
            !self.batch.weights.is_null(),
            "an insertion into a weighted graph has weights"
        );
        let arguments = WeightArguments {
            edges: self.batch.edges,
            weights: self.batch.weights,
            keys: self.at(part::KEYS).cast(),
            key_weights: self.at(part::KEY_WEIGHTS).cast(),
            count: self.batch.count,
            vertices: self.graph.shape.vertices,
            flags: self.flags(),
        };
        let grid = Grid::strided(self.keys());
        vec![
            PlannedLaunch::of::<ClearWeights>(grid, arguments),
            PlannedLaunch::of::<FindWeights>(grid, arguments),
        ]
    }

    /// Finds what is to change, and allocates for it; the graph stays as it is.
    pub fn prepare(&self) -> Vec<PlannedLaunch> {
        let arguments = self.arguments();
        let threads = arguments.tiles * 32;
        let graph = self.graph;
        let mut steps = vec![
            graph.by_layout::<Classify, LinkedClassify>(Grid::strided(threads), arguments),
            PlannedLaunch::of::<Compact>(Grid::strided(threads), arguments),
        ];
        // The changes are divided evenly among the warps that run at a time: a warp with
        // more of them has more requests to choose from.
        let with_demand = |demand: PlannedLaunch, prepare: PlannedLaunch| {
            let sums = ProvideArguments {
                demand: arguments.header.wrapping_add(word::DEMAND),
            };
            let provide = PlannedLaunch::of::<Provide>(Grid::Persistent, sums);
            let ahead = graph.shape.provides.then_some([demand, provide]);
            ahead.into_iter().flatten().chain([prepare])
        };
        match graph.shape.layout {
            Layout::Contiguous => {
                steps.extend(with_demand(
                    PlannedLaunch::of::<Demand>(Grid::Persistent, arguments),
                    PlannedLaunch::of::<Prepare>(Grid::Persistent, arguments),
                ));
                // Few changes may move hubs, which many warps take parts of.
                steps.push(PlannedLaunch::of::<Relocate>(Grid::Persistent, arguments));
            }
            // Deletions take no memory.
            Layout::Linked if self.batch.change == Change::Delete => {}
            Layout::Linked => steps.extend(with_demand(
                PlannedLaunch::of::<LinkedDemand>(Grid::Persistent, arguments),
                PlannedLaunch::of::<LinkedPrepare>(Grid::Persistent, arguments),
            )),
        }
        steps
    }

    /// Counts the triangles that the changes make or end; of linked pages in copies of rows.
    pub fn delta(&self) -> Vec<PlannedLaunch> {
        let shape = self.graph.shape;
        assert!(!shape.directed, "triangles have no directions");
        let grid = Grid::strided(self.keys());
        let update = self.arguments();
        if shape.layout == Layout::Contiguous {
            return vec![PlannedLaunch::of::<DeltaTriangles>(grid, update)];
        }
        let copies = self.batch.copies.expect("memory for copies");
        let copy = DeltaCopyArguments {
            changes: update.changes,
            header: update.header,
            refused: update.refused,
            records: update.records,
            copied: copies.records,
            entries: copies.entries,
            count: update.count,
            vertices: update.vertices,
            flags: update.flags,
        };
        let copied = UpdateArguments {
            records: copies.records,
            ..update
        };
        vec![
            PlannedLaunch::of::<LinkedDeltaCopy>(grid, copy),
            PlannedLaunch::of::<DeltaTriangles>(grid, copied),
        ]
    }

    /// Changes labels of components as the batch changes the graph.
    pub fn components(&self, labels: &Labels) -> PlannedLaunch {
        let update = self.arguments();
        let arguments = ComponentUpdateArguments {
            changes: update.changes,
            header: update.header,
            refused: update.refused,
            labels: labels.labels,
            lost: labels.lost,
            count: update.count,
            vertices: update.vertices,
            flags: update.flags,
        };
        PlannedLaunch::of::<ComponentUpdate>(Grid::strided(self.keys()), arguments)
    }

    /// Changes the graph, and frees what it does not need any more.
    pub fn commit(&self) -> Vec<PlannedLaunch> {
        let arguments = self.arguments();
        let is_weighted = self.graph.shape.weighting.is_some();
        let mut steps = match self.graph.shape.layout {
            Layout::Contiguous => {
                let weights = is_weighted.then(|| {
                    [
                        PlannedLaunch::of::<RelocateWeights>(Grid::Persistent, arguments),
                        PlannedLaunch::of::<ShiftWeights>(Grid::Persistent, arguments),
                    ]
                });
                let commit = [
                    PlannedLaunch::of::<Commit>(Grid::Persistent, arguments),
                    PlannedLaunch::of::<FreeBlocks>(Grid::Persistent, arguments),
                ];
                weights.into_iter().flatten().chain(commit).collect()
            }
            Layout::Linked => vec![PlannedLaunch::of::<LinkedCommit>(
                Grid::Persistent,
                arguments,
            )],
        };
        if self.has_weights() {
            let grid = Grid::strided(self.keys());
            let graph = self.graph;
            steps.push(graph.by_layout::<SetWeights, LinkedSetWeights>(grid, arguments));
        }
        steps
    }
}
