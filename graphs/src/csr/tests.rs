use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn list(vertices: u32, edges: &[[u32; 2]], directed: bool) -> EdgeList {
    EdgeList {
        vertices,
        edges: edges.to_vec(),
        weights: None,
        directed,
    }
}

fn options(keep_self_loops: bool, direction: Direction) -> CsrOptions {
    CsrOptions {
        keep_self_loops,
        direction,
        ..CsrOptions::default()
    }
}

/// The expected edges and counts, by sets.
fn expected(list: &EdgeList, options: CsrOptions) -> (BTreeSet<[u32; 2]>, CsrStatistics) {
    let both = !list.directed || options.direction == Direction::Undirected;
    let mut set = BTreeSet::new();
    let mut statistics = CsrStatistics {
        edges_read: list.edges.len() as u64,
        ..CsrStatistics::default()
    };
    let mut add = |edge: [u32; 2], statistics: &mut CsrStatistics| {
        statistics.duplicates += u64::from(!set.insert(edge));
    };
    for &[u, v] in &list.edges {
        statistics.edges_symmetrized += 1;
        if u == v {
            statistics.self_loops += 1;
            if options.keep_self_loops {
                add([u, v], &mut statistics);
            }
            continue;
        }
        add([u, v], &mut statistics);
        if both {
            statistics.edges_symmetrized += 1;
            add([v, u], &mut statistics);
        }
    }
    statistics.edges_stored = set.len() as u64;
    (set, statistics)
}

fn entries(csr: &Csr) -> Vec<[u32; 2]> {
    (0..csr.vertices())
        .flat_map(|u| csr.row(u).iter().map(move |&v| [u, v]))
        .collect()
}

#[test]
fn loops_directions_and_duplicates_are_counted() {
    let edges = [[0, 1], [1, 0], [2, 2], [2, 2], [1, 3], [1, 3]];
    let build = |directed, keep, direction| {
        let (csr, statistics) = Csr::build(list(5, &edges, directed), options(keep, direction));
        let counts = [
            statistics.edges_read,
            statistics.edges_symmetrized,
            statistics.edges_stored,
            statistics.self_loops,
            statistics.duplicates,
        ];
        (entries(&csr), counts, csr.directed)
    };
    let (rows, counts, directed) = build(true, false, Direction::AsRead);
    assert_eq!(rows, [[0, 1], [1, 0], [1, 3]]);
    assert_eq!((counts, directed), ([6, 6, 3, 2, 1], true));
    let (rows, counts, directed) = build(true, true, Direction::Undirected);
    assert_eq!(rows, [[0, 1], [1, 0], [1, 3], [2, 2], [3, 1]]);
    assert_eq!((counts, directed), ([6, 10, 5, 2, 5], false));
    let (rows, counts, directed) = build(false, false, Direction::Directed);
    assert_eq!(rows, [[0, 1], [1, 0], [1, 3], [3, 1]]);
    assert_eq!((counts, directed), ([6, 10, 4, 2, 4], true));
}

#[test]
fn graphs_without_edges_or_vertices() {
    let (csr, statistics) = Csr::build(list(0, &[], false), CsrOptions::default());
    assert_eq!((csr.vertices(), statistics.edges_stored), (0, 0));
    let (other, _) = Csr::build(list(3, &[], false), CsrOptions::default());
    assert_eq!(other.row(2), [0; 0]);
    assert_ne!(csr.graph_hash(), other.graph_hash());
}

#[test]
fn a_hub_with_a_row_longer_than_most() {
    let leaves = 3 * LONG_ROW as u32;
    let edges: Vec<[u32; 2]> = (1..=leaves).rev().flat_map(|v| [[0, v], [0, v]]).collect();
    let (csr, statistics) = Csr::build(list(leaves + 1, &edges, false), CsrOptions::default());
    assert_eq!(csr.degree(0), u64::from(leaves));
    assert!(csr.row(0).iter().copied().eq(1..=leaves));
    assert_eq!(statistics.duplicates, 2 * u64::from(leaves));
    assert!((1..=leaves).all(|v| csr.row(v) == [0]));
}

#[test]
#[should_panic]
fn an_edge_to_no_vertex_is_no_graph() {
    let list = list(2, &[[0, 2]], false);
    assert_eq!(list.first_out_of_range(), Some(0));
    Csr::build(list, CsrOptions::default());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_the_set_of_edges(
        edges in prop::collection::vec((0u32..40, 0u32..40), 0..400),
        directed: bool,
        keep: bool,
        direction in prop::sample::select(vec![
            Direction::AsRead, Direction::Directed, Direction::Undirected,
        ]),
    ) {
        let edges: Vec<_> = edges.into_iter().map(|(u, v)| [u, v]).collect();
        let list = list(40, &edges, directed);
        let options = options(keep, direction);
        let (set, counted) = expected(&list, options);
        let (csr, statistics) = Csr::build(list, options);
        prop_assert_eq!(statistics, counted);
        prop_assert_eq!(entries(&csr), Vec::from_iter(set));

        let again = options_of_a_copy(&csr);
        let (copy, _) = Csr::build(csr.to_edges(), again);
        prop_assert_eq!(copy, csr);
    }

    #[test]
    fn the_hash_depends_on_the_entries_alone(
        edges in prop::collection::vec((0u32..30, 0u32..30), 1..100),
        seed: u64,
    ) {
        let edges: Vec<_> = edges.into_iter().map(|(u, v)| [u, v]).collect();
        let mut shuffled: Vec<_> = edges.iter().map(|&[u, v]| [v, u]).collect();
        shuffled.extend(&edges[..edges.len() / 2]);
        shuffled.sort_by_key(|&[u, v]| hash::splitmix64(seed ^ hash::of_entry(u, v)));
        let hash = |edges: &[[u32; 2]], vertices| {
            let options = options(true, Direction::AsRead);
            Csr::build(list(vertices, edges, false), options).0.graph_hash()
        };
        prop_assert_eq!(hash(&edges, 30), hash(&shuffled, 30));
        prop_assert_ne!(hash(&edges, 30), hash(&edges, 31));
        let mut longer = edges.clone();
        longer.push([30, 0]);
        prop_assert_ne!(hash(&edges, 31), hash(&longer, 31));
    }
}

/// With these a graph's own edges give the same graph.
fn options_of_a_copy(csr: &Csr) -> CsrOptions {
    let direction = if csr.directed {
        Direction::Directed
    } else {
        Direction::Undirected
    };
    options(true, direction)
}
