//! Writes the shipped scenes: `cargo run -p heapwood-scenes --example make_scenes`.

use heapwood_scenes::{generate, save};
use std::path::Path;

fn main() -> Result<(), heapwood_scenes::SceneError> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    for name in generate::NAMES {
        let scene = generate::by_name(name).expect("every listed name is known");
        save(&scene, folder.join(format!("{name}.obj")))?;
        println!(
            "{name}: {} triangles, input {:016x}",
            scene.len(),
            scene.input_hash()
        );
    }
    Ok(())
}
