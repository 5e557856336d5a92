//! Options of graphs that do not go together, found before anything is read.

use crate::Error;
use crate::graph::StoreError;
use crate::graph::algorithms::Saves;
use crate::job::{EventOptions, InputOptions, MAX_BATCH_EDGES, UpdateOptions, WorkOptions};

/// Checks the options of work whose values are saved so.
///
/// # Errors
///
/// [`Error::Usage`] with the flags that do not go together, and for batches that are too large.
pub fn check(work: &WorkOptions, saves: &Saves) -> Result<(), Error> {
    input(&work.input)?;
    updates(&work.updates)?;
    events(&work.events, work.updates.batch)?;
    let algorithms = &work.algorithms;
    if algorithms.incremental && !algorithms.has_incremental(saves) {
        return refuse(
            "--incremental is for --pagerank, --triangles, --components and --sssp: ask for one of \
             them",
        );
    }
    if algorithms.incremental
        && algorithms.triangles(saves)
        && work.updates.delete_vertices.is_some()
    {
        return refuse(
            "batches of edges count triangles, deletions of vertices do not: leave out \
             --triangles, --delete-vertices or --incremental",
        );
    }
    Ok(())
}

fn refuse(why: &str) -> Result<(), Error> {
    Err(Error::Usage(why.to_owned()))
}

/// Checks the options of reading a graph.
///
/// # Errors
///
/// [`Error::Usage`] for an option that the source has no use for.
pub fn input(options: &InputOptions) -> Result<(), Error> {
    if options.file_format.is_some() && options.file.file().is_none() {
        let file = &options.file;
        return refuse(&format!("--file-format is for files, not for {file}"));
    }
    Ok(())
}

fn updates(options: &UpdateOptions) -> Result<(), Error> {
    if options.counts().next().is_none() && !options.pattern.is_empty() {
        return refuse("--pattern is for random edges: --insert or --delete with a count");
    }
    let largest = |count: usize| count.min(options.batch.unwrap_or(count));
    let mut counts = options.counts();
    match counts.find(|&count| largest(count) as u64 > MAX_BATCH_EDGES) {
        Some(edges) => Err(StoreError::Batch { edges }.into()),
        None => Ok(()),
    }
}

fn events(options: &EventOptions, batch: Option<usize>) -> Result<(), Error> {
    let is_timed = options.batch_time.is_some();
    if options.stream.is_some() && batch.is_none() && !is_timed {
        return refuse("--stream is applied in batches: say --batch EVENTS or --batch-time T");
    }
    // Clap does not ask for --stream beside an option that excludes it.
    if options.stream.is_none() && (options.window.is_some() || is_timed) {
        return refuse("--window and --batch-time are for --stream");
    }
    Ok(())
}
