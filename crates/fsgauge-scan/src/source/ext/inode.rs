//! One inode of a table.
//!
//! Source: Documentation/filesystems/ext4/inodes.rst of Linux 6.12.

use rustix::fs::FileType;

use crate::Kinds;
use crate::bytes::Bytes;

const ENCRYPT: u32 = 0x800;
const INDEX: u32 = 0x1000;
const EXTENTS: u32 = 0x8_0000;
const VERITY: u32 = 0x10_0000;
const EA_INODE: u32 = 0x20_0000;
const INLINE_DATA: u32 = 0x1000_0000;

/// Where an inode says that its blocks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    ExtentTree,
    Indirect,
    Inline,
}

/// The fields that are needed here.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inode {
    mode: u16,
    flags: u32,
    pub(super) links: u16,
    pub(super) size_bytes: u64,
    /// Sectors of 512 bytes that it takes, its tree included.
    pub(super) sectors: u64,
    /// `i_block`: the root of the tree, block numbers, or the data itself.
    pub(super) block: [u8; 60],
}

impl Inode {
    /// `None` for too few bytes.
    pub(super) fn parse(bytes: &[u8]) -> Option<Inode> {
        Some(Inode {
            mode: bytes.le16(0)?,
            links: bytes.le16(0x1A)?,
            flags: bytes.le32(0x20)?,
            // The kernel has no file beyond this.
            size_bytes: (u64::from(bytes.le32(4)?) | u64::from(bytes.le32(0x6C)?) << 32).min(i64::MAX as u64),
            sectors: u64::from(bytes.le32(0x1C)?) | u64::from(bytes.le16(0x74)?) << 32,
            block: bytes.array(0x28)?,
        })
    }

    pub(super) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.mode.into())
    }

    pub(super) fn layout(&self) -> Layout {
        if self.flags & INLINE_DATA != 0 {
            Layout::Inline
        } else if self.flags & EXTENTS != 0 {
            Layout::ExtentTree
        } else {
            Layout::Indirect
        }
    }

    /// What holds for all extents of the file.
    pub(super) fn kinds(&self) -> Kinds {
        let kind = |flag: u32, kind: Kinds| if self.flags & flag != 0 { kind } else { Kinds::default() };
        kind(ENCRYPT, Kinds::ENCRYPTED).with(kind(VERITY, Kinds::VERITY))
    }

    /// Whether its contents or names are encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.flags & ENCRYPT != 0
    }

    /// Whether it is a folder with an index.
    pub(super) fn is_indexed(&self) -> bool {
        self.flags & INDEX != 0
    }

    /// Whether it holds the value of another inode's extended attribute.
    pub(super) fn is_attribute(&self) -> bool {
        self.flags & EA_INODE != 0
    }
}
