//! The table of kernels: one line each.
//!
//! `with_kernels!(m, ...)` calls the macro `m` once with every kernel, as
//! `with_allocators!(m)` does with every allocator
//! ([`allocators`](crate::allocators)). `entry` makes PTX entries of the pairs, `host`
//! a table of functions for the CPU backend, and `launch` gives each kernel's type its
//! id. An entry's name is the family, the kernel and the allocator, joined by two
//! underscores.

/// Calls `$callback! { $context "family" "name" Id Kernel; ... }` with every kernel
/// that works over an allocator. A family is a PTX module; `linked_rank_step` is in the one that has
/// room for it.
macro_rules! with_kernels {
    ($callback:ident, $($context:tt)*) => {
        $callback! {
            $($context)*
            "heap" "init" Init $crate::heap::Init;
            "heap" "report" Report $crate::heap::Report;
            "bench" "threads_malloc" ThreadsMalloc $crate::bench::ThreadsMalloc;
            "bench" "threads_free" ThreadsFree $crate::bench::ThreadsFree;
            "bench" "threads_malloc_coalesced" ThreadsMallocCoalesced $crate::bench::ThreadsMallocCoalesced;
            "bench" "threads_free_coalesced" ThreadsFreeCoalesced $crate::bench::ThreadsFreeCoalesced;
            "bench" "pair" Pair $crate::bench::Pair;
            "bench" "pair_coalesced" PairCoalesced $crate::bench::PairCoalesced;
            "bench" "fill" BenchFill $crate::bench::Fill;
            "bench" "verify" Verify $crate::bench::Verify;
            "bench" "alloc_dealloc" AllocDealloc $crate::bench::AllocDealloc;
            "bench" "alloc_cycle_dealloc" AllocCycleDealloc $crate::bench::AllocCycleDealloc;
            "rounds" "probability" Probability $crate::bench::Probability;
            "rounds" "turns" Turns $crate::bench::Turns;
            "rounds" "cover" Cover $crate::bench::Cover;
            "rounds" "free_half" FreeHalf $crate::bench::FreeHalf;
            "rounds" "keep" Keep $crate::bench::Keep;
            "rounds" "free_kept" FreeKept $crate::bench::FreeKept;
            "stress" "stress" Stress $crate::bench::Stress;
            "stress" "churn" Churn $crate::bench::Churn;
            "agents" "agents_act" AgentsAct $crate::workload::agents::AgentsAct;
            "agents" "agents_clear" AgentsClear $crate::workload::agents::AgentsClear;
            "agents" "agents_digest" AgentsDigest $crate::workload::agents::AgentsDigest;
            "lattice" "particles_seed" ParticlesSeed $crate::workload::particles::ParticlesSeed;
            "particles" "particles_move" ParticlesMove $crate::workload::particles::ParticlesMove;
            "particles" "particles_gather" ParticlesGather $crate::workload::particles::ParticlesGather;
            "lattice" "particles_clear" ParticlesClear $crate::workload::particles::ParticlesClear;
            "lattice" "particles_digest" ParticlesDigest $crate::workload::particles::ParticlesDigest;
            "replay" "replay_calls" ReplayCalls $crate::workload::replay::ReplayCalls;
            "workgen" "work_produce" WorkProduce $crate::workload::workgen::WorkProduce;
            "workgen" "work_consume" WorkConsume $crate::workload::workgen::WorkConsume;
            "tree" "tree_prepare" TreePrepare $crate::kdtree::prepare::Prepare;
            "tree" "tree_fill" TreeFill $crate::kdtree::prepare::Fill;
            "build" "tree_build" Build $crate::kdtree::build::Build;
            "upper" "tree_build_large_nodes" BuildLargeNodes $crate::kdtree::build::BuildLargeNodes;
            "subtrees" "tree_build_subtrees" BuildSubtrees $crate::kdtree::build::BuildSubtrees;
            "tree" "tree_relayout" Relayout $crate::kdtree::relayout::Relayout;
            "tree" "tree_claim" TreeClaim $crate::kdtree::keep::Claim;
            "tree" "tree_transfer" TreeTransfer $crate::kdtree::keep::Transfer;
            "tree" "tree_discard" TreeDiscard $crate::kdtree::keep::Discard;
            "graph" "graph_load" Load $crate::graph::store::load::Load;
            "graph" "graph_provide" Provide $crate::graph::store::provide::Provide;
            "graph" "graph_prepare" GraphPrepare $crate::graph::store::contiguous::prepare::Prepare;
            "graph" "graph_commit" Commit $crate::graph::store::contiguous::commit::Commit;
            "graph" "graph_free" FreeBlocks $crate::graph::store::contiguous::commit::FreeBlocks;
            "graph" "graph_release" Release $crate::graph::store::release::Release;
            "graph" "linked_release" LinkedRelease $crate::graph::store::release::LinkedRelease;
            "linked" "linked_load" LinkedLoad $crate::graph::store::linked::LinkedLoad;
            "linked" "linked_classify" LinkedClassify $crate::graph::store::linked::LinkedClassify;
            "chains" "linked_demand" LinkedDemand $crate::graph::store::linked::LinkedDemand;
            "chains" "linked_prepare" LinkedPrepare $crate::graph::store::linked::LinkedPrepare;
            "chains" "linked_commit" LinkedCommit $crate::graph::store::linked::LinkedCommit;
            "linked" "linked_set_weights" LinkedSetWeights $crate::graph::store::weights::LinkedSetWeights;
            "linked" "linked_copy_out" LinkedCopyOut $crate::graph::store::linked::LinkedCopyOut;
            "graph" "linked_rank_step" LinkedRankStep $crate::graph::pagerank::LinkedRankStep;
            "linked" "linked_orient" LinkedOrient $crate::graph::triangles::LinkedOrient;
            "linked" "linked_delta_copy" LinkedDeltaCopy $crate::graph::triangles::delta::copies::LinkedDeltaCopy;
            "linked" "linked_vertex_edges" LinkedVertexEdges $crate::graph::store::vertices::LinkedVertexEdges;
            "linked" "linked_draw_count" LinkedDrawCount $crate::graph::store::linked::LinkedDrawCount;
            "linked" "linked_draw_pick" LinkedDrawPick $crate::graph::store::linked::LinkedDrawPick;
            "linked" "linked_query" LinkedQuery $crate::graph::store::linked::LinkedQuery;
        }
    };
}

/// Calls `$callback! { $context "family" "name" Id Kernel; ... }` with every kernel
/// that needs no allocator.
macro_rules! with_plain_kernels {
    ($callback:ident, $($context:tt)*) => {
        $callback! {
            $($context)*
            "render" "render" Render $crate::render::Render;
            "render" "trace" Trace $crate::render::Trace;
            "render" "cost" Cost $crate::render::Cost;
            "render" "ambient" Ambient $crate::render::Ambient;
            "path" "path" Path $crate::render::Path;
            "detailed" "path_detailed" DetailedPath $crate::render::DetailedPath;
            "sort" "sort_tiles" SortTiles $crate::graph::store::sort::SortTiles;
            "sort" "sort_merge" MergeTiles $crate::graph::store::sort::MergeTiles;
            "sort" "sort_clear" SortClear $crate::graph::store::sort::SortClear;
            "sort" "sort_histogram" SortHistogram $crate::graph::store::sort::SortHistogram;
            "sort" "sort_partition" NarrowPartition $crate::graph::store::sort::NarrowPartition;
            "wide" "sort_partition_wide" WidePartition $crate::graph::store::sort::WidePartition;
            "sort" "sort_split" NarrowSplit $crate::graph::store::sort::NarrowSplit;
            "wide" "sort_split_wide" WideSplit $crate::graph::store::sort::WideSplit;
            "sort" "sort_buckets" NarrowBuckets $crate::graph::store::sort::NarrowBuckets;
            "wide" "sort_buckets_wide" WideBuckets $crate::graph::store::sort::WideBuckets;
            "graph" "graph_scan_sums" ScanSums $crate::graph::store::scan::ScanSums;
            "graph" "graph_scan_offsets" ScanOffsets $crate::graph::store::scan::ScanOffsets;
            "graph" "graph_load_demand" LoadDemand $crate::graph::store::provide::LoadDemand;
            "graph" "graph_copy_in" CopyIn $crate::graph::store::copy::CopyIn;
            "graph" "graph_copy_out" CopyOut $crate::graph::store::copy::CopyOut;
            "graph" "graph_delta_triangles" DeltaTriangles $crate::graph::triangles::delta::DeltaTriangles;
            "graph" "graph_view" View $crate::graph::store::view::View;
            "graph" "graph_measure" Measure $crate::graph::store::measure::Measure;
            "graph" "graph_classify" Classify $crate::graph::store::classify::Classify;
            "graph" "graph_compact" Compact $crate::graph::store::classify::Compact;
            "graph" "graph_clear_weights" ClearWeights $crate::graph::store::weights::ClearWeights;
            "graph" "graph_find_weights" FindWeights $crate::graph::store::weights::FindWeights;
            "graph" "graph_set_weights" SetWeights $crate::graph::store::weights::SetWeights;
            "graph" "graph_demand" Demand $crate::graph::store::contiguous::prepare::Demand;
            "graph" "graph_relocate" Relocate $crate::graph::store::contiguous::relocate::Relocate;
            "graph" "graph_relocate_weights" RelocateWeights $crate::graph::store::contiguous::relocate::RelocateWeights;
            "graph" "graph_shift_weights" ShiftWeights $crate::graph::store::contiguous::weights::ShiftWeights;
            "graph" "graph_vertex_count" VertexCount $crate::graph::store::vertices::VertexCount;
            "graph" "graph_vertex_edges" VertexEdges $crate::graph::store::vertices::VertexEdges;
            "graph" "graph_vertex_mark" VertexMark $crate::graph::store::vertices::VertexMark;
            "graph" "graph_draw_count" DrawCount $crate::graph::store::draw::DrawCount;
            "graph" "graph_draw_pick" DrawPick $crate::graph::store::draw::DrawPick;
            "graph" "graph_query" Query $crate::graph::store::query::Query;
            "algorithm" "graph_rank_clear" RankClear $crate::graph::pagerank::RankClear;
            "algorithm" "graph_rank_start" RankStart $crate::graph::pagerank::RankStart;
            "algorithm" "graph_rank_step" RankStep $crate::graph::pagerank::RankStep;
            "algorithm" "graph_orient" Orient $crate::graph::triangles::Orient;
            "algorithm" "graph_triangles" Triangles $crate::graph::triangles::Triangles;
            "algorithm" "graph_hub_bins" HubBins $crate::graph::triangles::hubs::HubBins;
            "algorithm" "graph_hub_standings" HubStandings $crate::graph::triangles::hubs::HubStandings;
            "algorithm" "graph_hub_orient" HubOrient $crate::graph::triangles::hubs::HubOrient;
            "algorithm" "graph_hub_rows" HubRows $crate::graph::triangles::hubs::HubRows;
            "algorithm" "graph_hub_triangles" HubTriangles $crate::graph::triangles::hubs::HubTriangles;
            "algorithm" "graph_component_start" ComponentStart $crate::graph::components::ComponentStart;
            "algorithm" "graph_component_link" ComponentLink $crate::graph::components::ComponentLink;
            "algorithm" "graph_component_compress" ComponentCompress $crate::graph::components::ComponentCompress;
            "algorithm" "graph_component_join" ComponentJoin $crate::graph::components::ComponentJoin;
            "algorithm" "graph_component_join_long" ComponentJoinLong $crate::graph::components::ComponentJoinLong;
            "algorithm" "graph_component_end" ComponentEnd $crate::graph::components::ComponentEnd;
            "algorithm" "graph_component_update" ComponentUpdate $crate::graph::components::ComponentUpdate;
            "algorithm" "graph_component_spread" ComponentSpread $crate::graph::components::ComponentSpread;
            "algorithm" "graph_component_list" ComponentList $crate::graph::components::ComponentList;
            "algorithm" "graph_pairs" Pairs $crate::graph::pairs::Pairs;
            "algorithm" "graph_community_start" CommunityStart $crate::graph::communities::CommunityStart;
            "algorithm" "graph_community_vote" CommunityVote $crate::graph::communities::CommunityVote;
            "algorithm" "graph_community_adopt" CommunityAdopt $crate::graph::communities::CommunityAdopt;
            "centrality" "graph_core_start" CoreStart $crate::graph::kcore::CoreStart;
            "centrality" "graph_core_step" CoreStep $crate::graph::kcore::CoreStep;
            "centrality" "graph_betweenness_start" BetweennessStart $crate::graph::betweenness::BetweennessStart;
            "centrality" "graph_betweenness_step" BetweennessStep $crate::graph::betweenness::BetweennessStep;
            "algorithm" "graph_links" Links $crate::graph::clustering::Links;
            "agents" "agents_seed" AgentsSeed $crate::workload::agents::AgentsSeed;
            "agents" "agents_plan" AgentsPlan $crate::workload::agents::AgentsPlan;
            "replay" "replay_reset" ReplayReset $crate::workload::replay::ReplayReset;
            "workgen" "work_sums" WorkSums $crate::workload::workgen::WorkSums;
            "workgen" "work_fill" WorkFill $crate::workload::workgen::WorkFill;
            "workgen" "work_read" WorkRead $crate::workload::workgen::WorkRead;
            "paths" "graph_weight_sample" WeightSample $crate::graph::paths::WeightSample;
            "paths" "graph_path_start" PathStart $crate::graph::paths::PathStart;
            "paths" "graph_path_continue" PathContinue $crate::graph::paths::PathContinue;
            "paths" "graph_path_step" PathStep $crate::graph::paths::PathStep;
            "paths" "graph_tree_support" TreeSupport $crate::graph::paths::tree::TreeSupport;
            "paths" "graph_tree_jump" TreeJump $crate::graph::paths::tree::TreeJump;
            "paths" "graph_tree_resume" TreeResume $crate::graph::paths::tree::TreeResume;
            "paths" "graph_tree_gain" TreeGain $crate::graph::paths::tree::TreeGain;
            "paths" "graph_tree_shift" TreeShift $crate::graph::paths::tree::TreeShift;
            "paths" "graph_tree_start" TreeStart $crate::graph::paths::tree::TreeStart;
            "paths" "graph_tree_parents" TreeParents $crate::graph::paths::tree::TreeParents;
            "search" "graph_search_start" SearchStart $crate::graph::bfs::SearchStart;
            "search" "graph_search_step" SearchStep $crate::graph::bfs::SearchStep;
            "search" "graph_search_narrow" SearchNarrow $crate::graph::bfs::SearchNarrow;
        }
    };
}

pub(crate) use {with_kernels, with_plain_kernels};
