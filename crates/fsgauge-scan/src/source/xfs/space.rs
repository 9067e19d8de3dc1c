//! Free space from the trees by block, and the places of headers, trees and log.

use super::group::Root;
use super::tree::{
    FREE_BY_BLOCK, FREE_BY_SIZE, FREE_INODES, INODES, Kind, REFERENCES, REVERSE_MAP, Walk, add_block,
};
use super::{Xfs, group};
use crate::bytes::Bytes;
use crate::visited_blocks::VisitedBlocks;
use crate::{Piece, PieceKind, Problems, Sink, Unplaced, Window};

/// Pours pieces, group by group.
pub(super) fn read<'a>(
    xfs: &'a Xfs<'a>,
    sink: &mut dyn Sink,
    stop: &dyn Fn() -> bool,
    problems: &mut Problems,
) {
    let superblock = &xfs.superblock;
    if superblock.log_start != 0 {
        match superblock.offset(superblock.log_start, superblock.log_blocks) {
            Some(offset_bytes) => {
                let length_bytes = superblock.log_blocks * u64::from(superblock.block_size);
                sink.piece(&Piece { offset_bytes, length_bytes, kind: PieceKind::Metadata });
            }
            None => problems.add_damage(format_args!("log at block {}", superblock.log_start)),
        }
    }
    let mut window = Window::new(xfs.image);
    for number in 0..xfs.groups {
        if stop() {
            return;
        }
        one_group(xfs, &mut window, number, sink, stop, problems);
    }
    // Groups behind the end of the image.
    let beyond = superblock.blocks.saturating_sub(xfs.groups.saturating_mul(superblock.group_blocks));
    sink.unplaced(Unplaced::Unread, beyond.saturating_mul(u64::from(superblock.block_size)));
}

fn one_group<'a>(
    xfs: &'a Xfs<'a>,
    window: &mut Window<'a>,
    number: u64,
    sink: &mut dyn Sink,
    stop: &dyn Fn() -> bool,
    problems: &mut Problems,
) {
    let superblock = &xfs.superblock;
    for block in 0..group::header_blocks(superblock) {
        add_block(superblock, number, block, sink);
    }
    let met = VisitedBlocks::default();
    let mut trees: Vec<(Kind, Option<Root>)> = Vec::new();
    let header = group::free_space(xfs, window, number, problems);
    if header.is_none() {
        let blocks = superblock.blocks_of(number).saturating_sub(group::header_blocks(superblock));
        sink.unplaced(Unplaced::Unread, blocks * u64::from(superblock.block_size));
    }
    if let Some(header) = header {
        for &block in &header.kept {
            add_block(superblock, number, block, sink);
        }
        let walk = Walk { xfs, window, group: number, kind: FREE_BY_BLOCK, met: &met, stop };
        free(walk, header.by_block, sink, problems);
        trees.push((FREE_BY_SIZE, Some(header.by_size)));
        trees.push((REVERSE_MAP, header.reverse_map));
        trees.push((REFERENCES, header.references));
    }
    if let Some(header) = group::inodes(xfs, window, number, problems) {
        trees.push((INODES, Some(header.inodes)));
        trees.push((FREE_INODES, header.free));
    }
    for (kind, root) in trees {
        if let Some(root) = root {
            Walk { xfs, window, group: number, kind, met: &met, stop }.blocks(root, sink, problems);
        }
    }
}

fn free(mut walk: Walk<'_, '_>, root: Root, sink: &mut dyn Sink, problems: &mut Problems) {
    let (superblock, group) = (&walk.xfs.superblock, walk.group);
    let block_size = u64::from(superblock.block_size);
    let mut tree = Vec::new();
    // Up to where free space is known, and whether a part of the tree behind that is not.
    let (mut next, mut is_lost) = (0, false);
    walk.records(root, problems, &mut |block| tree.push(block), &mut |record, problems| {
        let Some(record) = record else {
            is_lost = true;
            return;
        };
        let (start, length) = (record.be32(0).map_or(0, u64::from), record.be32(4).map_or(0, u64::from));
        let offset = superblock.group_offset(group, start);
        let ends_inside = start + length <= superblock.blocks_of(group);
        match offset {
            Some(offset_bytes) if ends_inside && length > 0 && start >= next => {
                if std::mem::take(&mut is_lost) {
                    sink.unplaced(Unplaced::Unread, (start - next) * block_size);
                }
                next = start + length;
                let length_bytes = length * block_size;
                sink.piece(&Piece { offset_bytes, length_bytes, kind: PieceKind::Free });
            }
            _ => {
                is_lost = true;
                problems.add_damage(format_args!("free space of group {group}: {length} blocks at {start}"));
            }
        }
    });
    if is_lost {
        sink.unplaced(Unplaced::Unread, superblock.blocks_of(group).saturating_sub(next) * block_size);
    }
    for block in tree {
        add_block(superblock, group, block, sink);
    }
}
