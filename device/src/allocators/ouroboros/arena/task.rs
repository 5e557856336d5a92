//! Steps of a request that are functions of their own, and what is passed to them.

use super::Arena;
use crate::allocators::number::numbers;
use crate::allocators::ouroboros::parameters::{Class, Parameters};
use crate::simt::Warp;

numbers! {
    /// A chunk of the heap.
    Chunk: "below [`Arena::chunks()`]";
    /// A class, and a number above its bits.
    Noted: "what [`Class::with`] has made";
}

impl Class {
    /// The class with a number beside it, which must fit above its bits.
    #[inline(always)]
    pub fn with<P: Parameters>(self, note: u32) -> Noted {
        // SAFETY: made here.
        unsafe { Noted::new(self.number() | note << P::CLASS_BITS) }
    }
}

impl Noted {
    /// Both.
    #[inline(always)]
    pub fn parts<P: Parameters>(self) -> (Class, u32) {
        // SAFETY: made of a class.
        let class = unsafe { Class::new(self.number() & ((1 << P::CLASS_BITS) - 1)) };
        (class, self.number() >> P::CLASS_BITS)
    }
}

/// An argument with a promise.
pub struct Given(u32);

impl Given {
    /// The argument.
    ///
    /// # Safety
    ///
    /// It is as the task to which it is passed says of its argument.
    #[inline(always)]
    pub unsafe fn new(argument: u32) -> Self {
        Self(argument)
    }

    /// The number.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.0
    }
}

/// A value that a task gets in a register.
pub trait Register {
    /// Its bits.
    fn word(self) -> u32;

    /// The value with these bits.
    ///
    /// # Safety
    ///
    /// [`Self::word`] returned them.
    unsafe fn of(word: u32) -> Self;
}

impl Register for () {
    #[inline(always)]
    fn word(self) -> u32 {
        0
    }

    #[inline(always)]
    unsafe fn of(_word: u32) -> Self {}
}

impl Register for u32 {
    #[inline(always)]
    fn word(self) -> u32 {
        self
    }

    #[inline(always)]
    unsafe fn of(word: u32) -> Self {
        word
    }
}

/// Numbers in a type of their own.
macro_rules! registers {
    ($($name:ident),*) => {$(
        impl Register for $name {
            #[inline(always)]
            fn word(self) -> u32 {
                self.number()
            }

            #[inline(always)]
            unsafe fn of(word: u32) -> Self {
                // SAFETY: the number of a value that was made before.
                unsafe { Self::new(word) }
            }
        }
    )*};
}

registers!(Class, Chunk, Noted, Given);

/// A step of a request that is rare enough to be a function of its own: inlined into
/// every request of every kernel it would make up most of the code.
pub trait Task {
    /// Its subject: a [`Class`], one with a number ([`Noted`]), or none.
    type Of: Register;
    /// Its argument.
    type Argument: Register;

    /// Runs the task, and returns a number. `lanes` are
    /// the lanes that call this together, where a task is one for several lanes: it
    /// must not call [`Warp::converge`], see there.
    fn run<W: Warp, P: Parameters>(
        warp: W,
        arena: &Arena<P>,
        of: Self::Of,
        argument: Self::Argument,
        lanes: u32,
    ) -> u32;
}

/// Takes the arena apart and puts it together again: a structure that is passed
/// to a function goes through slow local memory.
///
/// # Safety
///
/// These are the parts of an arena, and the words of the task's subject and argument.
#[inline(never)]
unsafe fn outlined<W: Warp, P: Parameters, T: Task>(
    warp: W,
    blocks: *mut u8,
    tables: *mut u8,
    geometry: u64,
    of: u32,
    argument: u32,
    lanes: u32,
) -> u32 {
    // SAFETY: the parts of an arena that was made before, and words that were values.
    unsafe {
        let arena = Arena::<P>::of(blocks, tables, geometry);
        T::run(
            warp,
            &arena,
            T::Of::of(of),
            T::Argument::of(argument),
            lanes,
        )
    }
}

impl<P: Parameters> Arena<P> {
    /// Runs a task, out of line.
    #[inline(always)]
    pub fn call<W: Warp, T: Task>(&self, warp: W, of: T::Of, argument: T::Argument) -> u32 {
        self.call_together::<W, T>(warp, of, argument, 0)
    }

    /// Runs a task that is one for several lanes, out of line.
    #[inline(always)]
    pub fn call_together<W: Warp, T: Task>(
        &self,
        warp: W,
        of: T::Of,
        argument: T::Argument,
        lanes: u32,
    ) -> u32 {
        let (blocks, tables, geometry) = (self.blocks, self.tables, self.geometry);
        let (of, argument) = (of.word(), argument.word());
        // SAFETY: the parts of this arena, and the words of values.
        unsafe { outlined::<W, P, T>(warp, blocks, tables, geometry, of, argument, lanes) }
    }
}
