//! What the superblock gives about a file system, before it is read.

use fsgauge_wire::Note;

/// One allocation group, block group or chunk: its place on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupPlace {
    /// Where it begins.
    pub offset_bytes: u64,
    /// How long it is.
    pub size_bytes: u64,
}

/// What the superblock says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSystemInfo {
    /// ext2, ext3, ext4, xfs, btrfs, ...
    pub file_system: String,
    /// Bytes of a block.
    pub block_size_bytes: u32,
    /// Bytes of the file system.
    pub size_bytes: u64,
    /// Inodes in use, where that is known: for progress only.
    pub inodes_in_use: Option<u64>,
    /// Free bytes by the superblock's own counter, where it has one; it may be old.
    pub free_bytes: Option<u64>,
    /// Groups, ascending.
    pub groups: Vec<GroupPlace>,
    /// What the reader of the result should know: not cleanly unmounted, ...
    pub notes: Vec<Note>,
}
