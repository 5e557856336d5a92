//! Blocks of events and of launches as columns of variable-length integers.
//!
//! Decoders take any bytes: they allocate no more than these, and end in an error where a value is
//! not one of its column.

use ahash::HashMap;

use crate::validation::MAX_KERNEL_BYTES;
use crate::{Event, HeapOperation, Launch};

/// Appends an integer in groups of 7 bits from the lowest, the top bit of a byte set before others.
fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a difference whose sign is the lowest bit, modulo 2^64.
fn put_difference(out: &mut Vec<u8>, from: u64, to: u64) {
    let difference = to.wrapping_sub(from) as i64;
    put(out, (difference << 1 ^ difference >> 63) as u64);
}

/// The bytes of a block that are not read yet.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self
            .0
            .split_at_checked(length)
            .ok_or("a column ends early")?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, String> {
        self.take(1).map(|byte| byte[0])
    }

    fn integer(&mut self) -> Result<u64, String> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let group = u64::from(byte & 0x7f);
            if group << shift >> shift != group {
                break;
            }
            value |= group << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err("an integer has more than 64 bits".to_owned())
    }

    fn difference(&mut self, from: u64) -> Result<u64, String> {
        let coded = self.integer()?;
        let difference = (coded >> 1) as i64 ^ -((coded & 1) as i64);
        Ok(from.wrapping_add(difference as u64))
    }

    fn narrow(&mut self, from: u32) -> Result<u32, String> {
        let value = self.difference(from.into())?;
        u32::try_from(value).map_err(|_| format!("{value} has more than 32 bits"))
    }

    /// Refuses bytes behind the last column.
    fn end(&self) -> Result<(), String> {
        match self.0.len() {
            0 => Ok(()),
            length => Err(format!("{length} bytes follow the last column")),
        }
    }
}

/// The bytes of a block of events. The next granted block has the id `next_block`.
pub fn encode_events(events: &[Event], mut next_block: u64) -> Vec<u8> {
    let mut out = Vec::new();
    for event in events {
        out.push(match event.operation {
            HeapOperation::Grant { .. } => 0,
            HeapOperation::Refusal { .. } => 1,
            HeapOperation::Free { .. } => 2,
        });
    }
    let put_column = |out: &mut Vec<u8>, of: fn(&Event) -> u64| {
        let mut before = 0;
        for event in events {
            put_difference(out, before, of(event));
            before = of(event);
        }
    };
    put_column(&mut out, |event| event.launch.into());
    put_column(&mut out, |event| event.warp.into());
    let mut orders = HashMap::default();
    for event in events {
        let before = orders.insert(event.warp, event.order).unwrap_or_default();
        put_difference(&mut out, before.into(), event.order.into());
    }
    out.extend(events.iter().map(|event| event.lane));
    for event in events {
        if let HeapOperation::Grant { bytes, .. } | HeapOperation::Refusal { bytes } =
            event.operation
        {
            put(&mut out, bytes);
        }
    }
    for event in events {
        match event.operation {
            HeapOperation::Grant { .. } => next_block += 1,
            HeapOperation::Free { block } => put(&mut out, next_block.wrapping_sub(block)),
            HeapOperation::Refusal { .. } => {}
        }
    }
    put_column(&mut out, |event| event.clock);
    out
}

/// The events of a block of `count`. The next granted block has the id `next_block`.
///
/// # Errors
///
/// A description of what is wrong with the bytes.
pub fn decode_events(
    content: &[u8],
    count: usize,
    mut next_block: u64,
) -> Result<Vec<Event>, String> {
    let mut bytes = Bytes(content);
    let operations = bytes.take(count)?;
    let event = |&operation: &u8| {
        let operation = match operation {
            0 => HeapOperation::Grant { bytes: 0, block: 0 },
            1 => HeapOperation::Refusal { bytes: 0 },
            2 => HeapOperation::Free { block: 0 },
            other => return Err(format!("{other} is not an operation")),
        };
        Ok(Event {
            launch: 0,
            warp: 0,
            order: 0,
            lane: 0,
            clock: 0,
            operation,
        })
    };
    let mut events = operations
        .iter()
        .map(event)
        .collect::<Result<Vec<_>, _>>()?;
    let columns: [fn(&mut Event) -> &mut u32; 2] = [|of| &mut of.launch, |of| &mut of.warp];
    for column in columns {
        let mut before = 0;
        for event in &mut events {
            before = bytes.narrow(before)?;
            *column(event) = before;
        }
    }
    let mut orders = HashMap::<u32, u32>::default();
    for event in &mut events {
        let order = orders.entry(event.warp).or_default();
        *order = bytes.narrow(*order)?;
        event.order = *order;
    }
    for event in &mut events {
        event.lane = bytes.byte()?;
    }
    for event in &mut events {
        if let HeapOperation::Grant { bytes: size, .. } | HeapOperation::Refusal { bytes: size } =
            &mut event.operation
        {
            *size = bytes.integer()?;
        }
    }
    for event in &mut events {
        match &mut event.operation {
            HeapOperation::Grant { block, .. } => {
                *block = next_block;
                next_block += 1;
            }
            HeapOperation::Free { block } => *block = next_block.wrapping_sub(bytes.integer()?),
            HeapOperation::Refusal { .. } => {}
        }
    }
    let mut before = 0;
    for event in &mut events {
        event.clock = bytes.difference(before)?;
        before = event.clock;
    }
    bytes.end()?;
    Ok(events)
}

/// The bytes of a block of launches.
pub fn encode_launches(launches: &[Launch]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut before = (0, 0);
    for launch in launches {
        put_difference(&mut out, before.0, launch.number.into());
        put_difference(&mut out, before.1, launch.begin_ns);
        put(&mut out, launch.end_ns - launch.begin_ns);
        put(&mut out, launch.kernel.len() as u64);
        out.extend(launch.kernel.bytes());
        before = (launch.number.into(), launch.begin_ns);
    }
    out
}

/// The launches of a block of `count`.
///
/// # Errors
///
/// A description of what is wrong with the bytes.
pub fn decode_launches(content: &[u8], count: usize) -> Result<Vec<Launch>, String> {
    let mut bytes = Bytes(content);
    let mut launches = Vec::new();
    let mut before = (0, 0);
    for _ in 0..count {
        let number = bytes.narrow(before.0)?;
        let begin_ns = bytes.difference(before.1)?;
        let end_ns = begin_ns.checked_add(bytes.integer()?);
        let length = bytes.integer()?.min(MAX_KERNEL_BYTES as u64 + 1);
        let kernel = std::str::from_utf8(bytes.take(length as usize)?);
        launches.push(Launch {
            number,
            kernel: kernel.map_err(|_| "a name is not UTF-8")?.to_owned(),
            begin_ns,
            end_ns: end_ns.ok_or("a time has more than 64 bits")?,
        });
        before = (number, begin_ns);
    }
    bytes.end()?;
    Ok(launches)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_differences_of_all_lengths_come_back() {
        let values = [0, 1, 127, 128, 1 << 32, u64::MAX - 1, u64::MAX];
        for from in values {
            for to in values {
                let mut out = Vec::new();
                put(&mut out, to);
                put_difference(&mut out, from, to);
                let mut bytes = Bytes(&out);
                assert_eq!(bytes.integer(), Ok(to));
                assert_eq!(bytes.difference(from), Ok(to));
                assert_eq!(bytes.end(), Ok(()));
            }
        }
        for bad in [&[][..], &[0x80], &[0xff; 9], &[0xff; 10], &[0xff; 11]] {
            assert!(Bytes(bad).integer().is_err(), "{bad:?}");
        }
        let wide = [&[0xff; 9][..], &[2]].concat();
        assert!(Bytes(&wide).integer().is_err());
    }
}
