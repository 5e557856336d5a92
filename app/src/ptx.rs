//! The device code inside the program: compressed PTX, a module for each
//! allocator and family of kernels.

use heapwood_files::decompress;

/// Name and compressed text of every module.
static MODULES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// Whether this program was built with device code.
pub fn is_embedded() -> bool {
    !MODULES.is_empty()
}

/// The PTX of a family of kernels, over an allocator or for those that need
/// none; nothing if this program was built without it.
pub fn module(allocator: Option<&str>, family: &str) -> Option<String> {
    let name = match allocator {
        Some(allocator) => format!("{family}-{allocator}"),
        None => family.to_owned(),
    };
    let (_, compressed) = MODULES.iter().find(|(module, _)| *module == name)?;
    let text = decompress(compressed.to_vec(), u64::MAX).ok()?;
    String::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapwood_device::host::ALLOCATORS;
    use heapwood_device::launch::KernelId;

    #[test]
    fn every_kernel_is_in_the_module_of_its_family() {
        if !is_embedded() {
            eprintln!("skipped: built without device code");
            return;
        }
        let over_heaps = ALLOCATORS.iter().flat_map(|allocator| {
            let kernels = KernelId::OVER_HEAP.iter();
            kernels.map(|&kernel| (kernel, Some(allocator.name)))
        });
        let plain = KernelId::PLAIN.iter().map(|&kernel| (kernel, None));
        for (kernel, allocator) in over_heaps.chain(plain) {
            let text = module(allocator, kernel.family()).expect("the module is embedded");
            let entry = kernel.entry(allocator);
            assert!(text.contains(&format!(".entry {entry}(")), "{entry}");
        }
    }
}
