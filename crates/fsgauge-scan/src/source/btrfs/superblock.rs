//! The superblock of btrfs, and its copies.
//!
//! Source: struct btrfs_super_block in include/uapi/linux/btrfs_tree.h, btrfs_validate_super in fs/btrfs/disk-io.c of
//! Linux 6.12.

use std::path::Path;

use fsgauge_wire::{Failure, Note};

use super::pointer::{LEVELS, Pointer};
use super::reserved::SUPERBLOCKS_AT;
use crate::bytes::Bytes;
use crate::shown::{quoted, shown};
use crate::source::backup_superblock::BackupSuperblock;
use crate::{Image, Problems};

const LENGTH: usize = 4096;

const MAGIC: &[u8] = b"_BHRfS_M";
/// Where the identity of the file system, its magic number and the first chunks are.
const FSID_AT: usize = 0x20;
const MAGIC_AT: usize = 0x40;
const CHUNKS_AT: usize = 0x32B;
const CHUNKS_LIMIT: u32 = 2048;
/// Larger devices are refused.
const SIZE_LIMIT: u64 = 1 << 60;
/// `incompat_flags`.
mod incompat {
    pub(super) const METADATA_UUID: u64 = 1 << 10;
    pub(super) const ZONED: u64 = 1 << 12;
    /// mixed_backref, default_subvol, mixed_groups, compress_lzo, compress_zstd, big_metadata, extended_iref, raid56,
    /// skinny_metadata, no_holes, metadata_uuid, raid1c34, simple_quota.
    pub(super) const KNOWN: u64 = 0x1_0FFF;
}

/// How tree blocks are protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Checksum {
    Crc32c,
    /// Its name; not verified.
    Other(&'static str),
}

impl Checksum {
    /// Whether a block of this algorithm, whose first bytes are its sum, is whole; `None` when that is not known.
    pub(super) fn matches(self, block: &[u8]) -> Option<bool> {
        match self {
            Checksum::Crc32c => Some(block.le32(0)? == crc32c::crc32c(block.get(32..)?)),
            Checksum::Other(_) => None,
        }
    }
}

/// The superblock, checked: no field can make arithmetic overflow.
#[derive(Debug, Clone)]
pub(super) struct Superblock {
    pub(super) sector_size: u32,
    pub(super) node_size: u32,
    /// Bytes of the device.
    pub(super) size_bytes: u64,
    pub(super) device: u64,
    pub(super) checksum: Checksum,
    pub(super) uuid: [u8; 16],
    /// What tree blocks have as identity.
    pub(super) metadata_uuid: [u8; 16],
    pub(super) root_tree: Pointer,
    pub(super) chunk_tree: Pointer,
    /// Chunks that hold the chunk tree: keys and items, one behind the other.
    pub(super) system_chunks: Vec<u8>,
    has_log: bool,
}

impl Superblock {
    /// Reads the first superblock, or a copy where the first one is damaged. `None` when it is not btrfs.
    pub(super) fn read(image: &Image, problems: &mut Problems) -> Result<Option<Superblock>, Failure> {
        let read = |offset: u64| {
            let mut bytes = vec![0; LENGTH];
            (image.read(offset, &mut bytes, &mut Problems::new(), "superblock") == LENGTH).then_some(bytes)
        };
        let Some(first) = read(SUPERBLOCKS_AT[0]) else { return Ok(None) };
        let fault = match Self::whole(&first, SUPERBLOCKS_AT[0]) {
            Ok(()) => return Self::parse(&first, image.path()).map(Some),
            Err(fault) => fault,
        };
        // Without its magic number the first may have been overwritten by another file system since.
        let is_blank = first.iter().all(|&byte| byte == 0);
        for &offset in &SUPERBLOCKS_AT[1..] {
            let Some(copy) = read(offset) else { break };
            let is_same = first.get(FSID_AT..MAGIC_AT - 16) == copy.get(FSID_AT..MAGIC_AT - 16);
            if !(has_magic(&first) || is_blank || is_same) || Self::whole(&copy, offset).is_err() {
                continue;
            }
            problems.add(
                "damaged_copy",
                "A copy is damaged; another copy was read",
                format_args!(
                    "superblock at byte {}: {fault}; that at byte {offset} was read",
                    SUPERBLOCKS_AT[0]
                ),
            );
            return Self::parse(&copy, image.path()).map(Some);
        }
        if has_magic(&first) { Err(damaged(image.path(), fault)) } else { Ok(None) }
    }

    /// Whether it is a superblock, and one that was meant for this place; why not.
    fn whole(bytes: &[u8], offset: u64) -> Result<(), &'static str> {
        if !has_magic(bytes) {
            return Err("its magic number is missing");
        }
        if bytes.le64(0x30) != Some(offset) {
            return Err("it belongs elsewhere");
        }
        let checksum = bytes.le16(0xC4).and_then(checksum);
        if checksum.and_then(|checksum| checksum.matches(bytes)) == Some(false) {
            return Err("its checksum is wrong");
        }
        Ok(())
    }

    fn parse(bytes: &[u8], path: &Path) -> Result<Superblock, Failure> {
        let (place, word) = (shown(path), quoted(path));
        let contradiction = || damaged(path, "it contradicts itself");
        let incompat = bytes.le64(0xBC).ok_or_else(contradiction)?;
        let devices = bytes.le64(0x88).ok_or_else(contradiction)?;
        if incompat & incompat::ZONED != 0 {
            return Err(Failure::job(
                "zoned",
                format!("The btrfs on {place} is for a zoned device"),
                "Its superblock and its free space follow the device's zones, which are not read here",
                format!("mount -o ro {word} /mnt; fsgauge scan /mnt"),
            ));
        }
        let unknown = incompat & !incompat::KNOWN;
        if unknown != 0 {
            return Err(Failure::job(
                "unknown_features",
                format!("The btrfs on {place} has features that are not known here: {unknown:#x}"),
                "It is newer than this fsgauge, or its superblock is damaged",
                format!(
                    "mount -o ro {word} /mnt; fsgauge scan /mnt; where the kernel refuses it: btrfs inspect-internal dump-super {word}"
                ),
            ));
        }
        let Some(checksum) = bytes.le16(0xC4).and_then(checksum) else {
            return Err(Failure::job(
                "unknown_features",
                format!("The btrfs on {place} has checksums of a kind that is not known here"),
                "It is newer than this fsgauge, or its superblock is damaged",
                format!("btrfs inspect-internal dump-super {word}"),
            ));
        };
        if devices != 1 {
            return Err(Failure::job(
                "several_devices",
                format!("{place} is one of {devices} devices of a btrfs"),
                "One image alone does not hold all of its files",
                format!(
                    "btrfs device scan; mount -o ro {word} /mnt; fsgauge scan /mnt   (images: losetup each first)"
                ),
            ));
        }
        Self::fields(bytes, checksum, incompat).ok_or_else(contradiction)
    }

    fn fields(bytes: &[u8], checksum: Checksum, incompat: u64) -> Option<Superblock> {
        let size =
            |at: usize| bytes.le32(at).filter(|size| size.is_power_of_two() && (2048..=65536).contains(size));
        let (sector_size, node_size) = (size(0x90)?, size(0x94)?);
        let size_bytes = bytes.le64(0xD1).filter(|size| (1 << 20..=SIZE_LIMIT).contains(size))?;
        let tree = |address: usize, generation: usize, level: usize| {
            Some(Pointer {
                address: bytes.le64(address)?,
                generation: bytes.le64(generation)?,
                level: bytes.u8(level).filter(|&level| level < LEVELS)?,
                first: None,
            })
        };
        let chunks_length = bytes.le32(0xA0).filter(|&length| length <= CHUNKS_LIMIT)? as usize;
        let uuid_at = if incompat & incompat::METADATA_UUID != 0 { 0x23B } else { FSID_AT };
        Some(Superblock {
            sector_size,
            node_size: Some(node_size).filter(|&size| size >= sector_size)?,
            size_bytes,
            device: bytes.le64(0xC9)?,
            checksum,
            uuid: bytes.array(FSID_AT)?,
            metadata_uuid: bytes.array(uuid_at)?,
            root_tree: tree(0x50, 0x48, 0xC6)?,
            chunk_tree: tree(0x58, 0xA4, 0xC7)?,
            system_chunks: bytes.get(CHUNKS_AT..CHUNKS_AT + chunks_length)?.to_vec(),
            has_log: bytes.le64(0x60)? != 0,
        })
    }

    /// What the reader of a result should know.
    pub(super) fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        let mut note = |code: &str, text: String| notes.push(Note { code: code.to_owned(), text });
        if self.has_log {
            note(
                "scan.not_clean",
                "The file system was not cleanly unmounted, or is mounted: its log holds changes that are not seen here"
                    .to_owned(),
            );
        }
        if let Checksum::Other(name) = self.checksum {
            note(
                "scan.checksums_not_verified",
                format!("Checksums are {name}, which is not verified here: damage may go undetected"),
            );
        }
        notes
    }
}

/// Where a copy lies on an image whose first superblock is lost.
pub(in crate::source) fn lost_superblock(image: &Image) -> Option<BackupSuperblock> {
    let mut bytes = vec![0; LENGTH];
    SUPERBLOCKS_AT[1..].iter().find_map(|&offset_bytes| {
        let read = image.read(offset_bytes, &mut bytes, &mut Problems::new(), "superblock");
        Superblock::whole(bytes.get(..read)?, offset_bytes).ok()?;
        let next = format!("btrfs inspect-internal dump-super -a {}", quoted(image.path()));
        Some(BackupSuperblock { file_system: "btrfs", offset_bytes, next })
    })
}

fn has_magic(bytes: &[u8]) -> bool {
    bytes.get(MAGIC_AT..MAGIC_AT + MAGIC.len()) == Some(MAGIC)
}

fn checksum(number: u16) -> Option<Checksum> {
    match number {
        0 => Some(Checksum::Crc32c),
        1 => Some(Checksum::Other("xxhash64")),
        2 => Some(Checksum::Other("SHA-256")),
        3 => Some(Checksum::Other("BLAKE2b")),
        _ => None,
    }
}

fn damaged(path: &Path, fault: &str) -> Failure {
    Failure::system(
        "scan.superblock",
        None,
        format!("The btrfs superblock of {} is damaged: {fault}", shown(path)),
        "Its copies are damaged too, or the image is too small to have one",
        format!("btrfs rescue super-recover -v {}", quoted(path)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> Vec<u8> {
        let mut bytes = vec![0; LENGTH];
        let mut put = |at: usize, value: u64| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        put(0x30, SUPERBLOCKS_AT[0]);
        put(0x88, 1);
        put(0x90, 4096 | 16384 << 32);
        put(0xD1, 1 << 30);
        bytes[MAGIC_AT..MAGIC_AT + 8].copy_from_slice(MAGIC);
        let sum = crc32c::crc32c(&bytes[32..]);
        bytes[..4].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    #[test]
    fn a_superblock_is_whole_only_at_its_place_and_with_its_checksum() {
        let mut bytes = plain();
        assert_eq!(Superblock::whole(&bytes, SUPERBLOCKS_AT[0]), Ok(()));
        assert_eq!(Superblock::whole(&bytes, SUPERBLOCKS_AT[1]), Err("it belongs elsewhere"));
        bytes[0x200] ^= 1;
        assert_eq!(Superblock::whole(&bytes, SUPERBLOCKS_AT[0]), Err("its checksum is wrong"));
        bytes[0xC4] = 1;
        assert_eq!(Superblock::whole(&bytes, SUPERBLOCKS_AT[0]), Ok(()), "not verified");
        bytes[MAGIC_AT] ^= 1;
        assert_eq!(Superblock::whole(&bytes, SUPERBLOCKS_AT[0]), Err("its magic number is missing"));
    }

    #[test]
    fn what_cannot_be_read_right_is_refused_and_never_panics() {
        let code = |at: usize, value: u8| {
            let mut bytes = plain();
            bytes[at] = value;
            Superblock::parse(&bytes, Path::new("x")).map(|_| ()).map_err(|failure| failure.code)
        };
        assert_eq!(code(0, 0), Ok(()));
        // Zoned, a tree of extents of version 2, a checksum of no known kind, devices.
        assert_eq!(code(0xBD, 1 << 4), Err("job.zoned".to_owned()));
        assert_eq!(code(0xBD, 1 << 5), Err("job.unknown_features".to_owned()));
        assert_eq!(code(0xC4, 4), Err("job.unknown_features".to_owned()));
        assert_eq!(code(0x88, 0), Err("job.several_devices".to_owned()));
        assert_eq!(code(0x88, 3), Err("job.several_devices".to_owned()));
        // Sizes of sectors and nodes, levels, chunks that do not fit, a device without end.
        for (at, value) in
            [(0x91, 0), (0x90, 1), (0x95, 0x01), (0x95, 0x41), (0xC6, 8), (0xC7, 255), (0xA1, 9)]
        {
            assert_eq!(code(at, value), Err("scan.superblock".to_owned()), "{at:#x}");
        }
        assert_eq!(code(0xD8, 0x10), Err("scan.superblock".to_owned()));
    }
}
