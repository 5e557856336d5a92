//! The cases of a comparison, and running them one after the other.

use crate::Error;

/// A case: the work of a comparison over one allocator, which leaves a row whatever happens.
pub struct Case<'w, Row> {
    name: String,
    work: Box<dyn FnOnce() -> Result<Row, Error> + 'w>,
}

impl<'w, Row> Case<'w, Row> {
    /// A case that messages call by this name. The work fails only for what is wrong with all
    /// cases.
    pub fn new(name: String, work: impl FnOnce() -> Result<Row, Error> + 'w) -> Self {
        Self {
            name,
            work: Box::new(work),
        }
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Does the work.
    fn run(self) -> Result<Row, Error> {
        (self.work)().map_err(|error| match error {
            Error::Failed(why) => Error::Failed(format!("{}: {why}", self.name)),
            other => other,
        })
    }
}

/// Runs the cases one after the other and returns their rows. A case whose row is `known` is
/// not run. `before` gets the name of each case that is, and `after` the rows so far,
/// in the order of the cases; what is known of later cases is among them.
///
/// # Errors
///
/// Errors that all cases share, and those of `after`.
///
/// # Panics
///
/// If there is not a place in `known` for each case.
pub fn run<Row>(
    cases: Vec<Case<Row>>,
    known: Vec<Option<Row>>,
    mut before: impl FnMut(&str),
    mut after: impl FnMut(&mut [Row]) -> Result<(), Error>,
) -> Result<Vec<Row>, Error> {
    assert_eq!(cases.len(), known.len(), "a place for each case");
    let missing: Vec<bool> = known.iter().map(Option::is_none).collect();
    let mut rows: Vec<Row> = known.into_iter().flatten().collect();
    for (place, case) in cases.into_iter().enumerate() {
        if missing[place] {
            before(case.name());
            // All cases before this one have their rows by now.
            rows.insert(place, case.run()?);
            after(&mut rows)?;
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs cases 0 to 4, some of them with known rows; returns the others, and the rows after
    /// each.
    fn run_all(known: [Option<u32>; 5]) -> (Vec<String>, Vec<Vec<u32>>) {
        let case = |number: u32| Case::new(number.to_string(), move || Ok(10 * number));
        let (mut ran, mut seen) = (Vec::new(), Vec::new());
        let rows = run(
            (0..5).map(case).collect(),
            known.into(),
            |name| ran.push(name.to_owned()),
            |rows| {
                seen.push(rows.to_vec());
                Ok(())
            },
        );
        seen.push(rows.unwrap());
        (ran, seen)
    }

    #[test]
    fn cases_run_in_their_order_and_rows_are_seen_after_each() {
        let (ran, seen) = run_all([None; 5]);
        assert_eq!(ran, ["0", "1", "2", "3", "4"]);
        assert_eq!(seen[..2], [vec![0], vec![0, 10]]);
        assert_eq!(seen[5], [0, 10, 20, 30, 40]);
    }

    #[test]
    fn known_rows_stay_in_their_places() {
        let (ran, seen) = run_all([None, Some(11), None, None, Some(44)]);
        assert_eq!(ran, ["0", "2", "3"]);
        // Known rows of later cases are not lost when a run ends here.
        assert_eq!(seen[0], [0, 11, 44]);
        assert_eq!(seen[3], [0, 11, 20, 30, 44]);
        let (ran, seen) = run_all([Some(1), Some(2), Some(3), Some(4), Some(5)]);
        assert_eq!((ran.len(), seen), (0, vec![vec![1, 2, 3, 4, 5]]));
    }

    #[test]
    fn what_is_wrong_with_all_cases_ends_the_comparison() {
        let failing = |why: &str| {
            let why = why.to_owned();
            Case::<u32>::new("b".to_owned(), move || Err(Error::Failed(why)))
        };
        let cases = vec![Case::new("a".to_owned(), || Ok(1)), failing("no answer")];
        let mut after = 0;
        let counted = |_: &mut [u32]| {
            after += 1;
            Ok(())
        };
        let error = run(cases, vec![None, None], |_| (), counted).unwrap_err();
        assert_eq!((error.to_string().as_str(), after), ("b: no answer", 1));
    }
}
