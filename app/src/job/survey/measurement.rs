//! The quantities that a case of the survey has measured.

use std::collections::BTreeMap;

use heapwood_results::survey::SurveyQuantity;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::allocators::Spec;
use crate::backend::DeviceInfo;
use crate::meta::{self, Meta};
use crate::samples::Samples;
use crate::workload::{BenchRow, Status};

/// The quantities of a case, and how it ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SurveyMeasurement {
    /// `cpu` or `cuda`.
    pub backend: String,
    /// The product.
    pub device: String,
    /// How the case ended.
    pub status: Status,
    /// The reason, if it did not end well.
    pub error: Option<String>,
    /// Whether blocks overlap or lost their contents, or another check has failed.
    pub is_wrong: bool,
    /// The quantities that were measured.
    pub values: BTreeMap<SurveyQuantity, Samples>,
    /// Machine and program.
    pub meta: Meta,
}

impl SurveyMeasurement {
    /// That of a case over this allocator before anything is measured.
    pub(super) fn new(spec: &Spec, info: &DeviceInfo) -> Self {
        Self {
            backend: info.backend.to_owned(),
            device: info.device.clone(),
            status: Status::Ok,
            error: None,
            is_wrong: false,
            values: BTreeMap::new(),
            meta: meta::over(meta::of_device(info), spec, info),
        }
    }

    /// Adds a quantity, if it was measured.
    pub(super) fn add(&mut self, quantity: SurveyQuantity, samples: Option<Samples>) {
        self.values
            .extend(samples.map(|samples| (quantity, samples)));
    }

    /// Adds a quantity that has one value.
    pub(super) fn add_one(&mut self, quantity: SurveyQuantity, value: f64) {
        self.add(quantity, Samples::new(vec![value]));
    }

    /// The same, ended by an error.
    pub(super) fn failed(self, error: Error) -> Self {
        let status = status_of(&error);
        let mut failed = self.ended(status, &error);
        failed.is_wrong = error.exit_code() == 5;
        failed
    }
}

/// How a case ended that failed so.
fn status_of(error: &Error) -> Status {
    match error {
        Error::Heap(error) => error.into(),
        Error::Backend(error) if error.is_timeout() => Status::Timeout,
        Error::Round { error, .. } => status_of(error),
        other => match other.exit_code() {
            2 => Status::Unsupported,
            4 => Status::Oom,
            _ => Status::Fault,
        },
    }
}

impl BenchRow for SurveyMeasurement {
    fn status(&self) -> Status {
        self.status
    }

    fn ending(&mut self) -> (&mut Status, &mut Option<String>, &mut Meta) {
        (&mut self.status, &mut self.error, &mut self.meta)
    }
}
