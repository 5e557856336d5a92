//! Tables of cases, as text.

/// The rows of a table, one per line, with fields between bars.
pub fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    table.lines().map(|line| {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        fields.try_into().unwrap_or_else(|_| panic!("{line}"))
    })
}

/// Lines that stand in one, with semicolons between.
pub fn lines(text: &str) -> String {
    let lines: Vec<&str> = text.split(';').map(str::trim).collect();
    lines.join("\n") + "\n"
}
