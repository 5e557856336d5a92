//! The graphs, and what is measured on each of them.

use std::time::Duration;

use heapwood::Error;
use heapwood::backend::{Backend, Cpu};
use heapwood::graph::{RankOptions, Store};
use heapwood::samples::Samples;
use heapwood_graphs::generate::{Kind, Parameters, generate};
use heapwood_graphs::{Csr, CsrOptions};

use super::report;
use super::{Arguments, ours, theirs};
use heapwood_results::benches::{GraphCrateRow as Row, Origin};

/// The seed of all graphs.
const SEED: u64 = 1;
/// Iterations of PageRank where their number is given.
const ITERATIONS: u32 = 20;
/// The change at which PageRank stops where that is given.
const TOLERANCE: f64 = 1e-6;
/// Most that normalised ranks at that tolerance may differ, summed over
/// vertices: what either may be off, tolerance / (1 - damping), and as much for
/// the other's rounding of sums to `f32`.
const APART: f64 = 4.0 * TOLERANCE / 0.15;

/// A graph to generate.
#[derive(Clone, Copy)]
pub struct Input {
    kind: Kind,
    vertices: u64,
    /// Edges drawn for a vertex, where the kind takes them.
    density: u64,
}

/// A flat triangulation, one denser and less even, a power law, a grid of 26
/// neighbours, and one without any locality.
const INPUTS: [Input; 5] = [
    Input::new(Kind::Delaunay, 1 << 18, 0),
    Input::new(Kind::Geometric, 1 << 18, 0),
    Input::new(Kind::Kronecker, 1 << 17, 16),
    Input::new(Kind::Mesh, 1 << 18, 0),
    Input::new(Kind::Uniform, 1 << 18, 8),
];

impl Input {
    const fn new(kind: Kind, vertices: u64, density: u64) -> Self {
        Self {
            kind,
            vertices,
            density,
        }
    }

    /// The graphs of these names; without names all.
    pub fn chosen(names: &[String]) -> Result<Vec<Self>, Error> {
        if names.is_empty() {
            return Ok(INPUTS.to_vec());
        }
        let by_name = |name: &String| {
            let found = INPUTS.into_iter().find(|input| input.name() == name);
            found.ok_or_else(|| Error::Usage(format!("--graphs: there is no graph {name} here")))
        };
        names.iter().map(by_name).collect()
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.kind.name()
    }

    fn rows(&self, smaller: u32) -> Result<Csr, Error> {
        let vertices = self.vertices >> smaller;
        let list = generate(
            self.kind,
            Parameters {
                vertices,
                edges: self.kind.takes_edges().then_some(self.density * vertices),
                seed: SEED,
                ..Parameters::default()
            },
        )?;
        Ok(Csr::build(list, CsrOptions::default()).0)
    }
}

/// Measures both sides on a graph.
///
/// # Errors
///
/// [`Error::Verification`] if their results differ.
pub fn measure(input: &Input, arguments: &Arguments, threads: usize) -> Result<Vec<Row>, Error> {
    let rows = input.rows(arguments.smaller)?;
    let backend = Cpu::with_threads(threads)?;
    let store = ours::store(&backend, &arguments.allocator, &rows)?;
    let case = Case {
        input,
        rows: &rows,
        store: &store,
        origin: origin(&backend, arguments.allocator.name(), threads, &rows),
        runs: arguments.runs,
    };
    let [given, converged] = [(ITERATIONS, -1.0), (200, TOLERANCE)].map(|(limit, tolerance)| {
        let options = RankOptions {
            tolerance,
            limit,
            ..RankOptions::default()
        };
        case.pagerank(&options)
    });
    Ok(vec![given?, converged?, case.triangles()?])
}

fn origin(backend: &dyn Backend, allocator: &str, threads: usize, rows: &Csr) -> Origin {
    report::origin(&backend.info(), allocator, threads, SEED, rows.graph_hash())
}

/// A graph on both sides.
struct Case<'a> {
    input: &'a Input,
    rows: &'a Csr,
    store: &'a Store<'a>,
    origin: Origin,
    runs: u32,
}

impl Case<'_> {
    /// PageRank; a negative tolerance never stops it before the limit.
    fn pagerank(&self, options: &RankOptions) -> Result<Row, Error> {
        let graph = theirs::directed(self.rows);
        let (first, _) = ours::pagerank(self.store, options)?;
        let other = theirs::pagerank(&graph, options);
        let converges = options.tolerance > 0.0;
        if converges {
            let apart = apart(&first.ranks, &other.ranks);
            if apart > APART {
                return Err(Error::Verification(format!(
                    "{}: ranks are {apart:.1e} apart, more than {APART:.1e}",
                    self.input.name()
                )));
            }
        }
        let (mut our, mut their) = (Times::default(), Times::default());
        let (mut our_steps, mut their_steps) = (Vec::new(), Vec::new());
        for _ in 0..self.runs {
            let (ranks, time) = ours::pagerank(self.store, options)?;
            our.push(time);
            our_steps.push(ranks.state.iterations);
            let ranks = theirs::pagerank(&graph, options);
            their.push(ranks.time);
            their_steps.push(ranks.iterations);
        }
        let algorithm = if converges {
            "pagerank to 1e-6"
        } else {
            "pagerank"
        };
        Ok(Row {
            iterations: Some([median(our_steps), median(their_steps)]),
            ours_ms: our.samples(),
            theirs_ms: their.samples(),
            ..self.row(algorithm)
        })
    }

    /// Triangles. The other side counts on the graph as it is and on one that it
    /// has relabelled.
    fn triangles(&self) -> Result<Row, Error> {
        let plain = theirs::undirected(self.rows);
        let (count, _) = ours::triangles(self.store)?;
        let (mut our, mut their) = (Times::default(), Times::default());
        let (mut relabelling, mut relabelled) = (Times::default(), Times::default());
        // The first round is not counted.
        for round in 0..=self.runs {
            let (one, our_time) = ours::triangles(self.store)?;
            let (two, their_time) = theirs::triangles(&plain);
            let mut graph = theirs::undirected(self.rows);
            let relabel_time = theirs::relabel(&mut graph);
            let (three, relabelled_time) = theirs::triangles(&graph);
            if [one, two, three] != [count; 3] {
                return Err(Error::Verification(format!(
                    "{}: {one} triangles by us, {two} by the crate graph, {three} after relabelling",
                    self.input.name()
                )));
            }
            if round > 0 {
                our.push(our_time);
                their.push(their_time);
                relabelling.push(relabel_time);
                relabelled.push(relabelled_time);
            }
        }
        Ok(Row {
            triangles: Some(count),
            ours_ms: our.samples(),
            theirs_ms: their.samples(),
            relabel_ms: Some(relabelling.samples()),
            relabelled_ms: Some(relabelled.samples()),
            ..self.row("triangles")
        })
    }

    fn row(&self, algorithm: &'static str) -> Row {
        Row {
            graph: self.input.name().to_owned(),
            vertices: self.rows.vertices(),
            entries: self.rows.targets.len() as u64,
            algorithm: algorithm.to_owned(),
            iterations: None,
            triangles: None,
            ours_ms: Times::default().samples(),
            theirs_ms: Times::default().samples(),
            relabel_ms: None,
            relabelled_ms: None,
            origin: self.origin.clone(),
        }
    }
}

/// The sum of the differences of ranks, each side made to sum to 1. The other
/// side knows no vertices behind the last one that has an edge.
fn apart(ours: &[f32], theirs: &[f32]) -> f64 {
    let ours = &ours[..theirs.len()];
    let sum = |ranks: &[f32]| ranks.iter().copied().map(f64::from).sum::<f64>();
    let (all_ours, all_theirs) = (sum(ours), sum(theirs));
    let pairs = ours.iter().zip(theirs);
    pairs
        .map(|(&one, &two)| (f64::from(one) / all_ours - f64::from(two) / all_theirs).abs())
        .sum()
}

fn median(mut counts: Vec<u32>) -> u32 {
    counts.sort_unstable();
    counts[counts.len() / 2]
}

/// Times as they are taken.
#[derive(Default)]
struct Times(Vec<f64>);

impl Times {
    fn push(&mut self, time: Duration) {
        self.0.push(time.as_secs_f64() * 1e3);
    }

    fn samples(self) -> Samples {
        Samples::new(self.0).unwrap_or(Samples {
            samples: Vec::new(),
            median: f64::NAN,
        })
    }
}
