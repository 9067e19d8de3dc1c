//! Damaged and truncated images: what could not be read is counted as that, and neither as free nor as in use.
//!
//! The images are made by mke2fs, mkfs.xfs and mkfs.btrfs, which need no root.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;

use fsgauge_wire::{FreeSpace, ScanResult};

use crate::mounts::{job, scan};
use crate::support::btrfs::{blocks, chunks_by_dump, dump, places_of};
use crate::support::{Made, small};

const MIB: u64 = 1 << 20;

fn scanned(made: &Made) -> (FreeSpace, ScanResult) {
    let found = scan(&job(&made.image)).unwrap();
    (found.free.clone().unwrap(), found)
}

fn open(made: &Made) -> File {
    OpenOptions::new().read(true).write(true).open(&made.image).unwrap()
}

/// Before and after damage: nothing is said to be free that was not, and what is missing may be in what is unread.
fn covers(before: &FreeSpace, after: &FreeSpace) {
    let unread = after.unread_bytes.unwrap();
    assert!(after.size_bytes < before.size_bytes, "{} {}", after.size_bytes, before.size_bytes);
    assert!(after.size_bytes + unread >= before.size_bytes, "{after:?} after {before:?}");
}

#[test]
fn an_ext4_image_that_ends_early_has_groups_that_are_not_known() {
    let made =
        small::ext(&["-t", "ext4", "-b", "1024", "-N", "2048", "-g", "2048", "-O", "^flex_bg"], 24 << 20);
    let (before, found) = scanned(&made);
    assert_eq!((before.unread_bytes, before.unallocated_bytes), (Some(0), Some(0)));
    assert_eq!(before.device_bytes, Some(before.size_bytes));
    for kept in [12, 3u64] {
        open(&made).set_len(kept * MIB).unwrap();
        let (after, _) = scanned(&made);
        covers(&before, &after);
        // Whole groups, less their own structures; a group's bitmap lies in it.
        let gone = found.source.size_bytes - kept * MIB;
        let unread = after.unread_bytes.unwrap();
        assert!(unread <= gone && unread > gone * 3 / 4, "{unread} of {gone}");
    }
}

#[test]
fn an_ext4_bitmap_that_lies_nowhere_is_not_known() {
    let made = small::ext(
        &["-t", "ext4", "-b", "1024", "-g", "2048", "-O", "^flex_bg,^metadata_csum,^64bit"],
        24 << 20,
    );
    let (before, _) = scanned(&made);
    // The descriptor of group 3, of 32 bytes: the block of its bitmap.
    open(&made).write_all_at(&[0xFF; 4], 2048 + 3 * 32).unwrap();
    let (after, found) = scanned(&made);
    covers(&before, &after);
    assert!(after.unread_bytes.unwrap() <= found.groups[3].size_bytes);
    assert!(found.problems.iter().any(|problem| problem.code == "damaged"));
}

#[test]
fn damage_to_files_alone_leaves_free_space_known() {
    let made = small::xfs(&["-d", "agcount=2"]);
    let (before, _) = scanned(&made);
    assert_eq!(before.unread_bytes, Some(0));
    let file = open(&made);
    // The first inode that is a regular file: its magic number.
    let inode = (0..200_000u64).find(|number| {
        let mut head = [0; 4];
        file.read_exact_at(&mut head, number * 512).unwrap();
        head[..2] == *b"IN" && head[2] & 0xF0 == 0x80
    });
    file.write_all_at(b"XX", inode.unwrap() * 512).unwrap();
    let (after, found) = scanned(&made);
    assert_eq!(found.problems.len(), 1, "{:?}", found.problems);
    assert_eq!(after, before);
}

#[test]
fn an_xfs_group_without_its_header_or_its_tree_is_not_known() {
    let made = small::xfs(&["-d", "agcount=4"]);
    let (before, found) = scanned(&made);
    assert_eq!(before.unread_bytes, Some(0));
    let group = found.groups[1];
    let file = open(&made);
    let mut word = [0; 4];
    // The header of the group's free space; then the root of its tree by block.
    file.read_exact_at(&mut word, group.offset_bytes + 512 + 16).unwrap();
    let root = group.offset_bytes + u64::from(u32::from_be_bytes(word)) * 4096;
    for (at, unread) in [(group.offset_bytes + 512, group.size_bytes - 4096), (root, group.size_bytes)] {
        file.read_exact_at(&mut word, at).unwrap();
        file.write_all_at(b"gone", at).unwrap();
        let (after, _) = scanned(&made);
        covers(&before, &after);
        assert_eq!(after.unread_bytes, Some(unread));
        assert_eq!(after.size_bytes, before.size_bytes - group.free_bytes);
        file.write_all_at(&word, at).unwrap();
    }
    assert_eq!(scanned(&made).0, before);
}

#[test]
fn a_record_of_xfs_that_makes_no_sense_hides_free_space_of_its_group_alone() {
    let made = small::xfs(&["-d", "agcount=2"]);
    let (before, found) = scanned(&made);
    let group = found.groups[0];
    let file = open(&made);
    let mut word = [0; 4];
    file.read_exact_at(&mut word, 512 + 16).unwrap();
    let leaf = u64::from(u32::from_be_bytes(word)) * 4096;
    let mut count = [0; 2];
    file.read_exact_at(&mut count, leaf + 6).unwrap();
    let last = leaf + 56 + 8 * (u64::from(u16::from_be_bytes(count)) - 1);
    let mut record = [0; 8];
    file.read_exact_at(&mut record, last).unwrap();
    file.write_all_at(&[0xFF; 4], last + 4).unwrap();
    let (after, _) = scanned(&made);
    covers(&before, &after);
    let length = u64::from(u32::from_be_bytes(record[4..].try_into().unwrap())) * 4096;
    assert_eq!(after.size_bytes, before.size_bytes - length);
    assert!((length..=group.size_bytes).contains(&after.unread_bytes.unwrap()));
}

#[test]
fn an_xfs_image_that_ends_early_has_groups_that_are_not_known() {
    let made = small::xfs(&["-d", "agcount=4"]);
    let (before, found) = scanned(&made);
    let group_bytes = found.groups[0].size_bytes;
    open(&made).set_len(2 * group_bytes).unwrap();
    let (after, _) = scanned(&made);
    covers(&before, &after);
    assert_eq!(after.unread_bytes, Some(found.source.size_bytes - 2 * group_bytes));
}

#[test]
fn a_lost_leaf_of_the_extents_of_btrfs_is_not_known() {
    let made = small::btrfs(&["--nodesize", "4096", "-m", "single"], 120 << 20);
    let (before, found) = scanned(&made);
    assert_eq!(before.unread_bytes, Some(0));
    assert!(before.unallocated_bytes.unwrap() > 0);
    let chunks = chunks_by_dump(&made);
    let file = open(&made);
    let (mut hidden, leaves) = (0, blocks(&dump(&made, "extent"), "leaf"));
    assert!(leaves.len() > 1, "{leaves:?}");
    for leaf in leaves {
        let at = places_of(leaf, &chunks)[0];
        let mut word = [0; 8];
        file.read_exact_at(&mut word, at).unwrap();
        file.write_all_at(b"no crc32", at).unwrap();
        let (after, _) = scanned(&made);
        let unread = after.unread_bytes.unwrap();
        assert!(after.size_bytes <= before.size_bytes && after.size_bytes + unread >= before.size_bytes);
        assert!(unread <= found.groups.iter().map(|group| group.size_bytes).sum());
        assert_eq!(after.unallocated_bytes, before.unallocated_bytes);
        hidden += u64::from(unread > 0);
        file.write_all_at(&word, at).unwrap();
    }
    assert!(hidden > 0);
    assert_eq!(scanned(&made).0, before);
}

/// What no chunk is known to have may still be a chunk's.
#[test]
fn a_lost_leaf_of_the_chunks_of_btrfs_leaves_no_room_that_is_known() {
    let made = small::btrfs(&["-m", "single"], 120 << 20);
    let (before, found) = scanned(&made);
    let at = places_of(blocks(&dump(&made, "chunk"), "leaf")[0], &chunks_by_dump(&made))[0];
    open(&made).write_all_at(b"no crc32", at).unwrap();
    let (after, _) = scanned(&made);
    assert_eq!((after.size_bytes, after.unallocated_bytes), (0, Some(0)));
    let known = found.source.size_bytes - MIB;
    assert!(after.unread_bytes.unwrap() <= known);
    assert!(after.unread_bytes.unwrap() >= before.size_bytes + before.unallocated_bytes.unwrap());
}
