//! What is compiled, linked and documented: rules of the PTX, NVIDIA's linker, pages.

mod architecture_page;
mod circles;
mod export_link;
mod external_link;
mod ptx_orderings;
mod ptx_rules;
mod tools;
mod words;
