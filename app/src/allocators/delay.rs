//! Delays of the calls of an allocator: `malloc=NS,free=NS`.

use std::fmt;

/// The longest delay of a call, in nanoseconds.
const MAX_NS: u64 = 1_000_000;

/// How much longer each call of an allocator takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallDelay {
    /// Nanoseconds behind a request.
    pub malloc_ns: u64,
    /// Nanoseconds behind a free.
    pub free_ns: u64,
}

impl CallDelay {
    /// The same delay of both.
    pub fn of_all(ns: u64) -> Self {
        Self {
            malloc_ns: ns,
            free_ns: ns,
        }
    }

    /// Reads `malloc=NS,free=NS`; one that is left out is 0.
    ///
    /// # Errors
    ///
    /// A text that is none: the form to write.
    pub fn parse(text: &str) -> Result<Self, String> {
        let how = || format!("write malloc=NS,free=NS, or one of them, of 0 to {MAX_NS} ns");
        let [mut malloc_ns, mut free_ns] = [None, None];
        for part in text.split(',') {
            let (name, ns) = part.split_once('=').ok_or_else(how)?;
            let delay = match name {
                "malloc" => &mut malloc_ns,
                "free" => &mut free_ns,
                _ => return Err(how()),
            };
            let ns: u64 = ns.parse().map_err(|_| how())?;
            if ns > MAX_NS || delay.replace(ns).is_some() {
                return Err(how());
            }
        }
        Ok(Self {
            malloc_ns: malloc_ns.unwrap_or(0),
            free_ns: free_ns.unwrap_or(0),
        })
    }

    /// The clock cycles of both, of a clock of so many ticks a second.
    pub fn cycles(self, clock_hz: u64) -> [u64; 2] {
        let ticks = |ns: u64| (ns as f64 * clock_hz as f64 / 1e9).round() as u64;
        [ticks(self.malloc_ns), ticks(self.free_ns)]
    }
}

impl fmt::Display for CallDelay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malloc={},free={}", self.malloc_ns, self.free_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_shown_as_they_are_written() {
        let delay = CallDelay::parse("free=20,malloc=100").unwrap();
        assert_eq!(delay.to_string(), "malloc=100,free=20");
        assert_eq!(CallDelay::parse("malloc=7").unwrap().free_ns, 0);
        for wrong in [
            "",
            "7",
            "malloc",
            "malloc=",
            "malloc=-1",
            "malloc=1,malloc=2",
            "calloc=1",
            "free=1000001",
        ] {
            assert!(CallDelay::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn cycles_follow_the_clock() {
        assert_eq!(CallDelay::of_all(100).cycles(1_980_000_000), [198, 198]);
    }
}
