//! Times how long an OBJ file takes beside the crate `tobj` alone:
//! `cargo run --release -p heapwood-scenes --example time_obj -- FILE.obj [RUNS]`.

use heapwood_scenes::{CleanOptions, load};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

/// Options of `tobj` for triangles of positions alone, the least that heapwood needs.
const OPTIONS: tobj::LoadOptions = tobj::LoadOptions {
    single_index: false,
    triangulate: false,
    ignore_points: true,
    ignore_lines: true,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("name an OBJ file")?;
    let runs = arguments.next().map_or(Ok(5), |runs| runs.parse())?.max(1);
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..runs {
        // By turns, so that what else the machine does falls on all alike.
        let start = Instant::now();
        let (models, _) = tobj::load_obj(Path::new(&file), &OPTIONS)?;
        times[0].push(start.elapsed().as_secs_f64());
        let corners: usize = models.iter().map(|model| model.mesh.indices.len()).sum();
        drop(models);
        let start = Instant::now();
        let loaded = load(&file, CleanOptions::default())?;
        times[1].push(start.elapsed().as_secs_f64());
        assert_eq!(
            3 * loaded.report.read,
            corners,
            "the file has triangles alone"
        );
    }
    for (what, times) in ["tobj alone", "heapwood"].iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let (least, median) = (times[0], times[times.len() / 2]);
        println!("{what:10} {least:6.3} s at least, {median:6.3} s in the median");
    }
    let ratio = |at: usize| times[1][at] / times[0][at];
    let (least, median) = (ratio(0), ratio(runs / 2));
    println!("ratio      {least:6.2}   at least, {median:6.2}   in the median");
    Ok(())
}
