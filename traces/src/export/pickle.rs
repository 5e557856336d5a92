//! Python's pickle format, protocol 2, as far as dictionaries of numbers and lists need it.
//!
//! The opcodes are those of Python's `pickletools`. The viewer of PyTorch reads them by code of its
//! own, which knows some of them only: among these are the ones here.

use std::io::{self, Write};

/// Elements between two appends: the viewer passes them as arguments of a call, which has a limit.
const BATCH: usize = 1000;

/// A value of a dictionary.
pub enum Value<'a> {
    /// A number.
    Number(u64),
    /// A text.
    Text(&'a str),
}

/// Writes a pickle in the order of its opcodes.
pub struct Pickle<W> {
    out: W,
    /// Keys that were written, which are recalled by their index.
    keys: Vec<&'static str>,
    /// Elements of the list that is written.
    elements: usize,
}

impl<W: Write> Pickle<W> {
    /// Begins a pickle.
    ///
    /// # Errors
    ///
    /// That of the output, here and below.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all(&[0x80, 2])?;
        Ok(Self {
            out,
            keys: Vec::new(),
            elements: 0,
        })
    }

    /// Begins a dictionary, whose keys and values follow.
    pub fn begin_dictionary(&mut self) -> io::Result<()> {
        self.out.write_all(b"}(")
    }

    /// Ends a dictionary.
    pub fn end_dictionary(&mut self) -> io::Result<()> {
        self.out.write_all(b"u")
    }

    /// Begins a list. Only the innermost list has more elements than a batch.
    pub fn begin_list(&mut self) -> io::Result<()> {
        self.elements = 0;
        self.out.write_all(b"](")
    }

    /// Ends a list.
    pub fn end_list(&mut self) -> io::Result<()> {
        self.out.write_all(b"e")
    }

    /// A key of a dictionary.
    pub fn key(&mut self, key: &'static str) -> io::Result<()> {
        if let Some(index) = self.keys.iter().position(|known| *known == key) {
            return self.out.write_all(&[b'h', index as u8]);
        }
        self.text(key)?;
        self.out.write_all(&[b'q', self.keys.len() as u8])?;
        self.keys.push(key);
        Ok(())
    }

    /// A dictionary as an element of a list.
    pub fn element(&mut self, fields: &[(&'static str, Value)]) -> io::Result<()> {
        if self.elements == BATCH {
            self.out.write_all(b"e(")?;
            self.elements = 0;
        }
        self.elements += 1;
        self.begin_dictionary()?;
        self.fields(fields)?;
        self.end_dictionary()
    }

    /// Keys of a dictionary with their values.
    pub fn fields(&mut self, fields: &[(&'static str, Value)]) -> io::Result<()> {
        for (key, value) in fields {
            self.key(key)?;
            match value {
                Value::Number(number) => self.number(*number)?,
                Value::Text(text) => self.text(text)?,
            }
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(b"X")?;
        self.out.write_all(&(text.len() as u32).to_le_bytes())?;
        self.out.write_all(text.as_bytes())
    }

    fn number(&mut self, number: u64) -> io::Result<()> {
        match u8::try_from(number) {
            Ok(small) => self.out.write_all(&[b'K', small]),
            // The viewer makes big integers of 9 bytes, which do not mix with numbers. 8 bytes have no
            // place for the sign of a number from 2^63.
            Err(_) if number >> 63 == 0 => {
                self.out.write_all(&[0x8a, 8])?;
                self.out.write_all(&number.to_le_bytes())
            }
            Err(_) => {
                self.out.write_all(&[0x8a, 9])?;
                self.out.write_all(&number.to_le_bytes())?;
                self.out.write_all(&[0])
            }
        }
    }

    /// Ends the pickle.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.write_all(b".")?;
        self.out.flush()
    }
}
