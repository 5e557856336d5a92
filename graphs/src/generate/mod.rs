//! Graphs made by the program, of the kinds that the Ouroboros paper's Table 1
//! lists (Winter et al., 2020, section 6.2), and random ones.
//!
//! Everything is a function of its arguments: the same seed gives the same
//! graph on every machine and with any number of threads. Each random choice
//! hashes the place that it is made for.

mod cells;
mod clique;
mod delaunay;
mod dual;
mod geometric;
mod kronecker;
mod mesh;
mod random;
mod road;
mod uniform;
mod weights;

use crate::{EdgeList, GraphError, WeightKind, Weights};

/// Most vertices of a generated graph.
pub const MAX_GENERATED_VERTICES: u64 = 1 << 26;
/// Most edges of a random graph. The list takes 8 bytes each, and as much again
/// while it is put together.
pub const MAX_EDGES: u64 = 1 << 30;

/// A kind of graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Delaunay triangulation of random points (`delaunay_n20`).
    Delaunay,
    /// Random points, joined when they are near (`rgg_n_2_20`).
    Geometric,
    /// Junctions and the bends of roads between them (`luxembourg_osm`).
    Road,
    /// Overlapping cliques: the authors of each paper (`coAuthorsDBLP`).
    CoAuthors,
    /// Three-dimensional grid with all 26 neighbours of each cell.
    Mesh,
    /// Optimality system of a control problem on such a grid (`nlpkkt120`).
    Kkt,
    /// Neighbouring triangles of a mesh (`hugetric-00000`).
    Dual,
    /// The power-law graph of Graph500.
    Kronecker,
    /// Ends drawn evenly.
    Uniform,
}

/// Parameters of a generated graph.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parameters {
    /// Vertices; some kinds make a few more, to the next size that they have.
    pub vertices: u64,
    /// Edges drawn of a Kronecker (else 16 a vertex) or uniform graph (else 4);
    /// nothing to the other kinds.
    pub edges: Option<u64>,
    /// The seed; the edges of a mesh have no use for it.
    pub seed: u64,
    /// The smallest and the largest weight, if weights are drawn: integers, by the seed and the ends
    /// of an edge, the same in both directions.
    pub weight_range: Option<(u32, u32)>,
    /// Whether the weights are the lengths of the edges, which a road graph has: integers of at least
    /// 1, where two junctions are about 1000 from each other.
    pub lengths: bool,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Delaunay,
        Self::Geometric,
        Self::Road,
        Self::CoAuthors,
        Self::Mesh,
        Self::Kkt,
        Self::Dual,
        Self::Kronecker,
        Self::Uniform,
    ];

    /// The name, as used on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Delaunay => "delaunay",
            Self::Geometric => "geometric",
            Self::Road => "road",
            Self::CoAuthors => "coauthors",
            Self::Mesh => "mesh",
            Self::Kkt => "kkt",
            Self::Dual => "dual",
            Self::Kronecker => "kronecker",
            Self::Uniform => "uniform",
        }
    }

    /// The kind of a name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether [`Parameters::edges`] means something.
    pub fn takes_edges(self) -> bool {
        matches!(self, Self::Kronecker | Self::Uniform)
    }

    /// Whether [`Parameters::lengths`] means something.
    pub fn has_lengths(self) -> bool {
        self == Self::Road
    }
}

/// Makes an undirected graph. Kronecker and uniform graphs come with loops and
/// duplicates, as drawn.
///
/// # Errors
/// [`GraphError::TooMany`] and [`TooFew`](GraphError::TooFew); for weights
/// [`WeightRange`](GraphError::WeightRange), [`NoLengths`](GraphError::NoLengths) and
/// [`LengthsOfRange`](GraphError::LengthsOfRange).
pub fn generate(kind: Kind, parameters: Parameters) -> Result<EdgeList, GraphError> {
    let Parameters { vertices, seed, .. } = parameters;
    let name = kind.name();
    if vertices == 0 {
        return Err(GraphError::TooFew {
            name,
            count: vertices,
            least: 1,
        });
    }
    let bounded = |what, count, limit| {
        if count > limit {
            return Err(GraphError::TooMany {
                name,
                what,
                count,
                limit,
            });
        }
        Ok(count)
    };
    let vertices = bounded("vertices", vertices, MAX_GENERATED_VERTICES)? as u32;
    let drawn = |a_vertex: u64| {
        let count = parameters.edges.unwrap_or(a_vertex * u64::from(vertices));
        bounded("edges", count, MAX_EDGES)
    };
    match parameters.weight_range {
        _ if parameters.lengths && !kind.has_lengths() => {
            return Err(GraphError::NoLengths { name });
        }
        Some(_) if parameters.lengths => return Err(GraphError::LengthsOfRange { name }),
        Some((min, max)) if min > max => return Err(GraphError::WeightRange { name, min, max }),
        _ => {}
    }
    let (vertices, edges) = match kind {
        Kind::Delaunay => delaunay::make(vertices, seed),
        Kind::Geometric => geometric::make(vertices, seed),
        Kind::Road => road::make(vertices, seed),
        Kind::CoAuthors => clique::make(vertices, seed),
        Kind::Mesh => mesh::grid(vertices),
        Kind::Kkt => mesh::kkt(vertices),
        Kind::Dual => dual::make(vertices, seed),
        Kind::Kronecker => kronecker::make(vertices, drawn(16)?, seed),
        Kind::Uniform => uniform::make(vertices, drawn(4)?, seed),
    };
    let words = match parameters.weight_range {
        Some(range) => Some(weights::draw(&edges, range, seed)),
        None if parameters.lengths => Some(road::lengths(vertices, seed, &edges)),
        None => None,
    };
    let integers = |words| Weights {
        kind: WeightKind::Integer,
        words,
    };
    Ok(EdgeList {
        vertices,
        edges,
        weights: words.map(integers),
        directed: false,
    })
}

/// Number of vertices and the edges.
type Made = (u32, Vec<[u32; 2]>);

#[cfg(test)]
mod tests;
