//! One inode: its fields, and the bytes of its two forks.
//!
//! Source: "XFS Algorithms & Data Structures", 3rd edition, chapter 15; `struct xfs_dinode` in
//! fs/xfs/libxfs/xfs_format.h of Linux 6.12.

use rustix::fs::FileType;

use super::superblock::Superblock;
use crate::bytes::Bytes;

const MAGIC: u16 = 0x494E;
const FLAG_REALTIME: u16 = 0x1;
const FLAG_REFLINK: u64 = 0x2;
const FLAG_LARGE_COUNTS: u64 = 0x10;
const FLAG_METADATA: u64 = 0x20;

/// How a fork says where its blocks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// The data is in the inode.
    Local,
    /// A list of extents is in the inode.
    Extents,
    /// The root of a tree of extents is in the inode.
    Tree,
    /// It has none, or one that makes no sense.
    None,
}

impl Format {
    fn parse(number: u8) -> Format {
        match number {
            1 => Format::Local,
            2 => Format::Extents,
            3 => Format::Tree,
            _ => Format::None,
        }
    }
}

/// A fork: contents, or extended attributes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fork<'b> {
    pub(super) format: Format,
    pub(super) extents: u64,
    pub(super) bytes: &'b [u8],
}

/// The fields that are needed here.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inode<'b> {
    mode: u16,
    pub(super) links: u32,
    pub(super) size_bytes: u64,
    /// Blocks that it takes, its trees included.
    pub(super) blocks: u64,
    flags: u16,
    flags2: u64,
    pub(super) data: Fork<'b>,
    pub(super) attributes: Option<Fork<'b>>,
}

impl<'b> Inode<'b> {
    /// `None` when the magic number or the version is wrong.
    pub(super) fn parse(bytes: &'b [u8], superblock: &Superblock) -> Option<Inode<'b>> {
        let version = bytes.u8(4)?;
        if bytes.be16(0)? != MAGIC || (version == 3) != superblock.version_5 {
            return None;
        }
        let core = if version == 3 { 176 } else { 100 };
        let flags2 = if version == 3 { bytes.be64(120)? } else { 0 };
        let large_counts = superblock.has_large_extent_counts() && flags2 & FLAG_LARGE_COUNTS != 0;
        let (data_extents, attribute_extents) = if large_counts {
            (bytes.be64(24)?, u64::from(bytes.be32(76)?))
        } else {
            (u64::from(bytes.be32(76)?), u64::from(bytes.be16(80)?))
        };
        let fork_at = usize::from(bytes.u8(82)?) * 8;
        let literal = bytes.get(core..)?;
        let (data, attributes) = match fork_at {
            0 => (literal, None),
            _ => {
                let (data, attributes) = literal.split_at_checked(fork_at)?;
                (data, Some(attributes))
            }
        };
        let attribute_format = Format::parse(bytes.u8(83)?);
        Some(Inode {
            mode: bytes.be16(2)?,
            // Version 1 kept them elsewhere; it has not been written since 2001.
            links: if version == 1 { u32::from(bytes.be16(6)?) } else { bytes.be32(16)? },
            // The kernel has no file beyond this.
            size_bytes: (bytes.be64(56)?).min(i64::MAX as u64),
            blocks: bytes.be64(64)?,
            flags: bytes.be16(90)?,
            flags2,
            data: Fork { format: Format::parse(bytes.u8(5)?), extents: data_extents, bytes: data },
            attributes: attributes.map(|bytes| Fork {
                format: attribute_format,
                extents: attribute_extents,
                bytes,
            }),
        })
    }

    pub(super) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.mode.into())
    }

    pub(super) fn is_realtime(&self) -> bool {
        self.flags & FLAG_REALTIME != 0
    }

    pub(super) fn may_share(&self) -> bool {
        self.flags2 & FLAG_REFLINK != 0
    }

    pub(super) fn is_metadata(&self) -> bool {
        self.flags2 & FLAG_METADATA != 0
    }
}
