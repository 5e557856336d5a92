//! An allocator as files that kernels of others are linked with: PTX, a header of CUDA C++, an
//! example and a page about them (docs/export.md).

mod folder;

use heapwood_device::allocator::{Heap, SetupError};
use heapwood_device::export::EXPORTED;

pub use folder::write;

use crate::allocators::Spec;
use crate::heap::from_setup_error;
use crate::size::display;
use crate::{Error, ptx};

/// Multiprocessors that a heap is divided for. Larger GPUs share what others have one each of.
const PROCESSORS: u32 = 256;
/// Where a pool is taken to begin when its parts are measured.
const SOMEWHERE: usize = 1 << 40;

/// A file to be written: its name and its text.
pub type File = (String, String);

/// The files of an allocator with a pool of so many bytes.
///
/// # Errors
///
/// An allocator that is not exported, a pool that it cannot have, and a program without device
/// code.
pub fn files(spec: &Spec, argument: &str, pool_bytes: u64) -> Result<Vec<File>, Error> {
    check(spec)?;
    let name = spec.allocator.name;
    let sorted = |error: SetupError| from_setup_error(spec.name(), pool_bytes, error);
    let base = std::ptr::without_provenance_mut(SOMEWHERE);
    let heap = spec.setup(base, pool_bytes, PROCESSORS).map_err(sorted)?;
    let ptx = ptx::module(Some(name), "export").ok_or_else(|| {
        Error::Failed(
            "this program was built without device code, of which the export is made: build it \
             without HEAPWOOD_PTX=off"
                .to_owned(),
        )
    })?;
    let words = [
        ("@name@", name.to_owned()),
        ("@NAME@", name.to_uppercase()),
        ("@title@", spec.name().to_owned()),
        ("@argument@", argument.to_owned()),
        ("@pool_bytes@", pool_bytes.to_string()),
        ("@pool_size@", display(pool_bytes)),
        (
            "@most_bytes@",
            (spec.allocator.max_block)(&heap).to_string(),
        ),
        ("@setup@", setup(&heap)),
        ("@limit@", limit(name).to_owned()),
        ("@together@", together(name).to_owned()),
        ("@version@", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    let fill = |template: &str| {
        let mut text = template.to_owned();
        for (word, value) in &words {
            text = text.replace(word, value);
        }
        text
    };
    Ok(vec![
        (format!("heapwood_{name}.ptx"), ptx),
        (
            format!("heapwood_{name}.cuh"),
            fill(include_str!("header.cuh")),
        ),
        ("example.cu".to_owned(), fill(include_str!("example.cu"))),
        ("README.md".to_owned(), fill(include_str!("README.md.in"))),
    ])
}

/// Whether an allocator can be exported, as it is asked for.
fn check(spec: &Spec) -> Result<(), Error> {
    if !EXPORTED.contains(&spec.allocator.name) {
        let known = EXPORTED.iter().map(|name| name.replace('_', "-"));
        let known: Vec<String> = known.collect();
        return Err(Error::Usage(format!(
            "{} cannot be exported: choose from {}",
            spec.label(),
            known.join(", ")
        )));
    }
    if spec.coalesce {
        return Err(Error::Usage(
            "an export has no other functions for requests of a warp: leave out coalesce"
                .to_owned(),
        ));
    }
    Ok(())
}

/// The flag of nvcc that limits the registers of the functions. Without a limit ptxas gives them
/// 150 and more, so that a multiprocessor holds few warps. CFMalloc's are slower with it
/// (docs/export.md#what-it-costs).
fn limit(name: &str) -> &'static str {
    match name {
        "cfmalloc" => "",
        _ => "-maxrregcount=64 ",
    }
}

/// The statements that fill in a heap.
fn setup(heap: &Heap) -> String {
    let pointers = heap.pointers.iter().enumerate();
    let pointers = pointers.map(|(index, pointer)| match pointer.is_null() {
        true => format!("    heap->pointers[{index}] = nullptr;\n"),
        false => format!(
            "    heap->pointers[{index}] = pool + {}ull;\n",
            pointer.addr() - SOMEWHERE
        ),
    });
    let integers = heap.integers.iter().enumerate();
    let integers =
        integers.map(|(index, word)| format!("    heap->integers[{index}] = {word:#x}ull;\n"));
    pointers.chain(integers).collect()
}

/// The gain of lanes of a warp that call together, as `device/src/export.rs` passes their mask on.
fn together(name: &str) -> &'static str {
    match name {
        "cfmalloc" => {
            "Lanes that request together are served one by one; the mask is not used. heapwood's \
             own form `coalesce` is not exported."
        }
        "ouroboros_p_s" | "ouroboros_c_s" => {
            "Lanes that request together are served as one, whatever their sizes. Lanes that free \
             together are one where their blocks are of the same size."
        }
        _ => {
            "Lanes that request together are served as one where their requests lie between the \
             same two powers of two. Blocks are freed one by one."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The heap of an allocator at a place.
    fn heap(name: &str, base: usize) -> Heap {
        let spec = Spec::parse(name).expect("it is in the table");
        let base = std::ptr::without_provenance_mut(base);
        spec.setup(base, 1 << 28, PROCESSORS).expect("it fits")
    }

    #[test]
    fn heaps_are_the_same_wherever_they_lie() {
        for name in EXPORTED {
            let elsewhere = 3 << 41;
            let (one, other) = (heap(name, SOMEWHERE), heap(name, elsewhere));
            assert_eq!(one.integers, other.integers, "{name}");
            for (one, other) in one.pointers.iter().zip(other.pointers) {
                assert_eq!(one.is_null(), other.is_null(), "{name}");
                if !one.is_null() {
                    assert_eq!(one.addr() - SOMEWHERE, other.addr() - elsewhere, "{name}");
                }
            }
        }
    }

    #[test]
    fn what_is_filled_in_is_the_heap() {
        let text = setup(&heap("scatteralloc", SOMEWHERE));
        assert!(
            text.starts_with("    heap->pointers[0] = pool + 0ull;\n"),
            "{text}"
        );
        assert!(text.contains("heap->pointers[3] = nullptr;\n"), "{text}");
        assert!(text.contains("heap->integers[1] = 0xcull;\n"), "{text}");
        assert_eq!(text.lines().count(), 11);
    }

    #[test]
    fn no_module_takes_memory_of_the_kernels_that_call_it() {
        if !ptx::is_embedded() {
            return println!("skipped: built without device code");
        }
        for name in EXPORTED {
            let text = ptx::module(Some(name), "export").expect("the module is embedded");
            for function in ["init", "malloc", "free"] {
                let named = format!(" heapwood_{name}_{function}(");
                let declared =
                    |line: &str| line.starts_with(".visible .func") && line.contains(&named);
                assert!(text.lines().any(declared), "{named}");
            }
            for part in [".shared", ".local", ".entry", ".extern"] {
                assert!(!text.contains(part), "{name}: {part}");
            }
        }
    }

    #[test]
    fn nothing_is_left_to_fill_in() {
        if !ptx::is_embedded() {
            return println!("skipped: built without device code");
        }
        for name in EXPORTED {
            let spec = Spec::parse(name).expect("it is in the table");
            for (file, text) in files(&spec, name, 1 << 28).expect("it is exported") {
                let is_text = !file.ends_with(".ptx");
                assert!(!(is_text && text.contains('@')), "{file} of {name}");
            }
        }
    }
}
