//! Times how long an OBJ file takes beside the crate `tobj` alone:
//! `cargo run --release -p heapwood-scenes --example time_obj -- FILE.obj [RUNS]`.

use heapwood_scenes::{CleanOptions, load, read_obj};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

/// What `tobj` is asked for: triangles of positions, as little as heapwood needs.
const OPTIONS: tobj::LoadOptions = tobj::LoadOptions {
    single_index: false,
    triangulate: false,
    ignore_points: true,
    ignore_lines: true,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("name an OBJ file")?;
    let runs = arguments.next().map_or(Ok(5), |runs| runs.parse())?;
    let mut times = [const { Vec::new() }; 3];
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
        drop(loaded);
        let start = Instant::now();
        let bytes = std::fs::read(&file)?;
        let none = |_: &str| Err("not read".to_owned());
        read_obj(&file, bytes, none, CleanOptions::default())?;
        times[2].push(start.elapsed().as_secs_f64());
    }
    let medians = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    for (what, median) in ["tobj alone", "heapwood", "without files"]
        .iter()
        .zip(medians)
    {
        println!(
            "{what:14} {median:7.3} s, {:5.2} of tobj",
            median / medians[0]
        );
    }
    Ok(())
}
