//! Every form of every format, and every fault with its line. Pieces are a few
//! bytes long here, so that each text is read in several.

mod edge_list_faults;
mod faults;
mod forms;
mod programs;

use super::*;

/// Reads `text` as a file of this name.
fn read(name: &str, text: &str) -> Result<Loaded, GraphError> {
    read_graph(name, text.as_bytes().to_vec(), ReadOptions::default())
}

/// The vertices, edges and direction of a text that is right.
fn graph(name: &str, text: &str) -> (u32, Vec<[u32; 2]>, bool) {
    let loaded = read(name, text).unwrap_or_else(|error| panic!("{error}"));
    let EdgeList {
        vertices,
        edges,
        directed,
    } = loaded.edges;
    (vertices, edges, directed)
}
