//! Shapes on all cores: every tree of each is checked, and the pictures from inside.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

use heapwood::tree::{Cores, Quality};
use heapwood_device::kdtree::check::Fault;

use super::variant::{Builder, Form, Variant};
use super::views::{Miss, misses};

/// Failures of a kind that a report describes.
const DESCRIBED: usize = 10;

/// The statistics of many shapes.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Shapes that were tried.
    pub shapes: u64,
    /// Trees that were checked.
    pub trees: u64,
    /// Trees with a fault.
    pub wrong: u64,
    /// Shapes with pictures.
    pub seen: u64,
    /// Shapes with pixels that miss.
    pub open: u64,
    /// Pixels that miss though a triangle is hit, and that miss every triangle.
    pub misses: [u64; 2],
    /// The first failures.
    pub first: Vec<(Variant, Fault)>,
    /// The first misses.
    pub first_misses: Vec<(Variant, Miss)>,
}

/// Builds all trees of some shapes, and makes pictures of those that are closed: once for both
/// windings.
///
/// # Panics
///
/// If a tree is not built, which is a failure that names the shape.
pub fn run(forms: &[Form]) -> Report {
    // Threads and no pool: a worker of a pool that waits for another pool's begins the next shape
    // meanwhile, one above the other, until its stack is full.
    let next = AtomicUsize::new(0);
    let try_forms = || {
        let cores = Cores::new(Some(1)).expect("a thread");
        let mut report = Report::default();
        // Relaxed: the number alone says which shape is meant.
        while let Some(&form) = forms.get(next.fetch_add(1, Relaxed)) {
            report = report.merge(try_form(&cores, form));
        }
        report
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let tried: Vec<_> = (0..threads).map(|_| scope.spawn(try_forms)).collect();
        tried.into_iter().fold(Report::default(), |report, tried| {
            report.merge(tried.join().expect("shapes are built"))
        })
    })
}

fn try_form(cores: &Cores, form: Form) -> Report {
    let mut report = Report {
        shapes: 1,
        ..Report::default()
    };
    let (triangles, inside) = form.triangles();
    for variant in Variant::all(form) {
        report.trees += 1;
        if let Err(fault) = variant.verify(cores, &triangles) {
            report.wrong += 1;
            report.first.push((variant, fault));
        }
    }
    if let (Some(eye), false) = (inside, form.is_clockwise) {
        let variant = Variant {
            form,
            quality: Quality::Balanced,
            builder: Builder::Cores,
        };
        let tree = variant.build(cores, &triangles);
        let missed = misses(&triangles, &tree, eye);
        report.seen += 1;
        report.open += u64::from(!missed.is_empty());
        for miss in missed {
            report.misses[usize::from(miss.triangle.is_none())] += 1;
            report.first_misses.push((variant, miss));
        }
    }
    report.limit();
    report
}

impl Report {
    /// Whether no tree is wrong and no pixel misses.
    pub fn is_right(&self) -> bool {
        self.wrong == 0 && self.open == 0
    }

    fn merge(mut self, other: Self) -> Self {
        self.shapes += other.shapes;
        self.trees += other.trees;
        self.wrong += other.wrong;
        self.seen += other.seen;
        self.open += other.open;
        for (sum, misses) in self.misses.iter_mut().zip(other.misses) {
            *sum += misses;
        }
        self.first.extend(other.first);
        self.first_misses.extend(other.first_misses);
        self.limit();
        self
    }

    fn limit(&mut self) {
        self.first.truncate(DESCRIBED);
        self.first_misses.truncate(DESCRIBED);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { trees, wrong, .. } = self;
        writeln!(
            f,
            "{} shapes: {trees} trees, {wrong} of them wrong",
            self.shapes
        )?;
        let [with, without] = self.misses;
        writeln!(
            f,
            "{} shapes seen from inside, {} with pixels that miss: {with} where a triangle is hit, {without} \
             that miss all triangles",
            self.seen, self.open
        )?;
        for (variant, fault) in &self.first {
            writeln!(f, "{fault:?}: {variant}")?;
        }
        for (variant, miss) in &self.first_misses {
            writeln!(f, "{miss:?}: {variant}")?;
        }
        Ok(())
    }
}
