//! ext2, ext3 and ext4 from their on-disk structures: bitmaps for free space, inode tables for files.
//!
//! Inode tables are read in large pieces, in the order of the device; trees of extents and indirect blocks where
//! they are. All work is bounded by what is on the image: each block is at most once part of a tree and each table is of
//! one group, so a structure that points in circles, or often to one place, comes to what was met before, which is a
//! problem.
//!
//! Source: Documentation/filesystems/ext4 and fs/ext4 of Linux 6.12.

mod bitmap;
mod bitmap_fault;
mod checksum;
mod descriptors;
mod extent_tree;
mod file_blocks;
mod file_tree;
pub(super) mod folder_index;
mod indirect;
mod inode;
mod names;
mod space;
mod superblock;
mod tables;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

use fsgauge_wire::{Failure, Inodes, Room};

use self::descriptors::Descriptor;
use self::file_blocks::FileBlocks;
use self::superblock::Superblock;
use super::OnDisk;
use super::backup_superblock::BackupSuperblock;
use crate::shown::quoted;
use crate::visited_blocks::VisitedBlocks;
use crate::{FileSystemInfo, FolderIndex, GroupPlace, Image, Problems, Sink, Window};

const ROOT_INODE: u32 = 2;

/// Groups of one part, at most.
const PART_GROUPS: usize = 16;

/// An ext2, ext3 or ext4 file system on an image.
#[derive(Debug)]
pub struct Ext<'a> {
    image: &'a Image,
    superblock: Superblock,
    groups: Vec<Option<Descriptor>>,
    /// Blocks of the trees of files.
    met: VisitedBlocks,
    /// Inodes that may still be read.
    inodes_left: AtomicU64,
}

impl<'a> Ext<'a> {
    /// `None` when `image` holds no ext file system.
    pub fn open(image: &'a Image, problems: &mut Problems) -> Result<Option<Self>, Failure> {
        let mut bytes = [0; superblock::LENGTH];
        let mut quiet = Problems::new();
        if image.read(superblock::OFFSET, &mut bytes, &mut quiet, "superblock") < bytes.len() {
            return Ok(None);
        }
        let superblock = match Superblock::parse(&bytes, image.path()) {
            Ok(Some(superblock)) => superblock,
            Ok(None) => return Ok(None),
            // One that its checksum confirms is not damaged, but newer: it decides.
            Err(failure) if Superblock::is_confirmed(&bytes) => return Err(failure),
            Err(failure) => superblock_copy(image, problems).ok_or(failure)?,
        };
        let size_bytes = superblock.blocks * u64::from(superblock.block_size);
        image.check_end(size_bytes, problems);
        let mut groups = descriptors::read(image, &superblock, problems);
        descriptors::drop_shared_tables(&mut groups, superblock.table_blocks(), problems);
        let size_bytes = size_bytes.min(image.size_bytes());
        Ok(Some(Ext {
            image,
            met: VisitedBlocks::default(),
            inodes_left: AtomicU64::new(size_bytes / u64::from(superblock.inode_size)),
            superblock,
            groups,
        }))
    }

    /// The index of a folder that can grow no more.
    pub(super) fn full_index(&self, folder: u64, problems: &mut Problems) -> Option<FolderIndex> {
        let inode = names::read_inode(self, &mut Window::new(self.image), folder, problems)?;
        let met = VisitedBlocks::default();
        let mut file = FileBlocks::new(self, &met, &|| false);
        file_tree::read(&mut file, folder, &inode, problems);
        folder_index::read(self, &inode, &file.extents, problems)
    }

    fn part_groups(&self) -> usize {
        (self.groups.len() / 256).clamp(1, PART_GROUPS)
    }
}

/// The copy of the superblock that group 1 has, for the sizes of blocks that mke2fs makes: the first one bears the magic
/// number, but makes no sense. A journal device and features that are not known are in the copies too.
fn superblock_copy(image: &Image, problems: &mut Problems) -> Option<Superblock> {
    let (offset, copy) = find_copy(image)?;
    problems.add_damage(format_args!("superblock: its copy at byte {offset} was taken"));
    Some(copy)
}

/// Where a copy of the superblock lies on an image whose first one is lost, of which file system, and the command that
/// reads by it.
pub(super) fn lost_superblock(image: &Image) -> Option<BackupSuperblock> {
    let (offset_bytes, copy) = find_copy(image)?;
    let (block, size) = (offset_bytes / u64::from(copy.block_size), copy.block_size);
    let next = format!("e2fsck -n -b {block} -B {size} {}", quoted(image.path()));
    Some(BackupSuperblock { file_system: copy.name(), offset_bytes, next })
}

fn find_copy(image: &Image) -> Option<(u64, Superblock)> {
    [1024u64, 2048, 4096].into_iter().find_map(|block_size| {
        let offset = (block_size * 8 + u64::from(block_size == 1024)) * block_size;
        let mut bytes = [0; superblock::LENGTH];
        let read = image.read(offset, &mut bytes, &mut Problems::new(), "superblock");
        let copy = Superblock::parse(bytes.get(..read)?, image.path()).ok().flatten()?;
        if u64::from(copy.block_size) != block_size || !Superblock::is_copy_of_group(&bytes, 1) {
            return None;
        }
        Some((offset, copy))
    })
}

impl OnDisk for Ext<'_> {
    fn info(&self) -> FileSystemInfo {
        let block_size = u64::from(self.superblock.block_size);
        let place = |group: usize| {
            let (first, end) = self.superblock.group_blocks(group as u64);
            GroupPlace { offset_bytes: first * block_size, size_bytes: (end - first) * block_size }
        };
        FileSystemInfo {
            file_system: self.superblock.name().to_owned(),
            uuid: Some(self.superblock.uuid),
            block_size_bytes: self.superblock.block_size,
            size_bytes: self.superblock.blocks * block_size,
            inodes_in_use: Some(u64::from(
                self.superblock.inodes.saturating_sub(self.superblock.free_inodes),
            )),
            free_bytes: Some(self.superblock.free_blocks * block_size),
            groups: (0..self.groups.len()).map(place).collect(),
            inode_place: None,
            room: Room {
                reserved_bytes: Some(self.superblock.kept_blocks().saturating_mul(block_size)),
                cluster_bytes: Some(self.superblock.cluster_blocks.saturating_mul(block_size)),
                inodes: Some(Inodes {
                    total: self.superblock.inodes.into(),
                    free: self.superblock.free_inodes.into(),
                }),
                ..Room::default()
            },
            notes: self.superblock.notes(),
        }
    }

    fn read_space(&self, sink: &mut dyn Sink, stop: &dyn Fn() -> bool, problems: &mut Problems) {
        space::read(self, sink, stop, problems);
    }

    fn file_parts(&self) -> usize {
        self.groups.len().div_ceil(self.part_groups())
    }

    fn read_files(&self, part: usize, sink: &mut dyn Sink, stop: &dyn Fn() -> bool, problems: &mut Problems) {
        let first = part.saturating_mul(self.part_groups());
        let end = first.saturating_add(self.part_groups()).min(self.groups.len());
        tables::read(self, first..end, sink, stop, problems);
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
