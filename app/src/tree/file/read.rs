//! Reading a tree from its file.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use heapwood_device::kdtree::node::Node;
use heapwood_device::render::Bounds;
use heapwood_scenes::Scene;
use memmap2::{MmapOptions, MmapRaw};

use super::check::{Shape, check};
use super::error::{Damage, TreeFileError};
use super::header::{self, Header};
use crate::tree::host_tree::HostTree;

/// A file with a tree, whose header was checked.
///
/// It is mapped, so that opening a large one reads its header alone, and its nodes and references
/// are copied once, to where they are used. Before [`tree`](Self::tree) checks them they are
/// copied: a file that someone writes over meanwhile gives an error or what was checked, never an
/// index that was not. Files of [`HostTree::write`] are replaced as a whole by
/// [`heapwood_files::Output`], which leaves an open one as it is. Whoever makes an open file
/// shorter ends the process (SIGBUS), as for every mapped file.
pub struct TreeFile {
    path: PathBuf,
    mapping: MmapRaw,
    header: Header,
}

impl TreeFile {
    /// Maps a file, and checks its header and its length.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or is no tree of this version.
    pub fn open(path: &Path) -> Result<Self, TreeFileError> {
        let failed = |cause: io::Error| TreeFileError::Read {
            path: path.to_owned(),
            cause,
        };
        let damaged = |damage| TreeFileError::Damaged {
            path: path.to_owned(),
            damage,
        };
        // A pipe would wait to be opened until someone writes to it.
        if !std::fs::metadata(path).map_err(failed)?.is_file() {
            let path = path.to_owned();
            return Err(TreeFileError::NoFile { path });
        }
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        if length == 0 {
            // There are no mappings without a byte.
            return Err(damaged(Damage::NoTree));
        }
        let mapping = MmapOptions::new().map_raw_read_only(&file);
        let mapping = mapping.map_err(failed)?;
        // The mapping may be longer or shorter than the file was, if another process writes.
        let length = mapping.len() as u64;
        let front = copied::<u8>(&mapping, 0, header::BYTES.min(mapping.len()));
        let header = Header::read(&front, length).map_err(damaged)?;
        Ok(Self {
            path: path.to_owned(),
            mapping,
            header,
        })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of the file.
    pub fn bytes(&self) -> u64 {
        self.mapping.len() as u64
    }

    /// The tree, if it is one of this scene, as cleaned. All of it is checked.
    ///
    /// # Errors
    ///
    /// Another scene, and any fault of the tree.
    pub fn tree(&self, scene: &Scene) -> Result<HostTree, TreeFileError> {
        let header = &self.header;
        let given = scene.input_hash();
        if header.scene_hash != given {
            return Err(TreeFileError::OtherScene {
                path: self.path.clone(),
                scene: scene.name().to_owned(),
                built: header.scene_hash,
                given,
            });
        }
        self.checked(scene)
            .map_err(|damage| TreeFileError::Damaged {
                path: self.path.clone(),
                damage,
            })
    }

    fn checked(&self, scene: &Scene) -> Result<HostTree, Damage> {
        let header = &self.header;
        let around = scene.bounds();
        let around = Bounds {
            min: around.min.to_array(),
            max: around.max.to_array(),
        };
        if header.triangles as usize != scene.len() || header.bounds() != around {
            return Err(Damage::Header("triangles or bounds are not the scene's"));
        }
        let tree = self.copy();
        if tree.hash().0 != header.tree_hash {
            return Err(Damage::Checksum);
        }
        let Shape { leaves, depth } = check(&tree, header.triangles)?;
        if (leaves, depth) != (header.leaves, header.depth) {
            return Err(Damage::Header("leaves or depth are not the tree's"));
        }
        Ok(tree)
    }

    /// A copy of the tree, unchecked.
    fn copy(&self) -> HostTree {
        let nodes = self.header.nodes as usize;
        let words = copied::<[u32; 2]>(&self.mapping, header::BYTES, nodes);
        let nodes_end = header::BYTES + header::NODE_BYTES as usize * nodes;
        let references = self.header.references as usize;
        HostTree {
            nodes: words
                .into_iter()
                .map(|[first, second]| Node { first, second })
                .collect(),
            references: copied(&self.mapping, nodes_end, references),
            bounds: self.header.bounds(),
            leaves: self.header.leaves,
            depth: self.header.depth,
            options: self.header.options(),
        }
    }
}

/// A copy of `count` values from `offset` bytes from the begin of a mapping.
///
/// # Panics
///
/// If they are not within it.
fn copied<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(
    mapping: &MmapRaw,
    offset: usize,
    count: usize,
) -> Vec<T> {
    let bytes = size_of::<T>() * count;
    let end = offset.checked_add(bytes);
    assert!(end.is_some_and(|end| end <= mapping.len()));
    let mut values = vec![T::zeroed(); count];
    let target: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
    // SAFETY: the range is within the mapping, which lives as long as it is borrowed, and the
    // vector is no part of it. Nothing of this process writes to the file. Where another one does,
    // any bytes are values of `T`, and nothing refers to the mapped ones.
    unsafe {
        let source = mapping.as_ptr().add(offset);
        std::ptr::copy_nonoverlapping(source, target.as_mut_ptr(), bytes);
    }
    values
}
