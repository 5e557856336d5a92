//! The shipped scene with textures, from bytes in the program: tests run where no files are.

use heapwood_scenes::{CleanOptions, Scene, read_obj};

/// `scenes/data/parlour.obj` with its materials and textures.
///
/// # Panics
///
/// If it is not read without a warning.
pub fn parlour() -> Scene {
    let text = include_bytes!("../../../scenes/data/parlour.obj").to_vec();
    let file = |name: &str| -> Result<Vec<u8>, String> {
        let bytes: &[u8] = match name {
            "parlour.mtl" => include_bytes!("../../../scenes/data/parlour.mtl"),
            "parlour-tiles.png" => include_bytes!("../../../scenes/data/parlour-tiles.png"),
            "parlour-wood.png" => include_bytes!("../../../scenes/data/parlour-wood.png"),
            "parlour-lattice.png" => include_bytes!("../../../scenes/data/parlour-lattice.png"),
            "parlour-lamp.png" => include_bytes!("../../../scenes/data/parlour-lamp.png"),
            other => return Err(format!("no file {other}")),
        };
        Ok(bytes.to_vec())
    };
    let loaded = read_obj("parlour", text, file, CleanOptions::default()).expect("a scene");
    assert_eq!(loaded.warnings, []);
    loaded.scene
}
