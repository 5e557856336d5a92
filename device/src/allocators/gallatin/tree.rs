//! Trees of bits, 64 to a word: a level has a bit for each word of the one below that is not 0.
//! The paper's van Emde Boas trees are the same, of as many levels as the pool has segments for.
//!
//! All bits are hints, those of the lowest level for the caller. Above, who makes a word 0 clears
//! its bit and then looks at the word again; who sets the first bit of a word sets the one above
//! afterwards. Both are read-modify-writes of the word above: if the clearing one is the later, it
//! acquires the other, and so the look sees the bit.
//!
//! | operation | order | why |
//! |---|---|---|
//! | bit set, all levels | release | what it stands for comes before |
//! | bit cleared, all levels | acquire | pairs with that: the look that follows sees it |
//! | loads | relaxed | hints |

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU64;

use super::Gallatin;
use super::layout::levels;
use super::tables::{Segment, SliceClass};

/// No segment or block.
pub const NONE: u32 = u32::MAX;
/// Words that a descent finds to be 0 before it gives up.
const TRIES: u32 = 256;
/// Segments that a descent chooses from.
const CHOICE: u32 = 16;

/// A tree with a bit for each segment.
///
/// Invariant: the words of a heap's tree lie there, and it has so many segments. The bits of the
/// words are those of segments, and above of words, since bits of others are never set.
#[derive(Clone, Copy)]
pub struct Tree {
    words: *mut u8,
    segments: u32,
    levels: [u32; 3],
}

impl Gallatin {
    /// The tree of free segments.
    #[inline(always)]
    pub(super) fn free_tree(&self) -> Tree {
        // SAFETY: the first of the trees.
        unsafe { self.tree(0) }
    }

    /// The tree of segments with free blocks.
    #[inline(always)]
    pub(super) fn blocks_tree(&self) -> Tree {
        // SAFETY: the second of the trees.
        unsafe { self.tree(1) }
    }

    /// The tree of segments that have blocks of a sliced class with slices that were freed.
    #[inline(always)]
    pub(super) fn holes_tree(&self, class: SliceClass) -> Tree {
        // SAFETY: there is a tree for each sliced class.
        unsafe { self.tree(2 + class.number()) }
    }

    /// A tree.
    ///
    /// # Safety
    ///
    /// `index` is below `layout.trees()`.
    #[inline(always)]
    unsafe fn tree(&self, index: u32) -> Tree {
        let at = self.layout.tree_at(index);
        let words = self.tables.wrapping_add(at as usize);
        // SAFETY: `plan` placed the words of this tree there.
        unsafe { Tree::new(words, self.layout.segments) }
    }
}

/// The lowest set bit of a word that is not 0.
#[inline(always)]
pub fn lowest(word: u64) -> u32 {
    word.trailing_zeros()
}

/// One of the lowest [`CHOICE`] set bits of a word that is not 0: the lowest for a `place` of 0,
/// the highest of them for one just below `1 << 16`.
#[inline(always)]
fn choose(mut word: u64, place: u32) -> u32 {
    let ones = word.count_ones();
    let choice = if ones < CHOICE { ones } else { CHOICE };
    let mut skipped = (place * choice) >> 16;
    while skipped > 0 {
        word &= word - 1;
        skipped -= 1;
    }
    lowest(word)
}

impl Tree {
    /// The tree whose words lie there.
    ///
    /// # Safety
    ///
    /// They are those of a heap's tree over so many segments.
    #[inline(always)]
    unsafe fn new(words: *mut u8, segments: u32) -> Self {
        Self {
            words,
            segments,
            levels: levels(segments),
        }
    }

    /// A word of a level.
    ///
    /// # Safety
    ///
    /// `level` is one of the tree, and `index` below its words.
    #[inline(always)]
    pub(super) unsafe fn word(&self, level: u32, index: u32) -> &AtomicU64 {
        let [first, second, _] = self.levels;
        let before = match level {
            0 => 0,
            1 => first,
            _ => first + second,
        };
        // SAFETY: there is such a word, and the levels lie behind each other.
        unsafe {
            &*self
                .words
                .cast::<AtomicU64>()
                .add((before + index) as usize)
        }
    }

    /// Words of a level; 0 if there is none.
    #[inline(always)]
    fn words(&self, level: u32) -> u32 {
        match level {
            0 => self.levels[0],
            1 => self.levels[1],
            2 => self.levels[2],
            _ => 0,
        }
    }

    /// Words of the lowest level.
    #[inline(always)]
    pub(super) fn lowest_words(&self) -> u32 {
        self.levels[0]
    }

    /// Sets the bits of words above that word `index` of level 0 has become other than 0.
    #[inline(always)]
    fn raise(&self, index: u32) {
        let (mut level, mut index) = (1, index);
        while index / 64 < self.words(level) {
            // SAFETY: the index was just compared.
            // Release: the bit below comes before.
            let before =
                unsafe { self.word(level, index / 64) }.fetch_or(1 << (index % 64), Release);
            if before != 0 {
                return;
            }
            index /= 64;
            level += 1;
        }
    }

    /// Clears the bit of word `index` of `level` in the one above, as that word was seen to be 0,
    /// unless it is no longer.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`].
    #[inline(always)]
    unsafe fn lower(&self, level: u32, index: u32) {
        if index / 64 >= self.words(level + 1) {
            return;
        }
        // SAFETY: the word is one of the tree's; the index above was just compared.
        unsafe {
            let above = self.word(level + 1, index / 64);
            // Acquire: if the bit was set meanwhile, the load sees what for.
            above.fetch_and(!(1 << (index % 64)), Acquire);
            if self.word(level, index).load(Relaxed) == 0 {
                return;
            }
            // Release: as in `raise`.
            let before = above.fetch_or(1 << (index % 64), Release);
            if before == 0 && level == 0 && index / 4096 < self.words(2) {
                self.word(2, 0).fetch_or(1 << (index / 64), Release);
            }
        }
    }

    /// Sets the bits of `mask` in a word of the lowest level.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`], of level 0, and the bits are those of segments.
    #[inline(always)]
    pub(super) unsafe fn set_bits(&self, index: u32, mask: u64) {
        // SAFETY: the words of this tree, and bits of its segments.
        unsafe { outlined_set(self.words, self.segments, index, mask) }
    }

    /// Clears the bits of `mask` in a word of the lowest level.
    ///
    /// # Safety
    ///
    /// As for [`Self::word`], of level 0.
    #[inline(always)]
    pub(super) unsafe fn clear_bits(&self, index: u32, mask: u64) {
        // SAFETY: the words of this tree, and one of them.
        unsafe { outlined_clear(self.words, self.segments, index, mask) }
    }

    /// Sets the bit of a segment.
    #[inline(always)]
    pub(super) fn set(&self, segment: Segment) {
        let segment = segment.number();
        // SAFETY: the word that has the bit of a segment.
        unsafe { self.set_bits(segment / 64, 1 << (segment % 64)) }
    }

    /// Clears the bit of a segment.
    #[inline(always)]
    pub(super) fn clear(&self, segment: Segment) {
        let segment = segment.number();
        // SAFETY: as for `set`.
        unsafe { self.clear_bits(segment / 64, 1 << (segment % 64)) }
    }

    /// A segment whose bit is set: the first for a `place` of 0, and one of the first few for
    /// another below `1 << 16`.
    #[inline(always)]
    pub(super) fn find(&self, place: u32) -> Option<Segment> {
        // SAFETY: the words of this tree, whose lowest bits are those of segments.
        unsafe {
            let found = outlined_find(self.words, self.segments, place);
            (found != NONE).then(|| Segment::new(found))
        }
    }

    /// [`Self::find`], in line.
    #[inline(always)]
    fn descend(&self, place: u32) -> u32 {
        // A turn that fails clears a bit that was outdated, or found others at work.
        for _ in 0..TRIES {
            let mut level = if self.levels[2] != 0 {
                2
            } else if self.levels[1] != 0 {
                1
            } else {
                0
            };
            let (top, mut index) = (level, 0);
            loop {
                // SAFETY: the first word of the top level, or one for which there was a bit.
                // Relaxed: a hint.
                let word = unsafe { self.word(level, index).load(Relaxed) };
                if word == 0 {
                    if level == top {
                        return NONE;
                    }
                    // SAFETY: as before.
                    unsafe { self.lower(level, index) };
                    break;
                }
                if level == 0 {
                    return 64 * index + choose(word, place);
                }
                index = 64 * index + lowest(word);
                level -= 1;
            }
        }
        NONE
    }
}

/// [`Tree::set_bits`], out of line as all of these: only rare steps change trees, and do so in
/// many places.
///
/// # Safety
///
/// As for that, of the tree whose words lie there.
#[inline(never)]
unsafe fn outlined_set(words: *mut u8, segments: u32, index: u32, mask: u64) {
    // SAFETY: the words are a tree's, and `index` is one of them.
    unsafe {
        let tree = Tree::new(words, segments);
        // Release: what the hint stands for comes before.
        if tree.word(0, index).fetch_or(mask, Release) == 0 {
            tree.raise(index);
        }
    }
}

/// [`Tree::clear_bits`].
///
/// # Safety
///
/// As for that, of the tree whose words lie there.
#[inline(never)]
unsafe fn outlined_clear(words: *mut u8, segments: u32, index: u32, mask: u64) {
    // SAFETY: as in `outlined_set`.
    unsafe {
        let tree = Tree::new(words, segments);
        // Acquire: what the release in `outlined_set` is for.
        let before = tree.word(0, index).fetch_and(!mask, Acquire);
        if before != 0 && before & !mask == 0 {
            tree.lower(0, index);
        }
    }
}

/// [`Tree::find`].
///
/// # Safety
///
/// The words of a tree over so many segments lie there.
#[inline(never)]
unsafe fn outlined_find(words: *mut u8, segments: u32, place: u32) -> u32 {
    // SAFETY: the words are a tree's.
    unsafe { Tree::new(words, segments).descend(place) }
}
