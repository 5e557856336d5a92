//! Errors of traces. Every message is one line: the place, the cause and the way out.

use std::io;

/// Why a trace or a log cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The input cannot be read.
    #[error("cannot read: {0}")]
    Read(io::Error),
    /// The output cannot be written.
    #[error("cannot write: {0}")]
    Write(io::Error),
    /// There are no bytes.
    #[error("the file is empty: record the trace anew")]
    Empty,
    /// The first line is another file's.
    #[error("byte 0: this is not a trace, which begins with `heapwood trace`")]
    NotTrace,
    /// The first line names a version that this program does not read.
    #[error(
        "byte 0: this is a trace of version {found}, and this program reads version 1: use the \
         heapwood that recorded it"
    )]
    Version {
        /// The version.
        found: String,
    },
    /// The file ends too early.
    #[error("the file ends at byte {byte}, before its end mark: copy or record it anew")]
    Truncated {
        /// Bytes that are there.
        byte: u64,
    },
    /// The file is not as it was written.
    #[error("byte {byte}: {cause}: the file is damaged; copy or record it anew")]
    Damaged {
        /// Where the damaged part begins.
        byte: u64,
        /// The difference from a whole file.
        cause: String,
    },
    /// An event breaks a rule of traces.
    #[error("event {number}: {problem}: record the trace anew")]
    Event {
        /// The number of the event, from 0.
        number: u64,
        /// The rule.
        problem: EventProblem,
    },
    /// A launch breaks a rule of traces.
    #[error("launch {number}: {problem}: record the trace anew")]
    Launch {
        /// The number of the launch.
        number: u32,
        /// The rule.
        problem: LaunchProblem,
    },
    /// The footer counts other entries than the file has.
    #[error("the footer counts {said} {what}, and there are {found}: record the trace anew")]
    Count {
        /// The kind of entries.
        what: &'static str,
        /// The footer's count.
        said: u64,
        /// The true one.
        found: u64,
    },
    /// A line of a log cannot be used.
    #[error("line {line}: {problem}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// The value and the rule that it breaks.
        problem: LogProblem,
    },
    /// A log has no events.
    #[error("there are no requests and frees in the log: enable logging where it is made")]
    NoEvents,
    /// Made-up addresses of an export do not suffice.
    #[error("event {number}: its block does not fit into an address space of 2^63 bytes")]
    Addresses {
        /// The number of the event, from 0.
        number: u64,
    },
}

/// A rule that an event breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventProblem {
    /// Launches go back.
    #[error("it is of launch {launch}, and one before it of launch {before}")]
    LaunchOrder {
        /// Its launch.
        launch: u32,
        /// The launch of the event before.
        before: u32,
    },
    /// Calls of a warp go back.
    #[error(
        "it is call {order} of lane {lane} in warp {warp}, which has come to call {last} of lane \
         {last_lane}"
    )]
    WarpOrder {
        /// The warp.
        warp: u32,
        /// The number of its call.
        order: u32,
        /// The lane.
        lane: u8,
        /// The number of the call before.
        last: u32,
        /// The lane of the call before.
        last_lane: u8,
    },
    /// The lane is in no warp.
    #[error("lane {0} is not below 64")]
    Lane(u8),
    /// A granted block does not have the next id.
    #[error("it grants block {block}, and the next id is {next}")]
    Grant {
        /// The id.
        block: u64,
        /// The id that it must have.
        next: u64,
    },
    /// A free of a block that is not there yet.
    #[error("it frees block {0}, which is not granted yet")]
    NotGranted(u64),
    /// A free of a block that is freed.
    #[error("it frees block {0}, which is freed already")]
    FreedTwice(u64),
    /// Live blocks are larger than memory can be.
    #[error("with it, live blocks have more than 2^64 - 1 bytes")]
    TooLarge,
}

/// A rule that a launch breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchProblem {
    /// Numbers do not increase.
    #[error("it follows launch {0}")]
    Order(u32),
    /// It ends before it begins.
    #[error("it ends before it begins")]
    Times,
    /// The name of the kernel is too long.
    #[error("the name of its kernel has more than 1,024 bytes")]
    Name,
    /// There are events of a launch that is not listed, beside listed ones.
    #[error("it has events, and is not among the launches")]
    Missing,
}

/// A line of a log that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogProblem {
    /// The first line lacks a column.
    #[error("there is no column {0}: the first line names the columns of RMM's logs")]
    NoColumn(&'static str),
    /// A line lacks a field.
    #[error("there is no {0}: the line is cut, or of another kind of log")]
    NoField(&'static str),
    /// A field is not of its kind.
    #[error("`{text}` is not a {what}")]
    Field {
        /// Its kind.
        what: &'static str,
        /// Its text, shortened.
        text: String,
    },
    /// The line is not JSON.
    #[error("not JSON ({0}): remove the line if the log was cut")]
    Json(String),
    /// The line is longer than any of a log.
    #[error("the line has more than {0} bytes: this is not a log")]
    Long(u64),
    /// A pointer is granted that is live.
    #[error("grants {0:#x}, which is granted already: its free is missing before this line")]
    Live(u64),
    /// A pointer is freed that is not live.
    #[error(
        "frees {0:#x}, which no line before it grants, or which is freed already: a log must be \
         whole, and its lines in order"
    )]
    NotLive(u64),
    /// A request has got null.
    #[error("a request of {0} bytes got a null pointer and has not failed")]
    Null(u64),
    /// The outcome of a request stands alone.
    #[error("an outcome without its request: several threads have logged at once")]
    NoRequest,
}

/// The begin of a text from a file, without control characters.
pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(40).flat_map(char::escape_debug).collect()
}
