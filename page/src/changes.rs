//! Changes from one collection to another, beyond noise.

use std::collections::{BTreeMap, BTreeSet};

use heapwood_results::changes::{ChangeKind, ChangeRow, ChangesReport};
use heapwood_results::nearest_rank;

use crate::{Collection, Command, Measured, PageFault, Section, Unit, cases};

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

/// A quantity and the command that measured it.
type Commanded<'c> = (&'c Measured, Option<&'c Command>);

/// The quantities of a section by their case and allocator.
fn by_work(collection: &Collection, section: Section) -> BTreeMap<(String, String), Commanded<'_>> {
    let mut found = BTreeMap::new();
    for case in cases(collection, section) {
        for (allocator, measured) in case.cells {
            let command = collection.commands.get(measured.command);
            found.insert(
                (case.name.clone(), allocator.to_owned()),
                (measured, command),
            );
        }
    }
    found
}

/// The first and the third quartile.
fn middle(measured: &Measured) -> Option<(f64, f64)> {
    // A collection has them in ascending order.
    let samples = &measured.samples.samples;
    Some((nearest_rank(samples, 250)?, nearest_rank(samples, 750)?))
}

/// A change with both medians; nothing if there is none beyond noise.
fn change(
    before: Option<&Commanded>,
    after: Option<&Commanded>,
    noise: f64,
) -> Option<(ChangeKind, Option<f64>, Option<f64>)> {
    let medians = [before, after].map(|one| one.and_then(|(measured, _)| measured.median()));
    let kind = match (before, after) {
        (Some(_), None) => ChangeKind::Missing,
        (None, _) => ChangeKind::New,
        (Some((before, one)), Some((after, other))) => match medians {
            [None, None] if before.status == after.status => return None,
            [None, None] => ChangeKind::OtherStatus,
            [Some(_), None] => ChangeKind::Fails,
            [None, Some(_)] => ChangeKind::Succeeds,
            [Some(old), Some(new)] => {
                let words = [one, other].map(|command| command.map(|command| &command.words));
                let hashes = before.hash.as_ref().zip(after.hash.as_ref());
                let differs = hashes.is_some_and(|(one, other)| one != other);
                match words[0] == words[1] && differs {
                    true => ChangeKind::OtherResult,
                    false => slower_or_faster(before, after, (old, new), noise)?,
                }
            }
        },
    };
    Some((kind, medians[0], medians[1]))
}

fn slower_or_faster(
    before: &Measured,
    after: &Measured,
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
    if let (Some(one), Some(other)) = (middle(before), middle(after))
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
