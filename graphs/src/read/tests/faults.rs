use super::*;
use crate::{MAX_VERTICES, ReadError};
use LineProblem::*;

/// The line and problem of a text that is wrong.
pub(super) fn fault(name: &str, text: &str) -> (usize, LineProblem) {
    match read(name, text) {
        Err(GraphError::Line {
            path,
            line,
            problem,
        }) => {
            assert_eq!(path, name);
            assert!(!problem.to_string().contains('\n'));
            (line, problem)
        }
        other => panic!("{text}: {other:?}"),
    }
}

/// Line and message.
pub(super) fn message(name: &str, text: &str) -> (usize, String) {
    let (line, problem) = fault(name, text);
    (line, problem.to_string())
}

pub(super) fn text(s: &str) -> String {
    s.to_owned()
}

fn unread(read: Result<Loaded, GraphError>) -> ReadError {
    match read {
        Err(GraphError::Read { source, .. }) => source,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_no_text() {
    for blank in ["", " \n\r\n\t", "\u{feff}\n"] {
        assert!(matches!(
            read("a.graph", blank),
            Err(GraphError::Empty { .. })
        ));
    }
    assert!(matches!(
        read("a.el", "# c\n"),
        Err(GraphError::Empty { .. })
    ));
    for name in ["a.graph", "a.gr", "a.col", "a.mtx", "a.el", "a"] {
        let binary = read(name, "1 2\n\u{1}\0\u{2}");
        assert!(matches!(unread(binary), ReadError::Binary(5)));
        let (line, problem) = fault(name, "\u{7f}ELF\u{2}\u{1}\u{1}\n");
        assert!(
            line == 1 && problem.to_string().contains("\\u{7f}ELF"),
            "{problem}"
        );
    }
    let packed = read_graph("a", b"\x1f\x8b\x08\0\x01".to_vec(), ReadOptions::default());
    assert!(matches!(unread(packed), ReadError::Packed("gzip", _)));
    let (line, problem) = message("a", "\n#\nhello world\n");
    assert_eq!(line, 3);
    assert!(problem.starts_with("`hello` starts no line"), "{problem}");
}

#[test]
fn bad_ids_in_every_format() {
    // A text around one bad id, the line it is in, and whether ids start at 1.
    for (name, before, after, line) in [
        ("a.graph", "%c\n3 2\n2\n1 ", "\n2\n", 4),
        ("a.graph", "3 2 11\n1 2 5\n1 1 5 ", " 5\n1 2 5\n", 3),
        ("a.gr", "c\np sp 3 2\na 1 2 7\n\na 1 ", " 7\n", 5),
        ("a.gr", "p sp 3 1\na ", " 2 7\n", 2),
        ("a.col", "p edge 3 2\ne 1 2\ne ", " 2\n", 3),
        ("a.col", "p edge 3 0\nn ", " 2\n", 2),
        (
            "a.mtx",
            "%%MatrixMarket matrix coordinate real general\n%\n3 3 1\n",
            " 1 1\n",
            4,
        ),
        (
            "a.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 ",
            "\n",
            3,
        ),
        ("a.el", "0 1 1\n#\n2 ", " 0.5\n", 3),
    ] {
        let with = |id: &str| fault(name, &format!("{before}{id}{after}"));
        assert_eq!(with("-3"), (line, Negative(text("-3"))));
        for word in ["3x", "1.0", "\u{e9}"].map(text) {
            let problem = match name {
                "a.el" => NotAnId(word.clone()),
                _ => NotWhole(word.clone()),
            };
            assert_eq!(with(&word), (line, problem));
        }
        for wide in ["4294967296", "18446744073709551617"].map(text) {
            let problem = match name {
                "a.el" => WideId(wide.clone()),
                _ => Overflow(wide.clone()),
            };
            assert_eq!(with(&wide), (line, problem));
        }
        if name != "a.el" {
            assert_eq!(with("0"), (line, ZeroId));
            assert_eq!(with("4"), (line, IdRange { id: 4, vertices: 3 }));
            assert_eq!(
                with("4294967295").1,
                IdRange {
                    id: u32::MAX,
                    vertices: 3
                }
            );
        } else {
            assert_eq!(with("4294967295"), (line, WideId(text("4294967295"))));
            let most = (MAX_VERTICES - 1).to_string();
            let edges = graph(name, &format!("{before}{most}{after}")).1;
            assert_eq!(edges[1], [2, MAX_VERTICES - 1]);
            let beyond = MAX_VERTICES.to_string();
            assert_eq!(with(&beyond), (line, WideId(beyond)));
        }
    }
    let one_based = ReadOptions {
        one_based: true,
        ..ReadOptions::default()
    };
    let error = read_graph("a.el", b"1 2\n0 1\n".to_vec(), one_based).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a.el:2: vertex id 0: ids start at 1 here"
    );
}

#[test]
fn metis_headers() {
    let rule = "`vertices edges [fmt [ncon]]` is needed";
    for header in ["4", "4 2 0 0 0", "% c"] {
        let (line, problem) = message("a.graph", &format!("{header}\n"));
        assert_eq!(line, 1);
        assert!(problem.ends_with(rule), "{problem}");
    }
    for fmt in ["2", "1000", "x", "-1", "12"] {
        let (line, problem) = message("a.graph", &format!("%\n4 2 {fmt}\n"));
        assert_eq!(line, 2);
        assert_eq!(
            problem,
            format!("header `4 2 {fmt}`: fmt has up to three digits, each 0 or 1")
        );
    }
    let (_, problem) = message("a.graph", "4 2 1 2\n");
    assert!(
        problem.ends_with("fmt announces no vertex weights"),
        "{problem}"
    );
    assert_eq!(fault("a.graph", "-4 2\n"), (1, Negative(text("-4"))));
    assert_eq!(fault("a.graph", "4 -2\n"), (1, Negative(text("-2"))));
    assert_eq!(fault("a.graph", "4 x\n"), (1, NotWhole(text("x"))));
    assert_eq!(
        fault("a.graph", "4294967296 0\n"),
        (1, Overflow(text("4294967296")))
    );
    let (count, limit) = (4_294_967_295, MAX_VERTICES);
    assert_eq!(
        fault("a.graph", "4294967295 0\n"),
        (1, TooManyVertices { count, limit })
    );
    // Declared, but not there: refused for the lines, not for the memory.
    let (declared, found) = (MAX_VERTICES, 1);
    let huge = format!("{declared} 18446744073709551615\n1\n");
    let problem = MissingLines { declared, found };
    assert_eq!(fault("a.graph", &huge), (2, problem));
}

#[test]
fn metis_bodies() {
    let right = "%\n4 3\n2 3\n1\n1 4\n3\n";
    assert!(read("a.graph", right).is_ok());
    let missing = |found| MissingLines { declared: 4, found };
    assert_eq!(fault("a.graph", "4 3\n2 3\n1\n1 4"), (4, missing(3)));
    assert_eq!(fault("a.graph", "4 3\n2 3\n1\n"), (3, missing(2)));
    assert_eq!(fault("a.graph", "4 3\n"), (1, missing(0)));
    let (line, problem) = fault("a.graph", &format!("{right}\n%\n2\n"));
    assert_eq!((line, problem), (9, ExtraLine { vertices: 4 }));
    let counts = |declared, found| EdgeCount { declared, found };
    assert_eq!(
        fault("a.graph", &right.replace("4 3", "4 4")),
        (2, counts(4, 3))
    );
    assert_eq!(
        fault("a.graph", &right.replace("4 3", "4 6")),
        (2, counts(6, 3))
    );
    let largest = format!("4 {}", u64::MAX);
    assert_eq!(fault("a.graph", &right.replace("4 3", &largest)).0, 2);

    let asymmetric = |from, to| Asymmetric { from, to };
    // One end is missing, at the first and at the last vertex.
    assert_eq!(
        fault("a.graph", "4 3\n2\n1\n1 4\n3\n"),
        (4, asymmetric(3, 1))
    );
    assert_eq!(
        fault("a.graph", "4 3\n2 3\n1\n1 4\n\n"),
        (4, asymmetric(3, 4))
    );
    // The counts are right and the ends are not.
    assert_eq!(
        fault("a.graph", "%\n4 2\n2\n3\n4\n1\n"),
        (3, asymmetric(1, 2))
    );
    // Twice at one end.
    assert_eq!(
        fault("a.graph", "2 2\n2\n%\n1 1 1\n"),
        (4, asymmetric(2, 1))
    );

    let no_weight = NoEdgeWeight { id: 2 };
    assert_eq!(fault("a.graph", "2 1 1\n2\n1 5\n"), (2, no_weight));
    let expected = 3;
    let no_weights = NoVertexWeight { expected };
    assert_eq!(
        fault("a.graph", "2 1 10 3\n1 1 1 2\n1 1\n"),
        (3, no_weights)
    );
    assert_eq!(
        fault("a.graph", "2 1 1\n2 5\n1 x\n"),
        (3, NotANumber(text("x")))
    );
}

#[test]
fn dimacs_lines() {
    let header = "`p sp vertices arcs` is needed before the arcs";
    for bad in [
        "p sp 3",
        "p sp 3 1 1",
        "p\n",
        "a 1 2 3",
        "p max 3 1",
        "c",
        "q sp 3 1",
    ] {
        let (line, problem) = message("a.gr", &format!("c\n{bad}\n"));
        assert_eq!(line, if bad == "c" { 1 } else { 2 }, "{bad}");
        assert!(problem.ends_with(header), "{bad}: {problem}");
    }
    let (_, problem) = message("a.col", "p cnf 3 1\n");
    assert!(
        problem.starts_with("header `p cnf 3 1`: `p edge"),
        "{problem}"
    );
    let (count, limit) = (300_000_000, MAX_VERTICES);
    let problem = TooManyVertices { count, limit };
    assert_eq!(fault("a.gr", "p sp 300000000 0\n"), (1, problem.clone()));
    assert_eq!(fault("a.col", "p edge 300000000 0\n"), (1, problem));

    let counts = |declared, found| EdgeCount { declared, found };
    assert_eq!(fault("a.gr", "c\np sp 3 2\na 1 2 3\n"), (2, counts(2, 1)));
    assert_eq!(fault("a.gr", "p sp 3 0\na 1 2 3\n"), (1, counts(0, 1)));
    assert_eq!(fault("a.col", "p edge 3 2\ne 1 2\n"), (1, counts(2, 1)));
    assert_eq!(
        fault("a.col", "p edge 3 18446744073709551615\ne 1 2\n").0,
        1
    );

    let arc = "`a` takes a source, a target and a weight";
    for (values, found) in [("", 0), ("1", 1), ("1 2", 2), ("1 2 3 4", 4)] {
        let problem = Values { found, rule: arc };
        assert_eq!(
            fault("a.gr", &format!("p sp 3 1\na {values}\n")),
            (2, problem)
        );
    }
    let edge = "`e` takes two vertices";
    for (values, found) in [("1", 1), ("1 2 3", 3)] {
        let problem = Values { found, rule: edge };
        assert_eq!(
            fault("a.col", &format!("p col 3 1\ne {values}")),
            (2, problem)
        );
    }
    let (line, problem) = message("a.gr", "p sp 3 1\ne 1 2\n");
    assert_eq!(line, 2);
    assert!(problem.ends_with("lines start with c, p or a"), "{problem}");
    let (_, problem) = message("a.col", "p edge 3 1\np edge 3 1\ne 1 2\n");
    assert!(problem.starts_with("`p` starts no line"), "{problem}");
    assert_eq!(
        fault("a.gr", "p sp 3 1\na 1 2 x\n"),
        (2, NotANumber(text("x")))
    );
}

#[test]
fn matrix_market_lines() {
    let start = "%%MatrixMarket matrix coordinate pattern general";
    for (banner, rule) in [
        ("%%MatrixMarket", "is needed in the first line"),
        (
            "%%MatrixMarket vector coordinate real general",
            "is needed in the first line",
        ),
        ("%%MatrixMarket matrix array real general", "not `array`"),
        ("%%MatrixMarket matrix coordinate pattern", "hermitian"),
        (
            "%%MatrixMarket matrix coordinate text general",
            "or complex",
        ),
        ("%%MatrixMarket matrix coordinate real odd", "hermitian"),
        ("1 1 1", "is needed in the first line"),
    ] {
        let (line, problem) = message("a.mtx", &format!("{banner}\n1 1 0\n"));
        assert!(line == 1 && problem.ends_with(rule), "{banner}: {problem}");
    }
    for (size, rule) in [
        ("3 3", "`rows columns entries` is needed"),
        ("3 3 1 1", "`rows columns entries` is needed"),
        ("3 4 1", "as many rows as columns"),
    ] {
        let (line, problem) = message("a.mtx", &format!("{start}\n%\n{size}\n1 1\n"));
        assert!(line == 3 && problem.ends_with(rule), "{size}: {problem}");
    }
    let (line, problem) = message("a.mtx", &format!("{start}\n%"));
    assert!(
        line == 2 && problem.ends_with("is needed"),
        "{line} {problem}"
    );
    let sized = |size: &str, entries: &str| fault("a.mtx", &format!("{start}\n{size}\n{entries}"));
    let (count, limit) = (4_000_000_000, MAX_VERTICES);
    let problem = TooManyVertices { count, limit };
    assert_eq!(sized("4000000000 4000000000 0", ""), (2, problem));
    let counts = |declared, found| EdgeCount { declared, found };
    assert_eq!(sized("3 3 2", "1 1\n"), (2, counts(2, 1)));
    assert_eq!(sized("3 3 2", "1 1\n1 2\n1 3\n"), (2, counts(2, 3)));
    let rule = "row and column are needed";
    assert_eq!(sized("3 3 1", "\n1"), (4, Values { found: 1, rule }));
    assert_eq!(sized("3 3 1", "1 1 1"), (3, Values { found: 3, rule }));
}

#[test]
fn the_first_fault_counts() {
    let mut lines = String::from("p sp 9 40\n");
    for line in 2..=41 {
        let target = if line >= 30 { 10 } else { 1 };
        lines += &format!("a 1 {target} {line}\n");
    }
    let problem = IdRange {
        id: 10,
        vertices: 9,
    };
    assert_eq!(fault("a.gr", &lines), (30, problem));
}
