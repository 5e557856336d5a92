//! Changes between two sets of results.

use serde::{Deserialize, Serialize};

use crate::cells::{option, or_dash};
use crate::{Cells, Report, Table, milliseconds};

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Slower, or more where less is better.
    Worse,
    /// Faster, or less.
    Better,
    /// The same command has another result.
    OtherResult,
    /// The case succeeded, and fails now.
    Fails,
    /// The case failed, and succeeds now.
    Succeeds,
    /// The case fails in another way.
    OtherStatus,
    /// The case is not there any more.
    Missing,
    /// The case was not there.
    New,
}

impl ChangeKind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Worse,
        Self::Better,
        Self::OtherResult,
        Self::Fails,
        Self::Succeeds,
        Self::OtherStatus,
        Self::Missing,
        Self::New,
    ];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Better => "better",
            Self::OtherResult => "other result",
            Self::Fails => "fails",
            Self::Succeeds => "succeeds",
            Self::OtherStatus => "other status",
            Self::Missing => "missing",
            Self::New => "new",
        }
    }

    /// Whether a check of a change to a program should stop at it.
    pub fn is_regression(self) -> bool {
        matches!(
            self,
            Self::Worse | Self::OtherResult | Self::Fails | Self::Missing
        )
    }
}

/// A quantity that changed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChangeRow {
    /// The kind of work.
    pub section: String,
    /// The work.
    pub case: String,
    /// The allocator.
    pub allocator: String,
    /// The change.
    pub change: ChangeKind,
    /// The median before it, of times in milliseconds; null if there was none.
    pub before: Option<f64>,
    /// The median after it; null if there is none.
    pub after: Option<f64>,
    /// The latter over the former; null unless both are there.
    pub ratio: Option<f64>,
}

/// The result of `heapwood compare results`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChangesReport {
    /// The part of a median by which it must differ at least, 0 to 1.
    pub noise: f64,
    /// Quantities that did not change beyond noise.
    pub same: u64,
    /// Those that did.
    pub changes: Vec<ChangeRow>,
}

impl ChangesReport {
    /// How many quantities there are of each kind, in one line.
    pub fn verdict(&self) -> String {
        let count = |kind| self.changes.iter().filter(|row| row.change == kind).count();
        let counts = ChangeKind::ALL.map(|kind| (count(kind), kind.name()));
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: String = counts
            .map(|(count, kind)| format!(", {count} {kind}"))
            .collect();
        format!("{} within noise{counts}", self.same)
    }
}

/// The rows for programs.
const RECORDS: &[Cells<ChangeRow>] = &[
    ("section", |row| row.section.clone()),
    ("case", |row| row.case.clone()),
    ("allocator", |row| row.allocator.clone()),
    ("change", |row| row.change.name().to_owned()),
    ("#before", |row| option(row.before)),
    ("#after", |row| option(row.after)),
    ("#ratio", |row| option(row.ratio)),
];

impl Report for ChangesReport {
    fn table(&self) -> Table {
        let mut table = Table::new(&[
            "work",
            "case",
            "allocator",
            "change",
            "#before",
            "#after",
            "#ratio",
        ]);
        for row in &self.changes {
            table.push(vec![
                row.section.clone(),
                row.case.clone(),
                row.allocator.clone(),
                row.change.name().to_owned(),
                or_dash(row.before.map(milliseconds)),
                or_dash(row.after.map(milliseconds)),
                or_dash(row.ratio.map(|ratio| format!("{ratio:.2}"))),
            ]);
        }
        table
    }

    fn records(&self) -> Table {
        Table::of(RECORDS, &self.changes)
    }

    fn text(&self) -> String {
        let rows = match self.changes.is_empty() {
            true => String::new(),
            false => self.table().text(),
        };
        format!("{rows}{}\n", self.verdict())
    }
}
