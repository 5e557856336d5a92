//! From device sources to PTX: rustc to bitcode, one link, then a module for
//! each allocator and family.

mod bitcode;
mod bounds;
mod entries;
mod module;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use crate::Result;
use crate::orderings::Ordering;
use crate::toolchain::Toolchain;
use bitcode::{compile, link};
use bounds::launch_bounds;
pub(crate) use entries::exported_allocator;
use entries::{entries, group, keep, listing};
use module::module;

/// The architecture that PTX is written for; drivers compile it for later ones.
const TARGET_CPU: &str = "sm_70";
/// Below PTX 7.0 `nanosleep` does not assemble.
const PTX_VERSION: &str = "+ptx70";

/// A module: its name, `family-allocator` or `family`, and its PTX.
pub type Modules = BTreeMap<String, String>;

/// The device code as PTX.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// The modules that were built.
    pub modules: Modules,
    /// The orderings in them.
    pub orderings: BTreeSet<Ordering>,
    /// The names of all modules, built or not.
    pub names: BTreeSet<String>,
}

/// Every `count`th module, from the `number`th on.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    number: usize,
    count: usize,
}

impl Part {
    /// All modules.
    pub const WHOLE: Self = Self {
        number: 1,
        count: 1,
    };

    /// Part `number` of `count`, counted from 1; none if there is no such part.
    pub fn new(number: usize, count: usize) -> Option<Self> {
        (1..=count)
            .contains(&number)
            .then_some(Self { number, count })
    }

    /// Whether this is all modules.
    pub fn is_whole(self) -> bool {
        self.count == 1
    }
}

/// Builds the modules of `part`. `work` is a folder for intermediate files, kept between
/// runs.
pub fn build(toolchain: &Toolchain, root: &Path, work: &Path, part: Part) -> Result<Build> {
    let libraries = compile(toolchain, root, work)?;
    let linked = link(toolchain, root, work, &libraries)?;
    let listing = listing(toolchain, &linked)?;
    let bounds = launch_bounds(&listing)?;
    let mut jobs = Vec::new();
    for (family, groups) in group(&entries(&listing)) {
        // Reading all kernels takes longer than optimising those of one module.
        let kept = groups.values().flatten();
        let bitcode = keep(toolchain, work, &linked, &format!("all-{family}"), kept, "")?;
        jobs.extend(groups.into_iter().map(|group| (bitcode.clone(), group)));
    }
    let names = jobs.iter().map(|(_, (name, _))| name.clone()).collect();
    let chosen = jobs.into_iter().skip(part.number - 1).step_by(part.count);
    let rest = Mutex::new(chosen);
    let worker = || {
        let mut built = Vec::new();
        loop {
            let next = rest.lock().expect("no panic in here").next();
            let Some((bitcode, (name, entries))) = next else {
                return Ok(built);
            };
            let (text, orderings) = module(toolchain, work, &bitcode, (&name, &entries), &bounds)?;
            built.push((name, text, orderings));
        }
    };
    // The tools are single-threaded.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        let mut all = Build {
            names,
            ..Build::default()
        };
        for worker in workers {
            let built: Result<Vec<_>> = worker
                .join()
                .unwrap_or_else(|_| Err("a worker panicked".to_owned()));
            for (name, text, orderings) in built? {
                all.modules.insert(name, text);
                all.orderings.extend(orderings);
            }
        }
        Ok(all)
    })
}
