//! The superblock of XFS, versions 4 and 5.
//!
//! Source: "XFS Algorithms & Data Structures", 3rd edition, chapter 11, and fs/xfs/libxfs/xfs_format.h of Linux 6.12.

use std::path::Path;

use fsgauge_wire::Failure;

use crate::bytes::Bytes;
use crate::shown::{quoted, shown};
use crate::source::backup_superblock::BackupSuperblock;
use crate::{Image, InodePlace, Problems};

/// How many bytes of the first sector are needed.
pub(super) const LENGTH: usize = 512;

/// Up to how many groups are tried to find a copy; mkfs.xfs makes 4 on one device.
const LOST_GROUPS_LIMIT: u64 = 32;

const MAGIC: u32 = 0x5846_5342;
const VERSION_MASK: u16 = 0xF;
const HAS_MORE_BITS: u16 = 0x8000;
const MORE_FTYPE: u32 = 0x200;

/// `sb_features_ro_compat`.
mod ro_compat {
    pub(super) const FREE_INODE_TREE: u32 = 0x1;
    pub(super) const REVERSE_MAP_TREE: u32 = 0x2;
    pub(super) const REFLINK: u32 = 0x4;
    pub(super) const INODE_TREE_COUNTS: u32 = 0x8;
}

/// `sb_features_incompat`.
mod incompat {
    pub(super) const FTYPE: u32 = 0x1;
    pub(super) const SPARSE_INODES: u32 = 0x2;
    pub(super) const NEEDS_REPAIR: u32 = 0x10;
    pub(super) const LARGE_EXTENT_COUNTS: u32 = 0x20;
    /// ftype, sparse inodes, meta_uuid, bigtime, needsrepair, nrext64, exchange range, parent.
    pub(super) const KNOWN: u32 = 0xFF;
}

/// Where the copy of group 1 lies on an image whose first superblock is lost. Only where it must be when groups are
/// as large as each other and together fill the image, as mkfs.xfs makes them.
pub(in crate::source) fn lost_superblock(image: &Image) -> Option<BackupSuperblock> {
    let mut bytes = [0; LENGTH];
    let places = (2..=LOST_GROUPS_LIMIT).flat_map(|groups| {
        let place = |block: u64| (image.size_bytes() / block).div_ceil(groups) * block;
        let (usual, fine) = (place(4096), place(1024));
        std::iter::once(usual).chain((fine != usual).then_some(fine))
    });
    places.into_iter().find_map(|offset_bytes| {
        let read = image.read(offset_bytes, &mut bytes, &mut Problems::new(), "superblock");
        let copy = bytes.get(..read)?;
        let group_bytes = u64::from(copy.be32(84)?) * u64::from(copy.be32(4)?);
        let next = format!("xfs_repair -n {}", quoted(image.path()));
        (copy.be32(0)? == MAGIC && group_bytes == offset_bytes).then_some(BackupSuperblock {
            file_system: "xfs",
            offset_bytes,
            next,
        })
    })
}

/// More groups than this are refused: 1 EiB of groups of 1 TiB.
const GROUPS_LIMIT: u64 = 1 << 20;

/// The superblock, checked: no field can make arithmetic overflow.
#[derive(Debug, Clone)]
pub(super) struct Superblock {
    pub(super) uuid: [u8; 16],
    pub(super) block_size: u32,
    pub(super) sector_size: u32,
    pub(super) blocks: u64,
    pub(super) free_blocks: u64,
    pub(super) group_blocks: u64,
    pub(super) groups: u64,
    group_block_bits: u32,
    pub(super) inode_size: u32,
    inodes_per_block_bits: u32,
    pub(super) root_inode: u64,
    pub(super) inodes: u64,
    pub(super) free_inodes: u64,
    /// The share of all blocks that inodes may take, in percent; 0 for all.
    pub(super) inode_percent: u8,
    /// Where in a group new chunks of inodes may begin, in blocks, and the same of parts of chunks; 0 where it is not told.
    inode_align_blocks: u32,
    part_align_blocks: u32,
    pub(super) log_start: u64,
    pub(super) log_blocks: u64,
    pub(super) folder_block_size: u32,
    /// Inodes of the file system itself: real-time bitmap and summary, quota.
    own_inodes: [u64; 5],
    quota_flags: u16,
    pub(super) version_5: bool,
    has_types: bool,
    incompat: u32,
    ro_compat: u32,
}

impl Superblock {
    /// `None` without the magic number; a failure when the fields make no sense, features are unknown, or files lie on
    /// a real-time device.
    pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Option<Superblock>, Failure> {
        if bytes.be32(0) != Some(MAGIC) {
            return Ok(None);
        }
        let (place, word) = (shown(path), quoted(path));
        let unknown = bytes.be32(216).unwrap_or(0) & !incompat::KNOWN;
        if bytes.be16(100).unwrap_or(0) & VERSION_MASK == 5 && unknown != 0 {
            return Err(Failure::job(
                "unknown_features",
                format!("The XFS on {place} has features that are not known here: {unknown:#x}"),
                "It is newer than this fsgauge, or its superblock is damaged",
                format!(
                    "mount -o ro {word} /mnt; fsgauge scan /mnt; where the kernel refuses it: xfs_db -r -c version {word}"
                ),
            ));
        }
        if bytes.be64(16).is_some_and(|blocks| blocks > 0) {
            return Err(Failure::job(
                "realtime",
                format!("The XFS on {place} has a real-time device, whose files lie elsewhere"),
                "It was made with mkfs.xfs -r; only data devices are read here",
                format!("mount -o ro,rtdev=DEVICE {word} /mnt; fsgauge scan /mnt"),
            ));
        }
        Self::fields(bytes).map(Some).ok_or_else(|| {
            Failure::system(
                "scan.superblock",
                None,
                format!("The XFS superblock of {place} contradicts itself"),
                "It is damaged, or mkfs.xfs did not end; copies of it are kept in the other groups",
                format!("xfs_repair -n {word}"),
            )
        })
    }

    fn fields(bytes: &[u8]) -> Option<Superblock> {
        let version = bytes.be16(100)?;
        let version_5 = match version & VERSION_MASK {
            5 => true,
            4 => false,
            _ => return None,
        };
        let power_of_two = |value: u32, least: u32, most: u32| {
            (value.is_power_of_two() && (least..=most).contains(&value)).then_some(value)
        };
        let block_size = power_of_two(bytes.be32(4)?, 512, 65536)?;
        let sector_size = power_of_two(u32::from(bytes.be16(102)?), 512, 32768.min(block_size))?;
        let inode_size = power_of_two(u32::from(bytes.be16(104)?), 256, 2048.min(block_size))?;
        let (blocks, group_blocks) = (bytes.be64(8)?, u64::from(bytes.be32(84)?));
        let groups = u64::from(bytes.be32(88)?);
        let group_block_bits = u32::from(bytes.u8(124)?);
        // A group is larger than its headers, and at most 1 TiB.
        let group_is_right = group_blocks >= 64
            && group_blocks.next_power_of_two().trailing_zeros() == group_block_bits
            && group_blocks * u64::from(block_size) <= 1 << 40;
        let in_progress = bytes.u8(126)? != 0;
        if !group_is_right || in_progress || groups == 0 || groups != blocks.div_ceil(group_blocks) {
            return None;
        }
        // Offsets in bytes must fit into a file's.
        if groups > GROUPS_LIMIT || blocks > (1 << 62) / u64::from(block_size) {
            return None;
        }
        let inodes_per_block_bits = (block_size / inode_size).trailing_zeros();
        let folder_block_size =
            block_size.checked_shl(u32::from(bytes.u8(192)?)).filter(|&size| size <= 65536)?;
        // Before version 5 the same features stand elsewhere.
        let (incompat, ro_compat) = if version_5 { (bytes.be32(216)?, bytes.be32(212)?) } else { (0, 0) };
        let more = if version & HAS_MORE_BITS != 0 { bytes.be32(200)? } else { 0 };
        Some(Superblock {
            uuid: bytes.array(32)?,
            block_size,
            sector_size,
            blocks,
            free_blocks: bytes.be64(144)?.min(blocks),
            group_blocks,
            groups,
            group_block_bits,
            inode_size,
            inodes_per_block_bits,
            root_inode: bytes.be64(56)?,
            inodes: bytes.be64(128)?,
            free_inodes: bytes.be64(136)?,
            inode_percent: bytes.u8(127)?,
            inode_align_blocks: bytes.be32(180)?,
            part_align_blocks: if version_5 { bytes.be32(228)? } else { 0 },
            log_start: bytes.be64(48)?,
            log_blocks: u64::from(bytes.be32(96)?),
            folder_block_size: folder_block_size.max(block_size),
            own_inodes: [
                bytes.be64(64)?,
                bytes.be64(72)?,
                bytes.be64(160)?,
                bytes.be64(168)?,
                if version_5 { bytes.be64(232)? } else { 0 },
            ],
            quota_flags: bytes.be16(176)?,
            version_5,
            has_types: incompat & incompat::FTYPE != 0 || (!version_5 && more & MORE_FTYPE != 0),
            incompat,
            ro_compat,
        })
    }

    pub(super) fn needs_repair(&self) -> bool {
        self.incompat & incompat::NEEDS_REPAIR != 0
    }

    pub(super) fn has_sparse_inodes(&self) -> bool {
        self.incompat & incompat::SPARSE_INODES != 0
    }

    /// What new inodes need: a chunk of 64, or, with sparse inodes, a part of one (`xfs_ialloc_ag_alloc` in
    /// fs/xfs/libxfs/xfs_ialloc.c of Linux 6.12).
    pub(super) fn inode_place(&self) -> InodePlace {
        let block_size = u64::from(self.block_size);
        let chunk_bytes = (64 * u64::from(self.inode_size)).max(block_size);
        if self.has_sparse_inodes() && self.part_align_blocks > 0 {
            let bytes = u64::from(self.part_align_blocks) * block_size;
            return InodePlace {
                length_bytes: bytes.min(chunk_bytes),
                align_bytes: bytes,
                below_bytes: None,
            };
        }
        let align_bytes = u64::from(self.inode_align_blocks.max(1)) * block_size;
        InodePlace { length_bytes: chunk_bytes, align_bytes, below_bytes: None }
    }

    pub(super) fn has_large_extent_counts(&self) -> bool {
        self.incompat & incompat::LARGE_EXTENT_COUNTS != 0
    }

    pub(super) fn has_free_inode_tree(&self) -> bool {
        self.ro_compat & ro_compat::FREE_INODE_TREE != 0
    }

    pub(super) fn has_reverse_map(&self) -> bool {
        self.ro_compat & ro_compat::REVERSE_MAP_TREE != 0
    }

    pub(super) fn has_reflink(&self) -> bool {
        self.ro_compat & ro_compat::REFLINK != 0
    }

    /// Whether groups say how many blocks their trees of inodes have.
    pub(super) fn counts_inode_trees(&self) -> bool {
        self.ro_compat & ro_compat::INODE_TREE_COUNTS != 0
    }

    /// Blocks of the log, for the group that it is in.
    pub(super) fn log_blocks_in(&self, group: u64) -> u64 {
        let is_there = self.log_start != 0 && self.log_start >> self.group_block_bits == group;
        if is_there { self.log_blocks } else { 0 }
    }

    pub(super) fn has_types(&self) -> bool {
        self.has_types
    }

    /// Whether an inode is the file system's own.
    pub(super) fn is_own(&self, inode: u64) -> bool {
        self.own_inodes.contains(&inode)
    }

    /// The files of quotas whose limits hold: of what they are, and their inodes. Before version 5 groups and projects had
    /// one file, and one flag.
    pub(super) fn quota_files(&self) -> Vec<(&'static str, u64)> {
        let holds = |flag: u16| self.quota_flags & flag != 0;
        let [_, _, users, groups, projects] = self.own_inodes;
        let files = if self.version_5 {
            [("user", holds(0x2), users), ("group", holds(0x80), groups), ("project", holds(0x200), projects)]
        } else {
            let [of_groups, of_projects] = [0x40, 0x8].map(|counted| holds(0x10) && holds(counted));
            [("user", holds(0x2), users), ("group", of_groups, groups), ("project", of_projects, groups)]
        };
        let is_there = |&(_, holds, inode): &(_, bool, u64)| holds && inode != 0 && inode != u64::MAX;
        files.into_iter().filter(is_there).map(|(kind, _, inode)| (kind, inode)).collect()
    }

    /// Blocks of a group; the last one is shorter.
    pub(super) fn blocks_of(&self, group: u64) -> u64 {
        self.group_blocks.min(self.blocks.saturating_sub(group.saturating_mul(self.group_blocks)))
    }

    /// Where a block of a group begins on the device; `None` outside the group.
    pub(super) fn group_offset(&self, group: u64, block: u64) -> Option<u64> {
        (group < self.groups && block < self.blocks_of(group))
            .then(|| (group * self.group_blocks + block) * u64::from(self.block_size))
    }

    /// Where `length` blocks from the file system block `block` on begin on the device; `None` when they do not lie in one
    /// group. File system blocks are numbered with a fixed number of bits for the place in the group.
    pub(super) fn offset(&self, block: u64, length: u64) -> Option<u64> {
        let group = block >> self.group_block_bits;
        let within = block & ((1 << self.group_block_bits) - 1);
        let last = within.checked_add(length.checked_sub(1)?)?;
        self.group_offset(group, last)?;
        self.group_offset(group, within)
    }

    /// The number of an inode of a group.
    pub(super) fn inode_number(&self, group: u64, inode: u64) -> u64 {
        group << (self.group_block_bits + self.inodes_per_block_bits) | inode
    }

    /// Where an inode begins on the device.
    pub(super) fn inode_offset(&self, number: u64) -> Option<u64> {
        let block = self.offset(number >> self.inodes_per_block_bits, 1)?;
        let within = number & ((1 << self.inodes_per_block_bits) - 1);
        Some(block + within * u64::from(self.inode_size))
    }

    /// The block of a group that holds one of its inodes.
    pub(super) fn block_of_inode(&self, inode: u64) -> u64 {
        inode >> self.inodes_per_block_bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> Vec<u8> {
        let mut bytes = vec![0; LENGTH];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, b"XFSB");
        put(4, &4096u32.to_be_bytes());
        put(8, &3000u64.to_be_bytes());
        put(84, &1000u32.to_be_bytes());
        put(88, &3u32.to_be_bytes());
        put(100, &0xB4A5u16.to_be_bytes());
        put(102, &512u16.to_be_bytes());
        put(104, &512u16.to_be_bytes());
        put(124, &[10]);
        bytes
    }

    #[test]
    fn blocks_and_inodes_are_found_by_number() {
        let superblock = Superblock::parse(&plain(), Path::new("x")).unwrap().unwrap();
        assert_eq!(superblock.offset(2 << 10 | 5, 3), Some(2005 * 4096));
        assert_eq!(superblock.offset(2 << 10 | 999, 1), Some(2999 * 4096));
        assert_eq!(superblock.offset(2 << 10 | 999, 2), None);
        assert_eq!(superblock.offset(3 << 10, 1), None);
        assert_eq!(superblock.offset(0, 0), None);
        assert_eq!(superblock.offset(u64::MAX, u64::MAX), None);
        assert_eq!(superblock.inode_number(1, 17), 1 << 13 | 17);
        assert_eq!(superblock.inode_offset(1 << 13 | 17), Some(1002 * 4096 + 512));
    }

    #[test]
    fn quotas_are_those_whose_limits_hold() {
        let files = |version: u16, flags: u16| {
            let mut bytes = plain();
            let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
            put(100, &version.to_be_bytes());
            put(176, &flags.to_be_bytes());
            [(160, 131u64), (168, 132), (232, 133)]
                .iter()
                .for_each(|(at, inode)| put(*at, &inode.to_be_bytes()));
            Superblock::parse(&bytes, Path::new("x")).unwrap().unwrap().quota_files()
        };
        assert_eq!(files(0xB4A5, 0x1 | 0x8 | 0x40), []);
        assert_eq!(files(0xB4A5, 0x2 | 0x80 | 0x200), [("user", 131), ("group", 132), ("project", 133)]);
        assert_eq!(files(0xB4A4, 0x2 | 0x8 | 0x10), [("user", 131), ("project", 132)]);
        assert_eq!(files(0xB4A4, 0x10 | 0x40), [("group", 132)]);
    }

    #[test]
    fn nonsense_is_refused_and_never_panics() {
        assert!(Superblock::parse(&[0; LENGTH], Path::new("x")).unwrap().is_none());
        assert!(Superblock::parse(b"XFSB", Path::new("x")).is_err());
        for (at, value) in
            [(4, 3), (8, 1), (84, 1), (88, 9), (100, 0), (102, 0), (124, 0xFF), (124, 0x0A00_0100)]
        {
            let mut bytes = plain();
            bytes[at..at + 4].copy_from_slice(&u32::to_be_bytes(value));
            assert_eq!(
                Superblock::parse(&bytes, Path::new("x")).unwrap_err().code,
                "scan.superblock",
                "{at}"
            );
        }
        let mut bytes = plain();
        bytes[23] = 1;
        assert_eq!(Superblock::parse(&bytes, Path::new("x")).unwrap_err().code, "job.realtime");
        bytes[219] = 0;
        bytes[218] = 9;
        assert_eq!(Superblock::parse(&bytes, Path::new("x")).unwrap_err().code, "job.unknown_features");
    }
}
