//! A choice of an allocator: `NAME`, or `NAME:PARAM=VALUE,PARAM=VALUE,...`.

use std::collections::BTreeMap;
use std::fmt;

use heapwood_device::allocator::{Heap, Request, SetupError};
use heapwood_device::host::{self, HostAllocator};

use super::describe::is_same_name;
use super::{CHECKED, all, describe, names};

/// The parameter that every allocator has: requests of a warp are made together.
const COALESCE: &str = "coalesce";

/// An allocator with its parameters.
#[derive(Clone)]
pub struct Spec {
    /// The allocator.
    pub allocator: &'static HostAllocator,
    /// Parameters that were given, without `coalesce`.
    parameters: Vec<(String, String)>,
    /// Whether the requests of a warp are made as one.
    pub coalesce: bool,
}

impl Spec {
    /// Reads a choice.
    ///
    /// # Errors
    ///
    /// A message, of one line, that says what there is to choose from.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let allocator = all()
            .find(|allocator| is_same_name(allocator.name, name))
            .ok_or_else(|| format!("no allocator `{name}`: choose from {}", names()))?;
        let mut spec = Self {
            allocator,
            parameters: Vec::new(),
            coalesce: false,
        };
        for part in rest.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let is_known = spec.parameters.iter().any(|(known, _)| known == key);
            if is_known || (key == COALESCE && spec.coalesce) {
                return Err(format!("parameter {key} of {name} is given twice"));
            } else if key == COALESCE && value.is_empty() {
                spec.coalesce = true;
            } else {
                spec.parameters.push((key.to_owned(), value.to_owned()));
            }
        }
        spec.check_parameters()?;
        Ok(spec)
    }

    /// Tries the parameters on a pool in which any allocator fits. `setup` only
    /// computes, so that there need not be one.
    fn check_parameters(&self) -> Result<(), String> {
        match self.setup(std::ptr::null_mut(), 1 << 30, 8) {
            Err(SetupError::BadParameter { expected }) => Err(format!(
                "{} takes the parameters {COALESCE}{}{}",
                self.allocator.name,
                if expected == "none" { "" } else { ", " },
                if expected == "none" { "" } else { expected },
            )),
            _ => Ok(()),
        }
    }

    /// Divides `pool_bytes` from `base` on for a machine of so many processors.
    ///
    /// # Errors
    ///
    /// Why this allocator cannot be set up so.
    pub fn setup(
        &self,
        base: *mut u8,
        pool_bytes: u64,
        processors: u32,
    ) -> Result<Heap, SetupError> {
        let parameters: Vec<(&str, &str)> = self
            .parameters
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .collect();
        (self.allocator.setup)(&Request {
            base,
            pool_bytes,
            processors,
            parameters: &parameters,
        })
    }

    /// The same choice with every block checked.
    pub fn checked(&self) -> Option<Self> {
        let allocator = host::allocator(&format!("{}{CHECKED}", self.allocator.name))?;
        Some(Self {
            allocator,
            ..self.clone()
        })
    }

    /// The name as the user wrote it, that of the unchecked allocator.
    pub fn name(&self) -> &'static str {
        let name = self.allocator.name;
        describe(name.strip_suffix(CHECKED).unwrap_or(name)).name
    }

    /// All parameters, those not given with their defaults.
    pub fn parameters(&self) -> BTreeMap<String, String> {
        let defaults = describe(self.name()).parameters.iter();
        let mut all: BTreeMap<String, String> = defaults
            .map(|parameter| (parameter.name.to_owned(), parameter.default.to_owned()))
            .collect();
        all.extend(self.parameters.iter().cloned());
        all.insert(COALESCE.to_owned(), self.coalesce.to_string());
        all
    }
}

impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Spec({self})")
    }
}

/// As it is parsed.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())?;
        let given = self
            .parameters
            .iter()
            .map(|(key, value)| match value.as_str() {
                "" => key.clone(),
                _ => format!("{key}={value}"),
            });
        let coalesce = self.coalesce.then(|| COALESCE.to_owned());
        for (index, part) in given.chain(coalesce).enumerate() {
            write!(f, "{}{part}", if index == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

/// Reads a list of choices, or `all`. Choices are separated by commas; a part
/// that names no allocator and follows one with parameters is its next one.
///
/// # Errors
///
/// As for [`Spec::parse`].
pub fn parse_list(text: &str) -> Result<Vec<Spec>, String> {
    if text == "all" {
        return all().map(|allocator| Spec::parse(allocator.name)).collect();
    }
    let mut choices: Vec<String> = Vec::new();
    for part in text.split(',') {
        let name = part.split(':').next().unwrap_or(part);
        let is_parameter = !all().any(|allocator| is_same_name(allocator.name, name));
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

    fn message(text: &str) -> String {
        Spec::parse(text).map(|spec| spec.to_string()).unwrap_err()
    }

    #[test]
    fn a_choice_is_shown_as_it_is_written() {
        for text in [
            "awmalloc",
            "cmalloc:split=heap",
            "cfmmalloc:split=uniform,frag=2,coalesce",
            "atomicmalloc:coalesce",
            "ouroboros-c-vl",
        ] {
            assert_eq!(Spec::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_does_not_exist_is_refused_with_what_does() {
        assert!(message("nomalloc").ends_with(
            "choose from atomicmalloc, awmalloc, cmalloc, cfmalloc, cmmalloc, cfmmalloc, \
             ouroboros-p-s, ouroboros-p-va, ouroboros-p-vl, ouroboros-c-s, ouroboros-c-va, \
             ouroboros-c-vl"
        ));
        assert!(message("cmalloc_checked").starts_with("no allocator"));
        assert!(message("").starts_with("no allocator"));
        assert!(message("cmalloc:spilt=heap").contains("coalesce, split=tail"));
        assert!(message("cmalloc:split=half").contains("split=tail"));
        assert_eq!(
            message("awmalloc:split=heap"),
            "awmalloc takes the parameters coalesce"
        );
        assert!(message("cmalloc:frag=2,frag=3").contains("twice"));
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
        assert!(parse_list("awmalloc,foo").is_err());
        assert!(parse_list("").is_err());
    }

    #[test]
    fn parameters_include_defaults() {
        let parameters = Spec::parse("cmalloc:frag=2").unwrap().parameters();
        assert_eq!(parameters["frag"], "2");
        assert_eq!(parameters["split"], "tail");
        assert_eq!(parameters["coalesce"], "false");
    }

    #[test]
    fn every_allocator_can_be_checked() {
        for allocator in all() {
            let spec = Spec::parse(allocator.name).unwrap().checked().unwrap();
            assert!(is_same_name(spec.name(), allocator.name));
        }
    }
}
