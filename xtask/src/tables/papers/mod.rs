//! Tables of docs/reproducing.md: what papers report, beside what is recorded here.

mod fragmentation;
mod layouts;
mod pool;
mod threads;
mod warps;

use super::results::Results;
use crate::Result;

/// The table of this name.
pub fn table(results: &Results, name: &str) -> Result<String> {
    match name {
        "warps" => warps::table(results),
        "fragmentation" => Ok(fragmentation::table(results)),
        "threads" => Ok(threads::table(results)),
        "layouts" => layouts::table(results),
        "pool" => Ok(pool::table(results)),
        _ => Err(format!("there is no table {name} of papers")),
    }
}

/// A ratio with three digits, or a dash.
fn ratio(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| match value {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        _ => super::bench::ratio(value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_have_the_digits_that_count() {
        assert_eq!(ratio(None), "-");
        let of = [0.034, 1.5, 10.04, 4321.9].map(|value| ratio(Some(value)));
        assert_eq!(of, ["0.034", "1.50", "10.0", "4322"]);
    }
}
