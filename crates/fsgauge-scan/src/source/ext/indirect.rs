//! Direct and indirect blocks, as ext2 and ext3 have them.
//!
//! Source: Documentation/filesystems/ext4/ifork.rst of Linux 6.12.

use super::file_blocks::FileBlocks;
use crate::Problems;
use crate::bytes::Bytes;

const DIRECT: u64 = 12;

/// Reads the 15 block numbers of an inode and what they lead to.
pub(super) fn read(file: &mut FileBlocks<'_, '_>, block: &[u8], problems: &mut Problems) {
    let mut logical = 0;
    for (slot, number) in (0u64..).zip(block.chunks_exact(4)) {
        let number = u64::from(number.le32(0).unwrap_or(0));
        let level = slot.saturating_sub(DIRECT - 1) as u32;
        if !read_number(file, number, level, logical, problems) {
            return;
        }
        logical += file.pointers_per_block().pow(level);
    }
}

/// The block number `number`, `level` levels above the data. Returns whether more may follow.
fn read_number(
    file: &mut FileBlocks<'_, '_>,
    number: u64,
    level: u32,
    logical: u64,
    problems: &mut Problems,
) -> bool {
    if number == 0 {
        return true;
    }
    if level == 0 {
        return file.push_block(logical, number, problems);
    }
    let each = file.pointers_per_block().pow(level - 1);
    file.with_tree_block(number, level as usize, problems, |file, bytes, problems| {
        let mut logical = logical;
        for number in bytes.chunks_exact(4) {
            let number = u64::from(number.le32(0).unwrap_or(0));
            if !read_number(file, number, level - 1, logical, problems) {
                return;
            }
            logical += each;
        }
    });
    file.may_go_on()
}
