//! The stream of events of a job, and how it is batched.

use std::path::PathBuf;

use heapwood_graphs::{ReadWeights, Weights, load_events};

use serde::{Deserialize, Serialize};

use super::input::{ONES, is_unweighted};
use crate::Error;
use crate::job::Progress;
use crate::word;
use crate::workload::graph::{Batching, EventStream, Input};

/// A stream of events.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(
    feature = "cli",
    derive(clap::Args),
    command(next_help_heading = "Updates")
)]
#[serde(rename_all = "kebab-case")]
pub struct EventOptions {
    /// Apply events from a file: `+ u v` and `- u v`, or `u v time`
    #[cfg_attr(feature = "cli", arg(long, value_name = "EVENTS", group = "updates",
          conflicts_with_all = ["insert", "delete", "insert_vertices", "delete_vertices", "rounds", "pattern"]))]
    #[serde(with = "word::option")]
    pub stream: Option<PathBuf>,
    /// Delete edges of a timed stream that are older than T
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true, value_name = "T", value_parser = crate::size::parse_count, requires = "stream"))]
    pub window: Option<u64>,
    /// Duration of a batch of a timed stream, in place of --batch
    #[cfg_attr(feature = "cli", arg(long, hide_short_help = true, value_name = "T", value_parser = parse_time, requires = "stream", conflicts_with = "batch"))]
    pub batch_time: Option<u64>,
}

impl EventOptions {
    /// The events on a graph, in batches of so many unless they go by time.
    ///
    /// # Errors
    ///
    /// A file that cannot be used, and options that its events have no use for.
    pub(super) fn events(
        &self,
        batch: Option<usize>,
        graph: &Input,
        progress: &mut dyn Progress,
    ) -> Result<Option<EventStream>, Error> {
        let Some(path) = &self.stream else {
            return Ok(None);
        };
        progress.begin(format!("reading {}", path.display()));
        let load = |weights| load_events(path, &graph.ids, graph.rows.vertices(), weights);
        let kind = graph.rows.weight_kind();
        let mut events = load(kind.into()).map_err(Error::from);
        progress.end();
        if let (Err(error), Some(kind)) = (&events, kind)
            && is_unweighted(error)
        {
            let mut list = load(ReadWeights::None)?;
            let words = vec![kind.one(); list.events.count()];
            list.weights = Some(Weights { kind, words });
            progress.note(format!("{} {ONES}", path.display()));
            events = Ok(list);
        }
        let batching = match self.batch_time {
            Some(time) => Batching::Time(time),
            None => Batching::Count(batch.unwrap_or(usize::MAX)),
        };
        EventStream::new(&events?, batching, self.window, graph).map(Some)
    }
}

#[cfg(feature = "cli")]
fn parse_time(text: &str) -> Result<u64, String> {
    match crate::size::parse_count(text) {
        Ok(time @ 1..) => Ok(time),
        _ => Err("write a time from 1, as a whole number".to_owned()),
    }
}
