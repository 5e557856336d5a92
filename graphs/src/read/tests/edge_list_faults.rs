//! Faults of edge lists, each named by its line.

use super::faults::{fault, text};
use super::*;
use crate::MAX_VERTICES;
use LineProblem::*;

#[test]
fn edge_list_lines() {
    let rule = "source and target are needed, and at most two numbers more";
    assert_eq!(fault("a.el", "0 1\n2\n"), (2, Values { found: 1, rule }));
    assert_eq!(fault("a.el", "0 1 2 3 4\n"), (1, Values { found: 5, rule }));
    assert_eq!(fault("a.el", "0 1 x\n"), (1, NotANumber(text("x"))));
    let (count, limit) = (5_000_000_000, MAX_VERTICES);
    let problem = TooManyVertices { count, limit };
    assert_eq!(fault("a.el", "# Nodes: 5000000000\n0 1\n"), (1, problem));
}

#[test]
fn edge_lists_with_commas() {
    let rule = "source and target are needed, and at most two numbers more, with commas between";
    for (text, expected) in [
        ("0,1\n2\n", (2, Values { found: 1, rule })),
        ("0,1,2,3,4\n", (1, Values { found: 5, rule })),
        ("0,1\n2 3\n", (2, NotANumber(text("2 3")))),
        ("0,1,x\n", (1, NotANumber(text("x")))),
        ("0,1\n0,1,1 2\n", (2, NotANumber(text("1 2")))),
        ("0,1\n0,,1\n", (2, NotANumber(text("")))),
        ("0,1,\n", (1, NotANumber(text("")))),
        ("0,1\n,1\n", (2, NotANumber(text("")))),
        ("\"x\",\"1\"\n", (1, NotAnId(text("\\\"x\\\"")))),
        ("\"0,1\n", (1, NotAnId(text("\\\"0")))),
        ("0,4294967296\n", (1, WideId(text("4294967296")))),
        // A name beside a number is none of a column, nor one in a later line.
        ("from,1\n", (1, NotAnId(text("from")))),
        ("0,to\n1,2\n", (1, NotAnId(text("to")))),
        ("0,1\nfrom,to\n", (2, NotAnId(text("from")))),
        ("from,to\nfrom,to\n", (2, NotAnId(text("from")))),
        // Blanks stay blanks.
        ("0 1\n1,2\n", (2, NotAnId(text("1,2")))),
    ] {
        assert_eq!(fault("a.csv", text), expected, "{text}");
    }
    let empty = read("a.csv", "from,to\n").unwrap_err().to_string();
    assert_eq!(empty, "a.csv is empty: there is no graph in it");
}

#[test]
fn compact_ids_have_64_bits() {
    let options = ReadOptions {
        numbering: Numbering::Compact,
        ..ReadOptions::default()
    };
    let message = |name: &str, text: &str| {
        let read = read_graph(name, text.as_bytes().to_vec(), options);
        read.unwrap_err().to_string()
    };
    assert_eq!(
        message("a.el", "0 1\n18446744073709551616 1\n"),
        "a.el:2: `18446744073709551616` does not fit in 64 bits"
    );
    assert_eq!(
        message("a.el", "-1 1\n"),
        "a.el:1: `-1` is negative: ids and counts are not"
    );
    assert_eq!(
        message("a.graph", "2 1\n2\n1\n"),
        "a.graph: DIMACS-10/METIS numbers vertices without gaps: compact ids are for edge lists"
    );
    let refused = read("a.el", "0 1\n0 18446744073709551615\n").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "a.el:2: vertex id 18446744073709551615: ids without gaps are below 268435456; \
         compact ids take any of 64 bits, and number those that occur"
    );
}
