//! Every report in every format. The reports in `reports/` are what the program wrote.

use std::fs;
use std::path::{Path, PathBuf};

use heapwood_results::allocators::AllocatorRow;
use heapwood_results::benches::{EmbreeRow, GraphCrateRow, KdtreeRayRow};
use heapwood_results::changes::ChangesReport;
use heapwood_results::compare::{ComparedRow, GraphRow};
use heapwood_results::devices::DeviceRow;
use heapwood_results::diff::DiffReport;
use heapwood_results::fragmentation::FragmentationRow;
use heapwood_results::frames::FramesReport;
use heapwood_results::graph::{GapReport, GraphReport, GraphalyticsReport};
use heapwood_results::host_pool::HostPoolRow;
use heapwood_results::micro::MicroRow;
use heapwood_results::picture::{PictureReport, RenderReport};
use heapwood_results::ranks::RanksReport;
use heapwood_results::sensitivity::SensitivityReport;
use heapwood_results::sequence::SequenceReport;
use heapwood_results::steps::{AgentsResult, ParticlesResult, StepsReport, WorkgenResult};
use heapwood_results::survey::SurveyRow;
use heapwood_results::trace::TraceReport;
use heapwood_results::tree::TreeReport;
use heapwood_results::{Format, Report};
use insta::assert_snapshot;
use serde::de::DeserializeOwned;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports")
}

/// The JSON of a report, and the report.
fn read<T: DeserializeOwned>(name: &str) -> (String, T) {
    let path = folder().join(format!("{name}.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let report = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    (text, report)
}

/// JSON is written as it was read, and the other formats are those of the snapshots.
fn check<R: Report + ?Sized>(name: &str, json: &str, report: &R) {
    let write = |format: Format| format.write(report).expect("JSON has it");
    assert_eq!(write(Format::Json), json, "{name}");
    assert_snapshot!(format!("{name}_text"), write(Format::Text));
    assert_snapshot!(format!("{name}_csv"), write(Format::Csv));
    assert_snapshot!(format!("{name}_markdown"), write(Format::Markdown));
}

fn one<T: Report + DeserializeOwned>(name: &str) {
    let (json, report) = read::<T>(name);
    check(name, &json, &report);
}

fn rows<T: DeserializeOwned>(name: &str)
where
    [T]: Report,
{
    let (json, rows) = read::<Vec<T>>(name);
    check(name, &json, &rows[..]);
}

#[test]
fn reports_have_every_format() {
    one::<TreeReport>("tree");
    one::<TreeReport>("tree_cores");
    one::<FramesReport>("frames");
    one::<GraphReport>("graph");
    one::<GraphReport>("graph_problems");
    one::<GraphReport>("graph_stream");
    one::<RenderReport<PictureReport>>("picture");
    one::<RenderReport<PictureReport>>("picture_of_file");
    one::<RenderReport<SequenceReport>>("sequence");
    one::<DiffReport>("diff");
    one::<ChangesReport>("changes");
}

#[test]
fn graphalytics_has_every_format() {
    one::<GraphalyticsReport>("graphalytics");
}

#[test]
fn traces_have_every_format() {
    one::<TraceReport>("trace");
}

#[test]
fn gap_has_every_format() {
    one::<GapReport>("gap");
}

#[test]
fn rows_have_every_format() {
    rows::<MicroRow>("micro");
    rows::<MicroRow>("probability");
    rows::<FragmentationRow>("fragmentation");
    rows::<HostPoolRow>("host_pool");
    rows::<SurveyRow>("survey");
    rows::<AllocatorRow>("allocators");
    rows::<DeviceRow>("devices");
}

#[test]
fn comparisons_have_every_format() {
    rows::<ComparedRow<TreeReport>>("compare_tree");
    rows::<ComparedRow<FramesReport>>("compare_frames");
    rows::<GraphRow>("compare_graph");
    rows::<ComparedRow<StepsReport<WorkgenResult>>>("compare_workgen");
    rows::<ComparedRow<SensitivityReport>>("compare_sensitivity");
    one::<RanksReport>("ranks");
}

#[test]
fn steps_have_every_format() {
    one::<StepsReport<AgentsResult>>("agents");
    one::<StepsReport<ParticlesResult>>("particles");
}

#[test]
fn benchmarks_beside_other_crates_have_every_format() {
    rows::<EmbreeRow>("embree");
    rows::<KdtreeRayRow>("kdtree_ray");
    rows::<GraphCrateRow>("graph_crate");
}

#[test]
fn every_file_of_a_report_is_checked() {
    let source = include_str!("reports.rs");
    for entry in fs::read_dir(folder()).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy();
        let name = name.strip_suffix(".json").expect("JSON");
        assert!(source.contains(&format!("(\"{name}\")")), "{name}");
    }
}
