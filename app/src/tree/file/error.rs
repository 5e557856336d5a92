//! Why a file has no tree that can be used.

use std::path::PathBuf;

use thiserror::Error;

/// Why a tree in a file cannot be used. Each displays as one line.
#[derive(Debug, Error)]
pub enum TreeFileError {
    /// The file cannot be read.
    #[error("{}: cannot read: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        cause: std::io::Error,
    },
    /// The path names no file that can be mapped.
    #[error("{}: not a file", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// There is a tree, but of other triangles.
    #[error(
        "{} was built from another scene: its triangles, after cleaning, have the hash \
         {built:016x}, those of {scene} {given:016x}",
        path.display()
    )]
    OtherScene {
        /// The file.
        path: PathBuf,
        /// The scene that was given.
        scene: String,
        /// Hash of the scene that the tree was built from.
        built: u64,
        /// Hash of the scene that was given.
        given: u64,
    },
    /// The content of the file is no tree.
    #[error("{}: {damage}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The fault of the content.
        damage: Damage,
    },
}

/// A fault of a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Damage {
    /// It begins like none.
    #[error("not a tree that heapwood wrote")]
    NoTree,
    /// Its numbers are those of another machine.
    #[error("the tree was written on a machine with the opposite byte order")]
    ByteOrder,
    /// Its version is not that of this program.
    #[error("the tree has version {version} of the format, and this program reads {known}")]
    Version {
        /// Its version.
        version: u32,
        /// The version that is read.
        known: u32,
    },
    /// Its length does not fit its header.
    #[error("damaged: {length} bytes, and there should be {expected}")]
    Length {
        /// Its length.
        length: u64,
        /// The length by its header.
        expected: u64,
    },
    /// Its header.
    #[error("damaged header: {0}")]
    Header(&'static str),
    /// The hash of the tree is not that of its header.
    #[error("damaged: the checksum of the tree is wrong")]
    Checksum,
    /// A node that a traversal must not see.
    #[error("damaged: node {node}: {what}")]
    Node {
        /// Its index.
        node: u32,
        /// The fault of the node.
        what: &'static str,
    },
    /// Something of the whole tree.
    #[error("damaged: {0}")]
    Tree(&'static str),
}
