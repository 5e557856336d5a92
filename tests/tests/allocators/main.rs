//! Attacks on single allocators and their parts: queues, semaphores, full heaps, parameters.

mod access_counts;
mod buddy_merge;
mod bump_allocators;
mod circular_index;
mod circular_memory;
mod exported;
mod fdg_heaps;
mod flatter_pages;
mod hidden_memory;
mod llvmlibc_slabs;
mod null_evidence;
mod observed_times;
mod ouroboros_memory;
mod ouroboros_parts;
mod ouroboros_refusals;
mod page_tiers;
mod parameters;
mod recorded;
mod replayed;
mod spread_slabs;
mod stale_header;
mod xmalloc_fifo;
