//! The names of most programs over heapwood: `use heapwood::prelude::*;`.
//!
//! Trace a ray through the k-d tree of a scene:
//!
//! ```
//! use heapwood::prelude::*;
//!
//! let backend = backend::open()?;
//! let scene = generate::by_name("terrain").expect("a scene of the generator");
//! let builder = Builder::Kernels { spec: Spec::parse("gallatin")?, pool: Pool::Auto };
//! let tree = builder.build(&*backend, &scene, tree::Options::default())?.tree;
//! let ray = Ray { origin: [0.1, 90.0, 0.2], direction: [0.0, -1.0, 0.0] };
//! assert_ne!(tree.trace(&[ray])?[0], Hit::NONE);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A hit names a triangle of the scene after polygons were divided and triangles cleaned. A scene
//! that was loaded with [`CleanOptions::keep_faces`] has the face of the file, [`Scene::face`].
//!
//! Time an allocator, with 10,000 threads that request 256 bytes each:
//!
//! ```
//! use heapwood::prelude::*;
//!
//! let backend = backend::open()?;
//! let row = Microbenchmark::threads(10_000).bytes(256).run(&*backend, "gallatin")?;
//! assert_eq!(row.nulls, Some(0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Store`] has an example of a dynamic graph.

pub use crate::allocators::Spec;
pub use crate::backend::{self, Backend};
pub use crate::graph::{self, Store};
pub use crate::scenes::{self, CleanOptions, Scene, generate};
pub use crate::size::Pool;
pub use crate::tree::{self, Builder, DeviceTree, Hit, HostTree, Ray};
pub use crate::workload::micro::{Microbenchmark, MicrobenchmarkExt};
