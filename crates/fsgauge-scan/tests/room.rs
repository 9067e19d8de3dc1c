//! What decides whether free space can be used, on real file systems: places for inodes, reserves, deleted files, blocks
//! behind the ends of files. Needs root and loop devices: elsewhere it says so and is skipped.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use fsgauge_wire::InodeChunk;
use rustix::fs::{FallocateFlags, fallocate};

use crate::mounts::{job, mounted_or_skip, scan, sync, tool};

const MIB: u64 = 1 << 20;

/// Fills an XFS, then frees pieces of 28 KiB in every 32.
fn in_small_pieces(point: &Path) {
    let hog = File::create(point.join("hog")).unwrap();
    let mut end = 0;
    while fallocate(&hog, FallocateFlags::empty(), end, MIB).is_ok() {
        end += MIB;
    }
    let rest = File::create(point.join("rest")).unwrap();
    let mut at = 0;
    while fallocate(&rest, FallocateFlags::empty(), at, 4096).is_ok() {
        at += 4096;
    }
    let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    (0..end).step_by(32 << 10).for_each(|at| fallocate(&hog, flags, at, 28 << 10).unwrap());
    hog.sync_all().unwrap();
}

#[test]
fn an_xfs_whose_free_pieces_hold_no_inodes_is_told_mounted_and_as_an_image() {
    for (sparse, has_places) in [("sparse=0", false), ("sparse=1", true)] {
        let mkfs = ["mkfs.xfs", "-q", "-f", "-i", sparse, "-d", "agcount=2"];
        let Some(mut mounted) = mounted_or_skip(400 * MIB, &mkfs, "rw") else { return };
        in_small_pieces(&mounted.point);
        let mut files = 0u64;
        while !has_places && File::create(mounted.point.join(format!("t{files}"))).is_ok() {
            files += 1;
            assert!(files < 100_000, "new inodes are still made");
        }
        sync(&mounted.point);
        let by_mount = scan(&job(&mounted.point)).unwrap().room;
        mounted.unmount();
        let on_disk = scan(&job(Path::new(&mounted.device))).unwrap().room;
        let chunk = by_mount.inode_chunk.unwrap();
        let on_disk = InodeChunk { free_inodes: chunk.free_inodes, ..on_disk.inode_chunk.unwrap() };
        assert_eq!(chunk, on_disk, "{sparse}");
        assert_eq!(chunk.least_bytes, if has_places { 16 << 10 } else { 32 << 10 });
        assert_eq!(chunk.places.unwrap() > 0, has_places, "{sparse}: {chunk:?}");
        if !has_places {
            assert!(chunk.free_inodes < 300, "the kernel's counter is of each processor");
            assert!(by_mount.counted.unwrap().free_bytes > 200 * MIB);
        }
    }
}

#[test]
fn what_ext4_keeps_for_root_and_its_inodes_are_told_alike() {
    let mkfs = ["mkfs.ext4", "-q", "-m", "10", "-N", "64"];
    let Some(mut mounted) = mounted_or_skip(64 * MIB, &mkfs, "rw") else { return };
    let by_mount = scan(&job(&mounted.point)).unwrap().room;
    mounted.unmount();
    let on_disk = scan(&job(Path::new(&mounted.device))).unwrap().room;
    assert_eq!((by_mount.inodes, by_mount.reserved_bytes), (on_disk.inodes, on_disk.reserved_bytes));
    assert!(by_mount.reserved_bytes.unwrap() > 6 * MIB && by_mount.inodes.unwrap().total >= 64);
    assert!(on_disk.counted.is_none() && on_disk.deleted.is_none());
}

#[test]
fn files_deleted_while_open_are_files_without_a_name_on_an_image() {
    for mkfs in [&["mkfs.ext4", "-q"][..], &["mkfs.xfs", "-q"], &["mkfs.btrfs", "-q"]] {
        let Some(mounted) = mounted_or_skip(384 * MIB, mkfs, "rw") else { return };
        let path = mounted.point.join("log");
        let mut log = File::create(&path).unwrap();
        log.write_all(&vec![9; 8 << 20]).unwrap();
        log.sync_all().unwrap();
        fs::remove_file(&path).unwrap();
        sync(&mounted.point);
        // As a crash leaves it: the device under a mount that is held open.
        let copy = mounted.point.parent().unwrap().join("copy");
        if mkfs[0] != "mkfs.xfs" {
            tool("cp", &["--sparse=always", &mounted.device, copy.to_str().unwrap()]).unwrap();
            let counts = scan(&job(&copy)).unwrap().counts;
            assert_eq!((counts.unnamed_files, counts.unnamed_bytes >= 8 * MIB), (1, true), "{mkfs:?}");
        }
        drop(log);
    }
}

#[test]
fn blocks_behind_the_end_of_a_file_are_counted() {
    for mkfs in [&["mkfs.ext4", "-q", "-b", "4096"][..], &["mkfs.xfs", "-q"], &["mkfs.btrfs", "-q"]] {
        let Some(mut mounted) = mounted_or_skip(384 * MIB, mkfs, "rw") else { return };
        let mut file = File::create(mounted.point.join("ahead")).unwrap();
        file.write_all(&[1; 5000]).unwrap();
        fallocate(&file, FallocateFlags::KEEP_SIZE, 0, 4 * MIB).unwrap();
        file.sync_all().unwrap();
        fs::write(mounted.point.join("exact"), vec![2; 8192]).unwrap();
        sync(&mounted.point);
        let by_mount = scan(&job(&mounted.point)).unwrap().counts;
        drop(file);
        mounted.unmount();
        let on_disk = scan(&job(Path::new(&mounted.device))).unwrap().counts;
        let expected = (1, 4 * MIB - 8192);
        assert_eq!((by_mount.beyond_end_files, by_mount.beyond_end_bytes), expected, "{mkfs:?}");
        assert_eq!((on_disk.beyond_end_files, on_disk.beyond_end_bytes), expected, "{mkfs:?}");
    }
}
