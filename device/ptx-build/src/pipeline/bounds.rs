//! The bounds of each entry's launches, as the device code says.
//!
//! The device code has a constant `registers__ENTRY` for each entry, and `threads__ENTRY` for those
//! whose block has a shape of its own (`device/src/entry.rs`). They are read from the bitcode; no
//! module keeps them.

use std::collections::BTreeMap;

use crate::Result;

/// The bounds of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Threads of a block.
    pub threads: u32,
    /// Registers that a thread may use; 0 for no limit.
    pub registers: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            threads: 256,
            registers: 0,
        }
    }
}

/// The bounds of entries that state some, by the entries' names.
pub(super) type LaunchBounds = BTreeMap<String, Bounds>;

/// The bounds in a listing of LLVM's assembly language.
///
/// # Errors
///
/// A constant that is written in another way than as four bytes or an integer.
pub(super) fn launch_bounds(listing: &str) -> Result<LaunchBounds> {
    let mut bounds = LaunchBounds::new();
    for line in listing.lines() {
        let Some((kind, rest)) = line
            .strip_prefix('@')
            .and_then(|rest| rest.split_once("__"))
        else {
            continue;
        };
        if kind != "registers" && kind != "threads" {
            continue;
        }
        let (entry, definition) = rest
            .split_once(" = ")
            .ok_or_else(|| format!("not a constant: {line}"))?;
        let value = value(definition).ok_or_else(|| format!("not an integer: {line}"))?;
        let bounds = bounds.entry(entry.to_owned()).or_default();
        match kind {
            "threads" => bounds.threads = value,
            _ => bounds.registers = value,
        }
    }
    Ok(bounds)
}

/// The value of a constant of 32 bits: `i32 24`, or its bytes, `c"\18\00\00\00"`.
fn value(definition: &str) -> Option<u32> {
    if definition.contains("zeroinitializer") {
        return Some(0);
    }
    if let Some((_, integer)) = definition.split_once(" i32 ") {
        return integer.split([',', ' ']).next()?.parse().ok();
    }
    let (_, bytes) = definition.split_once("c\"")?;
    let (bytes, _) = bytes.split_once('"')?;
    let bytes = unescape(bytes)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// The bytes of a string in LLVM's assembly language, whose unprintable ones are a backslash
/// and two hexadecimal digits.
fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.bytes().next() {
        if first == b'\\' {
            bytes.push(u8::from_str_radix(rest.get(1..3)?, 16).ok()?);
            rest = &rest[3..];
        } else {
            bytes.push(first);
            rest = rest.get(1..)?;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read_from_the_listing() {
        let listing = "\
            @registers__bench__pair__a = constant [4 x i8] c\"\\18\\00\\00\\00\", align 4\n\
            @registers__bench__pair__b = constant [4 x i8] c\"@\\00\\00\\00\", align 4\n\
            @threads__bench__pair__b = constant [4 x i8] c\"\\00\\04\\00\\00\", align 4\n\
            @registers__bench__pair__c = constant i32 80, align 4\n\
            @registers__bench__fill__c = constant [4 x i8] zeroinitializer, align 4\n\
            @something = constant i32 1\n";
        let found = launch_bounds(listing).unwrap();
        let expected = [
            ("pair__a", 256, 24),
            ("pair__b", 1024, 64),
            ("pair__c", 256, 80),
            ("fill__c", 256, 0),
        ];
        let expected = expected.map(|(name, threads, registers)| {
            (format!("bench__{name}"), Bounds { threads, registers })
        });
        assert_eq!(found, LaunchBounds::from(expected));
        assert!(launch_bounds("@registers__bench__pair__a = constant float 1.0\n").is_err());
    }
}
