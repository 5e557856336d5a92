//! A choice of an allocator: `NAME`, or `NAME:PARAM=VALUE,PARAM=VALUE,...`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::sync::OnceLock;

use heapwood_device::allocator::{Heap, Observe, Request, SetupError};
use heapwood_device::host::{ALLOCATORS, HostAllocator};

use super::{CallDelay, SpecError, forms};
use crate::word::{Word, WordError, by_text};

/// The parameter that every allocator has: requests of a warp are made together.
pub(super) const COALESCE: &str = "coalesce";

/// An allocator with its parameters.
#[derive(Clone)]
pub struct Spec {
    /// The allocator, in the form that was chosen.
    pub allocator: &'static HostAllocator,
    /// Parameters that were given, without `coalesce` and what chooses the form.
    pub(super) parameters: Vec<(String, String)>,
    /// Whether the requests of a warp are made as one.
    pub coalesce: bool,
    /// The observation of calls, where the allocator is one that makes it.
    pub observe: Observe,
    /// The delays of calls, where they are delayed.
    pub delay: CallDelay,
    /// The part of its own time by which each call takes longer, where calls are delayed.
    pub stretch: f32,
}

impl Default for Spec {
    /// The allocator [`DEFAULT`](super::DEFAULT).
    fn default() -> Self {
        Self::parse(super::DEFAULT).expect("the table has the default")
    }
}

impl Spec {
    /// The value of a parameter, if it was given.
    pub(super) fn given(&self, name: &str) -> Option<&str> {
        let mut parameters = self.parameters.iter();
        let (_, value) = parameters.find(|(key, _)| key == name)?;
        Some(value)
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
            observe: self.observe,
        })
    }

    /// The same choice with every block checked.
    pub fn checked(&self) -> Option<Self> {
        let guards = Observe {
            guards: true,
            ..self.observe
        };
        self.observed(guards)
    }

    /// The same choice with calls observed.
    pub fn observed(&self, observe: Observe) -> Option<Self> {
        let allocator = ALLOCATORS
            .iter()
            .find(|other| other.observed && other.description.name == self.name())?;
        Some(Self {
            allocator: match self.allocator.properties.frees {
                false if self.is_external() => without_free(allocator),
                _ => allocator,
            },
            observe,
            ..self.clone()
        })
    }

    /// The same choice with calls that are recorded
    /// ([`Recording`](crate::backend::Recording)).
    ///
    /// # Errors
    ///
    /// [`SpecError::Unobserved`], and [`SpecError::Overwrites`] of one whose trace would have no sense.
    pub fn recorded(&self) -> Result<Self, SpecError> {
        let allocator = self.name();
        if self.allocator.properties.may_overwrite {
            return Err(SpecError::Overwrites { allocator });
        }
        let records = Observe {
            records: true,
            ..self.observe
        };
        self.observed(records).ok_or(SpecError::Unobserved {
            allocator,
            observed: "recorded",
        })
    }

    /// The same choice with delayed calls.
    ///
    /// # Errors
    ///
    /// [`SpecError::Unobserved`].
    pub fn delayed(&self, delay: CallDelay) -> Result<Self, SpecError> {
        let delays = Observe {
            delays: true,
            ..self.observe
        };
        let spec = self.observed(delays).ok_or_else(|| SpecError::Unobserved {
            allocator: self.name(),
            observed: "delayed",
        })?;
        Ok(Self { delay, ..spec })
    }

    /// The same choice with calls that take longer by this part of their time, each of its own.
    ///
    /// # Errors
    ///
    /// [`SpecError::Unobserved`].
    pub fn stretched(&self, stretch: f32) -> Result<Self, SpecError> {
        let spec = self.delayed(self.delay)?;
        Ok(Self { stretch, ..spec })
    }

    /// Whether every block is checked.
    pub fn is_checked(&self) -> bool {
        self.observe.guards
    }

    /// The same choice, with every block checked if `check` is set.
    ///
    /// # Errors
    ///
    /// [`SpecError::Unchecked`].
    pub fn checked_if(&self, check: bool) -> Result<Self, SpecError> {
        match check {
            true => self.checked().ok_or_else(|| SpecError::Unchecked {
                allocator: self.name(),
            }),
            false => Ok(self.clone()),
        }
    }

    /// The full name of the unchecked allocator, as users write it: with the
    /// parameter that chooses its form, without the others.
    pub fn name(&self) -> &'static str {
        self.allocator.description.name
    }

    /// Its name in results: that of [`Self::name`], and with what an allocator of the user's is
    /// called by `name=NAME`.
    pub fn label(&self) -> String {
        match self.given("name") {
            Some(name) => format!("{}{}name={name}", self.name(), self.first_sign()),
            None => self.name().to_owned(),
        }
    }

    /// The separator between the full name and the first parameter behind it.
    fn first_sign(&self) -> char {
        match forms::chosen(self.name()) {
            Some(_) => ',',
            None => ':',
        }
    }

    /// Whether it is in files of the user's.
    pub fn is_external(&self) -> bool {
        self.allocator.properties.external
    }

    /// Whether blocks are freed one by one and no live block is allocated again: what a program
    /// needs that runs for long. The others are lower bounds.
    pub fn frees(&self) -> bool {
        self.allocator.properties.frees && !self.allocator.properties.may_overwrite
    }

    /// All parameters, those not given with their defaults, and `delay` if calls are delayed.
    pub fn parameters(&self) -> BTreeMap<String, String> {
        let defaults = self.allocator.description.parameters.iter();
        let mut all: BTreeMap<String, String> = defaults
            .map(|parameter| (parameter.name.to_owned(), parameter.default.to_owned()))
            .collect();
        let form = forms::chosen(self.name());
        all.extend(form.map(|(key, value)| (key.to_owned(), value.to_owned())));
        all.extend(self.parameters.iter().cloned());
        all.insert(COALESCE.to_owned(), self.coalesce.to_string());
        if self.observe.delays {
            all.insert("delay".to_owned(), self.delay.to_string());
        }
        all
    }
}

/// The user's allocator as one that does not free, which `free=no` says. Its kernels are the
/// same, and linked with a function that does nothing.
pub(super) fn without_free(allocator: &'static HostAllocator) -> &'static HostAllocator {
    static KEEPING: OnceLock<Vec<HostAllocator>> = OnceLock::new();
    let external = || ALLOCATORS.iter().filter(|other| other.properties.external);
    let keeping = KEEPING.get_or_init(|| external().map(HostAllocator::without_free).collect());
    let same = keeping.iter().find(|other| other.name == allocator.name);
    same.unwrap_or(allocator)
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
        let mut sign = self.first_sign();
        for part in given.chain(coalesce) {
            write!(f, "{sign}{part}")?;
            sign = ',';
        }
        Ok(())
    }
}

/// As it is parsed; whether blocks are checked is no part of that.
impl Word for Spec {
    fn word(&self) -> OsString {
        self.to_string().into()
    }

    fn from_word(word: OsString) -> Result<Self, WordError> {
        by_text(word, Self::parse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocators::{all, published};

    #[test]
    fn a_choice_is_shown_as_it_is_written() {
        for text in [
            "awmalloc",
            "cmalloc:split=heap",
            "cfmmalloc:split=uniform,frag=2,coalesce",
            "cmalloc:walk=paper",
            "cfmmalloc:walk=paper,split=heap,coalesce",
            "ouroboros-p-va:large=paper",
            "ouroboros-c-s:sharing=paper",
            "ouroboros-c-vl:sharing=paper,coalesce",
            "atomicmalloc:coalesce",
            "ouroboros-c-vl",
            "scatteralloc:page=8192",
            "gallatin:segment=65536",
            "xmalloc:superblock=32768",
            "buddy:unit=64",
            "halloc:slab=65536,share=50",
            "halloc:large=cuda,share=50",
            "external",
            "external:name=gallatin-2",
            "external:free=no,name=bump,coalesce",
            "external:pool=own",
            "external:pool=own,free=no,name=bump",
        ] {
            assert_eq!(Spec::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_form_is_an_entry_of_the_table() {
        let entry = |text| Spec::parse(text).unwrap().allocator.name;
        assert_eq!(entry("cmalloc:walk=paper"), "cmalloc_walk_paper");
        assert_eq!(entry("cmalloc:frag=2,walk=paper"), "cmalloc_walk_paper");
        assert_eq!(entry("cmalloc:walk=regions"), "cmalloc");
        let spec = Spec::parse("cmalloc:frag=2,walk=paper").unwrap();
        assert_eq!(spec.name(), "cmalloc:walk=paper");
        assert_eq!(spec.to_string(), "cmalloc:walk=paper,frag=2");
        assert_eq!(spec.parameters()["walk"], "paper");
        assert_eq!(spec.parameters()["frag"], "2");
        let default = Spec::parse("cmalloc").unwrap();
        assert_eq!(default.parameters()["walk"], "regions");
        for form in published() {
            let name = form.description.name;
            assert_eq!(Spec::parse(name).unwrap().to_string(), name);
            assert!(Spec::parse(name).unwrap().checked().is_none());
        }
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
            let name = allocator.description.name;
            let spec = Spec::parse(name).unwrap().checked().unwrap();
            assert!(spec.is_checked());
            assert_eq!(spec.name(), name);
        }
    }
}
