//! A sea in device memory.

use heapwood_device::allocator::Heap;
use heapwood_device::host::HostAllocator;
use heapwood_device::launch::{Call, Listed};
use heapwood_device::workload::agents::{
    AgentsAct, AgentsClear, AgentsDigest, AgentsPlan, AgentsSeed, Animal, DIGEST_WORDS, Digest,
    FISH, SHARK, SeaArguments,
};
use heapwood_results::steps::AgentsResult;

use super::{Agents, of_2_32};
use crate::Error;
use crate::backend::{Backend, BackendError, Grid, Launch, Memory};
use crate::heap::DeviceHeap;
use crate::workload::steps::{Baseline, Picture, Reached, Run, StepPart};

/// Colours of water, fish and sharks.
const COLOURS: [[u8; 3]; 3] = [[12, 35, 64], [90, 190, 160], [255, 196, 80]];

/// A sea in device memory.
pub struct SeaRun<'b> {
    options: Agents,
    backend: &'b dyn Backend,
    heap: (&'static HostAllocator, Heap),
    kinds: Memory,
    /// They are held as long as kernels use them.
    _parts: [Memory; 3],
    arguments: SeaArguments,
}

impl<'b> SeaRun<'b> {
    pub(super) fn new(
        options: &Agents,
        backend: &'b dyn Backend,
        heap: &DeviceHeap<'b>,
        tally: *mut u64,
    ) -> Result<Self, BackendError> {
        let cells = options.cells();
        let memory = |bytes: usize| backend.allocate(cells * bytes as u64);
        let kinds = memory(size_of::<u8>())?;
        let [blocks, plans, records] = [
            memory(size_of::<u64>())?,
            memory(size_of::<u32>())?,
            memory(size_of::<Animal>())?,
        ];
        let arguments = SeaArguments {
            kinds: kinds.address(),
            blocks: blocks.address().cast(),
            plans: plans.address().cast(),
            records: records.address().cast(),
            counters: tally,
            width: options.width,
            height: options.height,
            seed: options.seed,
            step: 0,
            kind: 0,
            fish_age: options.fish_age,
            shark_age: options.shark_age,
            hunger: options.hunger,
            // `check` has found that they fit.
            fish: of_2_32(options.fish) as u32,
            sharks: of_2_32(options.sharks) as u32,
            is_clocked: false,
        };
        Ok(Self {
            options: options.clone(),
            backend,
            heap: heap.parts(),
            kinds,
            _parts: [blocks, plans, records],
            arguments,
        })
    }

    /// A launch over all cells.
    fn launch<K: Listed<Arguments = SeaArguments>>(&self, arguments: SeaArguments) -> Launch {
        Launch {
            call: Call::of::<K>(arguments),
            heap: Some(self.heap),
            grid: Grid::Ranges(arguments.width * arguments.height),
        }
    }
}

impl Run for SeaRun<'_> {
    type Result = AgentsResult;

    fn first(&self) -> Vec<Launch> {
        vec![Launch {
            heap: None,
            ..self.launch::<AgentsSeed>(self.arguments)
        }]
    }

    fn step(&self, step: u32, is_clocked: bool) -> Vec<StepPart> {
        let phase = |kind: u8| {
            let arguments = SeaArguments {
                step,
                kind: u32::from(kind),
                is_clocked,
                ..self.arguments
            };
            let plan = Launch {
                heap: None,
                ..self.launch::<AgentsPlan>(arguments)
            };
            [plan, self.launch::<AgentsAct>(arguments)]
        };
        StepPart::all([phase(SHARK), phase(FISH)].concat())
    }

    fn baseline(&self) -> Result<Option<Baseline>, BackendError> {
        Ok(None)
    }

    fn clear(&self) -> Vec<Launch> {
        vec![self.launch::<AgentsClear>(self.arguments)]
    }

    fn reached(&self) -> Result<Reached<AgentsResult>, Error> {
        let words = (DIGEST_WORDS * size_of::<u64>()) as u64;
        let words = self.backend.allocate_zeroed(words)?;
        let arguments = SeaArguments {
            counters: words.address().cast(),
            ..self.arguments
        };
        // SAFETY: the sea is at rest, and the words are 0.
        unsafe {
            self.backend
                .launch(&self.launch::<AgentsDigest>(arguments))?
        };
        let digest = Digest::from_words(&words.download_array(0)?);
        let options = &self.options;
        let result = AgentsResult {
            width: options.width,
            height: options.height,
            fish_share: options.fish,
            shark_share: options.sharks,
            fish_age: options.fish_age,
            shark_age: options.shark_age,
            hunger: options.hunger,
            seed: options.seed,
            fish: digest.fish,
            sharks: digest.sharks,
        };
        Ok(Reached {
            hash: digest.hash,
            granted_bytes: digest.granted_bytes,
            result,
        })
    }

    fn picture(&self) -> Result<Picture, BackendError> {
        let (width, height) = (self.options.width, self.options.height);
        let kinds = self
            .kinds
            .download::<u8>(0, self.options.cells() as usize)?;
        Ok(Picture::of(width, height, |column, row| {
            let kind = kinds[(row as usize) * width as usize + column as usize];
            COLOURS[usize::from(kind)]
        }))
    }
}
