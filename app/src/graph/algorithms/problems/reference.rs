//! The answers to problems by Dijkstra's algorithm, without code of the device.

use crate::graph::algorithms::Answer;
use crate::graph::algorithms::paths::Distances;
use crate::graph::verify::{Difference, Reference, differ};

impl Reference {
    /// Compares the distances of all vertices from the source of a problem, and the answer to it.
    ///
    /// # Errors
    ///
    /// When a distance or the answer differs.
    pub(super) fn problem(
        &self,
        found: &Distances,
        (source, target): (u32, Option<u32>),
        answer: &Answer,
    ) -> Result<(), Difference> {
        let expected = self.distances(source);
        self.same_distances(found, &expected)?;
        let expected = match target {
            None => Answer::sum(source, &expected),
            Some(target) => Answer::Distance {
                source,
                target,
                distance: expected.value(target),
            },
        };
        match *answer == expected {
            true => Ok(()),
            false => differ(format!("the answer is {answer:?}, not {expected:?}")),
        }
    }
}
