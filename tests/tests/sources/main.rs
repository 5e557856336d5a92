//! Tests of the sources, of the PTX compiled from them, of its linking with NVIDIA's linker, and of
//! the pages.

mod architecture_page;
mod circles;
mod export_link;
mod external_link;
mod names;
mod ptx_orderings;
mod ptx_rules;
mod tools;
mod words;
