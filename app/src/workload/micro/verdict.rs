//! What the rows of a benchmark mean together.

use super::Row;
use crate::Error;
use crate::workload::Status;

/// Makes sure that no block has lost its contents, and that a case has succeeded.
///
/// # Errors
///
/// [`Error::Verification`] and [`Error::Failed`].
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
    if rows.iter().any(|row| row.status == Status::Ok) {
        return Ok(());
    }
    Err(Error::Failed(format!(
        "none of the {cases} cases succeeded"
    )))
}
