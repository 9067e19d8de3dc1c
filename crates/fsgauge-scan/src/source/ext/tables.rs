//! Inode tables, read in large pieces in the order of the device.

use std::ops::Range;
use std::sync::atomic::Ordering;

use rustix::fs::FileType;

use super::file_blocks::FileBlocks;
use super::inode::Inode;
use super::{Ext, file_tree, folder_index};
use crate::bytes::Bytes;
use crate::source::on_disk::has_blocks;
use crate::{Extent, FileExtents, FileName, Kinds, Piece, PieceKind, Problems, Sink};

/// One read of a table.
const READ_BYTES: usize = 512 << 10;
/// The inode whose tree names the blocks kept for more descriptors. They and its indirect blocks are counted with the
/// descriptors, all but the one at its top.
const RESIZE_INODE: u32 = 7;
/// Where `i_block` has the number of its double indirect block.
const DOUBLE_INDIRECT_AT: usize = 13 * 4;
/// The inode of blocks that cannot be used.
const BAD_BLOCKS_INODE: u32 = 1;

/// Pours the files of some groups.
pub(super) fn read(
    ext: &Ext<'_>,
    groups: Range<usize>,
    sink: &mut dyn Sink,
    stop: &dyn Fn() -> bool,
    problems: &mut Problems,
) {
    let mut tables = Tables { ext, file: FileBlocks::new(ext, &ext.met, stop), buffer: Vec::new(), sink };
    for group in groups {
        if stop() || !tables.group(group, stop, problems) {
            return;
        }
    }
}

struct Tables<'a, 's> {
    ext: &'a Ext<'a>,
    file: FileBlocks<'a, 's>,
    buffer: Vec<u8>,
    sink: &'s mut dyn Sink,
}

impl Tables<'_, '_> {
    /// Returns whether more groups may follow.
    fn group(&mut self, group: usize, stop: &dyn Fn() -> bool, problems: &mut Problems) -> bool {
        let superblock = &self.ext.superblock;
        let Some(&Some(descriptor)) = self.ext.groups.get(group) else { return true };
        let start = descriptor.inode_table;
        let inside = start > superblock.first_data_block
            && start.checked_add(superblock.table_blocks()).is_some_and(|end| end <= superblock.blocks);
        if !inside {
            // Said when the space is read, but files may be read alone.
            problems.add_damage(format_args!("inode table of group {group}: block {start}"));
            return true;
        }
        let block_size = superblock.block_size as usize;
        let offset = start * block_size as u64;
        let wanted = descriptor.inodes as usize * superblock.inode_size as usize;
        let mut at = 0;
        while at < wanted {
            if stop() {
                return false;
            }
            let length = READ_BYTES.min(wanted - at);
            let mut buffer = std::mem::take(&mut self.buffer);
            buffer.resize(READ_BYTES.min(wanted).max(buffer.len()), 0);
            let what = format_args!("inode table of group {group}");
            let place = offset + at as u64;
            let Some(slice) = buffer.get_mut(..length) else { return true };
            let got = self.ext.image.read(place, slice, problems, what);
            let inodes = buffer.get(..got).unwrap_or(&[]);
            let go_on = self.inodes(group, at, inodes, stop, problems);
            self.buffer = buffer;
            if !go_on {
                return false;
            }
            if got < length && place + got as u64 >= self.ext.image.size_bytes() {
                return true;
            }
            // A block that cannot be read is left out; both sizes are powers of two, so inodes stay aligned.
            at = if got < length { (at + got) / block_size * block_size + block_size } else { at + length };
        }
        true
    }

    /// The inodes that lie `at` bytes behind the begin of a group's table.
    fn inodes(
        &mut self,
        group: usize,
        at: usize,
        bytes: &[u8],
        stop: &dyn Fn() -> bool,
        problems: &mut Problems,
    ) -> bool {
        let size = self.ext.superblock.inode_size as usize;
        let count = (bytes.len() / size) as u64;
        let take = |left: u64| left.checked_sub(count);
        if self.ext.inodes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            problems.add_damage(format_args!("inode tables are larger than the file system"));
            return false;
        }
        let first = group as u64 * u64::from(self.ext.superblock.inodes_per_group) + 1 + (at / size) as u64;
        for (number, bytes) in (first..).zip(bytes.chunks_exact(size)) {
            let never_used = bytes.le16(0) == Some(0);
            if never_used {
                continue;
            }
            if stop() {
                return false;
            }
            if let (Some(inode), Ok(number)) = (Inode::parse(bytes), u32::try_from(number)) {
                self.inode(number, &inode, problems);
            }
        }
        true
    }

    fn inode(&mut self, number: u32, inode: &Inode, problems: &mut Problems) {
        if number == RESIZE_INODE {
            return self.resize_inode(inode);
        }
        if number == BAD_BLOCKS_INODE {
            return;
        }
        if inode.links == 0 {
            // Of one that was deleted nothing is left; of one that was open then, all is.
            if inode.sectors > 0 && inode.kind() == FileType::RegularFile && !inode.is_attribute() {
                self.sink.unnamed(inode.sectors.saturating_mul(512));
            }
            return;
        }
        let kind = inode.kind();
        let short_symlink = kind == FileType::Symlink && inode.size_bytes < 60;
        if !has_blocks(kind) || short_symlink {
            return;
        }
        file_tree::read(&mut self.file, u64::from(number), inode, problems);
        if self.file.is_stopped() {
            // There may be more of it.
            return;
        }
        let block_size = u64::from(self.ext.superblock.block_size);
        for &block in &self.file.tree {
            self.sink.piece(&Piece {
                offset_bytes: block * block_size,
                length_bytes: block_size,
                kind: PieceKind::Metadata,
            });
        }
        if kind == FileType::RegularFile && !inode.is_attribute() && !self.ext.superblock.is_own(number) {
            self.sink.file(&FileExtents {
                name: FileName::Inode(u64::from(number)),
                size_bytes: inode.size_bytes,
                extents: &self.file.extents,
            });
        } else {
            self.own();
        }
        if kind == FileType::Directory {
            self.sink.folder();
            if let Some(index) = folder_index::read(self.ext, inode, &self.file.extents, problems) {
                self.sink.full_folder(FileName::Inode(u64::from(number)), inode.size_bytes, index);
            }
        }
    }

    fn resize_inode(&mut self, inode: &Inode) {
        let superblock = &self.ext.superblock;
        let top = u64::from(inode.block.as_slice().le32(DOUBLE_INDIRECT_AT).unwrap_or(0));
        if top > superblock.first_data_block && top < superblock.blocks {
            let length_bytes = u64::from(superblock.block_size);
            let kind = PieceKind::Metadata;
            self.sink.piece(&Piece { offset_bytes: top * length_bytes, length_bytes, kind });
        }
    }

    /// Folders, long symbolic links, journal, quota: the file system's own.
    fn own(&mut self) {
        for &Extent { physical_bytes, length_bytes, kinds, .. } in &self.file.extents {
            if !kinds.has(Kinds::INLINE) {
                let kind = PieceKind::Metadata;
                self.sink.piece(&Piece { offset_bytes: physical_bytes, length_bytes, kind });
            }
        }
    }
}
