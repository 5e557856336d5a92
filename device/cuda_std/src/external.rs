//! An allocator of the user's: functions that are linked with the kernels, or on the host come
//! from a shared library.
//!
//! On the GPU they are declared here and have no body in any module: the loader of a module links
//! it with a file that has them. On the host their addresses travel with the heap.

/// The user's functions, as they are reached.
#[derive(Clone, Copy)]
pub struct External {
    #[cfg(not(target_arch = "nvptx64"))]
    functions: host::Functions,
}

/// Words that [`External`] is made of.
pub const EXTERNAL_WORDS: usize = 4;

#[cfg(target_arch = "nvptx64")]
mod device {
    unsafe extern "C" {
        /// A block of at least so many bytes of the pool, or null.
        pub fn heapwood_malloc(state: *mut u8, bytes: u64) -> *mut u8;
        /// Gives a block back.
        pub fn heapwood_free(state: *mut u8, block: *mut u8);
        /// This thread's part of making the pool ready.
        pub fn heapwood_init(state: *mut u8, pool: *mut u8, bytes: u64, thread: u32, threads: u32);
        /// The bytes of a live block; 0 from the function that is linked if the user has none.
        pub fn heapwood_granted(state: *mut u8, block: *mut u8) -> u64;
    }
}

#[cfg(target_arch = "nvptx64")]
impl External {
    /// The functions that are linked; the words are not used.
    ///
    /// # Safety
    ///
    /// They keep the contract of docs/external-allocators.md.
    #[inline(always)]
    pub unsafe fn new(_words: [u64; EXTERNAL_WORDS]) -> Self {
        Self {}
    }

    /// Makes the pool ready, together with the other threads of the launch.
    ///
    /// # Safety
    ///
    /// The state is zeroed, it and the pool are valid, and no other thread uses them.
    #[inline(always)]
    pub unsafe fn init(self, state: *mut u8, pool: *mut u8, bytes: u64, thread: u32, threads: u32) {
        // SAFETY: the caller's promise, and that of `new`.
        unsafe { device::heapwood_init(state, pool, bytes, thread, threads) }
    }

    /// A block, or null.
    ///
    /// # Safety
    ///
    /// The state was made ready by [`Self::init`].
    #[inline(always)]
    pub unsafe fn malloc(self, state: *mut u8, bytes: u64) -> *mut u8 {
        // SAFETY: the caller's promise, and that of `new`.
        unsafe { device::heapwood_malloc(state, bytes) }
    }

    /// Gives a block back.
    ///
    /// # Safety
    ///
    /// It came from [`Self::malloc`] of this state, is not null, and no thread uses it afterwards.
    #[inline(always)]
    pub unsafe fn free(self, state: *mut u8, block: *mut u8) {
        // SAFETY: the caller's promise, and that of `new`.
        unsafe { device::heapwood_free(state, block) }
    }

    /// The size of a block in bytes; none without `heapwood_granted`.
    ///
    /// # Safety
    ///
    /// As for [`Self::free`].
    #[inline(always)]
    pub unsafe fn granted(self, state: *mut u8, block: *mut u8) -> Option<u64> {
        // SAFETY: the caller's promise, and that of `new`.
        let bytes = unsafe { device::heapwood_granted(state, block) };
        (bytes != 0).then_some(bytes)
    }
}

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    pub type Malloc = unsafe extern "C" fn(*mut u8, u64) -> *mut u8;
    pub type Free = unsafe extern "C" fn(*mut u8, *mut u8);
    pub type Init = unsafe extern "C" fn(*mut u8, *mut u8, u64, u32, u32);
    pub type Granted = unsafe extern "C" fn(*mut u8, *mut u8) -> u64;

    #[derive(Clone, Copy)]
    pub struct Functions {
        pub malloc: Option<Malloc>,
        pub free: Option<Free>,
        pub init: Option<Init>,
        pub granted: Option<Granted>,
    }
}

#[cfg(not(target_arch = "nvptx64"))]
impl External {
    /// The functions at these addresses: `heapwood_malloc`, `heapwood_free`, `heapwood_init` and
    /// `heapwood_granted`, each 0 if there is none.
    ///
    /// # Safety
    ///
    /// They are functions with these signatures, which keep the contract of
    /// docs/external-allocators.md and stay loaded while the value is used.
    #[inline(always)]
    pub unsafe fn new(words: [u64; EXTERNAL_WORDS]) -> Self {
        let [malloc, free, init, granted] = words.map(|word| word as usize);
        // SAFETY: the caller's promise; 0 is the none of a function.
        let functions = unsafe {
            host::Functions {
                malloc: core::mem::transmute::<usize, Option<host::Malloc>>(malloc),
                free: core::mem::transmute::<usize, Option<host::Free>>(free),
                init: core::mem::transmute::<usize, Option<host::Init>>(init),
                granted: core::mem::transmute::<usize, Option<host::Granted>>(granted),
            }
        };
        Self { functions }
    }

    /// Makes the pool ready, together with the other threads of the launch.
    ///
    /// # Safety
    ///
    /// The state is zeroed, it and the pool are valid, and no other thread uses them.
    #[inline(always)]
    pub unsafe fn init(self, state: *mut u8, pool: *mut u8, bytes: u64, thread: u32, threads: u32) {
        if let Some(init) = self.functions.init {
            // SAFETY: the caller's promise, and that of `new`.
            unsafe { init(state, pool, bytes, thread, threads) }
        }
    }

    /// A block, or null.
    ///
    /// # Safety
    ///
    /// The state was made ready by [`Self::init`].
    #[inline(always)]
    pub unsafe fn malloc(self, state: *mut u8, bytes: u64) -> *mut u8 {
        match self.functions.malloc {
            // SAFETY: the caller's promise, and that of `new`.
            Some(malloc) => unsafe { malloc(state, bytes) },
            None => core::ptr::null_mut(),
        }
    }

    /// Gives a block back.
    ///
    /// # Safety
    ///
    /// It came from [`Self::malloc`] of this state, is not null, and no thread uses it afterwards.
    #[inline(always)]
    pub unsafe fn free(self, state: *mut u8, block: *mut u8) {
        if let Some(free) = self.functions.free {
            // SAFETY: the caller's promise, and that of `new`.
            unsafe { free(state, block) }
        }
    }

    /// The size of a block in bytes; none without `heapwood_granted`.
    ///
    /// # Safety
    ///
    /// As for [`Self::free`].
    #[inline(always)]
    pub unsafe fn granted(self, state: *mut u8, block: *mut u8) -> Option<u64> {
        let granted = self.functions.granted?;
        // SAFETY: the caller's promise, and that of `new`.
        Some(unsafe { granted(state, block) })
    }
}
