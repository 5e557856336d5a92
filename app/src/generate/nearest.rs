//! The name that was probably meant, among those that there are.

/// The error of a name that is none of `names`: those that there are, and the one that was
/// probably meant.
pub fn one_of(what: &str, name: &str, names: &[&str]) -> String {
    let meant = nearest(name, names);
    let meant = meant.map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
    format!(
        "no {what} `{name}`{meant}: choose from {}",
        names.join(", ")
    )
}

/// The name with the fewest edits, if no more than a third of its letters are wrong.
fn nearest<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    // No name is that long, and the distance takes time quadratic in it.
    if name.len() > 40 {
        return None;
    }
    let distances = names.iter().map(|&known| (edits(name, known), known));
    let (distance, near) = distances.min_by_key(|&(distance, _)| distance)?;
    (3 * distance <= near.chars().count()).then_some(near)
}

/// Letters to insert, delete or replace to make one word of the other (Levenshtein).
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (place, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = place + 1;
        for (column, &other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (from, to, count) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("seed", "seed", 0),
            ("sead", "seed", 1),
            ("caf\u{e9}", "cafe", 1),
        ] {
            assert_eq!(edits(from, to), count, "{from} {to}");
        }
    }

    #[test]
    fn only_near_names_are_proposed() {
        let names = ["kronecker", "kkt", "road"];
        assert_eq!(nearest("kroneker", &names), Some("kronecker"));
        assert_eq!(nearest("roads", &names), Some("road"));
        assert_eq!(nearest("kk", &names), Some("kkt"));
        for far in ["", "cactus", "re", &"kronecker".repeat(100)] {
            assert_eq!(nearest(far, &names), None, "{far}");
        }
        assert_eq!(nearest("a", &[]), None);
        assert_eq!(
            one_of("kind", "raod", &names),
            "no kind `raod`: choose from kronecker, kkt, road"
        );
        assert_eq!(
            one_of("kind", "rode", &["rose"]),
            "no kind `rode` (did you mean `rose`?): choose from rose"
        );
    }
}
