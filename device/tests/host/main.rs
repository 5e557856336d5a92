//! The host's side of the device code, which needs no kernel to run: what planners ask
//! for, in numbers, what is read from the headers that kernels leave, and how a finished
//! tree is checked.

mod buddy;
mod clipping;
mod external;
mod flatter;
mod gallatin;
mod halloc;
mod launches;
mod llvmlibc;
mod pagesearch;
mod pools;
mod scatter;
mod spread;
mod trees;
mod words;
mod xmalloc;
