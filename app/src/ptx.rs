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
    use heapwood_device::host::{ALLOCATORS, PLAIN_KERNELS};

    #[test]
    fn every_kernel_is_in_the_module_of_its_family() {
        if !is_embedded() {
            eprintln!("skipped: built without device code");
            return;
        }
        for allocator in ALLOCATORS {
            for kernel in allocator.kernels {
                let text =
                    module(Some(allocator.name), kernel.family).expect("the module is embedded");
                assert!(
                    text.contains(&format!(".entry {}(", kernel.entry)),
                    "{}",
                    kernel.entry
                );
            }
        }
        for kernel in PLAIN_KERNELS {
            let text = module(None, kernel.family).expect("the module is embedded");
            assert!(
                text.contains(&format!(".entry {}(", kernel.entry)),
                "{}",
                kernel.entry
            );
        }
    }
}
