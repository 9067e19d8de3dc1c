//! Areas of a device that btrfs reserves: no chunks or no files are there.
//!
//! Source: exclude_super_stripes in fs/btrfs/block-group.c, BTRFS_DEVICE_RANGE_RESERVED in fs/btrfs/fs.h of Linux 6.12.

/// No chunk begins before this.
pub(in crate::source) const RESERVED_BYTES: u64 = 1 << 20;
/// Where the superblock and its copies are.
pub(in crate::source) const SUPERBLOCKS_AT: [u64; 3] = [64 << 10, 64 << 20, 256 << 30];
/// What no file gets at each of them. Neither the tree of extents nor that of free space knows of it.
pub(in crate::source) const SUPERBLOCK_BYTES: u64 = 64 << 10;

/// How far behind the begin of a chunk superblocks lie, ascending: in none of its copies is that given to files.
pub(in crate::source) fn superblocks(copies: &[u64], length_bytes: u64) -> Vec<u64> {
    let within = |copy: u64, at: u64| at.checked_sub(copy).filter(|ahead| *ahead < length_bytes);
    let of_copy = |&copy: &u64| SUPERBLOCKS_AT.into_iter().filter_map(move |at| within(copy, at));
    let mut all: Vec<u64> = copies.iter().flat_map(of_copy).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn superblocks_in_any_copy_are_kept() {
        let mib = 1 << 20;
        assert!(superblocks(&[60 * mib], 4 * mib).is_empty());
        assert_eq!(superblocks(&[60 * mib], 4 * mib + 1), [4 * mib]);
        assert_eq!(superblocks(&[32 * mib, 63 * mib, 64 * mib], 100 * mib), [0, mib, 32 * mib]);
    }
}
