//! The table of kernels by allocators: one line an allocator, one a kernel.
//!
//! `with_allocators!(m)` calls the macro `m` once with every allocator, and
//! `with_kernels!(m, ...)` once with every kernel. `entry` makes PTX entries of
//! the pairs, `host` a table of functions for the CPU backend. An entry's name
//! is the family, the kernel and the allocator, joined by two underscores.
//!
//! Another form of an allocator, which users choose by a parameter, is a line of
//! its own: `cmalloc:walk=paper` is `cmalloc_walk_paper`.

/// Calls `$callback! { ("name", Type), ... }` with every allocator.
macro_rules! with_allocators {
    ($callback:ident) => {
        $callback! {
            ("atomicmalloc", $crate::allocators::AtomicMalloc),
            ("awmalloc", $crate::allocators::AwMalloc),
            ("cmalloc", $crate::allocators::CMalloc),
            ("cfmalloc", $crate::allocators::CfMalloc),
            ("cmmalloc", $crate::allocators::CmMalloc),
            ("cfmmalloc", $crate::allocators::CfmMalloc),
            ("ouroboros_p_s", $crate::allocators::OuroborosPS),
            ("ouroboros_p_va", $crate::allocators::OuroborosPVa),
            ("ouroboros_p_vl", $crate::allocators::OuroborosPVl),
            ("ouroboros_c_s", $crate::allocators::OuroborosCS),
            ("ouroboros_c_va", $crate::allocators::OuroborosCVa),
            ("ouroboros_c_vl", $crate::allocators::OuroborosCVl),
            ("cmalloc_walk_paper", $crate::allocators::CMallocPaper),
            ("cfmalloc_walk_paper", $crate::allocators::CfMallocPaper),
            ("cmmalloc_walk_paper", $crate::allocators::CmMallocPaper),
            ("cfmmalloc_walk_paper", $crate::allocators::CfmMallocPaper),
            ("ouroboros_p_s_large_paper", $crate::allocators::OuroborosPSPaper),
            ("ouroboros_p_va_large_paper", $crate::allocators::OuroborosPVaPaper),
            ("ouroboros_p_vl_large_paper", $crate::allocators::OuroborosPVlPaper),
            ("ouroboros_c_s_sharing_paper", $crate::allocators::OuroborosCSPaper),
            ("ouroboros_c_va_sharing_paper", $crate::allocators::OuroborosCVaPaper),
            ("ouroboros_c_vl_sharing_paper", $crate::allocators::OuroborosCVlPaper),
            ("atomicmalloc_checked", $crate::allocators::Checked<$crate::allocators::AtomicMalloc>),
            ("awmalloc_checked", $crate::allocators::Checked<$crate::allocators::AwMalloc>),
            ("cmalloc_checked", $crate::allocators::Checked<$crate::allocators::CMalloc>),
            ("cfmalloc_checked", $crate::allocators::Checked<$crate::allocators::CfMalloc>),
            ("cmmalloc_checked", $crate::allocators::Checked<$crate::allocators::CmMalloc>),
            ("cfmmalloc_checked", $crate::allocators::Checked<$crate::allocators::CfmMalloc>),
            ("ouroboros_p_s_checked", $crate::allocators::Checked<$crate::allocators::OuroborosPS>),
            ("ouroboros_p_va_checked", $crate::allocators::Checked<$crate::allocators::OuroborosPVa>),
            ("ouroboros_p_vl_checked", $crate::allocators::Checked<$crate::allocators::OuroborosPVl>),
            ("ouroboros_c_s_checked", $crate::allocators::Checked<$crate::allocators::OuroborosCS>),
            ("ouroboros_c_va_checked", $crate::allocators::Checked<$crate::allocators::OuroborosCVa>),
            ("ouroboros_c_vl_checked", $crate::allocators::Checked<$crate::allocators::OuroborosCVl>),
        }
    };
}

/// Calls `$callback! { $first ($($context)*) family "name" Kernel; ... }` with
/// every kernel that works over an allocator. A family is a PTX module.
macro_rules! with_kernels {
    ($callback:ident, $($context:tt)*) => {
        $callback! {
            $($context)*
            "heap" "init" $crate::heap::Init;
            "heap" "report" $crate::heap::Report;
            "bench" "threads_malloc" $crate::bench::ThreadsMalloc;
            "bench" "threads_free" $crate::bench::ThreadsFree;
            "bench" "threads_malloc_coalesced" $crate::bench::ThreadsMallocCoalesced;
            "bench" "threads_free_coalesced" $crate::bench::ThreadsFreeCoalesced;
            "bench" "pair" $crate::bench::Pair;
            "bench" "pair_coalesced" $crate::bench::PairCoalesced;
            "bench" "fill" $crate::bench::Fill;
            "bench" "verify" $crate::bench::Verify;
            "bench" "alloc_dealloc" $crate::bench::AllocDealloc;
            "bench" "alloc_cycle_dealloc" $crate::bench::AllocCycleDealloc;
            "stress" "stress" $crate::bench::Stress;
            "stress" "churn" $crate::bench::Churn;
            "tree" "tree_prepare" $crate::kdtree::setup::Prepare;
            "tree" "tree_fill" $crate::kdtree::setup::Fill;
            "build" "tree_build" $crate::kdtree::build::Build;
            "tree" "tree_relayout" $crate::kdtree::relayout::Relayout;
            "graph" "graph_load" $crate::graph::load::Load;
            "graph" "graph_prepare" $crate::graph::prepare::Prepare;
            "graph" "graph_commit" $crate::graph::commit::Commit;
            "linked" "linked_load" $crate::graph::linked::LinkedLoad;
            "linked" "linked_classify" $crate::graph::linked::LinkedClassify;
            "linked" "linked_prepare" $crate::graph::linked::LinkedPrepare;
            "linked" "linked_commit" $crate::graph::linked::LinkedCommit;
            "linked" "linked_copy_out" $crate::graph::linked::LinkedCopyOut;
            "linked" "linked_rank_step" $crate::graph::linked::LinkedRankStep;
            "linked" "linked_orient" $crate::graph::linked::LinkedOrient;
            "linked" "linked_vertex_edges" $crate::graph::vertices::LinkedVertexEdges;
            "linked" "linked_query" $crate::graph::linked::LinkedQuery;
        }
    };
}

/// Calls `$callback! { "family" "name" Kernel; ... }` with every kernel that
/// needs no allocator.
macro_rules! with_plain_kernels {
    ($callback:ident) => {
        $callback! {
            "render" "render" $crate::render::Render;
            "render" "trace" $crate::render::Trace;
            "graph" "graph_sort_count" $crate::graph::sort::SortCount;
            "graph" "graph_sort_offsets" $crate::graph::sort::SortOffsets;
            "graph" "graph_sort_scatter" $crate::graph::sort::SortScatter;
            "graph" "graph_scan_sums" $crate::graph::scan::ScanSums;
            "graph" "graph_scan_offsets" $crate::graph::scan::ScanOffsets;
            "graph" "graph_copy_in" $crate::graph::copy::CopyIn;
            "graph" "graph_copy_out" $crate::graph::copy::CopyOut;
            "graph" "graph_delta_triangles" $crate::graph::delta::DeltaTriangles;
            "graph" "graph_view" $crate::graph::view::View;
            "graph" "graph_measure" $crate::graph::measure::Measure;
            "graph" "graph_classify" $crate::graph::classify::Classify;
            "graph" "graph_compact" $crate::graph::classify::Compact;
            "graph" "graph_relocate" $crate::graph::relocate::Relocate;
            "graph" "graph_vertex_count" $crate::graph::vertices::VertexCount;
            "graph" "graph_vertex_edges" $crate::graph::vertices::VertexEdges;
            "graph" "graph_vertex_mark" $crate::graph::vertices::VertexMark;
            "graph" "graph_query" $crate::graph::query::Query;
            "graph" "graph_rank_clear" $crate::graph::pagerank::RankClear;
            "graph" "graph_rank_start" $crate::graph::pagerank::RankStart;
            "graph" "graph_rank_step" $crate::graph::pagerank::RankStep;
            "graph" "graph_orient" $crate::graph::triangles::Orient;
            "graph" "graph_triangles" $crate::graph::triangles::Triangles;
            "graph" "graph_component_start" $crate::graph::components::ComponentStart;
            "graph" "graph_component_join" $crate::graph::components::ComponentJoin;
            "graph" "graph_component_end" $crate::graph::components::ComponentEnd;
            "graph" "graph_search_start" $crate::graph::bfs::SearchStart;
            "graph" "graph_search_level" $crate::graph::bfs::SearchLevel;
        }
    };
}

pub(crate) use {with_allocators, with_kernels, with_plain_kernels};
