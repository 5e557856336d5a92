//! Cases: the same work over several allocators, on one machine.

use std::collections::BTreeMap;

use crate::{Collection, Measured, Section, Unit};

/// The lower bound that times are divided by, where a case has it.
pub const LOWER_BOUND: &str = "atomicmalloc";

/// Work over several allocators on one machine.
#[derive(Clone, Debug)]
pub struct Case<'c> {
    /// The name of the work, with the machine if there are several.
    pub name: String,
    /// The kind of work.
    pub section: Section,
    /// The unit of all quantities.
    pub unit: Unit,
    /// The quantity of each allocator.
    pub cells: BTreeMap<&'c str, &'c Measured>,
    work: &'c str,
    device: &'c str,
}

/// The cases of a section in their order, without those of other sections. The same work that was
/// measured twice on a machine makes two cases.
pub fn cases(collection: &Collection, section: Section) -> Vec<Case<'_>> {
    let mut cases: Vec<Case> = Vec::new();
    let mut places: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    let measured = collection.measured.iter();
    let measured: Vec<&Measured> = measured.filter(|one| one.section == section).collect();
    let device_of = |one: &Measured| match collection.machines.get(one.machine) {
        Some(machine) => machine.device.as_str(),
        None => "",
    };
    for one in &measured {
        let (work, device) = (one.case.as_str(), device_of(one));
        let known = places.entry((work, device)).or_default();
        let has_room = |place: &&usize| {
            let case = &cases[**place];
            case.unit == one.unit && !case.cells.contains_key(one.allocator.as_str())
        };
        let same_command = |place: &&usize| {
            let mut cells = cases[**place].cells.values();
            cells.any(|other| is_one_command(collection, other, one))
        };
        let room = known.iter().filter(has_room);
        let place = room
            .clone()
            .find(same_command)
            .or_else(|| room.clone().next());
        let place = match place {
            Some(place) => *place,
            None => {
                known.push(cases.len());
                cases.push(Case {
                    name: String::new(),
                    section,
                    unit: one.unit,
                    cells: BTreeMap::new(),
                    work,
                    device,
                });
                cases.len() - 1
            }
        };
        cases[place].cells.insert(&one.allocator, one);
    }
    join_failures(&mut cases);
    name(&mut cases);
    cases
}

/// Whether two rows are of one command.
fn is_one_command(collection: &Collection, one: &Measured, other: &Measured) -> bool {
    let words = |measured: &Measured| {
        let command = collection.commands.get(measured.command);
        command.map(|command| &command.words)
    };
    words(one) == words(other)
}

/// Failures name no machine, and comparisons no work: each goes to the first case of its work, or of
/// any, that has no such allocator.
fn join_failures(cases: &mut Vec<Case>) {
    let (failed, mut kept): (Vec<Case>, Vec<Case>) = std::mem::take(cases)
        .into_iter()
        .partition(|case| case.device.is_empty());
    for case in failed {
        let takes = |other: &&mut Case| {
            (case.work.is_empty() || case.work == other.work)
                && case.unit == other.unit
                && !case
                    .cells
                    .keys()
                    .any(|allocator| other.cells.contains_key(allocator))
        };
        match kept.iter_mut().find(takes) {
            Some(other) => other.cells.extend(case.cells),
            None => kept.push(case),
        }
    }
    *cases = kept;
}

/// Names cases by their work, and by what distinguishes those of the same work.
fn name(cases: &mut [Case]) {
    let mut devices: Vec<&str> = cases.iter().map(|case| case.device).collect();
    devices.sort_unstable();
    devices.dedup();
    let has_devices = devices.len() > 1;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for case in cases {
        let mut name = match case.work {
            "" => "all cases".to_owned(),
            work => work.to_owned(),
        };
        if has_devices && !case.device.is_empty() {
            name += &format!(", on {}", case.device);
        }
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            name += &format!(" ({count})");
        }
        case.name = name;
    }
}

impl Case<'_> {
    /// The allocator that all are compared with, and its median: the lower bound, or else the best.
    pub fn reference(&self) -> Option<(&str, f64)> {
        let median = |measured: &&Measured| measured.median().filter(|median| *median > 0.0);
        let bound = self.cells.get(LOWER_BOUND).and_then(median);
        if let Some(bound) = bound {
            return Some((LOWER_BOUND, bound));
        }
        let all = self.cells.iter();
        let all = all.filter_map(|(allocator, measured)| Some((*allocator, median(measured)?)));
        all.reduce(|best, other| match self.is_better(other.1, best.1) {
            true => other,
            false => best,
        })
    }

    /// The quantity of an allocator as a multiple of the reference's, so that less is better; nothing
    /// if it has none.
    pub fn multiple(&self, allocator: &str) -> Option<f64> {
        let (_, reference) = self.reference()?;
        let median = self.cells.get(allocator)?.median()?;
        match self.unit {
            Unit::Share => (median > 0.0).then(|| reference / median),
            _ => Some(median / reference),
        }
    }

    /// The part of the name that distinguishes cases of the same work.
    pub(crate) fn place(&self) -> &str {
        self.name.strip_prefix(self.work).unwrap_or_default()
    }

    fn is_better(&self, one: f64, other: f64) -> bool {
        match self.unit {
            Unit::Share => one > other,
            _ => one < other,
        }
    }
}
