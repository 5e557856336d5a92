//! Adds the quantities of a file to a collection.

use heapwood_results::devices::DeviceRow;
use heapwood_results::{Meta, Outcome, Samples, Status};

use crate::collection::place;
use crate::{Collection, Command, Measured, Scale, Section, Unit};

/// A file that is being added.
pub struct Adder<'c> {
    pub collection: &'c mut Collection,
    file: usize,
}

/// The facts that all quantities of a row share.
pub struct Row<'r> {
    pub section: Section,
    pub allocator: &'r str,
    pub device: &'r str,
    pub meta: &'r Meta,
    pub status: Status,
    pub error: Option<&'r str>,
    pub command: Command,
    pub memory: Option<f64>,
    pub hash: Option<&'r str>,
}

impl<'c> Adder<'c> {
    /// The file of this name.
    pub fn new(collection: &'c mut Collection, file: &str) -> Self {
        let file = place(&mut collection.files, file.to_owned());
        Self { collection, file }
    }

    /// Whether the file has a case of an allocator already.
    pub fn has(&self, allocator: &str, case: &str) -> bool {
        let mut measured = self.collection.measured.iter();
        measured.any(|one| one.file == self.file && one.allocator == allocator && one.case == case)
    }

    /// Adds a time of a row.
    pub fn time(&mut self, row: &Row, case: String, ms: Option<&Samples>, scales: Vec<Scale>) {
        self.quantity(row, case, Unit::Milliseconds, ms.cloned(), scales);
    }

    /// Adds a row of a comparison without a result: such a row names no machine.
    pub fn failed<R>(
        &mut self,
        section: Section,
        allocator: &str,
        outcome: &Outcome<R>,
        command: Command,
        case: String,
    ) {
        let row = Row {
            section,
            allocator,
            device: "",
            meta: &Meta::default(),
            status: outcome.status,
            error: outcome.error.as_deref(),
            command,
            memory: None,
            hash: None,
        };
        self.time(&row, case, None, Vec::new());
    }

    /// Adds a number, bytes or a part of a row.
    pub fn quantity(
        &mut self,
        row: &Row,
        case: String,
        unit: Unit,
        samples: Option<Samples>,
        scales: Vec<Scale>,
    ) {
        let machine = self.collection.machine(row.device, row.meta);
        let mut command = row.command.clone();
        // Allocators of the user's come from files.
        for file in row.meta.link.iter().flat_map(|link| &link.files) {
            command = command.word(format!("--link={}", file.file));
        }
        let command = self.collection.command(command);
        self.collection.push(Measured {
            section: row.section,
            case,
            unit,
            allocator: row.allocator.to_owned(),
            status: row.status,
            error: row.error.map(str::to_owned),
            samples: samples.unwrap_or_default(),
            scales,
            memory: row.memory,
            hash: row.hash.map(str::to_owned),
            command,
            machine,
            file: self.file,
        });
    }

    /// Adds a device, if its rate of a copy was measured.
    pub fn device(&mut self, row: &DeviceRow) {
        let Some(rate) = row.copy_gb_per_s else {
            return;
        };
        let meta = Meta {
            driver: row.driver.clone(),
            ..Meta::default()
        };
        let copy = Row {
            section: Section::Others,
            allocator: "copy",
            device: &row.name,
            meta: &meta,
            status: Status::Ok,
            error: None,
            command: Command::new("devices --bandwidth"),
            memory: None,
            hash: None,
        };
        let case = "a copy, for each GB that it reads or writes".to_owned();
        let ms = Samples::new(vec![1e3 / rate]);
        self.time(&copy, case, ms.as_ref(), Vec::new());
    }
}

/// A place on an axis.
pub fn scale(axis: &str, value: impl Into<f64>, curve: String) -> Scale {
    Scale {
        axis: axis.to_owned(),
        value: value.into(),
        curve,
    }
}
