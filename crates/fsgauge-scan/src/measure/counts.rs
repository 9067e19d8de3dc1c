//! How many files and extents, by kind, and the layout score's pairs.

use fsgauge_wire::{Jumps, ScanCounts};

use super::join::{PLACELESS, are_told_as_one, may_touch, touch_in_file};
use crate::extent::{Extent, FileExtents, Kinds};

/// What Linux asks a device for at a time, of one stream.
const REQUEST_BYTES: u64 = 512 << 10;

/// Counts one file, whose joined extents are `joined`.
pub(crate) fn count(counts: &mut ScanCounts, file: &FileExtents<'_>, joined: &[Extent], block_bytes: u64) {
    counts.files += 1;
    counts.files_without_extents += u64::from(joined.is_empty());
    counts.fragmented_files += u64::from(joined.len() > 1);
    counts.extents += joined.len() as u64;
    count_raw(counts, file);
    count_pairs(counts, joined, block_bytes);
    if joined.len() > 1 {
        let short = joined.iter().filter(|extent| extent.room_bytes() < REQUEST_BYTES);
        let bytes = short.map(|extent| extent.length_bytes).fold(0, u64::saturating_add);
        counts.short_bytes = counts.short_bytes.saturating_add(bytes);
    }
    count_jumps(counts.jumps.get_or_insert_default(), joined);
    let undecided = joined.windows(2).filter(|pair| may_touch(&pair[0], &pair[1])).count();
    if undecided > 0 {
        counts.undecided_extents += undecided as u64;
        counts.undecided_files += u64::from(undecided + 1 == joined.len());
    }
    count_beyond_end(counts, file, block_bytes);
    counts.tail_bytes = counts.tail_bytes.saturating_add(tail_bytes(file, block_bytes));
}

/// A hole in the file is none on the device. Where the first one's end is not known, neither is whether there is a jump.
fn count_jumps(jumps: &mut Jumps, joined: &[Extent]) {
    for pair in joined.windows(2).filter(|pair| !may_touch(&pair[0], &pair[1])) {
        let end = pair[0].physical_bytes.saturating_add(pair[0].room_bytes());
        match pair[1].physical_bytes.checked_sub(end) {
            Some(0) => {}
            Some(ahead) if ahead <= REQUEST_BYTES => {
                jumps.near += 1;
                jumps.passed_bytes = jumps.passed_bytes.saturating_add(ahead);
            }
            _ => jumps.far += 1,
        }
    }
}

/// What is allocated behind the end of a file, which no program reads. The hashes of fs-verity lie there too.
fn count_beyond_end(counts: &mut ScanCounts, file: &FileExtents<'_>, block_bytes: u64) {
    let is_verity = file.extents.iter().any(|extent| extent.kinds.has(Kinds::VERITY));
    counts.verity_files += u64::from(is_verity);
    let end = file.size_bytes.checked_next_multiple_of(block_bytes.max(1)).unwrap_or(u64::MAX);
    let beyond = |extent: &Extent| {
        extent.logical_bytes.saturating_add(extent.length_bytes).saturating_sub(extent.logical_bytes.max(end))
    };
    let placed = file.extents.iter().rev().filter(|extent| !extent.kinds.has(PLACELESS));
    let bytes = placed.map(beyond).take_while(|bytes| *bytes > 0).fold(0, u64::saturating_add);
    if bytes > 0 && !is_verity {
        counts.beyond_end_files += 1;
        counts.beyond_end_bytes = counts.beyond_end_bytes.saturating_add(bytes);
    }
}

/// What a file leaves of its last block.
fn tail_bytes(file: &FileExtents<'_>, block_bytes: u64) -> u64 {
    let has_no_block = PLACELESS.with(Kinds::COMPRESSED).with(Kinds::SHARED);
    let holds = |extent: &Extent, place: u64| {
        extent.logical_bytes <= place && place < extent.logical_bytes.saturating_add(extent.length_bytes)
    };
    let last = file.size_bytes.checked_sub(1).and_then(|last| {
        file.extents.iter().rev().find(|&extent| holds(extent, last) && !extent.kinds.has(has_no_block))
    });
    let end = file.size_bytes.checked_next_multiple_of(block_bytes.max(1)).unwrap_or(file.size_bytes);
    if last.is_some() { end - file.size_bytes } else { 0 }
}

fn count_raw(counts: &mut ScanCounts, file: &FileExtents<'_>) {
    let mut covered_bytes = 0u64;
    let mut last: Option<&Extent> = None;
    for extent in file.extents {
        let end = extent.logical_bytes.saturating_add(extent.length_bytes).min(file.size_bytes);
        covered_bytes = covered_bytes.saturating_add(end.saturating_sub(extent.logical_bytes));
        let has = |kind: Kinds| u64::from(extent.kinds.has(kind));
        if extent.kinds.has(PLACELESS) {
            counts.delayed_extents += has(Kinds::DELAYED);
            counts.inline_extents += u64::from(!extent.kinds.has(Kinds::DELAYED));
            continue;
        }
        // As many from the device as from FIEMAP.
        if last.replace(extent).is_some_and(|last| are_told_as_one(last, extent)) {
            continue;
        }
        counts.raw_extents += 1;
        if extent.kinds != Kinds::default() {
            counts.unwritten_extents += has(Kinds::UNWRITTEN);
            counts.compressed_extents += has(Kinds::COMPRESSED);
            counts.encrypted_extents += has(Kinds::ENCRYPTED);
            counts.shared_extents += has(Kinds::SHARED);
        }
    }
    counts.sparse_files += u64::from(covered_bytes < file.size_bytes);
}

/// The pairs of Smith and Seltzer's layout score (SIGMETRICS 1997): blocks that follow one another in the file,
/// and of them those that do so on the device. A hole's neighbours are no pair.
fn count_pairs(counts: &mut ScanCounts, joined: &[Extent], block_bytes: u64) {
    for extent in joined {
        let within = extent.length_bytes.div_ceil(block_bytes.max(1)).saturating_sub(1);
        counts.extent_bytes = counts.extent_bytes.saturating_add(extent.length_bytes);
        counts.block_pairs = counts.block_pairs.saturating_add(within);
        counts.contiguous_block_pairs = counts.contiguous_block_pairs.saturating_add(within);
    }
    let between = joined.windows(2).filter(|pair| touch_in_file(&pair[0], &pair[1])).count();
    counts.block_pairs = counts.block_pairs.saturating_add(between as u64);
}

/// Adds what another thread counted.
pub(crate) fn add(to: &mut ScanCounts, more: &ScanCounts) {
    to.files += more.files;
    to.folders += more.folders;
    to.files_without_extents += more.files_without_extents;
    to.fragmented_files += more.fragmented_files;
    to.sparse_files += more.sparse_files;
    to.extents += more.extents;
    to.extent_bytes = to.extent_bytes.saturating_add(more.extent_bytes);
    to.raw_extents += more.raw_extents;
    to.unwritten_extents += more.unwritten_extents;
    to.delayed_extents += more.delayed_extents;
    to.inline_extents += more.inline_extents;
    to.compressed_extents += more.compressed_extents;
    to.encrypted_extents += more.encrypted_extents;
    to.shared_extents += more.shared_extents;
    to.shared_bytes = to.shared_bytes.saturating_add(more.shared_bytes);
    to.short_bytes = to.short_bytes.saturating_add(more.short_bytes);
    if let Some(more) = more.jumps {
        let jumps = to.jumps.get_or_insert_default();
        jumps.far += more.far;
        jumps.near += more.near;
        jumps.passed_bytes = jumps.passed_bytes.saturating_add(more.passed_bytes);
    }
    to.undecided_extents += more.undecided_extents;
    to.undecided_files += more.undecided_files;
    to.verity_files += more.verity_files;
    to.beyond_end_files += more.beyond_end_files;
    to.beyond_end_bytes = to.beyond_end_bytes.saturating_add(more.beyond_end_bytes);
    to.tail_bytes = to.tail_bytes.saturating_add(more.tail_bytes);
    to.unnamed_files += more.unnamed_files;
    to.unnamed_bytes = to.unnamed_bytes.saturating_add(more.unnamed_bytes);
    to.block_pairs = to.block_pairs.saturating_add(more.block_pairs);
    to.contiguous_block_pairs = to.contiguous_block_pairs.saturating_add(more.contiguous_block_pairs);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extent::FileName;
    use crate::measure::join::join;

    const BLOCK: u64 = 4096;

    fn counted(size_blocks: u64, extents: &[(u64, u64, u64, Kinds)]) -> ScanCounts {
        let extents: Vec<Extent> = extents
            .iter()
            .map(|&(logical, physical, length, kinds)| {
                Extent::plain(logical * BLOCK, physical * BLOCK, length * BLOCK, kinds)
            })
            .collect();
        let mut joined = Vec::new();
        join(&extents, &mut joined);
        let file =
            FileExtents { name: FileName::Inode(1), size_bytes: size_blocks * BLOCK, extents: &extents };
        let mut counts = ScanCounts::default();
        count(&mut counts, &file, &joined, BLOCK);
        counts
    }

    const PLAIN: Kinds = Kinds(0);

    #[test]
    fn pairs_touch_within_an_extent_and_not_between_two() {
        let counts = counted(7, &[(0, 10, 4, PLAIN), (4, 100, 3, PLAIN)]);
        assert_eq!((counts.block_pairs, counts.contiguous_block_pairs), (6, 5));
        assert_eq!((counts.extents, counts.fragmented_files, counts.sparse_files), (2, 1, 0));
        assert_eq!(counts.extent_bytes, 7 * BLOCK);
    }

    #[test]
    fn a_hole_makes_a_file_sparse_and_is_no_pair() {
        let counts = counted(5, &[(0, 10, 2, PLAIN), (4, 12, 1, PLAIN)]);
        assert_eq!((counts.block_pairs, counts.contiguous_block_pairs), (1, 1));
        assert_eq!((counts.sparse_files, counts.extents), (1, 2));
        let at_its_end = counted(5, &[(0, 10, 2, PLAIN)]);
        assert_eq!(at_its_end.sparse_files, 1);
    }

    #[test]
    fn a_jump_is_where_the_device_goes_on_elsewhere_than_the_file() {
        let jumps = |extents: &[(u64, u64, u64, Kinds)]| counted(9000, extents).jumps.unwrap();
        let hole = [(0, 10, 2, PLAIN), (4, 12, 1, PLAIN)];
        assert_eq!(jumps(&hole), Jumps::default());
        let near = [(0, 10, 2, PLAIN), (2, 12 + 128, 1, PLAIN), (3, 12 + 130, 1, PLAIN)];
        assert_eq!(jumps(&near), Jumps { far: 0, near: 2, passed_bytes: 129 * BLOCK });
        let far = [(0, 1000, 2, PLAIN), (2, 1002 + 129, 1, PLAIN), (3, 10, 1, PLAIN), (4, 5, 1, PLAIN)];
        assert_eq!(jumps(&far), Jumps { far: 3, near: 0, passed_bytes: 0 });
        let unknown = Extent { device_bytes: 0, ..Extent::plain(0, 8192, 1 << 17, Kinds::COMPRESSED) };
        let next = Extent { logical_bytes: 1 << 17, physical_bytes: 12288, ..unknown };
        let mut found = Jumps::default();
        count_jumps(&mut found, &[unknown, next]);
        assert_eq!(found, Jumps::default());
    }

    #[test]
    fn blocks_beyond_the_end_fill_no_hole() {
        let counts = counted(2, &[(0, 10, 1, PLAIN), (2, 12, 1, Kinds::UNWRITTEN)]);
        assert_eq!((counts.sparse_files, counts.unwritten_extents), (1, 1));
    }

    #[test]
    fn a_file_leaves_the_end_of_its_last_block() {
        let of = |size_bytes, kinds| {
            let extents = [Extent::plain(0, 40 * BLOCK, 2 * BLOCK, kinds)];
            tail_bytes(&FileExtents { name: FileName::Inode(1), size_bytes, extents: &extents }, BLOCK)
        };
        assert_eq!([1, BLOCK, BLOCK + 1, 2 * BLOCK].map(|size| of(size, PLAIN)), [4095, 0, 4095, 0]);
        assert_eq!([0, 2 * BLOCK + 1].map(|size| of(size, PLAIN)), [0, 0], "nothing ends in a hole");
        for kinds in [Kinds::INLINE, Kinds::DELAYED, Kinds::COMPRESSED, Kinds::SHARED] {
            assert_eq!(of(1, kinds), 0);
        }
    }

    #[test]
    fn kinds_are_counted_apart() {
        let kinds = Kinds::UNWRITTEN.with(Kinds::SHARED).with(Kinds::ENCRYPTED);
        let counts = counted(3, &[(0, 1, 1, kinds), (1, 7, 1, Kinds::COMPRESSED), (2, 0, 1, Kinds::DELAYED)]);
        let by_kind = [
            counts.unwritten_extents,
            counts.shared_extents,
            counts.encrypted_extents,
            counts.compressed_extents,
            counts.delayed_extents,
            counts.inline_extents,
        ];
        assert_eq!(by_kind, [1, 1, 1, 1, 1, 0]);
        assert_eq!((counts.raw_extents, counts.extents, counts.sparse_files), (2, 2, 0));
    }

    #[test]
    fn what_touches_and_is_alike_is_one_as_fiemap_of_btrfs_tells_it() {
        let unwritten = Kinds::UNWRITTEN;
        let counts =
            counted(5, &[(0, 10, 1, PLAIN), (1, 11, 1, PLAIN), (2, 12, 1, PLAIN), (3, 13, 2, unwritten)]);
        assert_eq!((counts.raw_extents, counts.unwritten_extents, counts.extents), (2, 1, 1));
        let apart = counted(3, &[(0, 10, 1, PLAIN), (1, 12, 1, PLAIN), (3, 13, 1, PLAIN)]);
        assert_eq!((apart.raw_extents, apart.extents), (3, 3));
    }

    #[test]
    fn an_empty_file_has_no_extents_and_is_not_sparse() {
        let counts = counted(0, &[]);
        assert_eq!((counts.files, counts.files_without_extents, counts.sparse_files), (1, 1, 0));
    }
}
