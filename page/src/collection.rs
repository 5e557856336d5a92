//! Everything that some result files have measured, in one form.

use std::collections::{BTreeMap, HashSet};

use heapwood_results::{Meta, Samples, Status};
use serde::{Deserialize, Serialize};

use crate::{Command, Section};

/// The results of some files.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Collection {
    /// The files, as they were named.
    pub files: Vec<String>,
    /// The machines and programs that measured.
    pub machines: Vec<Machine>,
    /// The commands that make the results.
    pub commands: Vec<Command>,
    /// The quantities.
    pub measured: Vec<Measured>,
    /// Registers of a thread that calls an allocator, lane by lane.
    pub registers: BTreeMap<String, u32>,
    /// Pictures among the files.
    pub pictures: Vec<Picture>,
    /// Each quantity as JSON.
    #[serde(skip)]
    known: HashSet<String>,
}

/// A machine with the program that measured on it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Machine {
    /// The product.
    pub device: String,
    /// The GPU driver's release.
    pub driver: Option<String>,
    /// The commit of the program.
    pub commit: Option<String>,
    /// The compiler of the program.
    pub compiler: Option<String>,
}

/// A unit of measured quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Milliseconds.
    Milliseconds,
    /// A number of things, or a ratio.
    Number,
    /// Bytes.
    Bytes,
    /// A part of a whole, 0 to 1: the only unit in which more is better.
    Share,
}

impl Unit {
    /// Its symbol; empty for a number.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Milliseconds => "ms",
            Self::Number | Self::Share => "",
            Self::Bytes => "B",
        }
    }
}

/// The place of a case on the axis of a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// The quantity of the axis.
    pub axis: String,
    /// Its value.
    pub value: f64,
    /// The rest of the case: all points of a curve have the same.
    pub curve: String,
}

/// A quantity that was measured over an allocator, or the reason for its absence.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// The kind of work.
    pub section: Section,
    /// The work, without the allocator and the machine.
    pub case: String,
    /// The unit.
    pub unit: Unit,
    /// The allocator, as on the command line, or another program.
    pub allocator: String,
    /// How the case ended.
    pub status: Status,
    /// The reason, if it did not end well.
    pub error: Option<String>,
    /// The samples; the median is NaN if there are none.
    pub samples: Samples,
    /// The places on axes.
    pub scales: Vec<Scale>,
    /// Bytes of memory that the work took in the pool, if that is known.
    pub memory: Option<f64>,
    /// Fingerprint of the result, if the work has one.
    pub hash: Option<String>,
    /// The place of the command in the collection.
    pub command: usize,
    /// The place of the machine.
    pub machine: usize,
    /// The place of the file.
    pub file: usize,
}

impl Measured {
    /// The median, if the case ended well and has one.
    pub fn median(&self) -> Option<f64> {
        let median = self.samples.measured()?;
        (self.status == Status::Ok && median.is_finite()).then_some(median)
    }
}

/// A PNG picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// The file, as it was named.
    pub file: String,
    /// Its bytes in base64.
    pub base64: String,
}

impl Collection {
    /// Takes over another collection. A quantity that both have is there once.
    pub(crate) fn merge(&mut self, other: Self) {
        let files: Vec<usize> = other
            .files
            .into_iter()
            .map(|file| place(&mut self.files, file))
            .collect();
        let machines: Vec<usize> = other
            .machines
            .into_iter()
            .map(|machine| place(&mut self.machines, machine))
            .collect();
        let commands: Vec<usize> = other
            .commands
            .into_iter()
            .map(|command| place(&mut self.commands, command))
            .collect();
        let at = |places: &[usize], place: usize| places.get(place).copied().unwrap_or(0);
        for measured in other.measured {
            self.push(Measured {
                file: at(&files, measured.file),
                machine: at(&machines, measured.machine),
                command: at(&commands, measured.command),
                ..measured
            });
        }
        self.registers.extend(other.registers);
        for picture in other.pictures {
            place(&mut self.pictures, picture);
        }
    }

    /// Adds a quantity, unless it is there: the same results may be given twice.
    pub(crate) fn push(&mut self, measured: Measured) {
        let measured = rounded(measured);
        let anywhere = Measured {
            file: 0,
            ..measured.clone()
        };
        // In JSON a median that is not there is null, and equal to itself.
        let text = serde_json::to_string(&anywhere).expect("strings and numbers are JSON");
        if self.known.insert(text) {
            self.measured.push(measured);
        }
    }

    /// The place of a machine, which is added if it is new.
    pub(crate) fn machine(&mut self, device: &str, meta: &Meta) -> usize {
        let machine = Machine {
            device: meta.gpu.clone().unwrap_or_else(|| device.to_owned()),
            driver: meta.driver.clone(),
            commit: meta.commit.clone(),
            compiler: meta.compiler.clone(),
        };
        place(&mut self.machines, machine)
    }

    /// The place of a command, which is added if it is new.
    pub(crate) fn command(&mut self, command: Command) -> usize {
        place(&mut self.commands, command)
    }
}

/// The place of a value in a list, to which it is added if it is new.
pub(crate) fn place<T: PartialEq>(list: &mut Vec<T>, value: T) -> usize {
    match list.iter().position(|known| *known == value) {
        Some(place) => place,
        None => {
            list.push(value);
            list.len() - 1
        }
    }
}

/// A quantity as a page keeps it: the median with five significant digits, the samples with four, in
/// ascending order. Clocks have fewer, and half of a page would be digits.
fn rounded(measured: Measured) -> Measured {
    let kept = |value: f64, digits: usize| match format!("{value:.0$e}", digits - 1).parse() {
        Ok(rounded) if value.is_finite() => rounded,
        _ => value,
    };
    let samples = measured.samples.samples.iter();
    let mut samples: Vec<f64> = samples.map(|sample| kept(*sample, 4)).collect();
    samples.sort_unstable_by(f64::total_cmp);
    Measured {
        samples: Samples {
            samples,
            median: kept(measured.samples.median, 5),
        },
        ..measured
    }
}
