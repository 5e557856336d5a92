//! Faults of weights, each named by its line, with the way out.

use super::faults::fault;
use super::*;
use ReadWeights::{ByFile, Integer, Real};
use WeightProblem::*;

use crate::WeightProblem;

/// The line and problem of a text whose weights are wrong.
fn weight_fault(name: &str, text: &str, asked: ReadWeights) -> (usize, WeightProblem) {
    match read_with(name, text, asked) {
        Err(GraphError::Line {
            line,
            problem: LineProblem::Weight(problem),
            ..
        }) => (line, problem),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn weights_that_are_none() {
    // A text around one weight, and the line that it is in.
    for (name, before, after, line) in [
        ("a.el", "0 1 3\n#\n1 2 ", "\n", 3),
        ("a.el", "0 1 ", " 77\n", 1),
        ("a.csv", "0,1,3\n1,2,", "\n", 2),
        ("a.csv", "from,to,cost\n0,1,", "\n", 2),
        ("a.csv", "source,target,weight\n0,1,4\n\n1,2,\"", "\"\n", 4),
        ("a.tsv", "from to weight\n0 1 ", "\n", 2),
        ("a.edgelist", "0 1 {'weight': ", "}\n", 1),
        ("out.a", "% sym\n1 2 ", "\n", 2),
        ("a.graph", "2 1 1\n2 ", "\n1 3\n", 2),
        ("a.gr", "c\np sp 2 1\na 1 2 ", "\n", 3),
        (
            "a.mtx",
            "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 ",
            "\n",
            3,
        ),
    ] {
        let with =
            |weight: &str, asked| weight_fault(name, &format!("{before}{weight}{after}"), asked);
        for (weight, problem) in [
            ("-3", Negative as fn(String) -> WeightProblem),
            ("-0.5", Negative),
            ("-1e400", Negative),
            ("nan", NotFinite),
            ("-inf", NotFinite),
        ] {
            let expected = (line, problem(weight.to_owned()));
            let by_file = with(weight, ByFile);
            assert_eq!(by_file, expected, "{before}{weight}");
            assert_eq!(with(weight, Integer), expected, "{before}{weight}");
            assert_eq!(with(weight, Real), expected, "{before}{weight}");
        }
        let large = "4294967296".to_owned();
        assert_eq!(with(&large, Integer), (line, TooLarge(large.clone())));
        assert_eq!(with(&large, ByFile), (line, TooLarge(large)));
        let infinite = "1e39".to_owned();
        assert_eq!(with(&infinite, Real), (line, TooLarge(infinite)));
        for real in ["0.5", "3.0", "1e3", "+3"] {
            let expected = (line, NotWhole(real.to_owned()));
            assert_eq!(with(real, Integer), expected);
        }
    }
}

#[test]
fn integers_are_asked_for_by_formats_too() {
    let matrix = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 0.5\n";
    let half = || NotWhole("0.5".to_owned());
    assert_eq!(weight_fault("a.mtx", matrix, ByFile), (3, half()));
    let text = "p sp 2 1\na 1 2 0.5\n";
    assert_eq!(weight_fault("a.gr", text, ByFile), (2, half()));
    let loaded = read_with("a.gr", text, Real).unwrap();
    assert_eq!(loaded.edges.weights, reals(&[0.5]));
}

#[test]
fn weights_of_a_part_of_the_edges() {
    for (name, text, line, problem) in [
        ("a.el", "0 1 3\n1 2\n", 2, Missing),
        ("a.el", "0 1\n#\n1 2 3\n", 3, Unexpected),
        ("a.el", "0 1 3\n1 2 4\n2 0 5 6\n2 3\n", 4, Missing),
        ("a.csv", "0,1,3\n1,2\n", 2, Missing),
        ("a.csv", "0,1\n1,2,3\n", 2, Unexpected),
        ("a.csv", "from,to,cost\n0,1,3\n1,2,\n", 3, Missing),
        ("a.csv", "from,to,cost\n0,1,3\n1,2\n", 3, Missing),
        ("a.csv", "from,to,cost\n0,1,\n1,2,\n2,0,1\n", 4, Unexpected),
        ("a.edgelist", "0 1 {}\n1 2 {'weight': 3}\n", 2, Unexpected),
        ("a.edgelist", "0 1 {'weight': 3}\n1 2 {}\n", 2, Missing),
        ("a.edgelist", "0 1 {'weight': 3}\n1 2\n", 2, Missing),
        ("out.a", "% sym weighted\n1 2\n2 3 4\n", 3, Unexpected),
    ] {
        let expected = (line, problem);
        assert_eq!(weight_fault(name, text, ByFile), expected, "{text}");
        assert!(read_with(name, text, ReadWeights::None).is_ok(), "{text}");
    }
}

#[test]
fn words_that_are_no_weights() {
    let word = || NotANumber("heavy".to_owned());
    for (name, text, line) in [
        ("a.csv", "from,to,cost\n0,1,heavy\n", 2),
        ("a.edgelist", "0 1 {'weight': heavy}\n", 1),
    ] {
        for asked in [ByFile, Integer, Real] {
            assert_eq!(weight_fault(name, text, asked), (line, word()), "{text}");
        }
    }
    // In other columns it is a fault in any case: weights that are left out are numbers, too.
    let problem = LineProblem::NotANumber("heavy".to_owned());
    assert_eq!(fault("a.el", "0 1 heavy\n"), (1, problem));
}

#[test]
fn metis_weights_that_differ() {
    let differing = |to, weight: &str, other: &str| Differing {
        to,
        weight: weight.to_owned(),
        other: other.to_owned(),
    };
    for (text, line, problem) in [
        ("2 1 1\n2 5\n1 6\n", 3, differing(1, "6", "5")),
        ("2 1 1\n2 5\n1 5.5\n", 3, differing(1, "5.5", "5.0")),
        (
            "% c\n4 3 001\n2 1 3 2\n1 1\n% c\n1 2 4 7\n3 8\n",
            7,
            differing(3, "8", "7"),
        ),
        ("2 2 101\n2 5 2 6\n1 5 1 7\n", 3, differing(1, "7", "6")),
    ] {
        assert_eq!(
            weight_fault("a.graph", text, ByFile),
            (line, problem),
            "{text}"
        );
        assert!(read_with("a.graph", text, ReadWeights::None).is_ok());
    }
    // A missing edge is reported before weights that differ.
    let text = "3 2 1\n2 5 3 1\n1 6\n\n";
    let problem = LineProblem::Asymmetric { from: 1, to: 3 };
    assert_eq!(fault("a.graph", text), (2, problem));
}

#[test]
fn skew_symmetric_matrices_have_negative_weights() {
    let text = "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 4\n";
    for asked in [ByFile, Integer, Real] {
        assert_eq!(weight_fault("a.mtx", text, asked), (1, SkewSymmetric));
    }
}

#[test]
fn weights_that_are_not_there() {
    let complex = "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 3 4\n";
    for (name, text) in [
        ("a.el", "0 1\n"),
        ("a.csv", "from,to,time\n0,1,3\n"),
        ("out.a", "% sym unweighted\n1 2 3\n"),
        ("a.gr", "p tw 2 1\n1 2\n"),
        ("a.col", "p edge 2 1\ne 1 2\n"),
        ("a.graph", "2 1 10\n3 2\n3 1\n"),
        ("a.mtx", complex),
        (
            "a.mtx",
            &complex.replace("complex", "pattern").replace(" 3 4", ""),
        ),
    ] {
        for asked in [Integer, Real] {
            let error = read_with(name, text, asked).unwrap_err().to_string();
            let expected =
                format!("{name} has no weights of edges: read the edges alone, without weights");
            assert_eq!(error, expected, "{text}");
        }
    }
}

#[test]
fn messages_end_with_the_way_out() {
    for (name, text, expected) in [
        ("a.el", "0 1 -1\n", "a.el:1: the weight `-1` is negative"),
        (
            "a.el",
            "0 1 1\n1 2\n",
            "a.el:2: the edge has no weight, but the first edge has one",
        ),
        (
            "a.gr",
            "p sp 2 1\na 1 2 .5\n",
            "a.gr:2: the weight `.5` is a real number, not an integer",
        ),
        (
            "a.graph",
            "2 1 1\n2 5\n1 6\n",
            "a.graph:3: the edge to 1 has the weight 6 here, but 5 in the line of 1",
        ),
    ] {
        let message = read(name, text).unwrap_err().to_string();
        let expected = format!("{expected}: read the edges alone, without weights");
        assert_eq!(message, expected);
    }
}
