//! Graphs into files of every format.
//!
//! Blocks of rows become text on all threads and are written in order, so the
//! bytes do not depend on the number of threads. Gzipped, each block is a member
//! of its own, which every reader of gzip joins.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use heapwood_files::{Output, compress, is_gz, unpacked};
use rayon::prelude::*;

use crate::format::suffix;
use crate::{Csr, Format, GraphError, Ids, WeightKind, rows};

/// Writes `graph` to a file, gzipped if `path` ends in `.gz`, in `format` or
/// else that of its suffix. The file is replaced as a whole or not at all.
///
/// An undirected graph keeps both directions in DIMACS-9, which knows directed
/// arcs only. There each arc of a graph without weights has the weight 1.
///
/// ```
/// use heapwood_graphs::{Csr, CsrOptions, EdgeList, ReadOptions, load, save};
///
/// let edges = vec![[0, 1], [1, 2]];
/// let list = EdgeList { vertices: 3, edges, weights: None, directed: false };
/// let (path, _) = Csr::build(list, CsrOptions::default());
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("path.graph.gz");
/// save(&path, &file, None)?;
/// let loaded = load(&file, ReadOptions::default())?;
/// assert_eq!((loaded.edges.vertices, loaded.ids.first()), (3, 1));
/// assert_eq!(Csr::build(loaded.edges, CsrOptions::default()).0, path);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`GraphError::NoFormat`], [`Directed`](GraphError::Directed) where a directed
/// graph is to be written in an undirected format, those of [`check_weights`],
/// [`Write`](GraphError::Write).
pub fn save(graph: &Csr, path: impl AsRef<Path>, format: Option<Format>) -> Result<(), GraphError> {
    save_with_ids(graph, &Ids::from(0), path, format)
}

/// Writes `graph` as [`save`] does; vertices are called by `ids` if these are listed. If not,
/// each format numbers them in its way.
///
/// # Errors
/// Those of [`save`], and [`GraphError::NoGaps`] for listed ids in a format other than edge
/// lists.
pub fn save_with_ids(
    graph: &Csr,
    ids: &Ids,
    path: impl AsRef<Path>,
    format: Option<Format>,
) -> Result<(), GraphError> {
    let path = path.as_ref();
    let format = output_format(path, format, graph.directed)?;
    if ids.are_listed() && format != Format::EdgeList {
        let path = path.display().to_string();
        return Err(GraphError::NoGaps { path, format });
    }
    check_weights(path, format, graph.weight_kind())?;
    Output::open(path)
        .and_then(|output| {
            output.write_with(|out| write_graph(graph, ids, format, is_gz(path), out))
        })
        .map_err(|source| GraphError::writing(path, source))
}

/// The format in which a graph goes to a file of this name: the one asked for, or else
/// that of the suffix. So it is known before the graph is there whether it can be saved.
///
/// # Errors
/// [`GraphError::NoFormat`], and [`Directed`](GraphError::Directed) where the format holds
/// undirected graphs only and the graph is `directed`.
pub fn output_format(
    path: &Path,
    asked: Option<Format>,
    directed: bool,
) -> Result<Format, GraphError> {
    let name = || path.display().to_string();
    // Edge lists are written with blanks; readers of such a file expect commas.
    let is_csv = suffix(path).as_deref() == Some("csv");
    // Compressed otherwise than by gzip, they are read and not written.
    let is_packed = unpacked(path).1.is_some() && !is_gz(path);
    let format = asked
        .or_else(|| Format::by_suffix(path).filter(|_| !is_csv && !is_packed))
        .ok_or_else(|| GraphError::NoFormat { path: name() })?;
    if directed && format.is_undirected() {
        return Err(GraphError::Directed {
            path: name(),
            format,
        });
    }
    Ok(format)
}

/// Makes sure that a file of this format can hold weights of a kind.
///
/// # Errors
/// [`GraphError::HoldsNoWeights`], and [`HoldsIntegers`](GraphError::HoldsIntegers) where weights are
/// real numbers.
pub fn check_weights(
    path: &Path,
    format: Format,
    weights: Option<WeightKind>,
) -> Result<(), GraphError> {
    let path = || path.display().to_string();
    match (format, weights) {
        (_, None) | (Format::MatrixMarket | Format::EdgeList, _) => Ok(()),
        (Format::Metis | Format::Gr, Some(WeightKind::Integer)) => Ok(()),
        (Format::Metis | Format::Gr, Some(WeightKind::Real)) => Err(GraphError::HoldsIntegers {
            path: path(),
            format,
        }),
        (Format::Col, Some(_)) => Err(GraphError::HoldsNoWeights {
            path: path(),
            format,
        }),
    }
}

fn write_graph(
    graph: &Csr,
    ids: &Ids,
    format: Format,
    gzip: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let sealed = |text: Vec<u8>| if gzip { compress(&text) } else { Ok(text) };
    out.write_all(&sealed(header(graph, format).into_bytes())?)?;
    // A few blocks a thread at a time bound the memory.
    for batch in rows::ranges(&graph.offsets).chunks(4 * rayon::current_num_threads()) {
        let texts: Vec<io::Result<Vec<u8>>> = batch
            .par_iter()
            .map(|rows| sealed(block(graph, ids, format, rows.clone())))
            .collect();
        for text in texts {
            out.write_all(&text?)?;
        }
    }
    Ok(())
}

/// All that stands before the edges.
fn header(graph: &Csr, format: Format) -> String {
    let vertices = graph.vertices();
    let entries = graph.targets.len() as u64;
    let loops = (0..vertices)
        .into_par_iter()
        .filter(|&v| graph.row(v).binary_search(&v).is_ok())
        .count() as u64;
    let edges = if graph.directed {
        entries
    } else {
        (entries - loops) / 2 + loops
    };
    let (title, symmetry) = if graph.directed {
        ("Directed", "general")
    } else {
        ("Undirected", "symmetric")
    };
    let kind = graph.weight_kind();
    let field = kind.map_or("pattern", WeightKind::name);
    match format {
        Format::Metis => {
            // The first digit is the one form in which DIMACS-10 allows loops; the last one announces
            // weights.
            let fmt = match (loops > 0, kind.is_some()) {
                (false, false) => "",
                (true, false) => " 100",
                (false, true) => " 001",
                (true, true) => " 101",
            };
            format!("{vertices} {edges}{fmt}\n")
        }
        Format::Gr => format!("c {title} graph\np sp {vertices} {entries}\n"),
        Format::Col => format!("p edge {vertices} {edges}\n"),
        Format::MatrixMarket => format!(
            "%%MatrixMarket matrix coordinate {field} {symmetry}\n{vertices} {vertices} {edges}\n"
        ),
        Format::EdgeList => format!("# {title} graph\n# Nodes: {vertices} Edges: {edges}\n"),
    }
}

/// The text of some rows.
fn block(graph: &Csr, ids: &Ids, format: Format, rows: Range<usize>) -> Vec<u8> {
    let mut text = Vec::new();
    let kind = graph.weight_kind();
    for u in rows.map(|row| row as u32) {
        let row = graph.row(u);
        let words = graph.row_weights(u);
        let weight = |entry: usize| Some((kind?, words?[entry]));
        let entries = row.iter().enumerate().map(|(i, &v)| (v, weight(i)));
        // Of an undirected edge one direction, where the format holds one.
        let from_smaller = entries.clone().filter(|&(v, _)| graph.directed || u <= v);
        let from_larger = entries.clone().filter(|&(v, _)| graph.directed || u >= v);
        let from_1 = |v| [u + 1, v + 1];
        match format {
            Format::Metis => {
                for (i, (v, weight)) in entries.enumerate() {
                    text.extend_from_slice(if i == 0 { b"" } else { b" " });
                    push(&mut text, v + 1);
                    push_weight(&mut text, weight);
                }
                text.push(b'\n');
            }
            Format::Gr => {
                let one = Some((WeightKind::Integer, 1));
                entries.for_each(|(v, weight)| {
                    push_line(&mut text, b"a ", from_1(v), weight.or(one));
                });
            }
            Format::Col => {
                from_smaller.for_each(|(v, _)| push_line(&mut text, b"e ", from_1(v), None));
            }
            Format::MatrixMarket => {
                from_larger.for_each(|(v, weight)| push_line(&mut text, b"", from_1(v), weight));
            }
            Format::EdgeList if ids.are_listed() => from_smaller.for_each(|(v, weight)| {
                push_line(&mut text, b"", [u, v].map(|v| ids.of(v)), weight);
            }),
            Format::EdgeList => {
                from_smaller.for_each(|(v, weight)| push_line(&mut text, b"", [u, v], weight));
            }
        }
    }
    text
}

/// A weight by its kind and word.
type Weight = Option<(WeightKind, u32)>;

fn push_line<N: itoa::Integer>(text: &mut Vec<u8>, before: &[u8], [u, v]: [N; 2], weight: Weight) {
    text.extend_from_slice(before);
    push(text, u);
    text.push(b' ');
    push(text, v);
    push_weight(text, weight);
    text.push(b'\n');
}

/// A weight, if there is one, behind a blank.
fn push_weight(text: &mut Vec<u8>, weight: Weight) {
    if let Some((kind, word)) = weight {
        text.push(b' ');
        match kind {
            WeightKind::Integer => push(text, word),
            WeightKind::Real => write!(text, "{}", kind.display(word)).expect("text in memory"),
        }
    }
}

fn push(text: &mut Vec<u8>, number: impl itoa::Integer) {
    text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CsrOptions, EdgeList, Weights};

    /// 0-1, 1-2, a loop at 2, and vertex 3 alone.
    fn graph(directed: bool) -> Csr {
        let list = EdgeList {
            vertices: 4,
            edges: vec![[0, 1], [1, 2], [2, 2]],
            weights: None,
            directed,
        };
        let options = CsrOptions {
            keep_self_loops: true,
            ..CsrOptions::default()
        };
        Csr::build(list, options).0
    }

    fn text(directed: bool, format: Format) -> String {
        let mut out = Vec::new();
        write_graph(&graph(directed), &Ids::from(1), format, false, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn undirected_graphs() {
        let text = |format| text(false, format);
        assert_eq!(text(Format::Metis), "4 3 100\n2\n1 3\n2 3\n\n");
        assert_eq!(
            text(Format::Gr),
            "c Undirected graph\np sp 4 5\na 1 2 1\na 2 1 1\na 2 3 1\na 3 2 1\na 3 3 1\n"
        );
        assert_eq!(text(Format::Col), "p edge 4 3\ne 1 2\ne 2 3\ne 3 3\n");
        assert_eq!(
            text(Format::MatrixMarket),
            "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 2\n3 3\n"
        );
        assert_eq!(
            text(Format::EdgeList),
            "# Undirected graph\n# Nodes: 4 Edges: 3\n0 1\n1 2\n2 2\n"
        );
    }

    #[test]
    fn metis_without_loops_has_the_plain_header() {
        // Not every reader knows the third number, or means the same by it.
        let list = EdgeList {
            vertices: 4,
            edges: vec![[0, 1], [1, 2]],
            weights: None,
            directed: false,
        };
        let graph = Csr::build(list, CsrOptions::default()).0;
        let mut out = Vec::new();
        write_graph(&graph, &Ids::from(0), Format::Metis, false, &mut out).unwrap();
        assert_eq!(out, b"4 2\n2\n1 3\n2\n\n");
    }

    #[test]
    fn directed_graphs() {
        let text = |format| text(true, format);
        assert_eq!(
            text(Format::Gr),
            "c Directed graph\np sp 4 3\na 1 2 1\na 2 3 1\na 3 3 1\n"
        );
        assert_eq!(
            text(Format::MatrixMarket),
            "%%MatrixMarket matrix coordinate pattern general\n4 4 3\n1 2\n2 3\n3 3\n"
        );
        assert_eq!(
            text(Format::EdgeList),
            "# Directed graph\n# Nodes: 4 Edges: 3\n0 1\n1 2\n2 2\n"
        );
    }

    #[test]
    fn weighted_graphs() {
        let weighted = |directed, kind, words: [u32; 3]| {
            let list = EdgeList {
                weights: Some(Weights {
                    kind,
                    words: words.to_vec(),
                }),
                ..graph(true).to_edges()
            };
            let options = CsrOptions {
                keep_self_loops: true,
                ..CsrOptions::default()
            };
            Csr::build(EdgeList { directed, ..list }, options).0
        };
        let text = |graph: &Csr, format| {
            let mut out = Vec::new();
            write_graph(graph, &Ids::from(0), format, false, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let integers = weighted(false, WeightKind::Integer, [7, 0, 9]);
        let reals = [0.5_f32, 1.0, 1e-9].map(f32::to_bits);
        let reals = weighted(true, WeightKind::Real, reals);
        let text_of = |format| text(&integers, format);
        assert_eq!(text_of(Format::Metis), "4 3 101\n2 7\n1 7 3 0\n2 0 3 9\n\n");
        assert_eq!(
            text_of(Format::Gr),
            "c Undirected graph\np sp 4 5\na 1 2 7\na 2 1 7\na 2 3 0\na 3 2 0\na 3 3 9\n"
        );
        assert_eq!(
            text_of(Format::MatrixMarket),
            "%%MatrixMarket matrix coordinate integer symmetric\n4 4 3\n2 1 7\n3 2 0\n3 3 9\n"
        );
        assert_eq!(
            text_of(Format::EdgeList),
            "# Undirected graph\n# Nodes: 4 Edges: 3\n0 1 7\n1 2 0\n2 2 9\n"
        );
        assert_eq!(
            text(&reals, Format::MatrixMarket),
            "%%MatrixMarket matrix coordinate real general\n4 4 3\n1 2 0.5\n2 3 1.0\n3 3 1e-9\n"
        );
        assert_eq!(
            text(&reals, Format::EdgeList),
            "# Directed graph\n# Nodes: 4 Edges: 3\n0 1 0.5\n1 2 1.0\n2 2 1e-9\n"
        );
        let loopless = CsrOptions::default();
        let (loopless, _) = Csr::build(integers.to_edges(), loopless);
        assert_eq!(
            text(&loopless, Format::Metis),
            "4 2 001\n2 7\n1 7 3 0\n2 0\n\n"
        );
    }

    #[test]
    fn listed_ids_are_written_in_edge_lists_only() {
        let ids = Ids::listed(vec![5, 6, 1 << 40, u64::MAX]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.el");
        save_with_ids(&graph(false), &ids, &path, None).unwrap();
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "# Undirected graph\n# Nodes: 4 Edges: 3\n5 6\n6 1099511627776\n\
             1099511627776 1099511627776\n"
        );
        let refused = save_with_ids(&graph(false), &ids, folder.path().join("a.gr"), None);
        let message = refused.unwrap_err().to_string();
        assert!(
            message.ends_with("compact ids are for edge lists"),
            "{message}"
        );
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |directed, name: &str| {
            let error = save(&graph(directed), folder.path().join(name), None).unwrap_err();
            error
                .to_string()
                .replace(&folder.path().display().to_string(), "")
        };
        assert_eq!(
            refused(false, "a.obj.gz"),
            "/a.obj.gz: the suffix says no format: use .graph, .gr, .col, .mtx, .el or .txt, \
             each also with .gz"
        );
        for name in ["a.csv", "a.CSV.gz"] {
            assert!(refused(false, name).contains("the suffix says no format"));
        }
        for name in ["a.graph", "a.clq.gz"] {
            assert!(refused(true, name).ends_with("use .gr, .mtx or .el"));
        }
        assert!(refused(false, "no/a.gr").starts_with("cannot write /no/a.gr: "));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
