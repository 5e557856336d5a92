//! The protocol of collectives: lanes gather at one call with one mask, and the last to arrive
//! computes every lane's result. A collective that can never complete is a fault.

use super::failure::{Collective, Fault, Place};
use super::machine::{State, Status, id};

/// A collective that lanes have come to, but not all.
pub(super) struct Gathering {
    pub(super) warp: u32,
    pub(super) place: Place,
    pub(super) arrived: u32,
}

impl State {
    /// A lane comes to a collective and waits there; it completes if the lane
    /// is the last.
    pub(super) fn arrive(&mut self, lane: u32, place: Place) {
        if place.collective == Collective::SyncBlock {
            return self.arrive_at_barrier(lane, place);
        }
        let (warp, bit) = (lane / 32, 1 << (lane % 32));
        if place.mask & bit == 0 {
            let lane = id(lane);
            return self.fail(Fault::Outsider { lane, place });
        }
        let missing = place.mask & self.ended[warp as usize];
        if missing != 0 {
            return self.fail(Fault::Ended {
                waiting: id(lane),
                place,
                ended: missing.trailing_zeros(),
            });
        }
        for other in self.gatherings.iter().filter(|other| other.warp == warp) {
            // Each waits for the other: neither can ever complete.
            let waiting = other.arrived & place.mask;
            if other.place != place && other.place.mask & bit != 0 && waiting != 0 {
                let fault = Fault::Diverged {
                    first: id(warp * 32 + waiting.trailing_zeros()),
                    first_place: other.place,
                    second: id(lane),
                    second_place: place,
                };
                return self.fail(fault);
            }
        }
        self.lanes[lane as usize].status = Status::Waiting(place);
        self.scheduler.block(lane);
        let known = self
            .gatherings
            .iter()
            .position(|other| other.warp == warp && other.place == place);
        let index = known.unwrap_or_else(|| {
            self.gatherings.push(Gathering {
                warp,
                place,
                arrived: 0,
            });
            self.gatherings.len() - 1
        });
        self.gatherings[index].arrived |= bit;
        if self.gatherings[index].arrived == place.mask {
            self.gatherings.swap_remove(index);
            self.complete(warp, place);
        }
    }

    /// A lane comes to a barrier of its block; the last one releases all.
    fn arrive_at_barrier(&mut self, lane: u32, place: Place) {
        let block = lane / self.block_lanes;
        let lanes = block * self.block_lanes..(block + 1) * self.block_lanes;
        self.lanes[lane as usize].status = Status::Waiting(place);
        self.scheduler.block(lane);
        let mut warps = lanes.start / 32..lanes.end / 32;
        if let Some(warp) = warps.find(|&warp| self.ended[warp as usize] != 0) {
            let ended = warp * 32 + self.ended[warp as usize].trailing_zeros();
            return self.fail_at_barrier(lane, ended);
        }
        let waiting = &mut self.barriers[block as usize];
        waiting.push(lane);
        let (first, count) = (waiting[0], waiting.len());
        if let Status::Waiting(first_place) = self.lanes[first as usize].status
            && first_place != place
        {
            return self.fail(Fault::Diverged {
                first: id(first),
                first_place,
                second: id(lane),
                second_place: place,
            });
        }
        if count == lanes.len() {
            self.barriers[block as usize].clear();
            if let Some(memory) = &mut self.memory {
                memory.meet(lanes.clone(), place.location);
            }
            for lane in lanes {
                self.lanes[lane as usize].status = Status::Ready;
                self.scheduler.unblock(lane);
            }
        }
    }

    /// A lane has ended: those of its block that wait at a barrier wait for ever.
    pub(super) fn end_at_barrier(&mut self, lane: u32) {
        let block = (lane / self.block_lanes) as usize;
        if let Some(&waiting) = self.barriers[block].first() {
            self.fail_at_barrier(waiting, lane);
        }
    }

    fn fail_at_barrier(&mut self, waiting: u32, ended: u32) {
        if let Status::Waiting(place) = self.lanes[waiting as usize].status {
            self.fail(Fault::Ended {
                waiting: id(waiting),
                place,
                ended: ended % 32,
            });
        }
    }

    fn complete(&mut self, warp: u32, place: Place) {
        let first = warp * 32;
        let members = (0..32).filter(|lane| place.mask >> lane & 1 == 1);
        let value = |lane: u32| self.lanes[(first + lane) as usize].value;
        let ballot = members
            .clone()
            .filter(|&lane| value(lane) != 0)
            .fold(0, |mask, lane| mask | 1 << lane);
        let mut results = [0; 32];
        for lane in members.clone() {
            let operand = self.lanes[(first + lane) as usize].operand;
            let source = match place.collective {
                Collective::Ballot | Collective::Sync | Collective::SyncBlock => lane,
                Collective::Shuffle => operand,
                Collective::ShuffleUp => lane.checked_sub(operand).unwrap_or(lane),
                Collective::ShuffleXor => lane ^ operand,
            };
            if source >= 32 || place.mask >> source & 1 == 0 {
                return self.fail(Fault::BadSource {
                    lane: id(first + lane),
                    source_lane: source,
                    place,
                });
            }
            results[lane as usize] = match place.collective {
                Collective::Ballot => ballot,
                _ => value(source),
            };
        }
        if place.collective == Collective::Sync
            && let Some(memory) = &mut self.memory
        {
            memory.meet(members.clone().map(|lane| first + lane), place.location);
        }
        for lane in members {
            self.lanes[(first + lane) as usize].result = results[lane as usize];
            self.lanes[(first + lane) as usize].status = Status::Ready;
            self.scheduler.unblock(first + lane);
        }
    }
}
