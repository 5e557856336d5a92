//! The short form of what docs/allocators.md says of an allocator. There is one
//! source, the page: it is part of the program.

/// The page.
const PAGE: &str = include_str!("../../../docs/allocators.md");

/// The page's section of an allocator up to its differences from the paper: figure, algorithm,
/// costs and bounds. Nothing for a name without a section.
pub fn short_form(name: &str) -> Option<String> {
    section_of(PAGE, name).map(short_of)
}

/// A page's section of this title, without the title.
fn section_of<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let mut sections = page.split("\n## ").skip(1);
    sections.find_map(|section| {
        let (title, body) = section.split_once('\n')?;
        (title.trim() == name).then_some(body)
    })
}

/// The part of a section up to its first heading.
fn short_of(section: &str) -> String {
    let short = section.split("\n### ").next().unwrap_or(section);
    let lines = short.lines().filter(|line| !line.starts_with("```"));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use heapwood_device::host::HostAllocator;

    use super::*;
    use crate::allocators::all;

    /// The rules for a section, for the message of a test that finds one broken.
    const FORM: &str = "docs/allocators.md needs a section `## NAME` of 15 to 49 lines, at most \
        90 characters wide, with `Memory`, `Algorithm`, `malloc:`, `free:`, `Waits:` and `Null:`, \
        and behind it `### Differences from the paper`; docs/adding-an-allocator.md shows one";

    /// The fault of a page's section of an allocator.
    fn fault(page: &str, name: &str) -> Option<String> {
        let fault = |what: String| Some(format!("{name}: {what}; {FORM}"));
        let Some(section) = section_of(page, name) else {
            return fault("no section".to_owned());
        };
        let short = short_of(section);
        for part in ["Memory", "Algorithm", "malloc:", "free:", "Waits:", "Null:"] {
            if !short.contains(part) {
                return fault(format!("no `{part}`"));
            }
        }
        let lines = short.lines().count();
        if !(15..50).contains(&lines) {
            return fault(format!("{lines} lines"));
        }
        if let Some(wide) = short.lines().find(|line| line.chars().count() > 90) {
            return fault(format!("a line of {}: {wide}", wide.chars().count()));
        }
        // It is no form's own.
        match section.contains("\n### Differences from the paper") {
            false => fault("no `### Differences from the paper`".to_owned()),
            true => None,
        }
    }

    #[test]
    fn every_allocator_has_a_section_with_everything() {
        let faults: Vec<String> = all()
            .filter_map(|allocator| fault(PAGE, allocator.description.name))
            .collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert_eq!(short_form("nomalloc"), None);
    }

    #[test]
    fn a_section_that_is_missing_or_malformed_is_told_the_form() {
        let whole = |name: &str| {
            let body = "Memory\n".to_owned() + &"  |\n".repeat(12) + "Algorithm\nmalloc: free:\n";
            format!(
                "# Page\n\n## {name}\n\n{body}Waits: Null:\n\n### Differences from the paper\n\nOurs.\n"
            )
        };
        let page = whole("bitmap");
        assert_eq!(fault(&page, "bitmap"), None);
        let wide = format!("Null: {}", "x".repeat(90));
        for (page, what) in [
            (whole("bitmaps"), "bitmap: no section; "),
            (page.replace("Null:", ""), "bitmap: no `Null:`; "),
            (page.replace("  |\n", ""), "bitmap: 4 lines; "),
            (page.replace("Null:", &wide), "bitmap: a line of 103: "),
            (
                page.replace("### Differences", "### Not"),
                "bitmap: no `### Differences from the paper`; ",
            ),
        ] {
            let said = fault(&page, "bitmap").expect(what);
            assert!(said.starts_with(what) && said.ends_with(FORM), "{said}");
        }
    }

    #[test]
    fn the_page_names_the_allocators_whose_unit_is_fixed() {
        let has = |allocator: &HostAllocator, names: &[&str]| {
            let mut parameters = allocator.description.parameters.iter();
            parameters.any(|parameter| names.contains(&parameter.name))
        };
        let sized = ["unit", "page", "superblock"];
        // The parameter `slab` of others is no size of units.
        let has_slabs = |one: &HostAllocator| one.description.name == "llvmlibc";
        let fixed =
            all().filter(|one| !one.properties.system_heap && !has(one, &sized) && !has_slabs(one));
        let fixed: Vec<String> = fixed
            .map(|allocator| format!("`{}`", allocator.description.name))
            .collect();
        let sentence = format!("{} have no parameter for it.", fixed.join(" and "));
        assert!(PAGE.contains(&sentence), "docs/allocators.md: {sentence}");
    }
}
