//! Changes from one collection to another, beyond noise.

use std::collections::{BTreeMap, BTreeSet};

use heapwood_results::changes::{ChangeKind, ChangeRow, ChangesReport};
use heapwood_results::{Samples, Status, nearest_rank};

use crate::{Case, Collection, PageFault, Section, Unit, cases};

/// Times that differ by less are noise, whatever the percentage: events resolve half a microsecond.
const NOISE_MS: f64 = 0.002;

/// The changes from one collection to another. A median differs beyond noise if it differs by more
/// than `noise`, a part of the former, times by more than two microseconds, and the middle halves of
/// the samples do not overlap.
///
/// # Errors
///
/// [`PageFault::OtherMachine`] and [`PageFault::NothingInCommon`].
pub fn changes(
    before: &Collection,
    after: &Collection,
    noise: f64,
) -> Result<ChangesReport, PageFault> {
    let devices = [before, after].map(devices);
    if devices[0] != devices[1] {
        let [before, after] = devices;
        return Err(PageFault::OtherMachine { before, after });
    }
    let mut rows = Vec::new();
    let mut same = 0;
    for section in Section::ALL {
        let [before, after] = [before, after].map(|collection| by_work(collection, section));
        let works: BTreeSet<&(String, String)> = before.keys().chain(after.keys()).collect();
        for work in works {
            let (case, allocator) = work;
            let found = change(before.get(work), after.get(work), noise);
            match found {
                None => same += 1,
                Some((kind, before, after)) => rows.push(ChangeRow {
                    section: section.title().to_owned(),
                    case: case.clone(),
                    allocator: allocator.clone(),
                    change: kind,
                    before,
                    after,
                    ratio: before.zip(after).map(|(before, after)| after / before),
                }),
            }
        }
    }
    let is_one_sided =
        |row: &ChangeRow| matches!(row.change, ChangeKind::Missing | ChangeKind::New);
    if same == 0 && rows.iter().all(is_one_sided) {
        return Err(PageFault::NothingInCommon);
    }
    Ok(ChangesReport {
        noise,
        same,
        changes: rows,
    })
}

/// The machines of a collection.
fn devices(collection: &Collection) -> String {
    let machines = collection.machines.iter();
    let devices: BTreeSet<&str> = machines
        .map(|machine| machine.device.as_str())
        .filter(|device| !device.is_empty())
        .collect();
    Vec::from_iter(devices).join(" and ")
}

/// The quantities of a section by their case and allocator.
fn by_work(collection: &Collection, section: Section) -> BTreeMap<(String, String), Quantity> {
    let all = cases(collection, section);
    let cells = all.iter().flat_map(|case| {
        let cells = case.cells.iter();
        cells.map(|(allocator, _)| {
            let key = (case.name.clone(), (*allocator).to_owned());
            (key, Quantity::of(collection, case, allocator))
        })
    });
    cells.collect()
}

/// A quantity that is compared.
#[derive(Clone, Debug)]
struct Quantity {
    unit: Unit,
    status: Status,
    samples: Samples,
    median: Option<f64>,
    /// The command and the fingerprint of its result.
    result: Option<(Vec<String>, String)>,
}

impl Quantity {
    fn of(collection: &Collection, case: &Case, allocator: &str) -> Self {
        let measured = case.cells[allocator];
        let command = collection.commands.get(measured.command);
        let words = command.map(|command| command.words.clone());
        Self {
            unit: case.unit,
            status: measured.status,
            samples: measured.samples.clone(),
            median: measured.median(),
            result: words.zip(measured.hash.clone()),
        }
    }

    /// The first and the third quartile.
    fn middle(&self) -> Option<(f64, f64)> {
        let mut sorted = self.samples.samples.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        Some((nearest_rank(&sorted, 250)?, nearest_rank(&sorted, 750)?))
    }
}

/// A change with both medians; nothing if there is none beyond noise.
fn change(
    before: Option<&Quantity>,
    after: Option<&Quantity>,
    noise: f64,
) -> Option<(ChangeKind, Option<f64>, Option<f64>)> {
    let (before, after) = match (before, after) {
        (Some(before), Some(after)) => (before, after),
        (Some(before), None) => return Some((ChangeKind::Missing, before.median, None)),
        (None, after) => return Some((ChangeKind::New, None, after.and_then(|one| one.median))),
    };
    let kind = match (before.median, after.median) {
        (None, None) if before.status == after.status => return None,
        (None, None) => ChangeKind::OtherStatus,
        (Some(_), None) => ChangeKind::Fails,
        (None, Some(_)) => ChangeKind::Succeeds,
        (Some(old), Some(new)) => {
            let other = before.result.as_ref().zip(after.result.as_ref());
            let is_other = other.is_some_and(|(one, other)| one.0 == other.0 && one.1 != other.1);
            match is_other {
                true => ChangeKind::OtherResult,
                false => slower_or_faster(before, after, (old, new), noise)?,
            }
        }
    };
    Some((kind, before.median, after.median))
}

fn slower_or_faster(
    before: &Quantity,
    after: &Quantity,
    (old, new): (f64, f64),
    noise: f64,
) -> Option<ChangeKind> {
    let least = match before.unit {
        Unit::Milliseconds => NOISE_MS,
        _ => 0.0,
    };
    if (new - old).abs() <= (noise * old.abs()).max(least) {
        return None;
    }
    if let (Some(one), Some(other)) = (before.middle(), after.middle())
        && one.0 <= other.1
        && other.0 <= one.1
    {
        return None;
    }
    let is_better = match before.unit {
        Unit::Share => new > old,
        _ => new < old,
    };
    Some(match is_better {
        true => ChangeKind::Better,
        false => ChangeKind::Worse,
    })
}
