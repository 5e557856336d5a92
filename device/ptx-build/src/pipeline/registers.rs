//! How many registers each entry may use, as the device code says.
//!
//! The device code has a constant `registers__ENTRY` for each entry
//! (`device/src/registers.rs`). It is read from the bitcode; no module keeps it.

use std::collections::BTreeMap;

use crate::Result;

/// The prefix of the constants' names.
const PREFIX: &str = "registers__";

/// The limits of entries that have one, by the entries' names.
pub(super) type RegisterLimits = BTreeMap<String, u32>;

/// The limits in a listing of LLVM's assembly language.
///
/// # Errors
///
/// A constant that is written in another way than as four bytes or an integer.
pub(super) fn register_limits(listing: &str) -> Result<RegisterLimits> {
    let mut limits = RegisterLimits::new();
    for line in listing.lines() {
        let Some(rest) = line.strip_prefix(&format!("@{PREFIX}")) else {
            continue;
        };
        let (entry, definition) = rest
            .split_once(" = ")
            .ok_or_else(|| format!("not a constant: {line}"))?;
        let value = value(definition).ok_or_else(|| format!("not an integer: {line}"))?;
        if value > 0 {
            limits.insert(entry.to_owned(), value);
        }
    }
    Ok(limits)
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
    fn limits_are_read_from_the_listing() {
        let listing = "\
            @registers__bench__pair__a = constant [4 x i8] c\"\\18\\00\\00\\00\", align 4\n\
            @registers__bench__pair__b = constant [4 x i8] c\"@\\00\\00\\00\", align 4\n\
            @registers__bench__pair__c = constant i32 80, align 4\n\
            @registers__bench__fill__c = constant [4 x i8] zeroinitializer, align 4\n\
            @something = constant i32 1\n";
        let limits = register_limits(listing).unwrap();
        let expected = [("a", 24), ("b", 64), ("c", 80)];
        let expected = expected.map(|(name, limit)| (format!("bench__pair__{name}"), limit));
        assert_eq!(limits, RegisterLimits::from(expected));
        assert!(register_limits("@registers__bench__pair__a = constant float 1.0\n").is_err());
    }
}
