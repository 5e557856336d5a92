//! The reader of traces.

use std::collections::VecDeque;
use std::io::{BufReader, Read};

use serde::de::DeserializeOwned;

use crate::columns::{decode_events, decode_launches};
use crate::error::excerpt;
use crate::section::{Counted, END, FIRST_LINE, NAME, SectionKind, TraceSection};
use crate::validation::Validation;
use crate::write::{BLOCK_EVENTS, BLOCK_LAUNCHES};
use crate::{Footer, Header, HeapOperation, TraceEntry, TraceError};

/// Reads a trace as an iterator of entries, and holds a block of them. It takes any bytes: an entry
/// that it returns has passed all rules, and it ends without an error only at the end mark.
pub struct Reader<R> {
    input: Counted<BufReader<R>>,
    header: Header,
    footer: Option<Footer>,
    block: VecDeque<TraceEntry>,
    /// The id of the next block that a section grants.
    next_block: u64,
    validation: Validation,
    is_over: bool,
}

impl<R: Read> Reader<R> {
    /// Reads the header.
    ///
    /// # Errors
    ///
    /// [`TraceError::Empty`], [`TraceError::NotTrace`], [`TraceError::Version`],
    /// [`TraceError::Truncated`], [`TraceError::Damaged`] or [`TraceError::Read`].
    pub fn new(input: R) -> Result<Self, TraceError> {
        let mut input = Counted::new(BufReader::new(input));
        let line = input.up_to(FIRST_LINE.len() as u64)?;
        if line.is_empty() {
            return Err(TraceError::Empty);
        }
        if line != FIRST_LINE {
            return Err(match line.strip_prefix(NAME) {
                Some(version) if !version.is_empty() && version != b"1" => TraceError::Version {
                    found: excerpt(String::from_utf8_lossy(version).trim_end()),
                },
                _ if FIRST_LINE.starts_with(&line) => TraceError::Truncated { byte: input.byte },
                _ => TraceError::NotTrace,
            });
        }
        let section = input.section()?;
        let header = match section.kind {
            SectionKind::Header => json(&section)?,
            _ => return Err(damaged(&section, "the header is missing")),
        };
        Ok(Self {
            input,
            header,
            footer: None,
            block: VecDeque::new(),
            next_block: 0,
            validation: Validation::default(),
            is_over: false,
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The footer, after the last entry.
    pub fn footer(&self) -> Option<&Footer> {
        self.footer.as_ref()
    }

    fn read(&mut self) -> Result<Option<TraceEntry>, TraceError> {
        loop {
            if let Some(entry) = self.block.pop_front() {
                self.validation.entry(&entry)?;
                return Ok(Some(entry));
            }
            let section = self.input.section()?;
            let bad = |cause: String| damaged(&section, &cause);
            let count = section.count as usize;
            match section.kind {
                SectionKind::Events if (1..=BLOCK_EVENTS).contains(&count) => {
                    let events = decode_events(&section.content, count, self.next_block);
                    let events = events.map_err(bad)?;
                    self.block = events.into_iter().map(TraceEntry::Event).collect();
                    self.next_block += self.block.iter().filter(is_grant).count() as u64;
                }
                SectionKind::Launches if (1..=BLOCK_LAUNCHES).contains(&count) => {
                    let launches = decode_launches(&section.content, count).map_err(bad)?;
                    self.block = launches.into_iter().map(TraceEntry::Launch).collect();
                }
                SectionKind::Footer => {
                    self.end(&section)?;
                    return Ok(None);
                }
                SectionKind::Header => return Err(damaged(&section, "there is a second header")),
                _ => return Err(damaged(&section, "a block has a count that is not written")),
            }
        }
    }

    fn end(&mut self, section: &TraceSection) -> Result<(), TraceError> {
        let footer: Footer = json(section)?;
        let found = self.validation.finish()?;
        for (what, said, found) in [
            ("events", footer.events, found.events),
            ("launches", footer.launches, found.launches),
            ("live blocks", footer.live_blocks, found.live_blocks),
        ] {
            if said != found {
                return Err(TraceError::Count { what, said, found });
            }
        }
        let byte = self.input.byte;
        let mark = self.input.up_to(END.len() as u64 + 1)?;
        if mark.len() < END.len() && END.starts_with(&mark) {
            return Err(TraceError::Truncated {
                byte: self.input.byte,
            });
        }
        if mark != END {
            let cause = "the end mark does not end the file".to_owned();
            return Err(TraceError::Damaged { byte, cause });
        }
        self.footer = Some(footer);
        Ok(())
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<TraceEntry, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let entry = self.read();
        self.is_over = !matches!(entry, Ok(Some(_)));
        entry.transpose()
    }
}

fn is_grant(entry: &&TraceEntry) -> bool {
    matches!(entry, TraceEntry::Event(event) if matches!(event.operation, HeapOperation::Grant { .. }))
}

fn damaged(section: &TraceSection, cause: &str) -> TraceError {
    TraceError::Damaged {
        byte: section.byte,
        cause: cause.to_owned(),
    }
}

fn json<T: DeserializeOwned>(section: &TraceSection) -> Result<T, TraceError> {
    let value = serde_json::from_slice(&section.content);
    value.map_err(|error| damaged(section, &format!("its JSON cannot be used ({error})")))
}
