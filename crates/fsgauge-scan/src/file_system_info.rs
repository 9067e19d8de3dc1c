//! What the superblock gives about a file system, before it is read.

use fsgauge_wire::{Note, Room};

/// One allocation group, block group or chunk: its place on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupPlace {
    /// Where it begins.
    pub offset_bytes: u64,
    /// How long it is.
    pub size_bytes: u64,
}

/// What a new chunk of inodes needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InodePlace {
    /// A free piece of this length.
    pub length_bytes: u64,
    /// At a multiple of this, behind the begin of a group.
    pub align_bytes: u64,
    /// Only in groups that begin before this; `None` for all.
    pub below_bytes: Option<u64>,
}

impl InodePlace {
    /// Whether a group that begins there may have it.
    pub(crate) fn is_in(&self, group_bytes: u64) -> bool {
        self.below_bytes.is_none_or(|below| group_bytes < below)
    }

    /// How often it fits into a free piece that begins so far behind the begin of its group.
    pub(crate) fn fits(&self, begin_bytes: u64, length_bytes: u64) -> u64 {
        // Most pieces are too short, and each division below takes as long as all else that is done with a piece.
        if length_bytes < self.length_bytes {
            return 0;
        }
        let end = begin_bytes.saturating_add(length_bytes);
        let step = self.length_bytes.next_multiple_of(self.align_bytes.max(1)).max(1);
        let first = begin_bytes.checked_next_multiple_of(self.align_bytes.max(1)).unwrap_or(u64::MAX);
        match end.checked_sub(first).and_then(|room| room.checked_sub(self.length_bytes)) {
            Some(more) if self.length_bytes > 0 => more / step + 1,
            _ => 0,
        }
    }
}

/// What the superblock says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSystemInfo {
    /// ext2, ext3, ext4, xfs, btrfs, ...
    pub file_system: String,
    /// What tells it from all others.
    pub uuid: Option<[u8; 16]>,
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
    /// What new inodes need, where that is a piece of free space.
    pub inode_place: Option<InodePlace>,
    /// What it tells of the use of space.
    pub room: Room,
    /// What the reader of the result should know: not cleanly unmounted, ...
    pub notes: Vec<Note>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_chunks_at_their_alignment_fit() {
        let place = InodePlace { length_bytes: 32, align_bytes: 16, below_bytes: None };
        let fits = [(0, 31), (0, 32), (1, 46), (1, 47), (16, 96), (8, 40), (u64::MAX - 3, 2)];
        assert_eq!(fits.map(|(begin, length)| place.fits(begin, length)), [0, 1, 0, 1, 3, 1, 0]);
        assert_eq!(InodePlace { length_bytes: 0, align_bytes: 0, below_bytes: None }.fits(0, 10), 0);
    }
}
