//! How much two pictures differ.

use serde::{Deserialize, Serialize};

use crate::cells::{self, option};
use crate::{Cells, Line, Report, Table};

/// How much two pictures of the same size differ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Pixels of each.
    pub pixels: u64,
    /// Pixels with a channel that differs by more than the tolerance.
    pub differing: u64,
    /// The largest difference of a channel, of 255.
    pub largest: u8,
    /// The mean of the squared differences of all channels, of 255 squared.
    pub mse: f64,
    /// `10 log10(255^2 / mse)` in decibels; null if the pictures are equal.
    pub psnr_db: Option<f64>,
    /// The mean of FLIP over the pixels: 0 if equal, 1 at most.
    pub flip: f64,
}

impl Measures {
    /// The fraction of the pixels that differ, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        self.differing as f64 / self.pixels.max(1) as f64
    }
}

/// The result of `heapwood diff`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DiffReport {
    /// The file of the reference.
    pub reference: String,
    /// The file that is compared with it.
    pub test: String,
    /// The max difference of equal pixels, in levels of 255.
    pub tolerance: u8,
    /// How much they differ.
    #[serde(flatten)]
    pub measures: Measures,
    /// Whether they differ by more than is allowed.
    pub is_over: bool,
}

impl DiffReport {
    fn lines(&self) -> Vec<Line> {
        let measures = &self.measures;
        let psnr = measures
            .psnr_db
            .map_or("infinite".to_owned(), |psnr| format!("{psnr:.2} dB"));
        vec![
            (
                "pixels",
                format!(
                    "{}, {} of them ({:.4} %) differ by more than {}",
                    measures.pixels,
                    measures.differing,
                    100.0 * measures.fraction(),
                    self.tolerance
                ),
            ),
            (
                "largest",
                format!("{} of 255 in a channel", measures.largest),
            ),
            ("MSE", format!("{:.4}, PSNR {psnr}", measures.mse)),
            ("FLIP", format!("{:.6}", measures.flip)),
        ]
    }
}

/// A comparison for programs.
const RECORDS: &[Cells<DiffReport>] = &[
    ("reference", |report| report.reference.clone()),
    ("test", |report| report.test.clone()),
    ("#tolerance", |report| report.tolerance.to_string()),
    ("#width", |report| report.measures.width.to_string()),
    ("#height", |report| report.measures.height.to_string()),
    ("#pixels", |report| report.measures.pixels.to_string()),
    ("#differing", |report| report.measures.differing.to_string()),
    ("#largest", |report| report.measures.largest.to_string()),
    ("#mse", |report| report.measures.mse.to_string()),
    ("#psnr_db", |report| option(report.measures.psnr_db)),
    ("#flip", |report| report.measures.flip.to_string()),
    ("is_over", |report| report.is_over.to_string()),
];

impl Report for DiffReport {
    fn table(&self) -> Table {
        cells::table(self.lines())
    }

    fn records(&self) -> Table {
        Table::of(RECORDS, [self])
    }

    fn text(&self) -> String {
        cells::text(&self.lines(), 13)
    }
}
