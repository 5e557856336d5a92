//! Which line of the sources each atomic access of the PTX comes from, with its order of
//! memory, by what the compiler writes beside `.loc`: the line, and the calls that it was
//! inlined by.

use std::collections::BTreeSet;
use std::fmt;

use crate::Result;

/// Orders of memory, as a part of an instruction's name.
const ORDERS: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "sc"];

/// An instruction that names an order of memory, and the call in the device code that
/// became it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ordering {
    /// The file, from the root of the workspace.
    pub file: String,
    /// The line of the call.
    pub line: u32,
    /// The instruction, without operands.
    pub instruction: String,
}

impl fmt::Display for Ordering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\t{}\t{}", self.file, self.line, self.instruction)
    }
}

/// The orderings in a listing, PTX with lines and comments.
///
/// # Errors
///
/// One that no line of the device code asks for.
pub fn of(listing: &str) -> Result<BTreeSet<Ordering>> {
    let mut found = BTreeSet::new();
    let mut place = None;
    for text in listing.lines() {
        if text.trim_start().starts_with(".loc") {
            place = caller(text);
        }
        let Some(instruction) = ordering(text) else {
            continue;
        };
        let Some((file, line)) = place.clone() else {
            return Err(format!("no line of device code has the `{instruction}`"));
        };
        found.insert(Ordering {
            file,
            line,
            instruction: instruction.to_owned(),
        });
    }
    Ok(found)
}

/// The innermost call in the crate `device`: what is inside of it is `cuda_std`, which
/// has one function for each instruction.
fn caller(location: &str) -> Option<(String, u32)> {
    let (_, calls) = location.split_once("// ")?;
    calls.split(" @[ ").find_map(|call| {
        let mut parts = call.split(':');
        let (file, line) = (parts.next()?, parts.next()?);
        let is_ours = file.starts_with("device/src/");
        is_ours.then(|| Some((file.to_owned(), line.parse().ok()?)))?
    })
}

/// The instruction of a line, if it names an order of memory.
fn ordering(text: &str) -> Option<&str> {
    let code = text.split("//").next()?;
    let words = code.split(|c: char| c.is_whitespace() || "{};".contains(c));
    words.into_iter().find(|word| {
        let mut parts = word.split('.');
        let is_access = |head| ["ld", "st", "atom", "red", "fence"].contains(&head);
        parts.next().is_some_and(is_access) && parts.any(|part| ORDERS.contains(&part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "
	.loc	6 40 13 // device/cuda_std/src/atomic_ptx.rs:40:13 @[ device/src/a.rs:264:43 @[ device/src/b.rs:5:4 ] ]
	{ .reg .b64 %a; cvta.to.global.u64 %a, %rd7; atom.release.gpu.global.add.u64 %rd6, [%a], %rd8; }
	.loc	7 1 2 // device/src/a.rs:1:2
	atom.relaxed.gpu.global.add.u32 %r1, [%a], 1;
	fence.acq_rel.gpu; // st.release
";

    #[test]
    fn orderings_belong_to_the_innermost_call_of_device_code() {
        let found: Vec<String> = of(LISTING)
            .unwrap()
            .iter()
            .map(Ordering::to_string)
            .collect();
        let expected = [
            "device/src/a.rs\t1\tatom.relaxed.gpu.global.add.u32",
            "device/src/a.rs\t1\tfence.acq_rel.gpu",
            "device/src/a.rs\t264\tatom.release.gpu.global.add.u64",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn an_ordering_from_nowhere_is_an_error() {
        assert!(of("ld.acquire.gpu.global.b32 %r1, [%a];").is_err());
    }
}
