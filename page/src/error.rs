//! Reasons why a file cannot be shown.

use thiserror::Error;

/// A file that has no results which a page shows. It displays as one line that begins with the
/// file's name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}: {why}")]
pub struct PageError {
    /// The file, as it was named.
    pub file: String,
    /// The reason, and the way out.
    pub why: PageFault,
}

/// A fault of a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PageFault {
    /// It cannot be read.
    #[error("cannot read: {0}")]
    Read(String),
    /// It has no bytes.
    #[error("the file is empty: results are written as JSON, by a name that ends in .json")]
    Empty,
    /// It has an empty list.
    #[error("there is no row in it: the command that wrote it was ended before its first case")]
    NoRow,
    /// It is no JSON, no page and no PNG picture.
    #[error("no JSON ({0}): a page reads results in JSON, pages and PNG pictures")]
    NotJson(String),
    /// It is JSON of something else.
    #[error(
        "no results that a page shows (its keys are {0}): it shows those of bench, kdtree, graph, \
         gap, agents, particles, workgen, compare, allocators and devices"
    )]
    Unknown(String),
    /// It is JSON of a result with other keys.
    #[error("results of another version of heapwood ({0}): measure again, or use that version")]
    Version(String),
    /// It is HTML without a collection.
    #[error("no page of heapwood: it carries no results")]
    NotAPage,
    /// It was measured on another machine than what it is compared with.
    #[error(
        "measured on {after}, and the results before it on {before}: compare those of one machine"
    )]
    OtherMachine {
        /// The machines of the results before.
        before: String,
        /// Those of the file.
        after: String,
    },
    /// It has no work in common with what it is compared with.
    #[error("no case in common with the results before it")]
    NothingInCommon,
    /// The collection in a page is damaged, or of another version.
    #[error("the results that the page carries cannot be read ({0}): make it again from its files")]
    Damaged(String),
}
