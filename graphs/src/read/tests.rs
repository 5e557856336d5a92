//! Every form of every format, and every fault with its line. Pieces are a few
//! bytes long here, so that each text is read in several.

mod edge_list_faults;
mod faults;
mod forms;
mod programs;
mod weight_faults;
mod weights;

use super::*;
use crate::{WeightKind, Weights};

/// Reads `text` as a file of this name.
fn read(name: &str, text: &str) -> Result<Loaded, GraphError> {
    read_graph(name, text.as_bytes().to_vec(), ReadOptions::default())
}

/// Reads `text` with the weights that are asked for.
fn read_with(name: &str, text: &str, weights: ReadWeights) -> Result<Loaded, GraphError> {
    let options = ReadOptions {
        weights,
        ..ReadOptions::default()
    };
    read_graph(name, text.as_bytes().to_vec(), options)
}

fn integers(words: &[u32]) -> Option<Weights> {
    let (kind, words) = (WeightKind::Integer, words.to_vec());
    Some(Weights { kind, words })
}

fn reals(weights: &[f32]) -> Option<Weights> {
    let words = weights.iter().map(|weight| weight.to_bits()).collect();
    let kind = WeightKind::Real;
    Some(Weights { kind, words })
}

/// The vertices, edges and direction of a text that is right.
fn graph(name: &str, text: &str) -> (u32, Vec<[u32; 2]>, bool) {
    let loaded = read(name, text).unwrap_or_else(|error| panic!("{error}"));
    let EdgeList {
        vertices,
        edges,
        directed,
        ..
    } = loaded.edges;
    (vertices, edges, directed)
}
