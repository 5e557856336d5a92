//! The allocators, and the table of them.
//!
//! `with_allocators!(m)` calls the macro `m` once with every allocator. Another form of
//! one, which users choose by a parameter, is a line of its own: `cmalloc:walk=paper` is
//! `cmalloc_walk_paper`.

mod atomic;
mod atomic_wrap;
mod bits;
mod buddy;
pub mod circular;
mod common;
mod cuda;
mod external;
mod fdg;
mod flatter;
mod gallatin;
mod halloc;
mod llvmlibc;
mod number;
mod observed;
pub mod ouroboros;
mod pagesearch;
mod scatter;
mod spread;
pub mod xmalloc;

pub use atomic::AtomicMalloc;
pub use atomic_wrap::AwMalloc;
pub use buddy::BuddyAlloc;
pub use circular::{CMalloc, CfMalloc, CfmMalloc, CmMalloc};
pub use circular::{CMallocPaper, CfMallocPaper, CfmMallocPaper, CmMallocPaper};
pub use cuda::CudaMalloc;
pub use external::{External, ExternalOwn, bind_external, has_external_granted, link_external};
pub use fdg::FdgMalloc;
pub use flatter::FlatterScatter;
pub use gallatin::Gallatin;
pub use halloc::{Halloc, PageRuns};
pub use llvmlibc::LlvmLibc;
pub use observed::{
    CallTimes, EVENT_WORDS, Observed, Operation, REQUEST_DELAY, RING_HEAD_WORDS, RING_WORD,
    RecordedCall, STRETCH_ONE, observed_pool,
};
pub use ouroboros::{
    OuroborosCS, OuroborosCSPaper, OuroborosCVa, OuroborosCVaPaper, OuroborosCVl,
    OuroborosCVlPaper, OuroborosPS, OuroborosPSPaper, OuroborosPVa, OuroborosPVaPaper,
    OuroborosPVl, OuroborosPVlPaper,
};
pub use pagesearch::{Clustered, Collaborative, Independent, PageSearch};
pub use scatter::ScatterAlloc;
pub use spread::SpreadMalloc;
pub use xmalloc::XMalloc;

/// Calls `$callback! { ("name", Type), ... }` with every allocator.
#[cfg(not(test))]
macro_rules! with_allocators {
    ($callback:ident) => {
        $callback! {
            ("atomicmalloc", $crate::allocators::AtomicMalloc),
            ("spread", $crate::allocators::SpreadMalloc),
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
            ("scatteralloc", $crate::allocators::ScatterAlloc),
            ("flatterscatter", $crate::allocators::FlatterScatter),
            ("cudamalloc", $crate::allocators::CudaMalloc),
            ("fdgmalloc", $crate::allocators::FdgMalloc),
            ("gallatin", $crate::allocators::Gallatin),
            ("xmalloc", $crate::allocators::XMalloc),
            ("buddy", $crate::allocators::BuddyAlloc),
            ("halloc", $crate::allocators::Halloc<$crate::allocators::PageRuns>),
            ("llvmlibc", $crate::allocators::LlvmLibc),
            ("pagesearch", $crate::allocators::PageSearch<$crate::allocators::Collaborative>),
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
            ("halloc_large_cuda", $crate::allocators::Halloc<$crate::allocators::CudaMalloc>),
            ("pagesearch_search_independent", $crate::allocators::PageSearch<$crate::allocators::Independent>),
            ("pagesearch_search_clustered", $crate::allocators::PageSearch<$crate::allocators::Clustered>),
            ("external", $crate::allocators::External),
            ("external_pool_own", $crate::allocators::ExternalOwn),
            ("atomicmalloc_observed", $crate::allocators::Observed<$crate::allocators::AtomicMalloc>),
            ("spread_observed", $crate::allocators::Observed<$crate::allocators::SpreadMalloc>),
            ("awmalloc_observed", $crate::allocators::Observed<$crate::allocators::AwMalloc>),
            ("cmalloc_observed", $crate::allocators::Observed<$crate::allocators::CMalloc>),
            ("cfmalloc_observed", $crate::allocators::Observed<$crate::allocators::CfMalloc>),
            ("cmmalloc_observed", $crate::allocators::Observed<$crate::allocators::CmMalloc>),
            ("cfmmalloc_observed", $crate::allocators::Observed<$crate::allocators::CfmMalloc>),
            ("ouroboros_p_s_observed", $crate::allocators::Observed<$crate::allocators::OuroborosPS>),
            ("ouroboros_p_va_observed", $crate::allocators::Observed<$crate::allocators::OuroborosPVa>),
            ("ouroboros_p_vl_observed", $crate::allocators::Observed<$crate::allocators::OuroborosPVl>),
            ("ouroboros_c_s_observed", $crate::allocators::Observed<$crate::allocators::OuroborosCS>),
            ("ouroboros_c_va_observed", $crate::allocators::Observed<$crate::allocators::OuroborosCVa>),
            ("ouroboros_c_vl_observed", $crate::allocators::Observed<$crate::allocators::OuroborosCVl>),
            ("scatteralloc_observed", $crate::allocators::Observed<$crate::allocators::ScatterAlloc>),
            ("flatterscatter_observed", $crate::allocators::Observed<$crate::allocators::FlatterScatter>),
            ("cudamalloc_observed", $crate::allocators::Observed<$crate::allocators::CudaMalloc>),
            ("fdgmalloc_observed", $crate::allocators::Observed<$crate::allocators::FdgMalloc>),
            ("gallatin_observed", $crate::allocators::Observed<$crate::allocators::Gallatin>),
            ("xmalloc_observed", $crate::allocators::Observed<$crate::allocators::XMalloc>),
            ("buddy_observed", $crate::allocators::Observed<$crate::allocators::BuddyAlloc>),
            ("halloc_observed", $crate::allocators::Observed<$crate::allocators::Halloc<$crate::allocators::PageRuns>>),
            ("llvmlibc_observed", $crate::allocators::Observed<$crate::allocators::LlvmLibc>),
            ("pagesearch_observed", $crate::allocators::Observed<$crate::allocators::PageSearch<$crate::allocators::Collaborative>>),
            ("external_observed", $crate::allocators::Observed<$crate::allocators::External>),
            ("external_pool_own_observed", $crate::allocators::Observed<$crate::allocators::ExternalOwn>),
        }
    };
}

#[cfg(not(test))]
pub(crate) use with_allocators;
