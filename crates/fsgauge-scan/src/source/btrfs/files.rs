//! Regular files of a subvolume, inode by inode.
//!
//! Source: struct btrfs_file_extent_item in include/uapi/linux/btrfs_tree.h, extent_fiemap in fs/btrfs/fiemap.c of
//! Linux 6.12.

use super::items::{FileExtent, FileExtentPlace, InodeItem, Key, Regular, kind};
use super::sharing::Sharing;
use super::tree::{Reader, Visitor, Walk};
use super::{Btrfs, Part, numbers};
use crate::extent::FILE_EXTENTS_LIMIT;
use crate::{Extent, FileExtents, FileName, Kinds, Problems, Sink};

/// The kernel's own limit (loff_t).
const FILE_SIZE_LIMIT: u64 = 1 << 63;
/// What is compressed at once (BTRFS_MAX_UNCOMPRESSED in fs/btrfs/compression.h).
const COMPRESSED_LIMIT: u64 = 128 << 10;

/// Pours the files of one part.
pub(super) fn read(
    btrfs: &Btrfs<'_>,
    part: &Part,
    sharing: &Sharing,
    sink: &mut dyn Sink,
    stop: &dyn Fn() -> bool,
    problems: &mut Problems,
) {
    let Some(subvolume) = btrfs.roots.subvolumes.get(part.subvolume) else { return };
    let mut files = Files { btrfs, part, sharing, sink, inode: None, extents: Vec::new(), next: 0 };
    let keys = Key::of_objects(part.first_inode, part.last_inode);
    let walk = Walk { keys, sharing: Some(sharing), stop };
    Reader::new(&btrfs.volume).walk(&subvolume.root, &walk, &mut files, problems);
    // A file that was met when the scan was stopped may have more extents.
    if !stop() {
        files.finish(problems);
    }
}

struct Files<'a> {
    btrfs: &'a Btrfs<'a>,
    part: &'a Part,
    sharing: &'a Sharing,
    sink: &'a mut dyn Sink,
    /// The regular file whose items are being met.
    inode: Option<(u64, InodeItem)>,
    extents: Vec<Extent>,
    /// The first byte of the file that may come next.
    next: u64,
}

impl Files<'_> {
    fn finish(&mut self, problems: &mut Problems) {
        let Some((inode, item)) = self.inode.take() else { return };
        match numbers::of_file(self.part.subvolume, inode) {
            Some(number) => self.sink.file(&FileExtents {
                name: FileName::Inode(number),
                size_bytes: item.size_bytes,
                extents: &self.extents,
            }),
            None => problems.add_damage(format_args!("inode {inode}: no file has such a number")),
        }
    }

    fn begin(&mut self, inode: u64, contents: &[u8], problems: &mut Problems) {
        let Some(item) = InodeItem::parse(contents) else {
            return problems.add_damage(format_args!("inode {inode}: it is cut"));
        };
        self.extents.clear();
        self.next = 0;
        // Files without a link were deleted while they were open.
        if item.links == 0 && item.taken_bytes > 0 {
            self.sink.unnamed(item.taken_bytes);
        }
        if item.is_regular() && item.links > 0 {
            self.inode = Some((inode, item));
        } else if item.is_folder() && item.links > 0 {
            self.sink.folder();
        }
    }

    fn extent(
        &mut self,
        inode: u64,
        logical_bytes: u64,
        contents: &[u8],
        is_shared: bool,
        problems: &mut Problems,
    ) {
        let Some(found) = FileExtent::parse(contents) else {
            return self.damaged(problems, inode, logical_bytes);
        };
        let mut kinds = Kinds::default();
        let mut set = |holds: bool, kind: Kinds| {
            if holds {
                kinds = kinds.with(kind);
            }
        };
        set(found.is_compressed, Kinds::COMPRESSED);
        set(found.is_encrypted, Kinds::ENCRYPTED);
        let (physical_bytes, length_bytes, device_bytes) = match found.place {
            FileExtentPlace::Hole => return,
            FileExtentPlace::Inline(length) => {
                set(true, Kinds::INLINE);
                // More than this is never inline, whatever it is compressed to.
                let is_right = length <= u64::from(self.btrfs.volume.superblock.node_size);
                (Some(0).filter(|_| is_right), length, length)
            }
            FileExtentPlace::Regular(regular) => {
                set(regular.is_unwritten, Kinds::UNWRITTEN);
                set(is_shared || self.sharing.has(regular.address), Kinds::SHARED);
                let device_bytes = if found.is_compressed { regular.device_length } else { regular.length };
                (self.place(&regular, found.is_compressed), regular.length, device_bytes)
            }
        };
        let end = logical_bytes.checked_add(length_bytes).filter(|&end| end <= FILE_SIZE_LIMIT);
        match (physical_bytes, end) {
            (Some(physical_bytes), Some(end)) if logical_bytes >= self.next && length_bytes > 0 => {
                self.next = end;
                let plain = Extent::plain(logical_bytes, physical_bytes, length_bytes, kinds);
                if self.extents.len() >= FILE_EXTENTS_LIMIT {
                    return problems.add_too_many_extents(format_args!("inode {inode}"));
                }
                self.extents.push(Extent { device_bytes, ..plain });
            }
            (Some(_), Some(_)) if length_bytes == 0 && kinds.has(Kinds::INLINE) => {}
            _ => self.damaged(problems, inode, logical_bytes),
        }
    }

    /// Where it begins on the device, if it makes sense. What is compressed has no place inside of its extent:
    /// this is the begin of all of it, as FIEMAP gives it.
    fn place(&self, regular: &Regular, is_compressed: bool) -> Option<u64> {
        let readable = if is_compressed { regular.read_length } else { regular.device_length };
        let is_inside = regular.offset.checked_add(regular.length)? <= readable;
        let is_small = !is_compressed || readable <= COMPRESSED_LIMIT;
        let copies = self.btrfs.volume.chunks.copies(regular.address, regular.device_length)?;
        let offset = if is_compressed { 0 } else { regular.offset };
        copies.take(1).filter(|_| is_inside && is_small).map(|copy| copy + offset).next()
    }

    fn damaged(&self, problems: &mut Problems, inode: u64, logical_bytes: u64) {
        let id = self.btrfs.roots.subvolumes.get(self.part.subvolume).map_or(0, |subvolume| subvolume.id);
        problems
            .add_damage(format_args!("inode {inode} of subvolume {id}: the extent at byte {logical_bytes}"));
    }
}

impl Visitor for Files<'_> {
    fn item(&mut self, key: &Key, contents: &[u8], is_shared: bool, problems: &mut Problems) -> bool {
        if self.inode.is_some_and(|(inode, _)| inode != key.object) {
            self.finish(problems);
        }
        match key.kind {
            kind::INODE if key.offset == 0 => self.begin(key.object, contents, problems),
            kind::FILE_EXTENT if self.inode.is_some() => {
                self.extent(key.object, key.offset, contents, is_shared, problems);
            }
            _ => {}
        }
        true
    }
}
