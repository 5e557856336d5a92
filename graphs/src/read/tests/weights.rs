//! Weights of every form, and the choice between them.

use super::*;

/// The weights of a text that is right.
fn weights(name: &str, text: &str) -> Option<Weights> {
    let loaded = read(name, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    loaded.edges.weights
}

#[test]
fn the_third_column_of_an_edge_list_is_the_weight() {
    for (text, expected) in [
        ("0 1 5\n1 2 0\n", integers(&[5, 0])),
        ("0\t1\t5\n#\n\n1 2 4294967295", integers(&[5, u32::MAX])),
        ("0 1 5 77\n1 2 6\n", integers(&[5, 6])),
        ("0 1 5\n1 2 0.5\n", reals(&[5.0, 0.5])),
        ("0 1 5.0\n1 2 1e3\n", reals(&[5.0, 1000.0])),
        ("0,1,5\n1,2,.5,9\n", reals(&[5.0, 0.5])),
        ("0;1;5\n1;2;2,5\n", reals(&[5.0, 2.5])),
        ("0;1;5\n1;2;2\n", integers(&[5, 2])),
        ("0 1\n1 2\n", None),
        ("0,1\n1,2\n", None),
        // Too large for an integer, but there are real numbers in front and behind.
        ("0 1 5000000000\n1 2 .5\n", reals(&[5e9, 0.5])),
        ("0 1 .5\n1 2 5000000000\n", reals(&[0.5, 5e9])),
        ("0 1 -0\n", reals(&[0.0])),
    ] {
        for name in ["a.el", "a.wel", "a.e", "a"] {
            assert_eq!(weights(name, text), expected, "{text}");
        }
        let edges = graph("a.wel", text).1;
        assert!([[0, 1], [1, 2]].starts_with(&edges), "{text}");
    }
}

#[test]
fn konect_tells_whether_there_are_weights() {
    let body = "1 2 3 1082040961\n2 3 4 1082040962\n";
    for (header, expected) in [
        ("% sym unweighted", None),
        ("% asym unweighted\n% 2 3 3", None),
        ("% sym", integers(&[3, 4])),
        ("% asym positive", integers(&[3, 4])),
        ("% sym posweighted\n% 2 3 3", integers(&[3, 4])),
        ("% asym multiweighted", integers(&[3, 4])),
    ] {
        assert_eq!(
            weights("out.a", &format!("{header}\n{body}")),
            expected,
            "{header}"
        );
    }
    assert_eq!(weights("out.a", "% sym weighted\n1 2\n2 3\n"), None);
    // Numbers behind edges without weights may be missing in part.
    assert_eq!(weights("out.a", "% sym unweighted\n1 2 -1\n2 3\n"), None);
}

#[test]
fn a_column_of_weights_has_its_name() {
    for (header, expected) in [
        ("from,to,weight,a", integers(&[3, 5])),
        ("from,to,a,Weight", integers(&[4, 6])),
        ("from,to,\"COST\",a", integers(&[3, 5])),
        ("from,to,value,weight", integers(&[4, 6])),
        ("from,to,length,distance", integers(&[4, 6])),
        ("x,y,cost,a", integers(&[3, 5])),
        ("value,weight,a,b", None),
        ("from,to,a,time", None),
    ] {
        for separator in [",", ";", "\t"] {
            let text = format!("{header}\n0,1,3,4\n1,2,5,6\n").replace(',', separator);
            assert_eq!(weights("a.csv", &text), expected, "{text}");
        }
    }
    for (text, expected) in [
        ("weight,source,target\n.5,0,1\n1,1,2\n", reals(&[0.5, 1.0])),
        (
            "source,target,weight\n0,1,\"3\"\n1,2,\" 4\"\n",
            integers(&[3, 4]),
        ),
        (
            "source;target;weight\n0;1;2,5\n1;2;\"1,5\"\n",
            reals(&[2.5, 1.5]),
        ),
        // A column of blanks has no weights.
        ("source,target,weight,a\n0,1,,x\n1,2, ,y\n", None),
        ("source,target,weight\n0,1\n1,2,\"\"\n", None),
        ("source,target,a\n0,1,x\n1,2,-1\n", None),
        ("from to weight\n0 1 3\n1 2 4\n", integers(&[3, 4])),
        ("from to time weight\n0 1 3 5\n1 2 4 6\n", integers(&[5, 6])),
        ("from to time\n0 1 3\n1 2\n", None),
        ("from to\n0 1 3\n1 2 4\n", None),
    ] {
        assert_eq!(weights("a.csv", text), expected, "{text}");
    }
}

#[test]
fn weights_stay_with_their_edges() {
    // Many pieces, and ids in any order.
    let weight = |i: u32| i.wrapping_mul(0x9e37_79b9);
    let lines = |width: u32| {
        let line = |i: u32| format!("{} {} {}\n", 7 * (i % 90), 7 * (i % width), weight(i));
        (0..400).map(line).collect::<String>()
    };
    let expected = integers(&(0..400).map(weight).collect::<Vec<_>>());
    let numberings = [Numbering::Consecutive, Numbering::Compact];
    for (numbering, bipartite) in [
        (numberings[0], false),
        (numberings[0], true),
        (numberings[1], false),
    ] {
        let options = ReadOptions {
            numbering,
            bipartite,
            ..ReadOptions::default()
        };
        let loaded = read_graph("a.el", lines(80).into_bytes(), options).unwrap();
        assert_eq!(loaded.edges.weights, expected);
    }
    let gr = "p sp 700 400\n".to_owned();
    let body = lines(80);
    let ids = |line: &str| {
        let words = line.split(' ').map(|word| word.parse::<u32>().unwrap());
        let [u, v, weight] = words.collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        format!("a {} {} {weight}\n", u + 1, v + 1)
    };
    let text = gr + &body.lines().map(ids).collect::<String>();
    assert_eq!(weights("a.gr", &text), expected);
}

#[test]
fn the_choice_counts() {
    use ReadWeights::{Integer, None as Nothing, Real};
    let matrix = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 3\n";
    for (name, text) in [
        ("a.el", "0 1 3\n"),
        ("a.csv", "from,to,cost\n0,1,3\n"),
        ("a.edgelist", "0 1 {'weight': 3}\n"),
        ("a.gr", "p sp 2 1\na 1 2 3\n"),
        ("a.graph", "2 1 1\n2 3\n1 3\n"),
        ("a.mtx", matrix),
        ("a.mtx", &matrix.replace("integer", "real")),
    ] {
        let with = |asked| read_with(name, text, asked).unwrap();
        assert_eq!(with(Integer).edges.weights, integers(&[3]), "{text}");
        assert_eq!(with(Real).edges.weights, reals(&[3.0]), "{text}");
        let alone = with(Nothing);
        assert_eq!(alone.edges.weights, None);
        assert!(alone.notes.contains(&Note::Weights), "{text}");
        assert!(!with(Real).notes.contains(&Note::Weights), "{text}");
        let edges = alone.edges.edges;
        assert_eq!(edges, [[0, 1]]);
    }
    // Without edges no weights are missing.
    let path = "%%MatrixMarket matrix coordinate pattern general\n2 2 0\n";
    for (name, text) in [
        ("a.el", "# Nodes: 2\n"),
        ("a.mtx", path),
        ("a.graph", "2 0\n\n\n"),
    ] {
        assert_eq!(
            read_with(name, text, Real).unwrap().edges.weights,
            reals(&[])
        );
        assert_eq!(weights(name, text), None);
    }
}

#[test]
fn all_that_was_read_is_read_without_weights() {
    for (name, text) in [
        ("a.el", "0 1\n1 2 -1\n2 0 nan 7\n"),
        ("a.el", "0 1 5000000000\n1 2\n"),
        ("a.csv", "0,1,-1\n1,2\n"),
        ("a.csv", "from,to,weight\n0,1,heavy\n1,2,\n"),
        ("a.edgelist", "0 1 {}\n1 2 {'weight': -3}\n"),
        ("a.edgelist", "0 1 {'weight': 'x'}\n1 2 {}\n"),
        ("out.a", "% sym signed\n1 2 -1\n2 3 1\n"),
        ("a.gr", "p sp 3 2\na 1 2 -7.5\na 2 3 1e400\n"),
        ("a.graph", "3 2 1\n2 -1\n1 1 3 .5\n2 7\n"),
        (
            "a.mtx",
            "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 -4\n3 2 inf\n",
        ),
    ] {
        let alone = read_with(name, text, ReadWeights::None).unwrap();
        assert!(alone.edges.edges.len() >= 2, "{text}");
        assert_eq!(alone.edges.weights, None);
        assert!(read(name, text).is_err(), "{text}");
    }
}

#[test]
fn metis_lists_a_weight_at_both_ends() {
    for (text, expected) in [
        // The forms of a number may differ.
        ("2 1 1\n2 0.50\n1 5e-1\n", reals(&[0.5])),
        ("2 1 1\n2 7\n1 7.0\n", reals(&[7.0])),
        // Loops stand in one line, once or twice.
        ("2 2 1\n1 3 2 4\n1 4\n", integers(&[3, 4])),
        ("2 2 1\n1 3 1 8 2 4\n1 4\n", integers(&[3, 8, 4])),
        // Each of two edges has its own weight.
        ("2 2 101\n2 5 2 6\n1 6 1 5\n", integers(&[5, 6])),
    ] {
        assert_eq!(weights("a.graph", text), expected, "{text}");
    }
}
