//! XFS, versions 4 and 5, from its on-disk structures: trees of free space and of inodes, group by group.
//!
//! All work is bounded by what is on the image: each block is at most once part of a tree, so a structure that points in
//! circles, or often to one place, comes to what was met before, which is a problem.
//!
//! Source: "XFS Algorithms & Data Structures", 3rd edition, and fs/xfs/libxfs of Linux 6.12.

mod chunks;
mod file_blocks;
mod group;
mod inode;
mod kept;
mod log;
mod names;
mod quotas;
mod shared;
mod space;
mod superblock;
mod tree;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

use fsgauge_wire::{Failure, FullQuota, InodeChunk, Note, Room};

use self::shared::Shared;
use self::superblock::Superblock;
pub(super) use self::superblock::lost_superblock;
use super::OnDisk;
use crate::visited_blocks::VisitedBlocks;
use crate::{FileSystemInfo, GroupPlace, Image, Problems, Sink};

/// An XFS on an image.
#[derive(Debug)]
pub struct Xfs<'a> {
    image: &'a Image,
    superblock: Superblock,
    /// Groups that begin in the image.
    groups: u64,
    notes: Vec<Note>,
    full_quotas: Vec<FullQuota>,
    shared: Shared,
    /// Blocks of the trees of files.
    met: VisitedBlocks,
    /// Inodes that may still be read.
    inodes_left: AtomicU64,
}

impl<'a> Xfs<'a> {
    /// `None` when `image` holds no XFS.
    pub fn open(image: &'a Image, problems: &mut Problems) -> Result<Option<Self>, Failure> {
        let mut bytes = [0; superblock::LENGTH];
        let mut quiet = Problems::new();
        if image.read(0, &mut bytes, &mut quiet, "superblock") < bytes.len() {
            return Ok(None);
        }
        let Some(superblock) = Superblock::parse(&bytes, image.path())? else { return Ok(None) };
        let block_size = u64::from(superblock.block_size);
        let size_bytes = superblock.blocks.saturating_mul(block_size);
        image.check_end(size_bytes, problems);
        let size_bytes = size_bytes.min(image.size_bytes());
        let mut notes = Vec::new();
        let mut note =
            |code: &str, text: &str| notes.push(Note { code: code.to_owned(), text: text.to_owned() });
        if log::is_clean(image, &superblock, problems) == Some(false) {
            note(
                "scan.not_clean",
                "The file system was not cleanly unmounted, or is mounted: its log holds changes that are not seen here",
            );
        }
        if superblock.needs_repair() {
            note("scan.errors", "The file system is marked as damaged; xfs_repair repairs it");
        }
        let groups = superblock.groups.min(size_bytes.div_ceil(superblock.group_blocks * block_size));
        let mut xfs = Xfs {
            image,
            groups,
            shared: Shared::new(groups),
            notes,
            full_quotas: Vec::new(),
            met: VisitedBlocks::default(),
            inodes_left: AtomicU64::new(size_bytes / u64::from(superblock.inode_size)),
            superblock,
        };
        xfs.full_quotas = quotas::full(&xfs, problems);
        Ok(Some(xfs))
    }
}

impl OnDisk for Xfs<'_> {
    fn info(&self) -> FileSystemInfo {
        let superblock = &self.superblock;
        let block_size = u64::from(superblock.block_size);
        let place = |group: u64| GroupPlace {
            offset_bytes: group * superblock.group_blocks * block_size,
            size_bytes: superblock.blocks_of(group) * block_size,
        };
        let free = kept::free_blocks(self);
        FileSystemInfo {
            file_system: "xfs".to_owned(),
            uuid: Some(superblock.uuid),
            block_size_bytes: superblock.block_size,
            size_bytes: superblock.blocks.saturating_mul(block_size),
            inodes_in_use: Some(superblock.inodes.saturating_sub(superblock.free_inodes)),
            free_bytes: Some(superblock.free_blocks.saturating_mul(block_size)),
            groups: (0..self.groups).map(place).collect(),
            inode_place: Some(superblock.inode_place()),
            room: Room {
                reserved_bytes: free.map(|free| free.kept.saturating_mul(block_size)),
                inodes: free.map(|free| kept::inodes(superblock, free.available)),
                inode_chunk: Some(InodeChunk {
                    least_bytes: superblock.inode_place().length_bytes,
                    align_bytes: superblock.inode_place().align_bytes,
                    below_bytes: None,
                    places: None,
                    free_inodes: superblock.free_inodes,
                }),
                full_quotas: self.full_quotas.clone(),
                ..Room::default()
            },
            notes: self.notes.clone(),
        }
    }

    fn read_space(&self, sink: &mut dyn Sink, stop: &dyn Fn() -> bool, problems: &mut Problems) {
        space::read(self, sink, stop, problems);
    }

    fn file_parts(&self) -> usize {
        (self.groups * chunks::SHARES) as usize
    }

    fn read_files(&self, part: usize, sink: &mut dyn Sink, stop: &dyn Fn() -> bool, problems: &mut Problems) {
        let part = part as u64;
        chunks::read(self, (part / chunks::SHARES, part % chunks::SHARES), sink, stop, problems);
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
