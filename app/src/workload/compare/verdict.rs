//! Whether the cases of a comparison agree.

use super::Outcome;
use crate::Error;
use crate::workload::check_statuses;

/// Makes sure that all named cases that succeeded have the same hash, that there is one, and that
/// none has failed. `differ` is what two cases have done that do not: "built different trees".
///
/// # Errors
///
/// [`Error::Verification`] with two cases whose hashes differ, and those of [`check_statuses`].
pub fn verdict<'a, R: 'a>(
    cases: impl Iterator<Item = (&'a str, &'a Outcome<R>)>,
    differ: &str,
    hash: impl Fn(&R) -> &str,
) -> Result<(), Error> {
    let mut statuses = Vec::new();
    let mut first: Option<(&str, &str)> = None;
    for (name, outcome) in cases {
        statuses.push(outcome.status);
        let Some(result) = &outcome.result else {
            continue;
        };
        let (first_name, first_hash) = *first.get_or_insert((name, hash(result)));
        if hash(result) != first_hash {
            return Err(Error::Verification(format!(
                "{first_name} and {name} {differ}: {first_hash} and {}",
                hash(result)
            )));
        }
    }
    check_statuses(statuses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Status;

    fn judge(cases: &[(&str, Outcome<String>)]) -> Result<(), Error> {
        let cases = cases.iter().map(|(name, outcome)| (*name, outcome));
        verdict(cases, "built different trees", |hash| hash)
    }

    #[test]
    fn hashes_are_compared_before_failures_are_counted() {
        let built = |hash: &str| Outcome::ok(hash.to_owned());
        let late = || Outcome::failed(Status::Timeout, "not done after 1 s".to_owned());
        judge(&[("b", built("1")), ("c", built("1"))]).unwrap();
        let some = judge(&[("a", late()), ("b", built("1"))]).unwrap_err();
        assert_eq!(some.exit_code(), 6);
        let differ = judge(&[("a", built("1")), ("b", late()), ("c", built("2"))]).unwrap_err();
        assert_eq!(differ.exit_code(), 5);
        assert_eq!(differ.to_string(), "a and c built different trees: 1 and 2");
        let none = judge(&[("a", late()), ("b", late())]).unwrap_err();
        assert_eq!(none.exit_code(), 1);
        assert_eq!(none.to_string(), "none of the 2 cases succeeded");
    }
}
