//! Joining extents: what lies in one piece is one extent, however the file system notes it down.

use crate::extent::{Extent, Kinds};

/// Kinds that take no place of their own on the device.
pub(crate) const PLACELESS: Kinds = Kinds(Kinds::DELAYED.0 | Kinds::INLINE.0);
/// Kinds whose end on the device is not known, so that nothing can be said to touch it: the length of a
/// compressed extent is that of its contents.
const END_UNKNOWN: Kinds = Kinds(Kinds::COMPRESSED.0 | Kinds::NOWHERE.0);

/// Puts the extents that take a place on the device into `joined`: two that touch in the file and on the
/// device become one, which is of both their kinds.
pub(crate) fn join(extents: &[Extent], joined: &mut Vec<Extent>) {
    joined.clear();
    for extent in extents.iter().filter(|extent| !extent.kinds.has(PLACELESS)) {
        match joined.last_mut().filter(|last| touch(last, extent)) {
            Some(last) => {
                last.length_bytes += extent.length_bytes;
                last.kinds = last.kinds.with(extent.kinds);
            }
            None => joined.push(*extent),
        }
    }
}

fn touch(last: &Extent, next: &Extent) -> bool {
    !last.kinds.with(next.kinds).has(END_UNKNOWN)
        && touch_in_file(last, next)
        && last.physical_bytes.checked_add(last.length_bytes) == Some(next.physical_bytes)
        && last.length_bytes.checked_add(next.length_bytes).is_some()
}

/// Whether FIEMAP of btrfs gives both as one: they touch and are alike (`emit_fiemap_extent` in fs/btrfs/fiemap.c, Linux
/// 6.18). On the device, and on other file systems, they are two.
pub(crate) fn are_told_as_one(last: &Extent, next: &Extent) -> bool {
    last.kinds == next.kinds
        && touch_in_file(last, next)
        && last.physical_bytes.checked_add(last.length_bytes) == Some(next.physical_bytes)
}

/// Whether the file goes on in `next` where `last` ends, wherever they lie.
pub(crate) fn touch_in_file(last: &Extent, next: &Extent) -> bool {
    last.logical_bytes.checked_add(last.length_bytes) == Some(next.logical_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(logical_bytes: u64, physical_bytes: u64, length_bytes: u64, kinds: Kinds) -> Extent {
        Extent { logical_bytes, physical_bytes, length_bytes, kinds }
    }

    fn joined(extents: &[Extent]) -> Vec<Extent> {
        let mut joined = Vec::new();
        join(extents, &mut joined);
        joined
    }

    const PLAIN: Kinds = Kinds(0);

    #[test]
    fn only_a_difference_of_kind_is_no_border() {
        let extents = [
            extent(0, 8192, 4096, PLAIN),
            extent(4096, 12288, 4096, Kinds::UNWRITTEN),
            extent(8192, 16384, 8192, Kinds::SHARED),
        ];
        let one = extent(0, 8192, 16384, Kinds::UNWRITTEN.with(Kinds::SHARED));
        assert_eq!(joined(&extents), [one]);
    }

    #[test]
    fn a_gap_in_the_file_or_on_the_device_is_a_border() {
        let hole = [extent(0, 8192, 4096, PLAIN), extent(8192, 12288, 4096, PLAIN)];
        let jump = [extent(0, 8192, 4096, PLAIN), extent(4096, 16384, 4096, PLAIN)];
        let back = [extent(0, 8192, 4096, PLAIN), extent(4096, 4096, 4096, PLAIN)];
        assert_eq!([joined(&hole).len(), joined(&jump).len(), joined(&back).len()], [2, 2, 2]);
    }

    #[test]
    fn what_is_not_on_the_device_is_left_out() {
        let extents = [extent(0, 0, 100, Kinds::INLINE), extent(4096, 0, 4096, Kinds::DELAYED)];
        assert_eq!(joined(&extents), []);
    }

    #[test]
    fn compressed_extents_never_touch() {
        let extents =
            [extent(0, 8192, 4096, Kinds::COMPRESSED), extent(4096, 12288, 4096, Kinds::COMPRESSED)];
        assert_eq!(joined(&extents).len(), 2);
    }

    #[test]
    fn extents_at_the_end_of_the_numbers_do_not_overflow() {
        let last = u64::MAX - 1;
        let extents = [extent(last, last, 4096, PLAIN), extent(last, last, u64::MAX, PLAIN)];
        assert_eq!(joined(&extents).len(), 2);
    }
}
