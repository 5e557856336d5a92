//! A comparison: the same work over several allocators, a case each, so that they stand side
//! by side.
//!
//! A [`Case`] is a name and whatever does the work. The program's cases are jobs
//! ([`crate::job`]): each runs in a process of its own under a time limit, so that a crash or a hang
//! is a result, too. All cases do the same work, so that those that succeed must end with the
//! same hash.
//!
//! ```
//! use heapwood::Error;
//! use heapwood::workload::compare::{Case, Outcome, run, verdict};
//!
//! let built = |name: &str, hash: &str| {
//!     let row = (name.to_owned(), Outcome::ok(hash.to_owned()));
//!     Case::new(name.to_owned(), || Ok(row))
//! };
//! let cases = vec![
//!     built("cmalloc", "c0ffee"),
//!     built("cmmalloc", "c0ffee"),
//!     built("cfmalloc", "decade"),
//! ];
//! let known = vec![None, None, None];
//! let rows = run(cases, known, |_| (), |_| Ok(()))?;
//! let judge = |rows: &[(String, Outcome<String>)]| {
//!     let outcomes = rows.iter().map(|(name, outcome)| (name.as_str(), outcome));
//!     verdict(outcomes, "built different trees", |hash| hash)
//! };
//! assert!(judge(&rows[..2]).is_ok());
//! assert!(matches!(judge(&rows), Err(Error::Verification(_))));
//! # Ok::<(), Error>(())
//! ```

mod case;
mod verdict;

pub use case::{Case, run};
pub use heapwood_results::Outcome;
pub use verdict::verdict;
