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
    /// Rays of a picture, one a pixel.
    pub rays: usize,
    /// Those that hit something.
    pub hits: usize,
    /// Those that hit something with one of the two alone.
    pub differing: usize,
    /// Our pictures.
    pub ours_ms: Samples,
    /// Those of Embree.
    pub theirs_ms: Samples,
    /// Whether Embree was in its robust mode.
    pub is_robust: bool,
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
        "#hits",
        "#differing",
        "#ours ms",
        "#Embree ms",
        "#ours Mrays/s",
        "#Embree Mrays/s",
        "#speed / Embree",
        "#speed / Embree, best runs",
    ]);
    for row in rows {
        let (ours, theirs) = (row.ours_ms.median, row.theirs_ms.median);
        let best = |samples: &Samples| samples.range().0;
        let rate = |ms: f64| format!("{:.2}", row.rays as f64 / ms * 1e-3);
        table.push(vec![
            row.scene.clone(),
            row.triangles.to_string(),
            row.hits.to_string(),
            row.differing.to_string(),
            milliseconds(ours),
            milliseconds(theirs),
            rate(ours),
            rate(theirs),
            format!("{:.2}", theirs / ours),
            format!("{:.2}", best(&row.theirs_ms) / best(&row.ours_ms)),
        ]);
    }
    table
}
