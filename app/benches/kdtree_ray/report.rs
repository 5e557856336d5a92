//! What was measured, as a table and as JSON.

use heapwood::meta::Meta;
use heapwood::report::{Table, milliseconds};
use heapwood::samples::Samples;
use serde::Serialize;

/// A scene; the keys are stable.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub scene: String,
    /// Its triangles.
    pub triangles: usize,
    /// Nodes of our tree.
    pub nodes: usize,
    /// Our builds.
    pub ours_ms: Samples,
    /// Those of `kdtree-ray`.
    pub theirs_ms: Samples,
    /// Different triangles in the leaves along a ray, on average: ours, theirs.
    pub triangles_a_ray: [f64; 2],
    /// The machine.
    pub cpu: String,
    /// Threads of either side.
    pub threads: usize,
    /// Where the result comes from.
    pub meta: Meta,
}

/// The rows for people.
pub fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "scene",
        "#triangles",
        "#nodes",
        "#ours ms",
        "#kdtree-ray ms",
        "#times as fast",
        "#ours triangles/ray",
        "#kdtree-ray triangles/ray",
    ]);
    for row in rows {
        let (ours, theirs) = (row.ours_ms.median, row.theirs_ms.median);
        table.push(vec![
            row.scene.clone(),
            row.triangles.to_string(),
            row.nodes.to_string(),
            milliseconds(ours),
            milliseconds(theirs),
            format!("{:.2}", theirs / ours),
            format!("{:.1}", row.triangles_a_ray[0]),
            format!("{:.1}", row.triangles_a_ray[1]),
        ]);
    }
    table
}
