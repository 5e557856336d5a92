//! Trees in files: built once, used by as many runs as there are, on any backend.
//!
//! A file is a header of 104 bytes, the nodes as they are in memory, 8 bytes each, and the
//! references of the leaves, 4 bytes each. All numbers have the byte order of the machine that
//! wrote them, and the header has a mark of it. The header's fields, by their offsets:
//!
//! | bytes | field |
//! |---|---|
//! | 0 | magic: `89 68 77 74 72 65 65 0a`, which is `hwtree` between two bytes that text lacks or changes |
//! | 8 | mark of the byte order: 0x01020304 |
//! | 12 | version of the format: 1 |
//! | 16 | hash of the scene, [`Scene::input_hash`](heapwood_scenes::Scene::input_hash), 8 bytes |
//! | 24 | hash of the tree, [`HostTree::hash`], 8 bytes |
//! | 32 | triangles, nodes, references, depth of the deepest leaf: 4 bytes each |
//! | 48 | bounds of the scene: x, y, z of the least and of the greatest corner, six floats |
//! | 72 | costs of the build: traversal, intersection, empty bonus, three floats |
//! | 84 | limit of depth, or 0xffffffff for none |
//! | 88 | flags: 1 if triangles were clipped, 2 if nodes had budgets of references |
//! | 92 | leaves |
//! | 96 | FNV-1a, 64 bits, of all bytes before |
//!
//! A file is checked before a kernel sees any of it ([`check`]): a traversal trusts the indices of
//! a tree. The hash of the tree is its checksum, which finds damage; it is no protection against
//! who forges it, and the check of the indices does not rely on it. Forged nodes may give a wrong
//! picture and nothing worse.

pub(super) mod check;
mod error;
mod header;
mod read;

use std::io::{self, Write};

use super::host_tree::HostTree;
pub use error::{Damage, TreeFileError};
use header::Header;
pub use read::TreeFile;

impl HostTree {
    /// Bytes of its file.
    pub fn file_bytes(&self) -> u64 {
        header::file_bytes(self.nodes.len() as u64, self.references.len() as u64)
    }

    /// Writes the file of a tree of so many triangles of the scene with this hash.
    ///
    /// ```
    /// use heapwood::tree::{Cores, Options, TreeFile, triangles};
    /// use heapwood_files::Output;
    /// use heapwood_scenes::generate;
    ///
    /// let scene = generate::knot();
    /// let tree = Cores::new(None)?.build(&triangles(&scene), Options::default())?.tree;
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("knot.tree");
    /// let (hash, count) = (scene.input_hash(), scene.len() as u32);
    /// Output::open(&path)?.write_with(|out| tree.write(hash, count, out))?;
    /// assert_eq!(TreeFile::open(&path)?.tree(&scene)?, tree);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of the writer.
    pub fn write(&self, scene_hash: u64, triangles: u32, out: &mut dyn Write) -> io::Result<()> {
        let header = Header::of(self, scene_hash, triangles);
        out.write_all(bytemuck::bytes_of(&header))?;
        for node in &self.nodes {
            out.write_all(bytemuck::bytes_of(&[node.first, node.second]))?;
        }
        out.write_all(bytemuck::cast_slice(&self.references))
    }
}
