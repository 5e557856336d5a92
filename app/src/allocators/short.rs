//! The short form of what docs/allocators.md says of an allocator. There is one
//! source, the page: it is part of the program.

/// The page.
const PAGE: &str = include_str!("../../../docs/allocators.md");

/// What the page says of an allocator before it goes into who had which idea: figure,
/// algorithm, costs and bounds. Nothing for a name that it has no section of.
pub fn short_form(name: &str) -> Option<String> {
    let mut sections = PAGE.split("\n## ").skip(1);
    let section = sections.find_map(|section| {
        let (title, body) = section.split_once('\n')?;
        (title.trim() == name).then_some(body)
    })?;
    let short = section.split("\n### ").next().unwrap_or(section);
    let lines = short.lines().filter(|line| !line.starts_with("```"));
    Some(lines.collect::<Vec<_>>().join("\n").trim().to_owned() + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocators::all;

    #[test]
    fn every_allocator_has_a_section_with_everything() {
        for allocator in all() {
            let name = allocator.description.name;
            let short = short_form(name).unwrap_or_else(|| panic!("{name} has no section"));
            for part in ["Memory", "Algorithm", "malloc:", "free:", "Waits:", "Null:"] {
                assert!(short.contains(part), "{name} has no `{part}`");
            }
            let lines = short.lines().count();
            assert!((15..50).contains(&lines), "{name}: {lines} lines");
            let wide = short.lines().find(|line| line.chars().count() > 90);
            assert_eq!(wide, None, "{name}");
            // Its section says whose is what, and is no form's own.
            let section = PAGE
                .split("\n## ")
                .find(|section| section.lines().next() == Some(name));
            assert!(
                section.is_some_and(|text| text.contains("\n### Whose is what")),
                "{name}"
            );
        }
        assert_eq!(short_form("nomalloc"), None);
    }
}
