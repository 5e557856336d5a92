//! Sizes for people.

/// A size for people: exact in the largest binary unit that divides it, else
/// with one decimal.
pub fn display(bytes: u64) -> String {
    let units = [
        ("TiB", 1_u64 << 40),
        ("GiB", 1 << 30),
        ("MiB", 1 << 20),
        ("KiB", 1 << 10),
    ];
    for (name, unit) in units {
        if bytes >= unit && bytes.is_multiple_of(unit) {
            return format!("{} {name}", bytes / unit);
        }
        if bytes >= 10 * unit {
            return format!("{:.1} {name}", bytes as f64 / unit as f64);
        }
    }
    format!("{bytes} B")
}
