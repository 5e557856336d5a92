//! The three random searches for pages of a tier.
//!
//! Draws are made in the tier's home and in all memory by turns: pages that came from other tiers
//! stay in the tier, and are found there.
//!
//! The next draw follows one in vain at once: it leads elsewhere, where no thread is waited for.
//!
//! The first word that a thread draws is the same at each request: blocks that it requests one after
//! the other lie beside each other while there is room. Later draws depend on the clock, as a thread
//! that holds many blocks has filled the words of the draws before.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic;
use cuda_std::clock::cycles;

use super::Tiers;
use super::layout::{Length, Tier, words_of};
use super::map::first_run;
use crate::allocator::Handle;
use crate::allocators::common::bits_of;
use crate::simt::{Warp, leader, low_bits, rank};

/// A random number: a function of who draws and of the number of the draw. The constants are those
/// of a finaliser with little bias (Wellons 2018).
#[inline(always)]
pub fn random(drawer: u32, draw: u32) -> u32 {
    let mut bits = drawer.wrapping_mul(0x9e37_79b9) ^ draw.wrapping_mul(0x85eb_ca6b);
    bits ^= bits >> 16;
    bits = bits.wrapping_mul(0x7feb_352d);
    bits ^= bits >> 15;
    bits = bits.wrapping_mul(0x846c_a68b);
    bits ^ bits >> 16
}

/// The clock on a GPU, so that a thread which requests again draws other places. Elsewhere a
/// constant, so that a schedule has the same draws again.
#[inline(always)]
pub fn moment() -> u32 {
    if cfg!(target_arch = "nvptx64") {
        cycles() as u32
    } else {
        0
    }
}

/// A number below `count` from a random one.
#[inline(always)]
pub fn below(drawn: u32, count: u32) -> u32 {
    ((u64::from(drawn) * u64::from(count)) >> 32) as u32
}

/// A random search.
pub trait Search: Copy + 'static {
    /// The first of `length` pages of a tier that the caller then owns, or null after a fixed
    /// number of draws.
    fn search<W: Warp>(tiers: &Tiers, warp: W, tier: Tier, length: Length) -> u32;
}

/// Each thread draws pages, and sets the bit of each, until it was clear.
#[derive(Clone, Copy)]
pub struct Independent;

impl Independent {
    /// Draws of a thread.
    const DRAWS: u32 = 32;
}

impl Search for Independent {
    #[inline(always)]
    fn search<W: Warp>(tiers: &Tiers, warp: W, tier: Tier, length: Length) -> u32 {
        let drawer = warp.thread() ^ moment();
        for draw in 0..Self::DRAWS {
            let (first, end) = tiers.layout.drawn_pages(tier, draw);
            let page = first + below(random(drawer, draw), end - first);
            // A run does not go beyond its word.
            let last = 32 - length.number();
            let bit = if page % 32 < last { page % 32 } else { last };
            let run = low_bits(length.number()) << bit;
            // SAFETY: the word of a page.
            if unsafe { tiers.claim(tier, page / 32, run) } {
                return page / 32 * 32 + bit;
            }
        }
        u32::NULL
    }
}

/// Each thread draws words, takes all free pages of a word by one operation, and gives those back
/// that it does not need.
#[derive(Clone, Copy)]
pub struct Clustered;

impl Clustered {
    /// Draws of a thread.
    const DRAWS: u32 = 16;
}

impl Search for Clustered {
    #[inline(always)]
    fn search<W: Warp>(tiers: &Tiers, warp: W, tier: Tier, length: Length) -> u32 {
        let mut drawer = warp.thread();
        for draw in 0..Self::DRAWS {
            let (first, words) = words_of(tiers.layout.drawn_pages(tier, draw));
            let index = first + below(random(drawer, draw), words);
            drawer ^= moment();
            // SAFETY: a word of the bitmap.
            // The pages that are given back were taken here.
            unsafe {
                let got = tiers.take_all(tier, index);
                let run = first_run(got, length);
                if got != run {
                    tiers.give(tier, index, got & !run);
                }
                if run != 0 {
                    return 32 * index + run.trailing_zeros();
                }
            }
        }
        u32::NULL
    }
}

/// The lanes of a warp that want as many pages of the same tier draw a place together, in the tier's
/// home and in all memory by turns. In the latter case they begin where the summary lists some
/// word, behind a drawn place of a drawn row. Each lane reads a word of the bitmap there, neighbouring
/// words in ranks of lanes. The free pages of the first word are dealt to the first lanes, those of
/// the next one to the next lanes, and so on. A lane takes what was dealt of its word by one operation.
#[derive(Clone, Copy)]
pub struct Collaborative;

impl Collaborative {
    /// Draws of a warp, each of as many words as there are lanes.
    const DRAWS: u32 = 6;
}

impl Tiers {
    /// The first of 32 words of a tier's bitmap near a place that is drawn, some of them listed in
    /// the summary; null if the drawn row of the summary lists none.
    #[inline(always)]
    fn listed(&self, tier: Tier, drawn: u32) -> u32 {
        let row = below(drawn, self.layout.summary_rows(tier));
        // SAFETY: a row of the summary.
        // Relaxed: a hint.
        let listed = atomic::load_row(unsafe { self.summary_row(tier, row) });
        let listed = bits_of(listed, |word| word != 0);
        if listed == 0 {
            return u32::NULL;
        }
        let from = drawn % 16;
        let place = (from + ((listed | listed << 16) >> from).trailing_zeros()) % 16;
        32 * (16 * row + place)
    }
}

/// A lane's part in a round.
#[derive(Clone, Copy)]
struct Deal {
    /// The pages of its own word that were dealt.
    dealt: u32,
    /// The lane whose word has its own pages, and these; 0 if it gets none.
    source: u32,
    run: u32,
}

impl Collaborative {
    /// Deals the free pages `free` of each lane's word, in which `open` says that there is a run,
    /// to the lanes of `need`. All lanes of `mask` call this together, and those of a group have
    /// the same `open` and `need`.
    #[inline(always)]
    fn deal<W: Warp>(
        warp: W,
        mask: u32,
        length: Length,
        free: u32,
        mut open: u32,
        need: u32,
    ) -> Deal {
        let lane = warp.lane();
        let mut deal = Deal {
            dealt: 0,
            source: lane,
            run: 0,
        };
        let mut left = need;
        // Each turn takes a lane from `open`.
        while warp.ballot(mask, (left != 0) & (open != 0)) & mask != 0 {
            let from = if open == 0 { lane } else { leader(open) };
            let offered = warp.shuffle(mask, free, from);
            let mut rest = if open == 0 { 0 } else { offered };
            let mut run = first_run(rest, length);
            let mut given = 0;
            while (left != 0) & (run != 0) {
                if leader(left) == lane {
                    (deal.source, deal.run) = (from, run);
                }
                given |= run;
                rest &= !run;
                left &= left - 1;
                run = first_run(rest, length);
            }
            if from == lane {
                deal.dealt |= given;
            }
            open &= open.wrapping_sub(1);
        }
        deal
    }

    /// The part of `got` that is no whole run of those in `dealt`.
    #[inline(always)]
    fn incomplete(length: Length, dealt: u32, got: u32) -> u32 {
        let (mut rest, mut incomplete) = (dealt, 0);
        while rest != 0 {
            // Runs were dealt from the lowest bit on, so that one begins there.
            let run = low_bits(length.number()) << rest.trailing_zeros();
            if got & run != run {
                incomplete |= got & run;
            }
            rest &= !run;
        }
        incomplete
    }
}

impl Search for Collaborative {
    #[inline(always)]
    fn search<W: Warp>(tiers: &Tiers, warp: W, tier: Tier, length: Length) -> u32 {
        let lane = warp.lane();
        let mask = warp.converge();
        let group = warp.match_any(mask, tier.number() << 2 | length.number());
        let (mut need, mut page) = (group, u32::NULL);
        let mut drawer = warp.warp();
        for draw in 0..Self::DRAWS {
            let drawn = random(drawer, draw);
            let (first, place, words) = if draw.is_multiple_of(2) {
                let (first, words) = words_of(tiers.layout.drawn_pages(tier, draw));
                (first, below(drawn, words), words)
            } else {
                // Lanes of a group may read different states of the summary: that of the leader counts.
                let first = warp.shuffle(mask, tiers.listed(tier, drawn), leader(group));
                (first, 0, tiers.layout.words(tier).saturating_sub(first))
            };
            let word_of =
                |lane| first + (place + rank(group, lane)).checked_rem(words).unwrap_or(0);
            let index = word_of(lane);
            let mut free = 0;
            if words != 0 {
                // SAFETY: a word of the bitmap.
                // Relaxed: a hint; `take` decides.
                free = !unsafe { tiers.word(tier, index).load(Relaxed) };
            }
            let open = warp.ballot(mask, first_run(free, length) != 0) & group;
            let deal = Self::deal(warp, mask, length, free, open, need);
            let mut got = 0;
            if deal.dealt != 0 {
                // SAFETY: a word of the bitmap; what is given back was taken here, and no lane is
                // told that it got it.
                unsafe {
                    got = tiers.take(tier, index, deal.dealt);
                    let incomplete = Self::incomplete(length, deal.dealt, got);
                    if incomplete != 0 {
                        got &= !incomplete;
                        tiers.give(tier, index, incomplete);
                    }
                }
            }
            let of_source = warp.shuffle(mask, got, deal.source);
            // A lane acquired the pages of its word for those to which they were dealt.
            warp.sync(mask);
            let is_served = (deal.run != 0) & (of_source & deal.run == deal.run);
            if is_served {
                page = 32 * word_of(deal.source) + deal.run.trailing_zeros();
            }
            let served = warp.ballot(mask, is_served) & group;
            need &= !served;
            // All lanes make the same number of rounds: see `Warp::converge`.
            if warp.ballot(mask, need != 0) & mask == 0 {
                break;
            }
            drawer ^= warp.shuffle(mask, moment(), leader(group));
        }
        page
    }
}
