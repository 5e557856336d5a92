//! Builds a k-d tree of a scene over an allocator and traces a ray through it:
//! `cargo run --release -p heapwood --example trace_rays -- scenes/data/knot.obj`.

use std::error::Error;
use std::path::PathBuf;

use heapwood::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).map(PathBuf::from);
    let file = file.ok_or("name an OBJ file")?;
    let scene = scenes::load(&file, CleanOptions::default())?.scene;

    // The GPU if there is one, else the CPU.
    let backend = backend::open()?;
    let spec = Spec::parse("ouroboros-c-va")?;
    let pool = Pool::Auto;
    let builder = Builder::Kernels { spec, pool };
    let built = builder.build(&*backend, &scene, tree::Options::default())?;
    println!(
        "{} triangles on the {}: {} nodes after {:.2} ms",
        scene.len(),
        backend.info().device,
        built.tree.shape().nodes,
        built.stats.build_ms
    );

    // From outside through the middle of the scene.
    let bounds = scene.bounds();
    let middle = (bounds.min + bounds.max) / 2.0;
    let origin = bounds.min * 2.0 - middle;
    let ray = Ray {
        origin: origin.to_array(),
        direction: (middle - origin).to_array(),
    };
    match built.tree.trace(&[ray])?[0] {
        Hit::NONE => println!("the ray misses"),
        hit => println!("the ray hits triangle {} at t = {}", hit.triangle, hit.t),
    }
    Ok(())
}
