//! Where basic blocks come from when the bin of their class is empty: the superblock that the
//! class cuts, home blocks, a new superblock, and before a request is refused what lies in the
//! bins of all classes.

use core::sync::atomic::Ordering::{Relaxed, Release};

use cuda_std::atomic;

use super::XMalloc;
use super::blocks::{Request, Source, Taken};
use super::carve::FEW;
use super::fifo::NOTHING;
use super::layout::ROW;
use super::tables::{Class, NONE, Superblock, class_in, home_in, word_of};
use crate::allocators::common::bits_of;
use crate::simt::Warp;

/// Turns that a request waits for whoever cut the last block off.
const WAITS: u32 = 16;
/// Superblocks that a request obtains in vain, because others were faster.
const INSTALLS: u32 = 4;

impl XMalloc {
    /// Blocks of a class, or of a larger one if there are no others: none if the request is
    /// refused.
    #[inline(always)]
    pub(super) fn refill<W: Warp>(&self, warp: W, request: Request) -> Taken {
        let bits = self.layout.to_bits();
        let request = request.to_bits();
        // SAFETY: the parts of this heap, and a request for its blocks.
        let taken = unsafe { outlined(warp, self.blocks, self.queues, self.tables, bits, request) };
        Taken::from_bits(taken)
    }

    /// Installs a superblock of a class whose last one is cut up, unless its next blocks come
    /// from elsewhere.
    #[inline(always)]
    fn prepare<W: Warp>(&self, warp: W, class: Class) {
        if self.has_cut(class) || !self.homes(class).is_empty() {
            return;
        }
        // SAFETY: the superblock is ours until it is installed.
        unsafe {
            if let Some(superblock) = self.obtain(warp)
                && !self.install(class, superblock, 0)
            {
                self.give_superblock(superblock);
            }
        }
    }

    /// Home blocks of a class, of superblocks to which its queue leads.
    #[inline(always)]
    fn follow_homes<W: Warp>(&self, warp: W, request: Request) -> Taken {
        let class = request.class();
        // A number of hints that depends on the heap, so that the loop is not unrolled.
        for _ in 0..self.layout.home_bits() {
            let superblock = self.homes(class).dequeue(warp);
            if superblock == NOTHING {
                break;
            }
            // SAFETY: what lies in the queue is a superblock.
            let superblock = unsafe { Superblock::new(superblock) };
            let taken = self.at_home(warp, superblock, request, class);
            if taken.count != 0 {
                return taken;
            }
        }
        Taken::NONE
    }

    /// Home blocks of a superblock, if it is of the requested class or one up to `most`.
    #[inline(always)]
    fn at_home<W: Warp>(
        &self,
        warp: W,
        superblock: Superblock,
        request: Request,
        most: Class,
    ) -> Taken {
        let permits = self.permits(warp, superblock, request.class(), most, request.wanted());
        if permits.count != 0 && permits.left != 0 {
            // For others, before the bits are taken.
            // SAFETY: the class of a superblock of the heap.
            let class = unsafe { Class::new(permits.class) };
            self.homes(class).enqueue(superblock.number());
        }
        Taken {
            source: Source::Home,
            count: permits.count,
            class: permits.class,
            value: superblock.number(),
        }
    }

    /// Home blocks of the requested class or a larger one: of any superblock that has some.
    #[inline(always)]
    fn search_home<W: Warp>(&self, warp: W, request: Request) -> Taken {
        let (least, most) = (request.class().number(), self.layout.classes() - 1);
        // SAFETY: the last class, rows of superblocks, and superblocks: those that are not there
        // have words that are not of a class.
        unsafe {
            if self.counted_home(request.class()) == NONE {
                return Taken::NONE;
            }
            let rows = self.layout.superblocks.div_ceil(ROW);
            let spread = u64::from(warp.thread().wrapping_mul(0x9e37_79b1));
            let mut row = ((spread * u64::from(rows)) >> 32) as u32;
            for _ in 0..rows {
                let words = atomic::load_row(self.word_row(ROW * row));
                let mut serving = bits_of(words, |word| {
                    let class = class_in(word);
                    (class >= least) & (class <= most) & (home_in(word) != 0)
                });
                while serving != 0 {
                    let superblock = ROW * row + serving.trailing_zeros();
                    serving &= serving - 1;
                    let superblock = Superblock::new(superblock);
                    let taken = self.at_home(warp, superblock, request, Class::new(most));
                    if taken.count != 0 {
                        return taken;
                    }
                }
                row += 1;
                if row == rows {
                    row = 0;
                }
            }
        }
        Taken::NONE
    }

    /// The first `count` blocks of a superblock that is cut for this request alone; the others
    /// are home.
    ///
    /// # Safety
    ///
    /// The caller owns the superblock, whose bits of home blocks are clear, and gives all but
    /// these blocks up.
    #[inline(always)]
    unsafe fn cut_alone(&self, request: Request, superblock: Superblock) -> Taken {
        let (class, count) = (request.class(), request.wanted());
        let capacity = self.capacity(class);
        if count < capacity {
            // SAFETY: the blocks are ours.
            unsafe { self.set_bits(superblock, count, capacity) };
            // Relaxed: an estimate.
            self.home_count(class).fetch_add(capacity - count, Relaxed);
        }
        // Release: who takes a home block finds its bit.
        let word = word_of(class, capacity - count);
        self.word(superblock).store(word, Release);
        if count < capacity {
            self.homes(class).enqueue(superblock.number());
        }
        self.first_of(request, superblock)
    }

    /// The first blocks of a superblock that was cut for a request.
    #[inline(always)]
    fn first_of(&self, request: Request, superblock: Superblock) -> Taken {
        Taken {
            source: Source::Cut,
            count: request.wanted(),
            class: request.class().number(),
            value: superblock.number() << self.layout.unit_bits(),
        }
    }

    /// Blocks of a class that are cut off a superblock.
    #[inline(always)]
    fn cut_anew<W: Warp>(&self, warp: W, request: Request) -> Taken {
        let (class, wanted) = (request.class(), request.wanted());
        let capacity = self.capacity(class);
        let is_shared = capacity > FEW;
        let mut turn = 0;
        loop {
            if is_shared {
                let (taken, _) = self.cut_together(request);
                if taken.count != 0 {
                    return taken;
                }
            }
            // Relaxed: an estimate, which is right while no thread claims or gives back.
            if self.unused_count().load(Relaxed) == 0 {
                return Taken::NONE;
            }
            turn += 1;
            if is_shared && turn <= WAITS {
                warp.back_off();
                continue;
            }
            let Some(superblock) = self.obtain(warp) else {
                return Taken::NONE;
            };
            // SAFETY: a superblock that was obtained is ours.
            unsafe {
                if !is_shared || wanted == capacity || turn > WAITS + INSTALLS {
                    return self.cut_alone(request, superblock);
                }
                if self.install(class, superblock, wanted) {
                    return self.first_of(request, superblock);
                }
                self.give_superblock(superblock);
            }
        }
    }

    /// [`Self::refill`] itself.
    #[inline(always)]
    fn refill_all<W: Warp>(&self, warp: W, request: Request) -> Taken {
        if self.capacity(request.class()) > FEW {
            let (taken, is_last) = self.cut_together(request);
            if is_last {
                self.prepare(warp, request.class());
            }
            if taken.count != 0 {
                return taken;
            }
        }
        let mut is_again = false;
        loop {
            let mut taken = self.follow_homes(warp, request);
            if taken.count == 0 {
                taken = self.cut_anew(warp, request);
            }
            if taken.count != 0 {
                return taken;
            }
            if is_again {
                return self.search_home(warp, request);
            }
            self.flush(warp);
            is_again = true;
        }
    }
}

/// [`XMalloc::refill`], out of line: it is rare, and would be most of every kernel.
///
/// # Safety
///
/// The pointers and the bits of the layout are those of a heap, and `request` is that of one.
#[inline(never)]
unsafe fn outlined<W: Warp>(
    warp: W,
    blocks: *mut u8,
    queues: *mut u8,
    tables: *mut u8,
    layout: u64,
    request: u32,
) -> u64 {
    // SAFETY: the parts of a heap, and a request for its blocks.
    unsafe {
        let heap = XMalloc::of_parts(blocks, queues, tables, layout);
        heap.refill_all(warp, Request::from_bits(request)).to_bits()
    }
}
