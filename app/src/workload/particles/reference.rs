//! The sequential reference: a vector of particles for each cell, and one particle after the other.

use heapwood_device::workload::particles::{Flows, purpose};
use heapwood_device::workload::{draw, mix64};

use super::{Particles, fingerprint};

/// Positions of an axis within a cell.
const POSITIONS: i32 = 1 << 16;

/// A particle.
#[derive(Clone, Copy)]
struct Particle {
    position: [u16; 3],
    velocity: [i16; 3],
    tag: u32,
}

/// All cells with their particles.
pub(super) struct ReferenceLattice<'o> {
    options: &'o Particles,
    cells: Vec<Vec<Particle>>,
    flows: Flows,
}

impl Particle {
    /// The particle of a step with this number.
    fn draw(options: &Particles, step: u32, number: u32) -> Self {
        let random = |purpose: u32| draw(options.seed, purpose, step, number);
        let xy = random(purpose::POSITION_XY);
        let z = random(purpose::POSITION_Z);
        let velocity = |axis: u32| {
            let bytes = random(purpose::VELOCITY + axis).to_le_bytes();
            let sum: i32 = bytes.into_iter().map(i32::from).sum();
            // The mean of the sum is four times that of 0 to 255.
            ((sum - 2 * 255) * options.speed() as i32 / (2 * 256)) as i16
        };
        Self {
            position: [xy as u16, (xy >> 16) as u16, z as u16],
            velocity: [velocity(0), velocity(1), velocity(2)],
            tag: random(purpose::TAG) << 16 | z >> 16,
        }
    }

    /// Moves along an axis; returns the cells that it crosses to, -1, 0 or 1.
    fn advance(&mut self, axis: usize) -> i32 {
        let moved = i32::from(self.position[axis]) + i32::from(self.velocity[axis]);
        self.position[axis] = moved.rem_euclid(POSITIONS) as u16;
        moved.div_euclid(POSITIONS)
    }

    /// The hash of the particle in this cell.
    fn hash(&self, cell: usize) -> u64 {
        let word = |parts: [u16; 3], tag: u32| {
            let parts = [parts[0], parts[1], parts[2], tag as u16];
            let shifted = parts.iter().rev().map(|&part| u64::from(part));
            shifted.fold(0, |word, part| word << 16 | part)
        };
        let position = word(self.position, self.tag);
        let velocity = word(self.velocity.map(|part| part as u16), self.tag >> 16);
        mix64(mix64(mix64(cell as u64) ^ position) ^ velocity)
    }
}

impl<'o> ReferenceLattice<'o> {
    /// The cells before the first step.
    pub(super) fn new(options: &'o Particles) -> Self {
        let particles = options.particles;
        let cell = |cell: u32| {
            let numbers = (0..particles).map(|index| cell * particles + index);
            let drawn = numbers.map(|number| Particle::draw(options, 0, number));
            drawn.collect()
        };
        Self {
            options,
            cells: (0..options.cells() as u32).map(cell).collect(),
            flows: Flows::default(),
        }
    }

    /// A step, one axis after the other.
    pub(super) fn step(&mut self, step: u32) {
        for axis in 0..3 {
            self.advance(axis);
            if axis == 0 {
                self.inject(step);
            }
        }
    }

    /// The number of a cell.
    fn number(&self, [x, y, z]: [u32; 3]) -> usize {
        ((z * self.options.height + y) * self.options.width + x) as usize
    }

    /// All particles move along an axis.
    fn advance(&mut self, axis: usize) {
        let options = self.options;
        let extents = [options.width, options.height, options.depth];
        let before = std::mem::take(&mut self.cells);
        self.cells.resize(before.len(), Vec::new());
        for (cell, particles) in before.into_iter().enumerate() {
            let row = cell as u32 / options.width;
            let home = [
                cell as u32 % options.width,
                row % options.height,
                row / options.height,
            ];
            for mut particle in particles {
                let coordinate = i64::from(home[axis]) + i64::from(particle.advance(axis));
                let extent = i64::from(extents[axis]);
                if axis == 0 && !(0..extent).contains(&coordinate) {
                    self.flows.absorbed += 1;
                    continue;
                }
                let mut target = home;
                target[axis] = coordinate.rem_euclid(extent) as u32;
                let target = self.number(target);
                self.cells[target].push(particle);
            }
        }
    }

    /// Particles come through both faces.
    fn inject(&mut self, step: u32) {
        let options = self.options;
        for row in 0..options.height * options.depth {
            for (side, x, inward) in [(0, 0, 1), (1, options.width - 1, -1)] {
                for index in 0..options.particles {
                    let number = (2 * row + side) * options.particles + index;
                    let mut particle = Particle::draw(options, step, number);
                    if particle.advance(0) == inward {
                        self.flows.injected += 1;
                        self.cells[(row * options.width + x) as usize].push(particle);
                    }
                }
            }
        }
    }

    /// The fingerprint.
    pub(super) fn fingerprint(&self) -> u64 {
        let hashes = self.cells.iter().enumerate().flat_map(|(cell, particles)| {
            particles.iter().map(move |particle| particle.hash(cell))
        });
        fingerprint(hashes.fold(0, u64::wrapping_add), self.flows)
    }
}
