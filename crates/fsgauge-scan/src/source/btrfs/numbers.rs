//! One number for each file: inodes are numbered anew in each subvolume.

/// Bits of the inode; those above are the subvolume's place in the list of subvolumes.
const INODE_BITS: u32 = 40;

/// The number by which sinks know a file; `None` where it does not fit.
pub(super) fn of_file(subvolume: usize, inode: u64) -> Option<u64> {
    let subvolume = u64::try_from(subvolume).ok().filter(|&place| place < 1 << (64 - INODE_BITS))?;
    (inode < 1 << INODE_BITS).then_some(subvolume << INODE_BITS | inode)
}

/// The place of its subvolume, and its inode.
pub(super) fn parts(number: u64) -> (usize, u64) {
    ((number >> INODE_BITS) as usize, number & ((1 << INODE_BITS) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_gives_back_what_it_was_made_of() {
        for file in [(0, 256), (0, (1 << 40) - 1), ((1 << 24) - 1, 257)] {
            assert_eq!(of_file(file.0, file.1).map(parts), Some(file));
        }
        assert_eq!((of_file(0, 1 << 40), of_file(1 << 24, 1)), (None, None));
    }
}
