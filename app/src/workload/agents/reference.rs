//! The sequential reference: the rules of the sea for one animal after the other.

use heapwood_device::workload::agents::{Animal, FIRST_STEP, FISH, MEALS, SHARK, purpose};
use heapwood_device::workload::{draw, mix64};

use super::{Agents, of_2_32};

/// An animal and its kind.
type Inhabitant = (u8, Animal);

/// A sea as a vector of cells.
pub(super) struct Sea<'o> {
    options: &'o Agents,
    cells: Vec<Option<Inhabitant>>,
}

/// A wish to go somewhere; the greatest of those for a cell is granted. Wishes of one rank are
/// distinguished by their direction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Wish {
    rank: u32,
    direction: u32,
}

impl<'o> Sea<'o> {
    /// The sea before the first step.
    pub(super) fn new(options: &'o Agents) -> Self {
        let cell = |cell: u32| {
            let random = u64::from(draw(options.seed, purpose::POPULATION, 0, cell));
            let (fish, sharks) = (of_2_32(options.fish), of_2_32(options.sharks));
            let kind = match random {
                random if random < fish => FISH,
                random if random < fish + sharks => SHARK,
                _ => return None,
            };
            let ago = |purpose, most: u32| {
                let random = u64::from(draw(options.seed, purpose, 0, cell));
                let steps = (random * u64::from(most)) >> 32;
                (FIRST_STEP - 1).wrapping_sub(steps as u32)
            };
            let animal = Animal {
                lineage: mix64(u64::from(options.seed) << 32 | u64::from(cell)),
                born: ago(
                    purpose::AGE,
                    if kind == FISH {
                        options.fish_age
                    } else {
                        options.shark_age
                    },
                ),
                fed: if kind == FISH {
                    0
                } else {
                    ago(purpose::HUNGER, options.hunger)
                },
                meals: [0; MEALS],
            };
            Some((kind, animal))
        };
        let count = options.width * options.height;
        Self {
            options,
            cells: (0..count).map(cell).collect(),
        }
    }

    /// A step: sharks, then fish.
    pub(super) fn step(&mut self, step: u32) {
        self.phase(SHARK, step);
        self.phase(FISH, step);
    }

    /// The cell to the north, east, south or west.
    fn beside(&self, cell: u32, direction: u32) -> u32 {
        let (width, height) = (self.options.width, self.options.height);
        let (x, y) = (cell % width, cell / width);
        let (x, y) = match direction {
            0 => (x, (y + height - 1) % height),
            1 => ((x + 1) % width, y),
            2 => (x, (y + 1) % height),
            _ => ((x + width - 1) % width, y),
        };
        y * width + x
    }

    fn kind(&self, cell: u32) -> Option<u8> {
        self.cells[cell as usize].map(|(kind, _)| kind)
    }

    /// The wish of the animal in a cell, if it can go anywhere.
    fn wish(&self, cell: u32, kind: u8, step: u32) -> Option<Wish> {
        let with = |wanted: Option<u8>| {
            let directions =
                (0..4).filter(|&direction| self.kind(self.beside(cell, direction)) == wanted);
            directions.collect::<Vec<u32>>()
        };
        let mut choices = if kind == SHARK {
            with(Some(FISH))
        } else {
            Vec::new()
        };
        if choices.is_empty() {
            choices = with(None);
        }
        let seed = self.options.seed;
        let random = u64::from(draw(seed, u32::from(kind) + purpose::CHOICE, step, cell));
        let choice = (random * choices.len() as u64) >> 32;
        let direction = *choices.get(choice as usize)?;
        // The kernels have 29 bits for it.
        let rank = draw(seed, u32::from(kind) + purpose::RANK, step, cell) & (u32::MAX >> 3);
        Some(Wish { rank, direction })
    }

    /// All animals of a kind wish, and then each acts.
    fn phase(&mut self, kind: u8, step: u32) {
        let count = self.cells.len() as u32;
        let animals: Vec<u32> = (0..count)
            .filter(|&cell| self.kind(cell) == Some(kind))
            .collect();
        let wishes: Vec<Option<Wish>> = animals
            .iter()
            .map(|&cell| self.wish(cell, kind, step))
            .collect();
        let mut granted: Vec<Option<Wish>> = vec![None; self.cells.len()];
        for (&cell, wish) in animals.iter().zip(&wishes) {
            if let Some(wish) = wish {
                let target = &mut granted[self.beside(cell, wish.direction) as usize];
                *target = (*target).max(Some(*wish));
            }
        }
        for (&cell, &wish) in animals.iter().zip(&wishes) {
            let target = wish.map(|wish| self.beside(cell, wish.direction));
            let target = target.filter(|&target| granted[target as usize] == wish);
            self.act(cell, target, step);
        }
    }

    /// The animal of a cell goes to another, or stays.
    fn act(&mut self, cell: u32, target: Option<u32>, step: u32) {
        let Some((kind, mut animal)) = self.cells[cell as usize].take() else {
            return;
        };
        let prey = target.and_then(|target| self.cells[target as usize].take());
        if let Some((_, prey)) = prey {
            animal.meals[step as usize % MEALS] = prey.lineage;
            animal.fed = step;
        } else if kind == SHARK && step.wrapping_sub(animal.fed) >= self.options.hunger {
            return;
        }
        let age = if kind == FISH {
            self.options.fish_age
        } else {
            self.options.shark_age
        };
        if target.is_some() && step.wrapping_sub(animal.born) >= age {
            let newborn = Animal {
                lineage: mix64(animal.lineage ^ u64::from(step)),
                born: step,
                fed: if kind == FISH { 0 } else { step },
                meals: [0; MEALS],
            };
            animal.born = step;
            self.cells[cell as usize] = Some((kind, newborn));
        }
        self.cells[target.unwrap_or(cell) as usize] = Some((kind, animal));
    }

    /// The fingerprint: the sum of the hashes of all animals.
    pub(super) fn hash(&self) -> u64 {
        let of = |(cell, inhabitant): (usize, &Option<Inhabitant>)| {
            let Some((kind, animal)) = inhabitant else {
                return 0;
            };
            let mut hash = mix64(animal.lineage ^ ((cell as u64) << 2 | u64::from(*kind)));
            hash = mix64(hash ^ (u64::from(animal.born) << 32 | u64::from(animal.fed)));
            let meals: &[u64] = if *kind == SHARK { &animal.meals } else { &[] };
            meals.iter().fold(hash, |hash, meal| mix64(hash ^ meal))
        };
        let hashes = self.cells.iter().enumerate().map(of);
        hashes.fold(0, u64::wrapping_add)
    }
}
