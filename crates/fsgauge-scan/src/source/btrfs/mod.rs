//! btrfs on one device from its on-disk structures: trees of chunks, roots and extents, and one for each subvolume.
//!
//! Tree blocks are read where they are and verified before they are used; of two copies the second one is read where
//! the first is damaged. Addresses of the file system become places on the device by the chunks.
//!
//! Source: include/uapi/linux/btrfs_tree.h and fs/btrfs of Linux 6.12; btrfs(5) and "On-disk format" of the
//! documentation of btrfs-progs 6.2.

mod chunks;
mod files;
pub(super) mod items;
mod names;
mod numbers;
mod pointer;
pub(super) mod quotas;
pub(super) mod reserved;
mod roots;
mod sharing;
mod space;
mod superblock;
mod tree;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use fsgauge_wire::{Failure, Note, Room};

use self::chunks::Chunks;
use self::items::Key;
use self::pointer::Pointer;
use self::quotas::Groups;
use self::roots::Roots;
use self::sharing::Sharing;
use self::superblock::Superblock;
pub(super) use self::superblock::lost_superblock;
use self::tree::{Reader, Walk};
use super::OnDisk;
use crate::{FileSystemInfo, GroupPlace, Image, Problems, Sink};

/// Parts of a subvolume, at most, and how many blocks make it worth to have several.
const PARTS_LIMIT: usize = 64;
const ENOUGH_BLOCKS: usize = 64;

/// What is needed to read any tree.
#[derive(Debug)]
struct Volume<'a> {
    image: &'a Image,
    superblock: Superblock,
    chunks: Chunks,
}

/// Some inodes of a subvolume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    /// Its place in the list.
    subvolume: usize,
    first_inode: u64,
    last_inode: u64,
}

/// A btrfs file system on an image.
#[derive(Debug)]
pub struct Btrfs<'a> {
    volume: Volume<'a>,
    roots: Roots,
    quotas: Groups,
    parts: Vec<Part>,
    /// Read when the first files are.
    sharing: OnceLock<Sharing>,
}

impl<'a> Btrfs<'a> {
    /// `None` when `image` holds no btrfs; a failure for several devices and for RAID.
    pub fn open(image: &'a Image, problems: &mut Problems) -> Result<Option<Self>, Failure> {
        let Some(superblock) = Superblock::read(image, problems)? else { return Ok(None) };
        image.check_end(superblock.size_bytes, problems);
        let chunks = Chunks::read(image, &superblock, problems)?;
        let volume = Volume { image, superblock, chunks };
        let roots = Roots::read(&volume, problems);
        let quotas = roots.quotas.map(|root| Groups::read(&volume, &root, problems)).unwrap_or_default();
        let parts = parts(&volume, &roots, problems);
        Ok(Some(Btrfs { volume, roots, quotas, parts, sharing: OnceLock::new() }))
    }
}

/// Splits large subvolumes at keys of their upper nodes.
fn parts(volume: &Volume<'_>, roots: &Roots, problems: &mut Problems) -> Vec<Part> {
    let mut reader = Reader::new(volume);
    let mut parts = Vec::new();
    for (subvolume, root) in roots.subvolumes.iter().map(|subvolume| subvolume.root).enumerate() {
        let keys = if root.level == 0 { Vec::new() } else { reader.borders(&root, ENOUGH_BLOCKS, problems) };
        let step = keys.len().div_ceil(PARTS_LIMIT).max(ENOUGH_BLOCKS / 4);
        let mut first_inode = 0;
        for key in keys.iter().step_by(step).skip(1) {
            // All items of an inode are of one part.
            if key.object > first_inode {
                parts.push(Part { subvolume, first_inode, last_inode: key.object - 1 });
                first_inode = key.object;
            }
        }
        parts.push(Part { subvolume, first_inode, last_inode: u64::MAX });
    }
    parts
}

impl Volume<'_> {
    /// Shows every item of a tree.
    fn walk_all(
        &self,
        root: &Pointer,
        problems: &mut Problems,
        each: &mut dyn FnMut(&Key, &[u8], &mut Problems),
    ) {
        self.walk_until(root, &|| false, problems, each);
    }

    /// Shows every item of a tree, until `stop` says so.
    fn walk_until(
        &self,
        root: &Pointer,
        stop: &dyn Fn() -> bool,
        problems: &mut Problems,
        each: &mut dyn FnMut(&Key, &[u8], &mut Problems),
    ) {
        let walk = Walk { keys: (Key::FIRST, Key::LAST), sharing: None, stop };
        let mut visitor = |key: &Key, contents: &[u8], _: bool, problems: &mut Problems| {
            each(key, contents, problems);
            true
        };
        Reader::new(self).walk(root, &walk, &mut visitor, problems);
    }
}

impl OnDisk for Btrfs<'_> {
    fn info(&self) -> FileSystemInfo {
        let superblock = &self.volume.superblock;
        let mut notes = superblock.notes();
        if self.roots.deleted > 0 {
            let text = format!(
                "{} deleted subvolumes are not cleaned up yet: their space is in use, their files are not counted",
                self.roots.deleted
            );
            notes.push(Note { code: "scan.deleted_subvolumes".to_owned(), text });
        }
        let groups = self.volume.chunks.by_place().into_iter();
        FileSystemInfo {
            file_system: "btrfs".to_owned(),
            uuid: Some(superblock.uuid),
            block_size_bytes: superblock.sector_size,
            size_bytes: superblock.size_bytes,
            inodes_in_use: None,
            free_bytes: None,
            groups: groups
                .map(|chunk| GroupPlace { offset_bytes: chunk.place(), size_bytes: chunk.length_bytes })
                .collect(),
            inode_place: None,
            room: Room {
                metadata_reserve_bytes: Some(self.roots.reserve_bytes(superblock.node_size)),
                full_quotas: self.quotas.full(),
                ..Room::default()
            },
            notes,
        }
    }

    fn read_space(&self, sink: &mut dyn Sink, stop: &dyn Fn() -> bool, problems: &mut Problems) {
        space::read(self, sink, stop, problems);
    }

    fn file_parts(&self) -> usize {
        self.parts.len()
    }

    fn read_files(&self, part: usize, sink: &mut dyn Sink, stop: &dyn Fn() -> bool, problems: &mut Problems) {
        let Some(part) = self.parts.get(part) else { return };
        let sharing = self
            .sharing
            .get_or_init(|| Sharing::read(&self.volume, self.roots.extents.as_ref(), stop, problems));
        files::read(self, part, sharing, sink, stop, problems);
    }

    fn names(
        &self,
        inodes: &[u64],
        stop: &dyn Fn() -> bool,
        problems: &mut Problems,
    ) -> HashMap<u64, PathBuf> {
        names::find(self, inodes, stop, problems)
    }
}
