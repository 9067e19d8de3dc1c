//! Quotas that are used up, from the files that hold them.
//!
//! Source: `struct xfs_dqblk` in fs/xfs/libxfs/xfs_format.h, `sb_qflags` in fs/xfs/libxfs/xfs_log_format.h of Linux 6.12.

use fsgauge_wire::FullQuota;

use super::Xfs;
use super::file_blocks::FileBlocks;
use super::inode::Inode;
use crate::bytes::Bytes;
use crate::source::quota::{LISTED, LOOKED_AT, Quota, now_seconds, used_up};
use crate::visited_blocks::VisitedBlocks;
use crate::{Problems, Window};

const MAGIC: u16 = 0x4451;
const LENGTH: usize = 136;
/// Of its type: the ends of graces are in units of four seconds.
const BIG_TIME: u8 = 0x80;

pub(super) fn full<'a>(xfs: &'a Xfs<'a>, problems: &mut Problems) -> Vec<FullQuota> {
    let now = now_seconds();
    let mut found = Vec::new();
    for (kind, inode) in xfs.superblock.quota_files() {
        let each = read(xfs, inode, problems);
        found.extend(each.iter().flat_map(|quota| used_up(kind, quota, now)).take(LISTED));
    }
    found
}

/// All of a file; that of number 0 has what others begin with.
fn read<'a>(xfs: &'a Xfs<'a>, number: u64, problems: &mut Problems) -> Vec<Quota> {
    let superblock = &xfs.superblock;
    let mut inodes = Window::new(xfs.image);
    let what = format_args!("inode {number} of quotas");
    let Some(offset) = superblock.inode_offset(number) else {
        problems.add_damage(what);
        return Vec::new();
    };
    let Some(bytes) = inodes.get(offset, superblock.inode_size as usize, problems, what) else {
        return Vec::new();
    };
    let Some(inode) = Inode::parse(bytes, superblock) else {
        problems.add_damage(what);
        return Vec::new();
    };
    let met = VisitedBlocks::default();
    let mut file = FileBlocks::new(xfs, &met, &|| false);
    file.read(number, &inode.data, problems);
    let block_size = superblock.block_size as usize;
    let places = file.extents.iter().flat_map(|extent| {
        let end = extent.physical_bytes.saturating_add(extent.length_bytes);
        (extent.physical_bytes..end).step_by(block_size)
    });
    let mut blocks = Window::new(xfs.image);
    let mut found = Vec::new();
    for place in places.take(LOOKED_AT / (block_size / LENGTH).max(1)) {
        let Some(block) = blocks.get(place, block_size, problems, what) else { continue };
        found.extend(block.chunks_exact(LENGTH).filter_map(|bytes| quota(bytes, block_size as u64)));
    }
    found.retain(|quota| quota.id != 0);
    found
}

fn quota(bytes: &[u8], block_bytes: u64) -> Option<Quota> {
    if bytes.be16(0)? != MAGIC {
        return None;
    }
    let shift = if bytes.u8(3)? & BIG_TIME != 0 { 2 } else { 0 };
    let until = |at: usize| Some(u64::from(bytes.be32(at)?) << shift);
    let size = |at: usize| Some(bytes.be64(at)?.saturating_mul(block_bytes));
    Some(Quota {
        id: bytes.be32(4)?,
        hard_bytes: size(8)?,
        soft_bytes: size(16)?,
        hard_inodes: bytes.be64(24)?,
        soft_inodes: bytes.be64(32)?,
        used_bytes: size(40)?,
        used_inodes: bytes.be64(48)?,
        inodes_until: until(56)?,
        bytes_until: until(60)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_in_blocks_and_graces_may_be_in_four_seconds() {
        let mut bytes = vec![0; LENGTH];
        assert_eq!(quota(&bytes, 4096), None);
        bytes[..8].copy_from_slice(&[0x44, 0x51, 1, 1, 0, 0, 0x10, 0xe1]);
        for (at, word) in [(8, 2048u64), (16, 1024), (24, 10), (32, 5), (40, 2047), (48, 4)] {
            bytes[at..at + 8].copy_from_slice(&word.to_be_bytes());
        }
        bytes[60..64].copy_from_slice(&100u32.to_be_bytes());
        let found = quota(&bytes, 4096).unwrap();
        assert_eq!((found.id, found.hard_bytes, found.soft_bytes), (4321, 8 << 20, 4 << 20));
        assert_eq!((found.used_bytes, found.used_inodes, found.bytes_until), (2047 * 4096, 4, 100));
        bytes[3] |= BIG_TIME;
        assert_eq!(quota(&bytes, 4096).unwrap().bytes_until, 400);
    }
}
