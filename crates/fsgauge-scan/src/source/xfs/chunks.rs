//! Inodes, which XFS keeps in chunks of 64 that a tree of each group names; each chunk is one read.
//!
//! Source: "XFS Algorithms & Data Structures", 3rd edition, chapter 13 (sparse inodes: 13.2), and `struct xfs_inobt_rec` in
//! fs/xfs/libxfs/xfs_format.h of Linux 6.12.

use std::sync::atomic::Ordering;

use rustix::fs::FileType;

use super::file_blocks::FileBlocks;
use super::inode::{Format, Inode};
use super::tree::{INODES, Walk};
use super::{Xfs, group};
use crate::bytes::Bytes;
use crate::source::on_disk::has_blocks;
use crate::visited_blocks::VisitedBlocks;
use crate::{Extent, FileExtents, FileName, Kinds, Piece, PieceKind, Problems, Sink, Window};

const CHUNK: u64 = 64;
/// Inodes for each bit of the mask of holes.
const HOLE: u64 = 4;

/// Parts that each group's files are read in, so that threads have work where all files are in one group.
pub(super) const SHARES: u64 = 4;
/// Neighbouring chunks that belong to the same share: they are often neighbours on the device.
const SHARE_CHUNKS: u64 = 16;

/// Pours the files of one share of a group. Each share walks the group's whole tree of inodes, which is small beside the
/// inodes themselves; what is wrong with the tree is said with the first.
pub(super) fn read<'a>(
    xfs: &'a Xfs<'a>,
    (group, share): (u64, u64),
    sink: &mut dyn Sink,
    stop: &dyn Fn() -> bool,
    problems: &mut Problems,
) {
    let mut window = Window::new(xfs.image);
    let mut of_tree = Problems::new();
    let header = group::inodes(xfs, &mut window, group, &mut of_tree);
    let mut chunks = Chunks {
        xfs,
        group,
        window: Window::new(xfs.image),
        file: FileBlocks::new(xfs, &xfs.met, stop),
        sink,
        stop,
    };
    let mut next = 0;
    let mut each = |record: Option<&[u8]>, of_tree: &mut Problems| match record.map(|r| Chunk::parse(r, xfs))
    {
        // Said where it was met.
        None => {}
        Some(Some(chunk)) if chunk.first >= next => {
            next = chunk.first + CHUNK;
            if chunk.first / CHUNK / SHARE_CHUNKS % SHARES == share {
                chunks.chunk(&chunk, problems);
            }
        }
        _ => of_tree.add_damage(format_args!("inode chunks of group {group}")),
    };
    if let Some(header) = header {
        let met = VisitedBlocks::default();
        let mut walk = Walk { xfs, window: &mut window, group, kind: INODES, met: &met, stop };
        walk.records(header.inodes, &mut of_tree, &mut |_| {}, &mut each);
    }
    if share == 0 {
        problems.merge(of_tree);
    }
}

/// A record of the tree.
struct Chunk {
    /// Its first inode's number in the group.
    first: u64,
    /// Bit i: inode i is not in use.
    free: u64,
    /// Bit i: inodes 4 i to 4 i + 3 are not there.
    holes: u16,
}

impl Chunk {
    fn parse(record: &[u8], xfs: &Xfs<'_>) -> Option<Chunk> {
        let holes = if xfs.superblock.has_sparse_inodes() { record.be16(4)? } else { 0 };
        Some(Chunk { first: u64::from(record.be32(0)?), free: record.be64(8)?, holes })
    }

    fn is_hole(&self, index: u64) -> bool {
        self.holes >> (index / HOLE) & 1 == 1
    }
}

struct Chunks<'a: 's, 's> {
    xfs: &'a Xfs<'a>,
    group: u64,
    window: Window<'a>,
    file: FileBlocks<'a, 's>,
    sink: &'s mut dyn Sink,
    stop: &'s dyn Fn() -> bool,
}

impl<'a: 's, 's> Chunks<'a, 's> {
    fn chunk(&mut self, chunk: &Chunk, problems: &mut Problems) {
        let mut at = 0;
        while at < CHUNK {
            if chunk.is_hole(at) {
                at += HOLE;
                continue;
            }
            let mut end = at + HOLE;
            while end < CHUNK && !chunk.is_hole(end) {
                end += HOLE;
            }
            if (self.stop)() {
                return;
            }
            self.run(chunk, at, end, problems);
            at = end;
        }
    }

    /// Inodes of a chunk that lie together, from `at` to before `end`.
    fn run(&mut self, chunk: &Chunk, at: u64, end: u64, problems: &mut Problems) {
        let superblock = &self.xfs.superblock;
        let size = u64::from(superblock.inode_size);
        let first = superblock.inode_number(self.group, chunk.first + at);
        let last_block = superblock.block_of_inode(chunk.first + end - 1);
        let inside = superblock.group_offset(self.group, last_block).is_some();
        let Some(offset_bytes) = superblock.inode_offset(first).filter(|_| inside) else {
            return problems.add_damage(format_args!("inode chunk at inode {first}"));
        };
        let take = |left: u64| left.checked_sub(end - at);
        if self.xfs.inodes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            return problems.add_damage(format_args!("inodes are more than the file system can hold"));
        }
        let length_bytes = (end - at) * size;
        self.sink.piece(&Piece { offset_bytes, length_bytes, kind: PieceKind::Metadata });
        let used = !chunk.free >> at & (u64::MAX >> (CHUNK - (end - at)));
        if used == 0 {
            return;
        }
        let mut window = std::mem::replace(&mut self.window, Window::new(self.xfs.image));
        let what = format_args!("inodes from {first} on");
        if let Some(bytes) = window.get(offset_bytes, length_bytes as usize, problems, what) {
            for (index, bytes) in (0u64..).zip(bytes.chunks_exact(size as usize)) {
                if used >> index & 1 == 1 {
                    self.inode(first + index, bytes, problems);
                }
            }
        }
        self.window = window;
    }

    fn inode(&mut self, number: u64, bytes: &[u8], problems: &mut Problems) {
        let Some(inode) = Inode::parse(bytes, &self.xfs.superblock) else {
            return problems.add_damage(format_args!("inode {number}"));
        };
        if let Some(attributes) = &inode.attributes {
            self.file.read(number, attributes, problems);
            self.own();
        }
        let own = self.xfs.superblock.is_own(number) || inode.is_metadata();
        if inode.links == 0 && !own {
            // It was open when its name was taken away.
            let block_bytes = u64::from(self.xfs.superblock.block_size);
            if inode.blocks > 0 {
                self.sink.unnamed(inode.blocks.saturating_mul(block_bytes));
            }
            return;
        }
        if !has_blocks(inode.kind()) {
            return;
        }
        if inode.is_realtime() {
            return problems
                .add_damage(format_args!("inode {number} is on a real-time device; there is none"));
        }
        self.file.read(number, &inode.data, problems);
        if self.file.is_stopped() {
            // There may be more of it.
            return;
        }
        if inode.kind() == FileType::Directory && !own {
            self.sink.folder();
        }
        if inode.kind() != FileType::RegularFile || own {
            return self.own();
        }
        self.tree();
        if inode.data.format == Format::Local && inode.size_bytes > 0 {
            let length_bytes = inode.size_bytes.min(inode.data.bytes.len() as u64);
            let kinds = Kinds::INLINE;
            self.file.extents.push(Extent::plain(0, 0, length_bytes, kinds));
        }
        if inode.may_share() {
            self.xfs.shared.mark(self.xfs, &mut self.file.extents, self.stop, problems);
        }
        self.sink.file(&FileExtents {
            name: FileName::Inode(number),
            size_bytes: inode.size_bytes,
            extents: &self.file.extents,
        });
    }

    fn tree(&mut self) {
        let length_bytes = u64::from(self.xfs.superblock.block_size);
        for &offset_bytes in &self.file.tree {
            self.sink.piece(&Piece { offset_bytes, length_bytes, kind: PieceKind::Metadata });
        }
    }

    /// Folders, symbolic links, attributes, quota: the file system's own.
    fn own(&mut self) {
        self.tree();
        for &Extent { physical_bytes, length_bytes, .. } in &self.file.extents {
            let kind = PieceKind::Metadata;
            self.sink.piece(&Piece { offset_bytes: physical_bytes, length_bytes, kind });
        }
    }
}
