//! A graph to make: its kind and the options of `heapwood generate graph`.

#[cfg(feature = "cli")]
use heapwood_graphs::WeightKind;
use heapwood_graphs::generate::{self, Kind, Parameters};
use heapwood_graphs::{Csr, CsrOptions, CsrStatistics, Direction, Parallel};

use super::{Given, ParseSpecError, Spec, one_of};
use crate::Error;
use crate::size::parse_count;

/// A graph to generate.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct GraphSpec {
    /// delaunay, geometric, road, coauthors, mesh, kkt, dual, kronecker or uniform
    #[cfg_attr(feature = "cli", arg(value_parser = parse_kind))]
    pub kind: Kind,
    /// Number of vertices, also as a power such as 2^20
    ///
    /// Some kinds make a few more.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value = "2^20", value_parser = parse_count))]
    pub vertices: u64,
    /// Edges of kronecker [default: 16 per vertex] or uniform [default: 4]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = parse_count))]
    pub edges: Option<u64>,
    /// Seed of the random numbers
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = 0))]
    pub seed: u64,
    /// Keep self-loops
    #[cfg_attr(feature = "cli", arg(long))]
    pub self_loops: bool,
    /// Make the edges of kronecker and uniform directed
    #[cfg_attr(feature = "cli", arg(long))]
    pub directed: bool,
    /// Give edges random weights of this range, such as 1..100
    ///
    /// Both are among them.
    #[cfg_attr(feature = "cli", arg(long, value_name = "RANGE", value_parser = parse_range, conflicts_with = "lengths"))]
    pub weight_range: Option<(u32, u32)>,
    /// Give the edges of road their lengths as weights
    #[cfg_attr(feature = "cli", arg(long))]
    pub lengths: bool,
}

impl Spec for GraphSpec {
    const OPTIONS: &'static [(&'static str, bool)] = &[
        ("vertices", true),
        ("edges", true),
        ("seed", true),
        ("self-loops", false),
        ("directed", false),
        ("weight-range", true),
        ("lengths", false),
    ];

    fn read(kind: &str, given: &Given) -> Result<Self, ParseSpecError> {
        Ok(Self {
            vertices: given.value("vertices", parse_count)?.unwrap_or(1 << 20),
            edges: given.value("edges", parse_count)?,
            seed: given.value("seed", str::parse)?.unwrap_or_default(),
            self_loops: given.has("self-loops"),
            directed: given.has("directed"),
            weight_range: given.value("weight-range", parse_range)?,
            lengths: given.has("lengths"),
            kind: parse_kind(kind)?,
        })
    }

    fn check(&self) -> Result<(), ParseSpecError> {
        let option = match (self.directed, self.edges) {
            _ if self.kind.takes_edges() => return Ok(()),
            (true, _) => "directed",
            (_, Some(_)) => "edges",
            _ => return Ok(()),
        };
        Err(ParseSpecError::Invalid(format!(
            "{option} is for kronecker and uniform graphs, not for {}",
            self.kind.name()
        )))
    }
}

impl GraphSpec {
    /// The kind of the weights of its edges, if they have weights.
    #[cfg(feature = "cli")]
    pub fn weight_kind(&self) -> Option<WeightKind> {
        (self.lengths || self.weight_range.is_some()).then_some(WeightKind::Integer)
    }

    /// Makes the graph that `heapwood generate graph` writes, and says what became of the
    /// edges that were drawn.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for numbers of vertices or edges that the kind does not have.
    pub fn make(&self) -> Result<(Csr, CsrStatistics), Error> {
        let parameters = Parameters {
            vertices: self.vertices,
            edges: self.edges,
            seed: self.seed,
            weight_range: self.weight_range,
            lengths: self.lengths,
        };
        let list = generate::generate(self.kind, parameters);
        let mut list = list.map_err(|error| Error::Usage(error.to_string()))?;
        list.directed = self.directed;
        let options = CsrOptions {
            keep_self_loops: self.self_loops,
            direction: Direction::AsRead,
            parallel: Parallel::Last,
        };
        Ok(Csr::build(list, options))
    }
}

/// Two weights with two dots between them, such as `1..100`.
fn parse_range(text: &str) -> Result<(u32, u32), ParseSpecError> {
    let bounds = text.split_once("..").and_then(|(min, max)| {
        let bound = |text: &str| {
            parse_count(text)
                .ok()
                .and_then(|count| count.try_into().ok())
        };
        Some((bound(min)?, bound(max)?))
    });
    match bounds {
        Some((min, max)) if min <= max => Ok((min, max)),
        _ => Err(ParseSpecError::Invalid(
            "write the least weight and the greatest, such as 1..100".to_owned(),
        )),
    }
}

fn parse_kind(text: &str) -> Result<Kind, ParseSpecError> {
    let names = Kind::ALL.map(Kind::name);
    Kind::by_name(text).ok_or_else(|| ParseSpecError::Invalid(one_of("kind", text, &names)))
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn options_have_the_defaults_of_the_command() {
        let spec: GraphSpec = parse("road").unwrap();
        let expected = GraphSpec {
            kind: Kind::Road,
            vertices: 1 << 20,
            edges: None,
            seed: 0,
            self_loops: false,
            directed: false,
            weight_range: None,
            lengths: false,
        };
        assert_eq!(spec, expected);
        let spec: GraphSpec =
            parse("uniform,directed,edges=2^5,self-loops,vertices=9,seed=7,weight-range=1..100")
                .unwrap();
        let expected = GraphSpec {
            kind: Kind::Uniform,
            vertices: 9,
            edges: Some(32),
            seed: 7,
            self_loops: true,
            directed: true,
            weight_range: Some((1, 100)),
            lengths: false,
        };
        assert_eq!(spec, expected);
    }

    #[test]
    fn every_kind_is_made() {
        for kind in Kind::ALL {
            let spec: GraphSpec = parse(&format!("{},vertices=50", kind.name())).unwrap();
            assert!(spec.make().unwrap().0.vertices() >= 50, "{}", kind.name());
        }
        let roads: GraphSpec = parse("road,vertices=50,lengths").unwrap();
        assert!(roads.make().unwrap().0.weights.is_some());
        for wrong in ["mesh,lengths", "road,lengths,weight-range=1..2"] {
            let spec: GraphSpec = parse(wrong).unwrap();
            assert_eq!(spec.make().unwrap_err().exit_code(), 2, "{wrong}");
        }
        for wrong in ["2..1", "1", "1...2", "-1..2", "0..2^32"] {
            assert!(parse::<GraphSpec>(&format!("road,weight-range={wrong}")).is_err());
        }
        let none: GraphSpec = parse("road,vertices=0").unwrap();
        assert_eq!(none.make().unwrap_err().exit_code(), 2);
    }
}
