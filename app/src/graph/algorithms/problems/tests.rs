use heapwood_graphs::{Csr, CsrOptions, EdgeList, Ids, WeightKind, Weights};

use super::*;
use crate::allocators::Spec;
use crate::backend::Cpu;
use crate::graph::verify::Checker;
use crate::graph::{Layout, Options};

/// Two ways from 0 to 3, the one with more edges being shorter, and a vertex alone.
fn list(kind: WeightKind, words: [u32; 4]) -> EdgeList {
    EdgeList {
        vertices: 5,
        edges: vec![[0, 3], [0, 1], [1, 2], [2, 3]],
        weights: Some(Weights {
            kind,
            words: words.to_vec(),
        }),
        directed: true,
    }
}

fn store(cpu: &Cpu, list: EdgeList, layout: Layout) -> Store<'_> {
    let (rows, _) = Csr::build(list, CsrOptions::default());
    let options = Options {
        spec: Spec::parse("cfmmalloc").unwrap(),
        layout,
        ..Options::default()
    };
    Store::new(cpu, options, &rows, Some(&rows.transposed())).unwrap()
}

fn options(problems: Problems) -> ProblemOptions {
    ProblemOptions {
        problems,
        delta: None,
    }
}

fn answers(found: &Solutions) -> Vec<Answer> {
    found.solved.iter().map(|found| found.answer).collect()
}

#[test]
fn each_problem_has_its_answer_in_both_layouts() {
    let cpu = Cpu::with_threads(1).unwrap();
    for layout in [Layout::Contiguous, Layout::Linked] {
        let list = list(WeightKind::Integer, [10, 2, 3, 4]);
        let reference = Checker::new(&list, CsrOptions::default(), Ids::from(0)).reference();
        let mut store = store(&cpu, list, layout);
        let sum = |source, reached, greatest, sum| Answer::Sum {
            source,
            reached,
            greatest,
            sum: VertexValue::Whole(sum),
        };
        let sources = options(Problems::SingleSource(vec![0, 4, 2]));
        let found = store.solve(&sources).unwrap();
        let expected = [
            sum(0, 4, Some(9.0), 16),
            sum(4, 1, Some(0.0), 0),
            sum(2, 2, Some(4.0), 4),
        ];
        assert_eq!(answers(&found), expected);
        found.verify(&sources, &store, &reference).unwrap();
        let distance = |source, target, distance| Answer::Distance {
            source,
            target,
            distance: VertexValue::Whole(distance),
        };
        let pairs = options(Problems::PointToPoint(vec![[0, 3], [3, 0], [1, 1]]));
        let mut found = store.solve(&pairs).unwrap();
        let none = i64::MAX as u64;
        let expected = [distance(0, 3, 9), distance(3, 0, none), distance(1, 1, 0)];
        assert_eq!(answers(&found), expected);
        found.verify(&pairs, &store, &reference).unwrap();
        found.solved[2].answer = distance(1, 1, 1);
        let difference = found.verify(&pairs, &store, &reference).unwrap_err();
        assert!(difference.to_string().contains("problem 3: the answer is"));
        store.delete_vertices(&[0]).unwrap();
        let found = store.solve(&options(Problems::SingleSource(vec![0])));
        assert_eq!(answers(&found.unwrap()), [sum(0, 0, None, 0)]);
    }
}

#[test]
fn real_sums_leave_out_vertices_without_a_path() {
    let cpu = Cpu::with_threads(1).unwrap();
    let words = [4.0_f32, 0.5, 0.25, 1.0].map(f32::to_bits);
    let store = store(&cpu, list(WeightKind::Real, words), Layout::Contiguous);
    let found = store.solve(&options(Problems::SingleSource(vec![0])));
    let expected = Answer::Sum {
        source: 0,
        reached: 4,
        greatest: Some(1.75),
        sum: VertexValue::Real(0.5 + 0.75 + 1.75),
    };
    assert_eq!(answers(&found.unwrap()), [expected]);
    let found = store.solve(&options(Problems::PointToPoint(vec![[0, 4]])));
    let Answer::Distance { distance, .. } = found.unwrap().solved[0].answer else {
        panic!("a distance");
    };
    assert!(distance.is_unreached());
}

#[test]
fn sums_are_modulo_2_to_the_62() {
    let words = vec![1 << 61, u64::MAX, (1 << 61) + 5];
    let Answer::Sum { reached, sum, .. } = Answer::sum(0, &Distances::Integer(words)) else {
        panic!("a sum");
    };
    assert_eq!((reached, sum), (2, VertexValue::Whole(5)));
}
