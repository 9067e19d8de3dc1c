//! The superblock of ext2, ext3 and ext4.
//!
//! Source: Documentation/filesystems/ext4/super.rst and fs/ext4/ext4.h of Linux 6.12.

use std::path::Path;

use fsgauge_wire::{Failure, Note};

use super::checksum;
use crate::bytes::Bytes;
use crate::shown::{quoted, shown};

/// Where the superblock begins, and how long it is.
pub(super) const OFFSET: u64 = 1024;
pub(super) const LENGTH: usize = 1024;

const MAGIC: u16 = 0xEF53;
const VALID: u16 = 1;
const ERRORS: u16 = 2;

/// `s_feature_compat`.
mod compat {
    pub(super) const HAS_JOURNAL: u32 = 0x4;
    pub(super) const SPARSE_SUPER2: u32 = 0x200;
}

/// `s_feature_incompat`.
mod incompat {
    pub(super) const FILETYPE: u32 = 0x2;
    pub(super) const RECOVER: u32 = 0x4;
    pub(super) const JOURNAL_DEVICE: u32 = 0x8;
    pub(super) const META_BG: u32 = 0x10;
    pub(super) const EXTENTS: u32 = 0x40;
    pub(super) const SIXTY_FOUR_BIT: u32 = 0x80;
    pub(super) const MMP: u32 = 0x100;
    pub(super) const CHECKSUM_SEED: u32 = 0x2000;
    pub(super) const LARGE_FOLDERS: u32 = 0x4000;
    /// All that do not change where blocks are, and those that are read here: filetype, recover, meta_bg, extents,
    /// 64bit, mmp, flex_bg, ea_inode, dirdata, csum_seed, large_dir, inline_data, encrypt, casefold.
    pub(super) const KNOWN: u32 = 0x3_F7D6;
    pub(super) const OF_EXT3: u32 = FILETYPE | RECOVER | META_BG;
}

/// `s_feature_ro_compat`.
mod ro_compat {
    pub(super) const SPARSE_SUPER: u32 = 0x1;
    pub(super) const GDT_CSUM: u32 = 0x10;
    pub(super) const QUOTA: u32 = 0x100;
    pub(super) const BIGALLOC: u32 = 0x200;
    pub(super) const METADATA_CSUM: u32 = 0x400;
    pub(super) const SHARED_BLOCKS: u32 = 0x4000;
    /// sparse_super, large_file, btree_dir.
    pub(super) const OF_EXT3: u32 = 0x7;
}

/// More groups than this are refused: 1 PiB of groups of 128 MiB.
const GROUPS_LIMIT: u64 = 1 << 23;

/// The superblock, checked: no field can make arithmetic overflow.
#[derive(Debug, Clone)]
pub(super) struct Superblock {
    pub(super) uuid: [u8; 16],
    pub(super) block_size: u32,
    pub(super) blocks: u64,
    pub(super) free_blocks: u64,
    /// What root alone may use.
    pub(super) reserved_blocks: u64,
    pub(super) first_data_block: u64,
    pub(super) blocks_per_group: u64,
    /// Blocks of a cluster, the unit of the block bitmap: 1 without bigalloc.
    pub(super) cluster_blocks: u64,
    pub(super) groups: u64,
    /// Groups that keep their bitmaps and tables together, in the first of them.
    pub(super) flex_groups: u64,
    pub(super) inodes: u32,
    pub(super) free_inodes: u32,
    pub(super) inodes_per_group: u32,
    pub(super) inode_size: u32,
    pub(super) first_inode: u32,
    pub(super) descriptor_size: u32,
    pub(super) reserved_descriptor_blocks: u64,
    /// The first block of the multi-mount protection, 0 for none.
    pub(super) mmp_block: u64,
    /// Inodes beyond `first_inode` that belong to the file system itself; 0 for none.
    own_inodes: [u32; 4],
    /// What checksums of metadata begin with; `None` without them.
    pub(super) checksum_seed: Option<u32>,
    first_meta_group: u64,
    backup_groups: [u32; 2],
    compat: u32,
    incompat: u32,
    ro_compat: u32,
    state: u16,
}

impl Superblock {
    /// `None` without the magic number; a failure when the fields make no sense or features are unknown.
    pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Option<Superblock>, Failure> {
        if bytes.le16(0x38) != Some(MAGIC) {
            return Ok(None);
        }
        let (place, word) = (shown(path), quoted(path));
        // Of a journal's superblock, most fields of a file system are zeros.
        if bytes.le32(0x60).is_some_and(|incompat| incompat & incompat::JOURNAL_DEVICE != 0) {
            return Err(Failure::job(
                "journal_device",
                format!("{place} holds the journal of another ext file system, and no files"),
                "It was made by mke2fs -O journal_dev",
                format!(
                    "scan the file system whose journal it is: dumpe2fs -h DEVICE names it (of {word}: Journal users)"
                ),
            ));
        }
        let superblock = Self::fields(bytes).ok_or_else(|| damaged(path))?;
        let unknown = superblock.incompat & !incompat::KNOWN;
        if unknown != 0 {
            return Err(Failure::job(
                "unknown_features",
                format!("The file system on {place} has features that are not known here: {unknown:#x}"),
                "It is newer than this fsgauge, or its superblock is damaged",
                format!(
                    "mount -o ro {word} /mnt; fsgauge scan /mnt; where the kernel refuses it: dumpe2fs -h {word}"
                ),
            ));
        }
        Ok(Some(superblock))
    }

    fn fields(bytes: &[u8]) -> Option<Superblock> {
        let (compat, incompat) = (bytes.le32(0x5C)?, bytes.le32(0x60)?);
        let ro_compat = bytes.le32(0x64)?;
        let dynamic = bytes.le32(0x4C)? > 0;
        let log_block_size = bytes.le32(0x18)?.checked_add(10).filter(|&log| log <= 16)?;
        let block_size = 1u32 << log_block_size;
        let wide = incompat & incompat::SIXTY_FOUR_BIT != 0;
        let high = |at: usize| if wide { bytes.le32(at).map(u64::from) } else { Some(0) };
        let blocks = u64::from(bytes.le32(0x4)?) | high(0x150)? << 32;
        let cluster_blocks = if ro_compat & ro_compat::BIGALLOC != 0 {
            1u64 << bytes.le32(0x1C)?.checked_add(10)?.checked_sub(log_block_size).filter(|&log| log <= 20)?
        } else {
            1
        };
        let bits = u64::from(block_size) * 8;
        let blocks_per_group = u64::from(bytes.le32(0x20)?);
        let fits = blocks_per_group > 0
            && blocks_per_group % cluster_blocks == 0
            && blocks_per_group / cluster_blocks <= bits;
        let first_data_block = u64::from(bytes.le32(0x14)?);
        let first_is_right = first_data_block == u64::from(block_size == 1024 && cluster_blocks == 1);
        // Offsets in bytes must fit into a file's.
        let too_large = blocks > (1 << 62) / u64::from(block_size);
        if !fits || !first_is_right || blocks <= first_data_block || too_large {
            return None;
        }
        let groups = (blocks - first_data_block).div_ceil(blocks_per_group);
        let inodes_per_group = bytes.le32(0x28)?;
        let inode_size = if dynamic { u32::from(bytes.le16(0x58)?) } else { 128 };
        let inodes_are_right = inode_size.is_power_of_two()
            && (128..=block_size).contains(&inode_size)
            && inodes_per_group > 0
            && u64::from(inodes_per_group) <= bits;
        let descriptor_size = if wide { u32::from(bytes.le16(0xFE)?) } else { 32 };
        let descriptors_are_right =
            descriptor_size.is_power_of_two() && (32..=1024.min(block_size)).contains(&descriptor_size);
        if groups > GROUPS_LIMIT || !inodes_are_right || !descriptors_are_right {
            return None;
        }
        Some(Superblock {
            uuid: bytes.array(0x68)?,
            block_size,
            blocks,
            free_blocks: (u64::from(bytes.le32(0xC)?) | high(0x158)? << 32).min(blocks),
            reserved_blocks: (u64::from(bytes.le32(0x8)?) | high(0x154)? << 32).min(blocks),
            first_data_block,
            blocks_per_group,
            cluster_blocks,
            groups,
            flex_groups: 1 << bytes.u8(0x174)?.min(12),
            inodes: bytes.le32(0)?,
            free_inodes: bytes.le32(0x10)?,
            inodes_per_group,
            inode_size,
            first_inode: if dynamic { bytes.le32(0x54)? } else { 11 },
            descriptor_size,
            reserved_descriptor_blocks: u64::from(bytes.le16(0xCE)?),
            mmp_block: if incompat & incompat::MMP != 0 {
                u64::from(bytes.le32(0x168)?) | u64::from(bytes.le32(0x16C)?) << 32
            } else {
                0
            },
            own_inodes: [bytes.le32(0x240)?, bytes.le32(0x244)?, bytes.le32(0x26C)?, bytes.le32(0x280)?],
            checksum_seed: if ro_compat & ro_compat::METADATA_CSUM == 0 {
                None
            } else if incompat & incompat::CHECKSUM_SEED != 0 {
                Some(bytes.le32(0x270)?)
            } else {
                Some(checksum::extend(u32::MAX, &bytes.array::<16>(0x68)?))
            },
            first_meta_group: u64::from(bytes.le32(0x104)?),
            backup_groups: [bytes.le32(0x24C)?, bytes.le32(0x250)?],
            compat,
            incompat,
            ro_compat,
            state: bytes.le16(0x3A)?,
        })
    }

    /// Whether the bytes of a superblock say that they are the copy in `group`.
    pub(super) fn is_copy_of_group(bytes: &[u8], group: u16) -> bool {
        bytes.le16(0x5A) == Some(group)
    }

    /// Whether the bytes have a checksum, and it is right.
    pub(super) fn is_confirmed(bytes: &[u8]) -> bool {
        let has_one = bytes.le32(0x64).is_some_and(|ro_compat| ro_compat & ro_compat::METADATA_CSUM != 0);
        let of_all = bytes.get(..0x3FC).map(|bytes| checksum::extend(u32::MAX, bytes));
        has_one && of_all.is_some() && of_all == bytes.le32(0x3FC)
    }

    /// ext2, ext3 or ext4, told apart by features as blkid does.
    pub(super) fn name(&self) -> &'static str {
        let beyond = self.incompat & !incompat::OF_EXT3 | self.ro_compat & !ro_compat::OF_EXT3;
        match (beyond != 0, self.compat & compat::HAS_JOURNAL != 0) {
            (true, _) => "ext4",
            (false, true) => "ext3",
            (false, false) => "ext2",
        }
    }

    /// What the reader of a result should know.
    pub(super) fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        let mut note =
            |code: &str, text: &str| notes.push(Note { code: code.to_owned(), text: text.to_owned() });
        if self.incompat & incompat::RECOVER != 0 {
            note(
                "scan.not_clean",
                "The file system was not cleanly unmounted, or is mounted: its journal holds changes that are not seen here",
            );
        } else if self.compat & compat::HAS_JOURNAL == 0 && self.state & VALID == 0 {
            note(
                "scan.not_written",
                "The file system was not cleanly unmounted, or is mounted: some changes may be missing here",
            );
        }
        if self.ro_compat & ro_compat::QUOTA != 0 {
            note(
                "scan.quotas_unread",
                "Whether quotas are used up is not read from an image: how it is mounted decides whether they hold",
            );
        }
        if self.state & ERRORS != 0 {
            note("scan.errors", "The kernel found errors in this file system; e2fsck repairs them");
        }
        notes
    }

    /// Blocks that no ordinary user gets: those kept for root, and those with which ext4 itself goes on
    /// (`ext4_set_resv_clusters` in fs/ext4/super.c of Linux 6.12).
    pub(super) fn kept_blocks(&self) -> u64 {
        let has_extents = self.incompat & incompat::EXTENTS != 0;
        let own = if has_extents { (self.blocks / self.cluster_blocks / 50).min(4096) } else { 0 };
        self.reserved_blocks.saturating_add(own * self.cluster_blocks)
    }

    /// Whether nothing is still to be written: bitmaps and descriptors agree then. Copies never say so.
    pub(super) fn is_clean(&self) -> bool {
        self.incompat & incompat::RECOVER == 0 && self.state & VALID != 0
    }

    /// Whether descriptors say which bitmaps and tables were never written.
    pub(super) fn has_uninit(&self) -> bool {
        self.ro_compat & (ro_compat::GDT_CSUM | ro_compat::METADATA_CSUM) != 0
    }

    /// Whether entries of folders say of what type they are.
    pub(super) fn has_types(&self) -> bool {
        self.incompat & incompat::FILETYPE != 0
    }

    /// Whether indexes of folders may have a level more (large_dir).
    pub(super) fn has_large_folders(&self) -> bool {
        self.incompat & incompat::LARGE_FOLDERS != 0
    }

    /// Whether files may share blocks.
    pub(super) fn has_shared_blocks(&self) -> bool {
        self.ro_compat & ro_compat::SHARED_BLOCKS != 0
    }

    /// Whether an inode is the file system's own: journal, quota, orphan list, ...
    pub(super) fn is_own(&self, inode: u32) -> bool {
        (inode < self.first_inode && inode != super::ROOT_INODE) || self.own_inodes.contains(&inode)
    }

    /// The first block of a group, and the one behind its last.
    pub(super) fn group_blocks(&self, group: u64) -> (u64, u64) {
        let first = self.first_data_block + group * self.blocks_per_group;
        (first, (first + self.blocks_per_group).min(self.blocks))
    }

    /// Descriptors of one block.
    pub(super) fn descriptors_per_block(&self) -> u64 {
        u64::from(self.block_size / self.descriptor_size)
    }

    /// Blocks of the inode table of each group.
    pub(super) fn table_blocks(&self) -> u64 {
        (u64::from(self.inodes_per_group) * u64::from(self.inode_size)).div_ceil(u64::from(self.block_size))
    }

    /// Whether a group begins with a copy of the superblock.
    pub(super) fn has_superblock(&self, group: u64) -> bool {
        if group == 0 {
            return true;
        }
        if self.compat & compat::SPARSE_SUPER2 != 0 {
            return self.backup_groups.iter().any(|&backup| u64::from(backup) == group);
        }
        if self.ro_compat & ro_compat::SPARSE_SUPER == 0 || group == 1 {
            return true;
        }
        let power_of = |base: u64| {
            let mut power = base;
            while power < group {
                power *= base;
            }
            power == group
        };
        power_of(3) || power_of(5) || power_of(7)
    }

    /// The block that holds the `index`-th block of descriptors (`ext4_get_desc_block`, `descriptor_loc`).
    pub(super) fn descriptor_block(&self, index: u64) -> u64 {
        if self.incompat & incompat::META_BG == 0 || index < self.first_meta_group {
            // With 1 KiB blocks and clusters the superblock is in block 1 though block 0 is the first.
            let superblock = if self.block_size == 1024 { 1 } else { 0 };
            return superblock + 1 + index;
        }
        let group = index * self.descriptors_per_block();
        let first = self.group_blocks(group).0;
        let moved = group == 0 && self.block_size == 1024 && self.first_data_block == 0;
        first + u64::from(self.has_superblock(group)) + u64::from(moved)
    }

    /// How many blocks at a group's begin hold copies of superblock and descriptors
    /// (`ext4_num_base_meta_blocks`).
    pub(super) fn base_blocks(&self, group: u64) -> u64 {
        let has_superblock = self.has_superblock(group);
        let per_block = self.descriptors_per_block();
        let in_meta_groups = self.incompat & incompat::META_BG != 0;
        if in_meta_groups && group >= self.first_meta_group.saturating_mul(per_block) {
            let within = group % per_block;
            let copy = within == 0 || within == 1 || within == per_block - 1;
            return u64::from(has_superblock) + u64::from(copy);
        }
        if !has_superblock {
            return 0;
        }
        let descriptors =
            if in_meta_groups { self.first_meta_group } else { self.groups.div_ceil(per_block) };
        1 + descriptors + self.reserved_descriptor_blocks
    }
}

fn damaged(path: &Path) -> Failure {
    Failure::system(
        "scan.superblock",
        None,
        format!("The ext superblock of {} contradicts itself", shown(path)),
        "It is damaged; copies of it are kept in other groups",
        format!("e2fsck -n -b 32768 {}", quoted(path)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> Vec<u8> {
        let mut bytes = vec![0; LENGTH];
        let mut put = |at: usize, value: u32| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        put(0, 1000);
        put(4, 8 * 32768);
        put(0x18, 2);
        put(0x20, 32768);
        put(0x28, 125);
        put(0x38, u32::from(MAGIC) | 1 << 16);
        put(0x4C, 1);
        put(0x54, 11);
        put(0x58, 256);
        put(0x64, ro_compat::SPARSE_SUPER);
        bytes
    }

    #[test]
    fn copies_are_in_groups_that_are_powers_of_3_5_and_7() {
        let superblock = Superblock::parse(&plain(), Path::new("x")).unwrap().unwrap();
        let with: Vec<u64> = (0..130).filter(|&group| superblock.has_superblock(group)).collect();
        assert_eq!(with, [0, 1, 3, 5, 7, 9, 25, 27, 49, 81, 125]);
        assert_eq!(superblock.groups, 8);
    }

    #[test]
    fn nonsense_is_refused_and_never_panics() {
        assert!(Superblock::parse(&[0; LENGTH], Path::new("x")).unwrap().is_none());
        for (at, value) in [(0x18, 9u32), (0x20, 0), (0x28, 0), (0x58, 3), (0x14, 9), (4, 0), (0x20, 1 << 20)]
        {
            let mut bytes = plain();
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            assert_eq!(
                Superblock::parse(&bytes, Path::new("x")).unwrap_err().code,
                "scan.superblock",
                "{at:#x}"
            );
        }
        let mut bytes = plain();
        bytes[0x63] = 0x80;
        assert_eq!(Superblock::parse(&bytes, Path::new("x")).unwrap_err().code, "job.unknown_features");
        bytes[0x63] = 0;
        bytes[0x60] = 8;
        assert_eq!(Superblock::parse(&bytes, Path::new("x")).unwrap_err().code, "job.journal_device");
    }
}
