//! Descriptions of allocators for people, and the needs of their kernels in the assembler.

use crate::registers::RegisterLimits;

/// A parameter, written after the colon of an allocator's name.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// The values that it takes.
    pub values: &'static str,
    /// Its default.
    pub default: &'static str,
    /// Its effect.
    pub what: &'static str,
}

/// A description of an allocator.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Its name, as users write it; with the parameter that chooses it if it is a form of
    /// another: `cmalloc:walk=paper`. In the table it has an underscore for each sign.
    pub name: &'static str,
    /// Its way of working, in a sentence.
    pub what: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// Its parameters, without those that choose a form of it.
    pub parameters: &'static [Parameter],
}

/// An allocator that says what it is.
pub trait Described {
    /// The description.
    const DESCRIPTION: Description;
    /// Whether it observes calls, and is otherwise the one described.
    const OBSERVED: bool = false;
    /// Registers that its kernels may use.
    const REGISTERS: RegisterLimits = RegisterLimits::SMALL;
}

/// Whether `entry` is the name in the table of an allocator that users call `name`: PTX has
/// no other signs in names than letters, digits and the underscore.
pub const fn is_entry_of(entry: &str, name: &str, observed: bool) -> bool {
    const SUFFIX: &[u8] = b"_observed";
    let (entry, name) = (entry.as_bytes(), name.as_bytes());
    let suffix = if observed { SUFFIX.len() } else { 0 };
    if entry.len() != name.len() + suffix {
        return false;
    }
    let mut at = 0;
    while at < entry.len() {
        let expected = if at < name.len() {
            match name[at] {
                b'-' | b':' | b'=' => b'_',
                letter => letter,
            }
        } else {
            SUFFIX[at - name.len()]
        };
        if entry[at] != expected {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::is_entry_of;

    #[test]
    fn signs_of_names_are_underscores_in_the_table() {
        assert!(is_entry_of("c_s_sharing_paper", "c-s:sharing=paper", false));
        assert!(is_entry_of("a_observed", "a", true));
        for (entry, name, observed) in [
            ("a_observed", "a", false),
            ("a", "a", true),
            ("ab", "a", false),
            ("a_b", "a_c", false),
            ("a_b", "ab", false),
        ] {
            assert!(!is_entry_of(entry, name, observed), "{entry}");
        }
    }
}
