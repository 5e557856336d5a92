//! Which allocators cannot free. They are lower bounds, not what users would run: tables
//! say so in their rows, and no best time is one of theirs.

/// Those allocators, and what their rows say.
const CANNOT_FREE: [(&str, &str); 4] = [
    ("atomicmalloc", "cannot free"),
    ("spread", "cannot free"),
    ("awmalloc", "overwrites"),
    ("fdgmalloc", "frees all together"),
];

/// The note in the rows of an allocator that cannot free.
fn note(allocator: &str) -> Option<&'static str> {
    let name = allocator.split(':').next().unwrap_or_default();
    let mut noted = CANNOT_FREE.iter();
    Some(noted.find(|(other, _)| *other == name)?.1)
}

/// Whether an allocator can free.
pub fn can_free(allocator: &str) -> bool {
    note(allocator).is_none()
}

/// The name of an allocator as it stands in a row or column.
pub fn shown(allocator: &str) -> String {
    match note(allocator) {
        Some(note) => format!("{allocator} ({note})"),
        None => allocator.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_who_cannot_free() {
        assert_eq!(shown("cmalloc"), "cmalloc");
        assert_eq!(shown("atomicmalloc"), "atomicmalloc (cannot free)");
        assert!(!can_free("awmalloc:coalesce") && can_free("ouroboros-p-s"));
    }
}
