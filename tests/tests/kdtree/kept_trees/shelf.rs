//! A scene, the file of its tree, and what tells a good tree from a bad one.

use std::fs;
use std::path::PathBuf;

use heapwood::allocators::{DEFAULT, Spec};
use heapwood::size::Pool;
use heapwood::tree::{
    Builder, Cores, Damage, DeviceTree, HostTree, Options, Shading, TreeFile, TreeFileError,
    triangles,
};
use heapwood_device::render::{MAX_TRAVERSAL_DEPTH, Mode};
use heapwood_scenes::{Camera, Scene};
use heapwood_tests::gpu::cpu;
use tempfile::TempDir;

/// Bytes of the header, and where in it hashes are.
pub const HEADER: usize = 104;
pub const TREE_HASH: usize = 24;
pub const CHECKSUM: usize = 96;

/// A scene, the file of its tree, and a folder for others.
pub struct Shelf {
    pub scene: Scene,
    pub tree: HostTree,
    pub bytes: Vec<u8>,
    pub folder: TempDir,
}

impl Shelf {
    pub fn of(scene: Scene, tree: HostTree) -> Self {
        let mut bytes = Vec::new();
        let written = tree.write(scene.input_hash(), scene.len() as u32, &mut bytes);
        written.expect("a vector grows");
        Self {
            scene,
            tree,
            bytes,
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    pub fn cores(scene: Scene, options: Options) -> Self {
        let cores = Cores::new(Some(2)).expect("threads");
        let built = cores.build(&triangles(&scene), options).expect("a tree");
        Self::of(scene, built.tree)
    }

    pub fn kernels(scene: Scene, options: Options) -> Self {
        let backend = cpu(2);
        let (spec, pool) = (Spec::parse(DEFAULT).expect("an allocator"), Pool::Auto);
        let built = Builder::Kernels { spec, pool }.build(&*backend, &scene, options);
        let tree = built.expect("a tree").tree.into_host().expect("a download");
        Self::of(scene, tree)
    }

    pub fn read(&self, bytes: &[u8]) -> Result<HostTree, TreeFileError> {
        let path = self.path();
        fs::write(&path, bytes).expect("a file");
        TreeFile::open(&path)?.tree(&self.scene)
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("some.tree")
    }

    /// The damage of a file of these bytes.
    pub fn damage(&self, bytes: &[u8]) -> Damage {
        let error = self.read(bytes).map(drop).expect_err("damage");
        let line = error.to_string();
        assert!(line.contains("some.tree") && !line.contains('\n'), "{line}");
        match error {
            TreeFileError::Damaged { damage, .. } => damage,
            other => panic!("{other}"),
        }
    }

    /// The damage of a file with this tree in place of the right one.
    pub fn damage_of(&self, tree: &HostTree) -> Damage {
        let mut bytes = Vec::new();
        let written = tree.write(self.scene.input_hash(), self.scene.len() as u32, &mut bytes);
        written.expect("a vector grows");
        self.damage(&bytes)
    }

    /// The right tree, changed.
    pub fn changed(&self, change: impl FnOnce(&mut HostTree)) -> HostTree {
        let mut tree = self.tree.clone();
        change(&mut tree);
        tree
    }
}

pub fn picture(scene: &Scene, tree: &HostTree) -> Vec<u8> {
    let backend = cpu(2);
    let tree =
        DeviceTree::from_host(&*backend, tree.clone(), triangles(scene)).expect("a whole tree");
    let camera = Camera::frame(scene.bounds(), 24, 16, 45.0).expect("a camera");
    let shading = Shading::from(Mode::Primitive);
    let image = tree.render(&camera, &shading, 1).expect("a picture");
    image.rgba
}

pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Makes hashes right that damage has made wrong.
pub fn forge(bytes: &mut [u8]) {
    let tree = fnv1a(&bytes[HEADER..]);
    bytes[TREE_HASH..TREE_HASH + 8].copy_from_slice(&tree.to_ne_bytes());
    let header = fnv1a(&bytes[..CHECKSUM]);
    bytes[CHECKSUM..HEADER].copy_from_slice(&header.to_ne_bytes());
}

/// Follows every index of a tree that was let through, and panics for one that leads nowhere.
pub fn follow(tree: &HostTree, triangles: usize) {
    let mut is_visited = vec![false; tree.nodes.len()];
    let mut waiting = vec![(0, 0)];
    while let Some((index, depth)) = waiting.pop() {
        assert!(depth <= MAX_TRAVERSAL_DEPTH);
        assert!(!std::mem::replace(&mut is_visited[index], true));
        let node = tree.nodes[index];
        if node.is_leaf() {
            let first = node.first_reference() as usize;
            let own = &tree.references[first..first + node.references() as usize];
            assert!(own.iter().all(|triangle| (*triangle as usize) < triangles));
        } else {
            assert!(node.position().is_finite());
            waiting.extend([(index + 1, depth + 1), (node.right() as usize, depth + 1)]);
        }
    }
    assert!(is_visited.into_iter().all(|is| is));
}
