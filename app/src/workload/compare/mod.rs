//! A comparison: the same work over several allocators, each a case in a process of its
//! own under a time limit, so that what crashes or hangs is a result that says so.
//!
//! The process is another command of the program, which answers in JSON. All cases do the
//! same work, so that those that succeed must end with the same hash.
//!
//! ```
//! use heapwood::Error;
//! use heapwood::workload::compare::{Outcome, verdict};
//!
//! let built = |hash: &str| Outcome::ok(hash.to_owned());
//! let [first, second, other] = [built("c0ffee"), built("c0ffee"), built("decade")];
//! let cases = [("cmalloc", &first), ("cmmalloc", &second), ("cfmalloc", &other)];
//! assert!(verdict(cases[..2].iter().copied(), "built different trees", |hash| hash).is_ok());
//! let differ = verdict(cases.into_iter(), "built different trees", |hash| hash);
//! assert!(matches!(differ, Err(Error::Verification(_))));
//! ```

mod case;
mod verdict;

pub use case::{Case, Outcome};
pub use verdict::verdict;
