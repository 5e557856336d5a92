//! The program as a user sees it: what it prints and writes, how it fails, and
//! the keys of its results.

mod bad_graphs;
mod bad_input;
mod bench;
mod builders;
mod compare;
mod diff;
mod export;
mod external;
mod external_blocks;
mod external_faults;
mod far;
mod fragmentation;
mod frames;
mod generate;
mod generated_input;
mod graph;
mod graph_files;
mod graph_memory;
mod graph_stream;
mod graph_updates;
mod graph_values;
mod graph_vertices;
mod help;
mod ids;
mod kept;
mod passes;
mod probability;
mod program;
mod render;
mod results;
mod resume;
mod sequences;
mod terminal;
mod turns;
mod view;
