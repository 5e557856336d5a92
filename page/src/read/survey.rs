//! Rows of the survey.

use heapwood_results::survey::{SurveyQuantity, SurveyRow};
use heapwood_results::{Samples, Status, display};

use super::adder::{Adder, Row, scale};
use crate::{Command, Section, Unit};

/// Adds a row.
pub fn add(adder: &mut Adder, survey: SurveyRow) {
    if survey.quantity == SurveyQuantity::Registers
        && let Some(value) = survey.value
    {
        let registers = &mut adder.collection.registers;
        registers.insert(survey.allocator.clone(), value as u32);
    }
    let unit = match survey.quantity {
        SurveyQuantity::Registers | SurveyQuantity::RangePerLeast => Unit::Number,
        SurveyQuantity::Range => Unit::Bytes,
        SurveyQuantity::Granted => Unit::Share,
        _ => Unit::Milliseconds,
    };
    let point = &survey.point;
    let bytes = match (point.min_bytes, point.max_bytes) {
        (Some(min), Some(max)) if min == max => Some(format!("{min} B")),
        (Some(min), Some(max)) => Some(format!("{min} to {max} B")),
        _ => None,
    };
    let threads = point.threads.map(|threads| format!("{threads} threads"));
    let others = [
        point
            .pool_bytes
            .map(|bytes| format!("pool of {}", display(bytes))),
        point.graph.clone(),
        point.batch_edges.map(|edges| format!("batches of {edges}")),
    ];
    let name = format!(
        "{} {}: {}",
        survey.figure,
        survey.test,
        survey.quantity.name()
    );
    let case = |parts: &[&Option<String>]| {
        let parts = parts
            .iter()
            .copied()
            .flatten()
            .chain(others.iter().flatten());
        let parts: String = parts.map(|part| format!(", {part}")).collect();
        format!("{name}{parts}")
    };
    let mut scales = Vec::new();
    if let Some(count) = point.threads {
        scales.push(scale("threads", count, case(&[&bytes])));
    }
    if let (Some(min), Some(max)) = (point.min_bytes, point.max_bytes) {
        let curve = if min == max { "" } else { ", mixed" };
        let curve = format!("{}{curve}", case(&[&threads]));
        scales.push(scale("bytes", max as f64, curve));
    }
    let scaled = |value: f64| match unit {
        Unit::Share => value / 100.0,
        _ => value,
    };
    let samples = match survey.samples.is_empty() {
        true => survey.value.into_iter().collect(),
        false => survey.samples.clone(),
    };
    let samples = Samples::new(samples.into_iter().map(scaled).collect());
    let status = match (survey.status, &samples) {
        // An allocator that cannot do this has no error, and no value.
        (Status::Ok, None) => Status::Unsupported,
        (status, _) => status,
    };
    let row = Row {
        section: Section::Survey,
        allocator: &survey.allocator,
        device: &survey.device,
        meta: &survey.meta,
        status,
        error: survey.error.as_deref(),
        command: Command::new("bench survey").list("--allocators", &survey.allocator),
        memory: None,
        hash: None,
    };
    let case = case(&[&threads, &bytes]);
    adder.quantity(&row, case, unit, samples, scales);
}
