//! The verdict on all rows of a benchmark.

use super::Row;
use crate::Error;
use crate::workload::check_statuses;

/// Makes sure that no block has lost its contents, that a case has succeeded, and that none has failed.
///
/// # Errors
///
/// [`Error::Verification`], and those of [`check_statuses`].
pub fn verdict(rows: &[Row]) -> Result<(), Error> {
    let is_corrupt = |row: &&Row| row.corrupt.is_some_and(|blocks| blocks > 0);
    let cases = rows.len();
    match rows.iter().filter(is_corrupt).count() {
        0 => {}
        count => {
            return Err(Error::Verification(format!(
                "in {count} of {cases} cases blocks lost their contents"
            )));
        }
    }
    check_statuses(rows.iter().map(|row| row.status))
}
