//! The header of a file with a tree.

use bytemuck::{Pod, Zeroable};
use heapwood_device::kdtree::node::LIMIT;
use heapwood_device::kdtree::plan::{Costs, Options};
use heapwood_device::render::{Bounds, MAX_TRAVERSAL_DEPTH};
use heapwood_scenes::fnv1a;

use super::error::Damage;
use crate::tree::host_tree::HostTree;

const MAGIC: [u8; 8] = *b"\x89hwtree\n";
const MARK: u32 = 0x0102_0304;
const VERSION: u32 = 1;
/// Limit of depth where there is none.
const NO_LIMIT: u32 = u32::MAX;
const CLIPPED: u32 = 1;
const BOUNDED: u32 = 2;

/// The header of a file; the module above has the fields.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Header {
    magic: [u8; 8],
    mark: u32,
    version: u32,
    pub scene_hash: u64,
    pub tree_hash: u64,
    pub triangles: u32,
    pub nodes: u32,
    pub references: u32,
    pub depth: u32,
    min: [f32; 3],
    max: [f32; 3],
    costs: [f32; 3],
    max_depth: u32,
    flags: u32,
    pub leaves: u32,
    checksum: u64,
}

/// Bytes of the header. It is a multiple of a node's alignment.
pub const BYTES: usize = size_of::<Header>();
const _: () = assert!(BYTES == 104);
/// Bytes of a node.
pub const NODE_BYTES: u64 = 8;

/// Bytes of a file with so many nodes and references, each at most 2^32.
pub fn file_bytes(nodes: u64, references: u64) -> u64 {
    BYTES as u64 + NODE_BYTES * nodes + 4 * references
}

impl Header {
    /// The header for a tree of so many triangles of the scene with this hash.
    pub fn of(tree: &HostTree, scene_hash: u64, triangles: u32) -> Self {
        let options = &tree.options;
        let Costs {
            traversal,
            intersection,
            empty_bonus,
        } = options.costs;
        let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
        let mut header = Self {
            magic: MAGIC,
            mark: MARK,
            version: VERSION,
            scene_hash,
            tree_hash: tree.hash().0,
            triangles,
            // A builder makes at most `LIMIT` of either.
            nodes: tree.nodes.len() as u32,
            references: tree.references.len() as u32,
            depth: tree.depth,
            min: tree.bounds.min,
            max: tree.bounds.max,
            costs: [traversal, intersection, empty_bonus],
            max_depth: options.max_depth.unwrap_or(NO_LIMIT),
            flags: flag(options.clip, CLIPPED) | flag(options.bounded, BOUNDED),
            leaves: tree.leaves,
            checksum: 0,
        };
        header.checksum = header.sum();
        header
    }

    fn sum(&self) -> u64 {
        let bytes = &bytemuck::bytes_of(self)[..BYTES - size_of::<u64>()];
        fnv1a(bytes.iter().copied())
    }

    /// The header of a file of so many bytes, which begins with `bytes`.
    ///
    /// # Errors
    ///
    /// A [`Damage`] for bytes that are no header, or the header of another file. Its facts about
    /// the tree are for [`check`](super::check) to compare with the tree.
    pub fn read(bytes: &[u8], length: u64) -> Result<Self, Damage> {
        if !bytes.starts_with(&MAGIC) {
            return Err(Damage::NoTree);
        }
        let Some(bytes) = bytes.get(..BYTES) else {
            let expected = BYTES as u64;
            return Err(Damage::Length { length, expected });
        };
        let header: Self = bytemuck::pod_read_unaligned(bytes);
        if header.mark == MARK.swap_bytes() {
            return Err(Damage::ByteOrder);
        }
        if header.mark == MARK && header.version != VERSION {
            return Err(Damage::Version {
                version: header.version,
                known: VERSION,
            });
        }
        if header.mark != MARK || header.checksum != header.sum() {
            return Err(Damage::Header("its checksum is wrong"));
        }
        header.check()?;
        let expected = file_bytes(header.nodes.into(), header.references.into());
        if length != expected {
            return Err(Damage::Length { length, expected });
        }
        Ok(header)
    }

    fn check(&self) -> Result<(), Damage> {
        let is_box = (0..3).all(|axis| {
            let (min, max) = (self.min[axis], self.max[axis]);
            min.is_finite() && max.is_finite() && min <= max
        });
        let has_limit = self.max_depth != NO_LIMIT;
        let most = MAX_TRAVERSAL_DEPTH as u32;
        for (is_right, what) in [
            (
                (1..=LIMIT).contains(&self.triangles),
                "the number of triangles is 0, or more than a tree may have",
            ),
            (
                (1..=LIMIT).contains(&self.nodes),
                "the number of nodes is 0, or more than a tree may have",
            ),
            (is_box, "the bounds are no box"),
            (
                self.costs.iter().all(|cost| cost.is_finite()),
                "a cost is not finite",
            ),
            (
                self.depth <= most && (!has_limit || self.max_depth <= most),
                "the tree is too deep",
            ),
            (
                self.flags & !(CLIPPED | BOUNDED) == 0,
                "there are unknown flags",
            ),
        ] {
            if !is_right {
                return Err(Damage::Header(what));
            }
        }
        Ok(())
    }

    /// The bounds of the scene.
    pub fn bounds(&self) -> Bounds {
        Bounds {
            min: self.min,
            max: self.max,
        }
    }

    /// How the tree was built.
    pub fn options(&self) -> Options {
        let [traversal, intersection, empty_bonus] = self.costs;
        Options {
            costs: Costs {
                traversal,
                intersection,
                empty_bonus,
            },
            max_depth: (self.max_depth != NO_LIMIT).then_some(self.max_depth),
            clip: self.flags & CLIPPED != 0,
            alloc_per_split: false,
            collect: false,
            bounded: self.flags & BOUNDED != 0,
        }
    }
}
