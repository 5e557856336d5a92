//! Many pairs on all cores: what is wrong with the bounds of parts, and how tight they are.

use std::fmt;

use heapwood_device::kdtree::bounds::{Bounds, Point};
use rayon::prelude::*;

use super::pairs::{Pair, pair, usual_pair};
use super::{Fault, Finding, corners, judge};
use crate::random::Random;

/// Pairs of one seed.
const CHUNK: u64 = 4096;
/// Failures of a kind that a report describes.
const DESCRIBED: usize = 3;

/// The statistics of many pairs.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Pairs that were tried.
    pub pairs: u64,
    /// Those that doubles did not decide.
    pub exact: u64,
    /// How many had which fault.
    pub faults: Vec<(Fault, u64)>,
    /// The first failures of each kind.
    pub first: Vec<(Pair, Finding)>,
    /// How tight the bounds of the pairs without anything special were.
    pub usual: Tightness,
    /// How tight those of the others were.
    pub hard: Tightness,
}

/// By how much bounds are wider than the part.
#[derive(Clone, Debug, Default)]
pub struct Tightness {
    /// Sides of boxes by their excess in ulps of the largest number on that axis among the box,
    /// the triangle and its extent: none, below 1, 2, 4 and so on.
    pub sides: [u64; 32],
    /// Sums of half the surface areas of bounds and of parts, each as a fraction of the box.
    pub areas: [f64; 2],
}

/// Tries so many pairs of a seed, one in eight without anything special.
pub fn run(seed: u64, pairs: u64) -> Report {
    let chunk = |index: u64| {
        let mut report = Report::default();
        let mut random = Random(Random(seed ^ index << 20).bits());
        for number in 0..CHUNK.min(pairs - index * CHUNK) {
            let is_usual = number % 8 == 0;
            let pair = if is_usual {
                usual_pair(&mut random)
            } else {
                pair(&mut random)
            };
            let exponent = random.below(129) as i32 - 69;
            report.add(pair, judge(&pair, exponent), is_usual);
        }
        report
    };
    let chunks = (0..pairs.div_ceil(CHUNK)).into_par_iter();
    chunks.map(chunk).reduce(Report::default, Report::merge)
}

impl Report {
    fn add(&mut self, pair: Pair, finding: Finding, is_usual: bool) {
        self.pairs += 1;
        self.exact += u64::from(finding.is_exact);
        match finding.fault {
            Some(fault) => {
                self.count(fault, 1);
                self.describe(pair, finding);
            }
            None if is_usual => self.usual.add(&pair, finding.bounds),
            None => self.hard.add(&pair, finding.bounds),
        }
    }

    fn count(&mut self, fault: Fault, times: u64) {
        match self.faults.iter_mut().find(|(other, _)| *other == fault) {
            Some((_, count)) => *count += times,
            None => self.faults.push((fault, times)),
        }
    }

    fn describe(&mut self, pair: Pair, finding: Finding) {
        let alike = self
            .first
            .iter()
            .filter(|(_, other)| other.fault == finding.fault);
        if alike.count() < DESCRIBED {
            self.first.push((pair, finding));
        }
    }

    fn merge(mut self, other: Self) -> Self {
        self.pairs += other.pairs;
        self.exact += other.exact;
        for (fault, times) in other.faults {
            self.count(fault, times);
        }
        for (pair, finding) in other.first {
            self.describe(pair, finding);
        }
        self.usual.merge(&other.usual);
        self.hard.merge(&other.hard);
        self
    }
}

impl Tightness {
    fn add(&mut self, pair: &Pair, bounds: Bounds) {
        let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        let is_known = corners::visit(pair, |corner| {
            let middle = corner.map(|x| (x.low + x.high) / 2.0);
            min = [0, 1, 2].map(|k| middle[k].min(min[k]));
            max = [0, 1, 2].map(|k| middle[k].max(max[k]));
        });
        if !is_known || min[0] > max[0] {
            return;
        }
        let own = Bounds::of(&pair.triangle);
        for (k, (min, max)) in min.into_iter().zip(max).enumerate() {
            let numbers = [own.min[k], own.max[k], own.max[k] - own.min[k]];
            let largest = numbers
                .iter()
                .fold(0.0_f32, |largest, x| largest.max(x.abs()));
            let ulp = f64::from(largest * f32::EPSILON);
            let below = min - f64::from(bounds.min[k]);
            let above = f64::from(bounds.max[k]) - max;
            for excess in [below, above] {
                // Rounding errors of doubles do not count as excess.
                let class = if excess <= 1e-6 * ulp {
                    0
                } else {
                    (1.0 + (excess / ulp).log2().floor().clamp(-1.0, 29.0)) as usize + 1
                };
                self.sides[class.min(31)] += 1;
            }
        }
        let area = |size: [f64; 3]| size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
        let size =
            |min: Point, max: Point| [0, 1, 2].map(|k| f64::from(max[k]) - f64::from(min[k]));
        let whole = area(size(pair.within.min, pair.within.max));
        if whole > 0.0 {
            let part = area([0, 1, 2].map(|k| max[k] - min[k]));
            self.areas[0] += area(size(bounds.min, bounds.max)) / whole;
            self.areas[1] += part / whole;
        }
    }

    fn merge(&mut self, other: &Self) {
        for (sum, count) in self.sides.iter_mut().zip(other.sides) {
            *sum += count;
        }
        for (sum, area) in self.areas.iter_mut().zip(other.areas) {
            *sum += area;
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let percent = 100.0 * self.exact as f64 / self.pairs.max(1) as f64;
        writeln!(f, "{} pairs, {percent:.2} % decided exactly", self.pairs)?;
        for (name, tightness) in [("usual", &self.usual), ("hard", &self.hard)] {
            writeln!(f, "{name} pairs: {tightness}")?;
        }
        for (fault, count) in &self.faults {
            writeln!(f, "{fault:?}: {count} pairs")?;
        }
        for (pair, finding) in &self.first {
            let corners = [pair.within.min, pair.within.max];
            writeln!(f, "{:?}", finding.fault)?;
            writeln!(f, "  triangle {}", Bits(&pair.triangle))?;
            writeln!(f, "  box      {}", Bits(&corners))?;
            writeln!(
                f,
                "  bounds   {}",
                Bits(&[finding.bounds.min, finding.bounds.max])
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Tightness {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let total: u64 = self.sides.iter().sum();
        let ratio = self.areas[0] / self.areas[1];
        write!(
            f,
            "areas {:.3e} too large; excess of sides in ulps:",
            ratio - 1.0
        )?;
        let percent = |count: u64| 100.0 * count as f64 / total.max(1) as f64;
        write!(f, " none {:.3} %", percent(self.sides[0]))?;
        for (class, &count) in self.sides.iter().enumerate().skip(1) {
            if count > 0 {
                write!(f, ", <2^{} {:.4} %", class as i32 - 1, percent(count))?;
            }
        }
        Ok(())
    }
}

/// Points as the bits of their coordinates, and as numbers.
struct Bits<'a>(&'a [Point]);

impl fmt::Display for Bits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for point in self.0 {
            let [x, y, z] = point.map(f32::to_bits);
            write!(f, "[{x:#010x}, {y:#010x}, {z:#010x}] ")?;
        }
        write!(f, "= {:?}", self.0)
    }
}
