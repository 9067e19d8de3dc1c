//! Joining extents: what lies in one piece is one extent, however the file system notes it down.

use crate::extent::{Extent, Kinds};

/// Kinds that take no place of their own on the device.
pub(crate) const PLACELESS: Kinds = Kinds(Kinds::DELAYED.0 | Kinds::INLINE.0);

/// Puts the extents that take a place on the device into `joined`: two that touch in the file and, by their lengths
/// there, on the device become one, which is of both their kinds.
pub(crate) fn join(extents: &[Extent], joined: &mut Vec<Extent>) {
    joined.clear();
    for extent in extents.iter().filter(|extent| !extent.kinds.has(PLACELESS)) {
        match joined.last_mut().filter(|last| touch(last, extent)) {
            Some(last) => {
                last.length_bytes += extent.length_bytes;
                last.device_bytes += extent.device_bytes;
                last.kinds = last.kinds.with(extent.kinds);
            }
            None => joined.push(*extent),
        }
    }
}

fn touch(last: &Extent, next: &Extent) -> bool {
    // Nothing is known to touch an end that is not known. With that of the second one, so is the end of both.
    let ends_are_known = last.device_bytes > 0 && next.device_bytes > 0;
    ends_are_known
        && touch_in_file(last, next)
        && last.physical_bytes.checked_add(last.device_bytes) == Some(next.physical_bytes)
        && last.length_bytes.checked_add(next.length_bytes).is_some()
        && last.device_bytes.checked_add(next.device_bytes).is_some()
}

/// Whether two that were not joined may lie in one piece all the same: the first one's end is not known, and the
/// second begins within what the first takes at most.
pub(crate) fn may_touch(last: &Extent, next: &Extent) -> bool {
    let ahead = next.physical_bytes.checked_sub(last.physical_bytes);
    last.device_bytes == 0
        && !last.kinds.with(next.kinds).has(Kinds::NOWHERE)
        && touch_in_file(last, next)
        && ahead.is_some_and(|ahead| ahead > 0 && ahead <= last.length_bytes)
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
        Extent::plain(logical_bytes, physical_bytes, length_bytes, kinds)
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
    fn compressed_extents_touch_by_their_lengths_on_the_device() {
        let compressed = |at: u64, physical: u64, device_bytes: u64| Extent {
            device_bytes,
            ..extent(at << 17, physical, 1 << 17, Kinds::COMPRESSED)
        };
        let whole = [compressed(0, 8192, 4096), compressed(1, 12288, 8192), compressed(2, 20480, 4096)];
        let one = Extent { length_bytes: 3 << 17, device_bytes: 16384, ..whole[0] };
        assert_eq!(joined(&whole), [one]);
        let apart = [compressed(0, 8192, 4096), compressed(1, 16384, 4096)];
        assert_eq!(joined(&apart).len(), 2);
        assert!(!may_touch(&apart[0], &apart[1]), "it is known that they do not");
    }

    #[test]
    fn what_ends_nobody_knows_where_may_touch_what_begins_within_its_contents() {
        let compressed = |at: u64, physical: u64| Extent {
            device_bytes: 0,
            ..extent(at << 17, physical, 1 << 17, Kinds::COMPRESSED)
        };
        assert_eq!(joined(&[compressed(0, 8192), compressed(1, 12288)]).len(), 2);
        let may = |next: Extent| may_touch(&compressed(0, 8192), &next);
        assert!(may(compressed(1, 12288)) && may(compressed(1, 8192 + (1 << 17))));
        assert!(!may(compressed(1, 8192 + (1 << 17) + 4096)) && !may(compressed(1, 4096)));
        assert!(!may(compressed(1, 8192)) && !may(compressed(2, 12288)));
    }

    #[test]
    fn extents_at_the_end_of_the_numbers_do_not_overflow() {
        let last = u64::MAX - 1;
        let extents = [extent(last, last, 4096, PLAIN), extent(last, last, u64::MAX, PLAIN)];
        assert_eq!(joined(&extents).len(), 2);
    }
}
