//! That the checker of memory orders has teeth: of the orderings of the device
//! code, each whose loss was seen to do harm is lost again, under a seed that
//! shows it; and each other one is argued in `docs/memory-model.md`.
//!
//! `cargo xtask weaken` makes the list. A seed that shows nothing any more,
//! because the code around an ordering is another, is replaced by the next that
//! does.

use std::fs;
use std::path::{Path, PathBuf};

use heapwood_tests::lockstep::orders::with_weakened;
use heapwood_tests::weaken::{Finding, Row, failure, parse, workloads};

/// Seeds that are tried for an ordering.
const SEEDS: u64 = 400;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rows() -> Vec<Row> {
    let path = root().join("tests/data/weakenings.tsv");
    parse(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The failure that a row promises, or one under a later seed.
fn shows(row: &Row, finding: &Finding) -> bool {
    let workloads = workloads();
    let workload = workloads
        .iter()
        .find(|workload| workload.name == finding.workload)
        .unwrap_or_else(|| panic!("no workload {}", finding.workload));
    let weakening = row.weakening(&root()).unwrap();
    with_weakened(weakening, || {
        (finding.seed..finding.seed + SEEDS).any(|seed| failure(workload, seed).is_some())
    })
}

#[test]
fn every_ordering_that_was_found_to_matter_matters() {
    let rows = rows();
    let blind: Vec<_> = rows
        .iter()
        .filter(|row| row.finding.as_ref().is_some_and(|found| !shows(row, found)))
        .map(Row::to_string)
        .collect();
    assert!(blind.is_empty(), "not found any more: {blind:#?}");
}

#[test]
fn every_ordering_that_was_not_is_argued() {
    let text = fs::read_to_string(root().join("docs/memory-model.md")).unwrap();
    let rows = rows();
    let found = rows.iter().filter(|row| row.finding.is_some()).count();
    assert!(found > 40, "{found} of {} were found", rows.len());
    for row in rows.iter().filter(|row| row.finding.is_none()) {
        let argument = row.argument();
        let argued = text.lines().any(|line| line.starts_with(&argument));
        assert!(argued, "not argued: {argument}");
    }
}

#[test]
fn nothing_fails_as_it_is() {
    for workload in workloads() {
        for seed in 1000..1004 {
            assert_eq!(failure(&workload, seed), None, "{} {seed}", workload.name);
        }
    }
}
