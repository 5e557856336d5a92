//! Reading choices of allocators, one or a list, and what is said of those that there are not.

use heapwood_device::allocator::{Observe, SetupError};
use heapwood_device::host::HostAllocator;

use super::spec::{COALESCE, Spec, without_free};
use super::{CallDelay, SpecError, all, by_name, forms, published};

impl Spec {
    /// Reads a choice: `gallatin`, `cmalloc:walk=paper,frag=2`.
    ///
    /// # Errors
    ///
    /// [`SpecError`].
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let allocator = by_name(name).ok_or_else(|| SpecError::Unknown {
            name: name.to_owned(),
        })?;
        let mut spec = Self {
            allocator,
            parameters: Vec::new(),
            coalesce: false,
            observe: Observe::NOTHING,
            delay: CallDelay::default(),
            stretch: 0.0,
        };
        let mut chosen = Vec::new();
        for part in rest.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let is_known = chosen.contains(&key)
                || spec.parameters.iter().any(|(known, _)| known == key)
                || (key == COALESCE && spec.coalesce);
            if is_known {
                return Err(SpecError::Twice {
                    parameter: key.to_owned(),
                    allocator: name.to_owned(),
                });
            } else if key == COALESCE && value.is_empty() {
                spec.coalesce = true;
            } else if let Some(form) = forms::choose(allocator, key, value) {
                spec.allocator = form;
                chosen.push(key);
            } else {
                spec.parameters.push((key.to_owned(), value.to_owned()));
            }
        }
        spec.check_parameters()?;
        if spec.allocator.properties.external && spec.given("free") == Some("no") {
            spec.allocator = without_free(spec.allocator);
        }
        Ok(spec)
    }

    /// Tries the parameters on a pool in which any allocator fits. `setup` only
    /// computes, so that there need not be one.
    fn check_parameters(&self) -> Result<(), SpecError> {
        match self.setup(std::ptr::null_mut(), 1 << 30, 8) {
            Err(SetupError::BadParameter { expected }) => {
                let mut known = vec![COALESCE.to_owned()];
                known.extend(forms::choices(&self.allocator.description));
                known.extend((!expected.is_empty()).then(|| expected.to_owned()));
                let about = &self.allocator.description;
                let name = about.parameters.iter().find(|known| known.name == "name");
                let name = name.map(|name| format!("; a NAME is of {}", name.values));
                Err(SpecError::Parameter {
                    allocator: self.name().to_owned(),
                    known: known.join(", ") + &name.unwrap_or_default(),
                })
            }
            _ => Ok(()),
        }
    }
}

/// Reads a list of choices. They are separated by commas; a part that names no
/// allocator and follows one with parameters is its next one. `all` stands for every
/// allocator, `published` for the published form of each that has one.
///
/// # Errors
///
/// As for [`Spec::parse`].
pub fn parse_list(text: &str) -> Result<Vec<Spec>, SpecError> {
    let mut choices: Vec<String> = Vec::new();
    let named = |allocator: &HostAllocator| allocator.description.name.to_owned();
    for part in text.split(',') {
        match part {
            "all" => {
                choices.extend(all().map(named));
                continue;
            }
            "published" => {
                choices.extend(published().map(named));
                continue;
            }
            _ => {}
        }
        let name = part.split(':').next().unwrap_or(part);
        let is_parameter = by_name(name).is_none();
        match choices.last_mut() {
            Some(last) if is_parameter && last.contains(':') => {
                last.push(',');
                last.push_str(part);
            }
            _ => choices.push(part.to_owned()),
        }
    }
    choices.iter().map(|choice| Spec::parse(choice)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocators::external;

    #[test]
    fn an_allocator_of_the_users_frees_unless_it_is_said_not_to() {
        let spec = |text| Spec::parse(text).unwrap();
        for frees in ["external", "external:free=yes", "external:name=bump"] {
            assert!(spec(frees).frees() && spec(frees).is_external(), "{frees}");
        }
        let own = spec("external:free=no,pool=own,name=b");
        assert!(!own.frees() && own.allocator.properties.own_memory);
        assert_eq!(own.label(), "external:pool=own,name=b");
        assert_eq!(own.parameters()["pool"], "own");
        assert_eq!(spec("external:pool=given").parameters()["pool"], "given");
        let keeping = spec("external:free=no,name=bump");
        assert!(!keeping.frees() && keeping.is_external());
        assert_eq!(keeping.allocator.name, "external");
        assert_eq!(keeping.label(), "external:name=bump");
        assert_eq!(keeping.parameters()["free"], "no");
        assert_eq!(spec("external").label(), "external");
        assert_eq!(spec("cmalloc:walk=paper").label(), "cmalloc:walk=paper");
        assert!(!spec("cmalloc").is_external());
        // "all" stands for the allocators that need no file.
        assert!(
            parse_list("all")
                .unwrap()
                .iter()
                .all(|spec| !spec.is_external())
        );
        let list = parse_list("external:name=a,free=no,cmalloc").unwrap();
        assert_eq!(list.len(), 2);
    }

    fn message(text: &str) -> String {
        Spec::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn what_does_not_exist_is_refused_with_what_does() {
        let said = message("nomalloc");
        let (_, choices) = said.split_once("choose from ").unwrap();
        let choices: Vec<&str> = choices.split(", ").collect();
        let offered = all().chain(external());
        let offered: Vec<&str> = offered.map(|one| one.description.name).collect();
        assert_eq!(choices, offered);
        assert!(choices.contains(&"cfmalloc") && choices.ends_with(&["external"]));
        for text in [
            "external:free=perhaps",
            "external:name=a b",
            "external:name=",
            "external:x",
        ] {
            let said = message(text);
            assert!(
                said.contains("pool=given|own, free=yes|no, name=NAME; a NAME is of letters, "),
                "{said}"
            );
        }
        assert!(message("cmalloc_checked").starts_with("no allocator"));
        assert!(message("").starts_with("no allocator"));
        assert!(message("cmalloc_walk_paper").starts_with("no allocator"));
        assert!(message("cmalloc:spilt=heap").contains("coalesce, walk=regions|paper, split=tail"));
        assert!(message("cmalloc:split=half").contains("split=tail"));
        for text in ["cmalloc:walk=", "cmalloc:walk", "cmalloc:walk=papers"] {
            assert!(message(text).contains("walk=regions|paper"), "{text}");
        }
        let of_form = message("cmalloc:walk=paper,split=half");
        assert!(of_form.starts_with("cmalloc:walk=paper takes the parameters coalesce, split"));
        let unit = "unit=BYTES, a power of two from 16 to 4096";
        let of_pages = format!("takes the parameters coalesce, large=runs|paper, {unit}");
        assert!(message("ouroboros-p-s:walk=paper").ends_with(&of_pages));
        assert_eq!(
            message("ouroboros-c-s:sharing=all"),
            format!("ouroboros-c-s takes the parameters coalesce, sharing=holder|paper, {unit}")
        );
        assert!(message("ouroboros-p-va:sharing=paper").ends_with(&of_pages));
        for wrong in ["split=heap", "unit=24", "unit=8"] {
            assert_eq!(
                message(&format!("awmalloc:{wrong}")),
                format!("awmalloc takes the parameters coalesce, {unit}")
            );
        }
        assert!(message("cmalloc:unit=16").ends_with("(with two words a header: 32) to 4096"));
        assert!(
            message("gallatin:segment=5000").contains("segment=BYTES, a power of two from 1024")
        );
        assert!(message("scatteralloc:page=5000").contains("page=BYTES, a power of two from 1024"));
        assert!(message("xmalloc:superblock=5000").contains("superblock=BYTES, a power of two"));
        let of_slabs = message("halloc:share=100");
        assert!(of_slabs.contains("large=runs|cuda, slab=BYTES, a power of two from 8192"));
        assert!(message("cmalloc:frag=2,frag=3").contains("twice"));
        assert!(message("cmalloc:walk=paper,walk=regions").contains("twice"));
    }

    #[test]
    fn lists_keep_parameters_with_their_allocator() {
        let list = parse_list("cmalloc:split=heap,frag=2,awmalloc,cfmalloc:coalesce").unwrap();
        let list: Vec<String> = list.iter().map(Spec::to_string).collect();
        assert_eq!(
            list,
            ["cmalloc:split=heap,frag=2", "awmalloc", "cfmalloc:coalesce"]
        );
        assert_eq!(parse_list("all").unwrap().len(), all().count());
        let both = parse_list("awmalloc,published,all").unwrap();
        assert_eq!(both.len(), 1 + published().count() + all().count());
        assert_eq!(both[1].to_string(), "cmalloc:walk=paper");
        let list = parse_list("cfmalloc:walk=paper,frag=2,cmalloc").unwrap();
        let list: Vec<String> = list.iter().map(Spec::to_string).collect();
        assert_eq!(list, ["cfmalloc:walk=paper,frag=2", "cmalloc"]);
        assert!(parse_list("awmalloc,foo").is_err());
        assert!(parse_list("").is_err());
    }
}
