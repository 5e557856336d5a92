//! The writer of traces.

use std::io::{self, Write};

use serde::Serialize;

use crate::columns::{encode_events, encode_launches};
use crate::section::{self, END, FIRST_LINE, SectionKind};
use crate::validation::Validation;
use crate::{Event, Footer, Header, HeapOperation, Launch, RecordingCost, TraceEntry, TraceError};

/// Events of a block: about a megabyte of columns.
pub const BLOCK_EVENTS: usize = 1 << 16;
/// Launches of a block, so that names of any length fit into a section.
pub const BLOCK_LAUNCHES: usize = 1 << 11;

/// Writes a trace entry by entry, and holds a block of them. A trace that is not finished has no end
/// mark, and no reader takes it for a shorter one. After an error it is to be abandoned.
pub struct Writer<W: Write> {
    out: W,
    events: Vec<Event>,
    launches: Vec<Launch>,
    /// The id of the first block that the held events grant.
    next_block: u64,
    validation: Validation,
}

impl<W: Write> Writer<W> {
    /// Writes the header.
    ///
    /// # Errors
    ///
    /// [`TraceError::Write`].
    pub fn new(mut out: W, header: &Header) -> Result<Self, TraceError> {
        let written = out.write_all(FIRST_LINE);
        let written = written.and_then(|()| json(&mut out, SectionKind::Header, header));
        written.map_err(TraceError::Write)?;
        Ok(Self {
            out,
            events: Vec::new(),
            launches: Vec::new(),
            next_block: 0,
            validation: Validation::default(),
        })
    }

    /// Writes the next entry.
    ///
    /// # Errors
    ///
    /// As [`event`](Self::event) and [`launch`](Self::launch).
    pub fn entry(&mut self, entry: TraceEntry) -> Result<(), TraceError> {
        match entry {
            TraceEntry::Event(event) => self.event(&event),
            TraceEntry::Launch(launch) => self.launch(launch),
        }
    }

    /// Writes the next event of the total order.
    ///
    /// # Errors
    ///
    /// [`TraceError::Event`] for one that breaks a rule, and [`TraceError::Write`].
    pub fn event(&mut self, event: &Event) -> Result<(), TraceError> {
        self.validation.event(event)?;
        self.events.push(*event);
        match self.events.len() {
            BLOCK_EVENTS => self.write_events(),
            _ => Ok(()),
        }
    }

    /// Writes the next launch, before or after its events.
    ///
    /// # Errors
    ///
    /// [`TraceError::Launch`] for one that breaks a rule, and [`TraceError::Write`].
    pub fn launch(&mut self, launch: Launch) -> Result<(), TraceError> {
        self.validation.launch(&launch)?;
        self.launches.push(launch);
        match self.launches.len() {
            BLOCK_LAUNCHES => self.write_launches(),
            _ => Ok(()),
        }
    }

    fn write_events(&mut self) -> Result<(), TraceError> {
        let content = encode_events(&self.events, self.next_block);
        let count = self.events.len();
        section::write(&mut self.out, SectionKind::Events, count, &content)
            .map_err(TraceError::Write)?;
        let is_grant = |event: &&Event| matches!(event.operation, HeapOperation::Grant { .. });
        self.next_block += self.events.iter().filter(is_grant).count() as u64;
        self.events.clear();
        Ok(())
    }

    fn write_launches(&mut self) -> Result<(), TraceError> {
        let content = encode_launches(&self.launches);
        let count = self.launches.len();
        section::write(&mut self.out, SectionKind::Launches, count, &content)
            .map_err(TraceError::Write)?;
        self.launches.clear();
        Ok(())
    }

    /// Writes what is held, the footer and the end mark, and returns the footer.
    ///
    /// # Errors
    ///
    /// [`TraceError::Launch`] for events of a launch that is missing among others, and
    /// [`TraceError::Write`].
    pub fn finish(mut self, cost: Option<RecordingCost>) -> Result<Footer, TraceError> {
        let totals = self.validation.finish()?;
        if !self.launches.is_empty() {
            self.write_launches()?;
        }
        if !self.events.is_empty() {
            self.write_events()?;
        }
        let footer = Footer { cost, ..totals };
        let written = json(&mut self.out, SectionKind::Footer, &footer);
        let written = written.and_then(|()| self.out.write_all(END));
        let written = written.and_then(|()| self.out.flush());
        written.map_err(TraceError::Write)?;
        Ok(footer)
    }
}

fn json(out: &mut impl Write, kind: SectionKind, value: &impl Serialize) -> io::Result<()> {
    let mut content = serde_json::to_vec(value)?;
    content.push(b'\n');
    section::write(out, kind, 1, &content)
}
