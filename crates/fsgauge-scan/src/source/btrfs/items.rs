//! Keys and items of btrfs trees, as they lie in a leaf or as the kernel hands them out.
//!
//! Source: include/uapi/linux/btrfs_tree.h of Linux 6.12, "On-disk format" of the documentation of btrfs-progs 6.2.

use crate::bytes::Bytes;

/// Numbers of trees and of objects.
pub(in crate::source) const EXTENT_TREE: u64 = 2;
pub(in crate::source) const CHUNK_TREE: u64 = 3;
pub(in crate::source) const TOP_SUBVOLUME: u64 = 5;
pub(in crate::source) const CHECKSUM_TREE: u64 = 7;
pub(in crate::source) const QUOTA_TREE: u64 = 8;
pub(in crate::source) const FREE_SPACE_TREE: u64 = 10;
pub(in crate::source) const BLOCK_GROUP_TREE: u64 = 11;
pub(in crate::source) const FIRST_FREE: u64 = 256;
pub(in crate::source) const LAST_FREE: u64 = u64::MAX - 255;

/// Kinds of items.
pub(in crate::source) mod kind {
    pub(in crate::source) const INODE: u8 = 1;
    pub(in crate::source) const INODE_REF: u8 = 12;
    pub(in crate::source) const INODE_EXTENDED_REF: u8 = 13;
    pub(in crate::source) const FILE_EXTENT: u8 = 108;
    pub(in crate::source) const ROOT: u8 = 132;
    pub(in crate::source) const ROOT_BACK_REF: u8 = 144;
    pub(in crate::source) const EXTENT: u8 = 168;
    pub(in crate::source) const METADATA: u8 = 169;
    pub(in crate::source) const FREE_SPACE_EXTENT: u8 = 199;
    pub(in crate::source) const FREE_SPACE_BITMAP: u8 = 200;
    pub(in crate::source) const DEVICE: u8 = 216;
    pub(in crate::source) const CHUNK: u8 = 228;
    pub(in crate::source) const GROUP_INFO: u8 = 242;
    pub(in crate::source) const GROUP_LIMIT: u8 = 244;
}

/// References inside an extent item.
const EXTENT_OWNER_REF: u8 = 172;
const TREE_BLOCK_REF: u8 = 176;
const EXTENT_DATA_REF: u8 = 178;
const SHARED_BLOCK_REF: u8 = 182;
const SHARED_DATA_REF: u8 = 184;

/// Where an item is in its tree: ordered by object, kind, offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::source) struct Key {
    pub(in crate::source) object: u64,
    pub(in crate::source) kind: u8,
    pub(in crate::source) offset: u64,
}

impl Key {
    pub(in crate::source) const LENGTH: usize = 17;
    pub(in crate::source) const FIRST: Key = Key { object: 0, kind: 0, offset: 0 };
    pub(in crate::source) const LAST: Key = Key { object: u64::MAX, kind: u8::MAX, offset: u64::MAX };

    pub(in crate::source) fn parse(bytes: &[u8], at: usize) -> Option<Key> {
        let key = bytes.get(at..)?.get(..Self::LENGTH)?;
        Some(Key { object: key.le64(0)?, kind: key.u8(8)?, offset: key.le64(9)? })
    }

    /// The first and the last key that objects from `first` to `last` may have.
    pub(in crate::source) fn of_objects(first: u64, last: u64) -> (Key, Key) {
        (Key { object: first, ..Self::FIRST }, Key { object: last, ..Self::LAST })
    }
}

/// A chunk: a range of addresses, and where on which devices it lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::source) struct ChunkItem {
    pub(in crate::source) length_bytes: u64,
    pub(in crate::source) flags: u64,
    /// Device number and offset of each copy or stripe.
    pub(in crate::source) stripes: Vec<(u64, u64)>,
}

/// `type` of a chunk: what it holds, and its profile; no bit of a profile is "single".
pub(in crate::source) mod chunk_flags {
    pub(in crate::source) const DATA: u64 = 1 << 0;
    pub(in crate::source) const SYSTEM: u64 = 1 << 1;
    pub(in crate::source) const DUP: u64 = 1 << 5;
    /// Profiles that spread over devices, and bits that mean nothing yet: they must not be taken for "single".
    pub(in crate::source) const SPREAD: [(u64, &str); 8] = [
        (1 << 3, "raid0"),
        (1 << 4, "raid1"),
        (1 << 6, "raid10"),
        (1 << 7, "raid5"),
        (1 << 8, "raid6"),
        (1 << 9, "raid1c3"),
        (1 << 10, "raid1c4"),
        (!0x7FF, "of a kind that is not known here"),
    ];
}

impl ChunkItem {
    const STRIPES_AT: usize = 48;
    const STRIPE_BYTES: usize = 32;

    /// The profile, when it is neither single nor DUP.
    pub(in crate::source) fn spread(&self) -> Option<&'static str> {
        chunk_flags::SPREAD.iter().find(|(bits, _)| self.flags & bits != 0).map(|(_, name)| *name)
    }

    /// What it takes on all its devices together (btrfs_raid_array in fs/btrfs/volumes.c of Linux 6.12).
    pub(in crate::source) fn device_bytes(&self) -> u64 {
        let stripes = self.stripes.len() as u64;
        let of_data = match self.spread() {
            Some("raid0") => stripes,
            Some("raid10") => stripes / 2,
            Some("raid5") => stripes.saturating_sub(1),
            Some("raid6") => stripes.saturating_sub(2),
            _ => 1,
        };
        let all = u128::from(self.length_bytes) * u128::from(stripes) / u128::from(of_data.max(1));
        u64::try_from(all).unwrap_or(u64::MAX)
    }

    pub(in crate::source) fn holds_data(&self) -> bool {
        self.flags & chunk_flags::DATA != 0
    }

    /// The item, and how many bytes it takes.
    pub(in crate::source) fn parse(bytes: &[u8]) -> Option<(ChunkItem, usize)> {
        let count = usize::from(bytes.le16(44)?);
        let length = Self::STRIPES_AT + count * Self::STRIPE_BYTES;
        let stripes = bytes.get(Self::STRIPES_AT..length)?.chunks_exact(Self::STRIPE_BYTES);
        let stripes = stripes.map(|stripe| Some((stripe.le64(0)?, stripe.le64(8)?)));
        let stripes = stripes.collect::<Option<Vec<_>>>()?;
        Some((ChunkItem { length_bytes: bytes.le64(0)?, flags: bytes.le64(24)?, stripes }, length))
    }
}

/// A tree's root, from the tree of roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) struct RootItem {
    pub(in crate::source) generation: u64,
    pub(in crate::source) address: u64,
    /// 0 for a subvolume that was deleted and is not yet cleaned up.
    pub(in crate::source) references: u32,
    pub(in crate::source) level: u8,
    /// Of all its blocks.
    pub(in crate::source) used_bytes: u64,
}

impl RootItem {
    pub(in crate::source) fn parse(bytes: &[u8]) -> Option<RootItem> {
        Some(RootItem {
            generation: bytes.le64(160)?,
            address: bytes.le64(176)?,
            references: bytes.le32(216)?,
            level: bytes.u8(238)?,
            used_bytes: bytes.le64(192)?,
        })
    }
}

/// What is read of an inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) struct InodeItem {
    pub(in crate::source) size_bytes: u64,
    /// What its contents take.
    pub(in crate::source) taken_bytes: u64,
    pub(in crate::source) links: u32,
    mode: u32,
}

impl InodeItem {
    pub(in crate::source) fn parse(bytes: &[u8]) -> Option<InodeItem> {
        Some(InodeItem {
            size_bytes: bytes.le64(16)?,
            taken_bytes: bytes.le64(24)?,
            links: bytes.le32(40)?,
            mode: bytes.le32(52)?,
        })
    }

    pub(in crate::source) fn is_regular(&self) -> bool {
        self.mode & libc::S_IFMT == libc::S_IFREG
    }

    pub(in crate::source) fn is_folder(&self) -> bool {
        self.mode & libc::S_IFMT == libc::S_IFDIR
    }
}

/// An extent of a file. Lengths and offsets are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) struct FileExtent {
    pub(in crate::source) is_compressed: bool,
    pub(in crate::source) is_encrypted: bool,
    pub(in crate::source) place: FileExtentPlace,
}

/// Where an extent of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) enum FileExtentPlace {
    /// In the item; its length in the file.
    Inline(u64),
    /// Nowhere.
    Hole,
    /// At an address of the file system.
    Regular(Regular),
}

/// The part of an extent on the device that an extent of a file uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) struct Regular {
    /// Where the extent begins, and its length on the device.
    pub(in crate::source) address: u64,
    pub(in crate::source) device_length: u64,
    /// What of it, when read, is used.
    pub(in crate::source) offset: u64,
    pub(in crate::source) length: u64,
    /// Its length when read: more than on the device when it is compressed.
    pub(in crate::source) read_length: u64,
    pub(in crate::source) is_unwritten: bool,
}

impl FileExtent {
    /// `None` when it is cut or of a kind that is not known.
    pub(in crate::source) fn parse(bytes: &[u8]) -> Option<FileExtent> {
        let read_length = bytes.le64(8)?;
        let place = match bytes.u8(20)? {
            0 => FileExtentPlace::Inline(read_length),
            _ if bytes.le64(21)? == 0 => FileExtentPlace::Hole,
            kind @ 1..=2 => FileExtentPlace::Regular(Regular {
                address: bytes.le64(21)?,
                device_length: bytes.le64(29)?,
                offset: bytes.le64(37)?,
                length: bytes.le64(45)?,
                read_length,
                is_unwritten: kind == 2,
            }),
            _ => return None,
        };
        Some(FileExtent { is_compressed: bytes.u8(16)? != 0, is_encrypted: bytes.u8(17)? != 0, place })
    }
}

/// An extent in use, from the tree of extents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) struct ExtentItem {
    pub(in crate::source) is_data: bool,
    /// Whether more than one file or tree refers to it. One file may do so several times, by parts.
    pub(in crate::source) is_shared: bool,
}

impl ExtentItem {
    const HEADER_BYTES: usize = 24;
    /// Key and level of a tree block, in items that are not "skinny".
    const TREE_BLOCK_BYTES: usize = 18;

    pub(in crate::source) fn parse(kind: u8, bytes: &[u8]) -> Option<ExtentItem> {
        const DATA: u64 = 1;
        const TREE_BLOCK: u64 = 2;
        let (references, flags) = (bytes.le64(0)?, bytes.le64(16)?);
        let is_data = flags & DATA != 0;
        if !is_data {
            return Some(ExtentItem { is_data, is_shared: references > 1 });
        }
        let skipped =
            if kind == kind::EXTENT && flags & TREE_BLOCK != 0 { Self::TREE_BLOCK_BYTES } else { 0 };
        let by_first = Self::by_first(bytes.get(Self::HEADER_BYTES + skipped..)?).unwrap_or(1);
        Some(ExtentItem { is_data, is_shared: references > by_first })
    }

    /// How many of the references are of the first file at the first place.
    fn by_first(mut references: &[u8]) -> Option<u64> {
        loop {
            match references.u8(0)? {
                EXTENT_OWNER_REF => references = references.get(9..)?,
                EXTENT_DATA_REF => return references.le32(25).map(u64::from),
                SHARED_DATA_REF => return references.le32(9).map(u64::from),
                TREE_BLOCK_REF | SHARED_BLOCK_REF => return Some(1),
                _ => return None,
            }
        }
    }
}

/// The parent of an inode, and its name there: the first of its links.
pub(in crate::source) fn inode_ref<'a>(key: &Key, bytes: &'a [u8]) -> Option<(u64, &'a [u8])> {
    match key.kind {
        kind::INODE_REF => Some((key.offset, name(bytes, 8)?)),
        kind::INODE_EXTENDED_REF => Some((bytes.le64(0)?, name(bytes, 16)?)),
        _ => None,
    }
}

/// The folder that holds a subvolume, and its name there.
pub(in crate::source) fn root_back_ref(bytes: &[u8]) -> Option<(u64, &[u8])> {
    Some((bytes.le64(0)?, name(bytes, 16)?))
}

/// A name behind its length.
fn name(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let length = usize::from(bytes.le16(at)?);
    bytes.get(at + 2..at + 2 + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent_item(references: u64, inline: &[(u64, u64, u64, u32)]) -> Vec<u8> {
        let mut bytes = [references, 9, 1].map(u64::to_le_bytes).concat();
        for (root, inode, offset, count) in inline {
            bytes.push(EXTENT_DATA_REF);
            bytes.extend([*root, *inode, *offset].map(u64::to_le_bytes).concat());
            bytes.extend(count.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn parts_of_one_file_do_not_make_an_extent_shared() {
        let shared = |bytes: &[u8]| ExtentItem::parse(kind::EXTENT, bytes).unwrap().is_shared;
        assert!(!shared(&extent_item(1, &[(5, 257, 0, 1)])));
        assert!(!shared(&extent_item(3, &[(5, 257, 0, 3)])));
        assert!(shared(&extent_item(2, &[(5, 257, 0, 1), (5, 258, 0, 1)])));
        assert!(shared(&extent_item(3, &[(5, 257, 0, 2)])));
        assert!(shared(&extent_item(2, &[])));
        let mut owned = extent_item(2, &[]);
        owned.push(EXTENT_OWNER_REF);
        owned.extend(5u64.to_le_bytes());
        owned.extend_from_slice(&extent_item(0, &[(5, 257, 0, 2)])[24..]);
        assert!(!shared(&owned));
    }

    #[test]
    fn items_that_are_cut_are_none() {
        let chunk = [vec![0; 44], vec![3, 0], vec![0; 2 + 3 * 32]].concat();
        assert_eq!(ChunkItem::parse(&chunk).unwrap().1, 144);
        assert_eq!(ChunkItem::parse(&chunk).unwrap().0.spread(), None);
        for cut in 0..144 {
            assert_eq!(ChunkItem::parse(&chunk[..cut]), None);
        }
        let regular = [vec![0; 20], vec![1], vec![7; 32]].concat();
        assert!(matches!(FileExtent::parse(&regular).unwrap().place, FileExtentPlace::Regular(_)));
        for cut in 0..53 {
            assert_eq!(FileExtent::parse(&regular[..cut]), None);
        }
        let unknown = [vec![0; 20], vec![3], vec![7; 32]].concat();
        assert_eq!(FileExtent::parse(&unknown), None);
        assert_eq!((Key::parse(&[0; 17], 1), RootItem::parse(&[0; 238])), (None, None));
        assert_eq!(root_back_ref(&[1; 18]), None);
    }
}
