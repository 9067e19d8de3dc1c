//! The same file system, read in two ways, has the same files and the same free space. Needs root and loop
//! devices: elsewhere it says so and is skipped; FSGAUGE_TEST_ROOT=1 makes a machine that cannot run it a failure.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fsgauge_wire::{ScanJob, ScanResult};

use crate::mounts::{Mounted, fill, job, mounted_or_skip, scan, sync, text, tool, unmount};

const MIB: u64 = 1 << 20;

/// Everything asked for.
fn whole(path: &Path) -> ScanJob {
    ScanJob { top: 1000, map_order: 4, ..job(path) }
}

/// Scans a device by its mount, then unmounted.
fn both(mounted: &mut Mounted) -> (ScanResult, ScanResult) {
    fill(&mounted.point).unwrap();
    mounted.unmount();
    tool("mount", &["-o", "ro", &mounted.device, text(&mounted.point)]).unwrap();
    let by_mount = scan(&whole(&mounted.point));
    unmount(&mounted.point);
    (by_mount.unwrap(), scan(&whole(Path::new(&mounted.device))).unwrap())
}

/// Fragmented files with their extents; names as seen from the file system's root.
fn files(found: &ScanResult, root: &Path) -> BTreeMap<String, Vec<(u64, u64, u64)>> {
    let name = |name: &str| format!("/{}", name.trim_start_matches(text(root)).trim_start_matches('/'));
    found
        .top
        .iter()
        .map(|file| {
            let extents = file.list.iter();
            let extents = extents.map(|each| (each.logical_bytes, each.physical_bytes, each.length_bytes));
            (name(&file.name), extents.collect())
        })
        .collect()
}

fn check(mut mounted: Mounted) {
    let (by_mount, on_disk) = both(&mut mounted);
    assert_eq!((by_mount.source.files_by.as_str(), on_disk.source.files_by.as_str()), ("fiemap", "on-disk"));
    assert_eq!((&on_disk.source.mount_point, on_disk.source.writable), (&None, false));
    assert_eq!(by_mount.source.file_system, on_disk.source.file_system);
    assert!(by_mount.source.uuid.is_some() && by_mount.source.uuid == on_disk.source.uuid);
    let told = tool("blkid", &["-p", "-s", "UUID", "-o", "value", &mounted.device]).unwrap();
    assert_eq!(on_disk.source.uuid.as_deref(), Some(told.trim()));
    let expected = match on_disk.source.file_system.as_str() {
        "xfs" => "free space trees",
        "btrfs" => "extent tree",
        _ => "bitmaps",
    };
    assert_eq!(on_disk.source.space_by, expected);
    assert_eq!(by_mount.source.size_bytes, on_disk.source.size_bytes);
    assert_eq!(by_mount.counts, on_disk.counts);
    assert_eq!(by_mount.extent_lengths, on_disk.extent_lengths);
    assert_eq!(by_mount.free, on_disk.free);
    assert_eq!(by_mount.groups, on_disk.groups);
    assert_eq!(files(&by_mount, &mounted.point), files(&on_disk, Path::new("/")));
    let (one, other) = (by_mount.map.unwrap(), on_disk.map.unwrap());
    assert_eq!((one.free, one.cell_bytes), (other.free, other.cell_bytes));
    match on_disk.source.file_system.as_str() {
        // Extents stay whole while a part of them is used; the tree of extents has them all, files only their parts.
        "btrfs" => assert!(one.data.iter().zip(&other.data).all(|(by_files, whole)| by_files <= whole)),
        _ => assert_eq!(one.data, other.data),
    }
    assert_eq!(on_disk.problems, []);

    let of_image = scan(&whole(&mounted.image())).unwrap();
    assert_eq!(
        (of_image.counts, of_image.free),
        (on_disk.counts, on_disk.free),
        "the file behind the device"
    );
}

#[test]
fn ext4_mounted_and_from_its_own_structures() {
    let Some(mounted) = mounted_or_skip(96 * MIB, &["mkfs.ext4", "-q", "-b", "4096"], "rw") else { return };
    check(mounted);
}

/// Files that are open and growing, each a little behind the others, and small ones that were just written.
fn grow_together(root: &Path) -> Vec<fs::File> {
    let mut open: Vec<fs::File> =
        (0..100).map(|file| fs::File::create(root.join(format!("growing{file}"))).unwrap()).collect();
    for round in 0..6 {
        for file in &mut open {
            file.write_all(&[round; 32 << 10]).unwrap();
            if round % 2 == 1 {
                file.sync_data().unwrap();
            }
        }
    }
    for size in 0..40 {
        fs::write(root.join(format!("small{size}")), vec![1; size * 7]).unwrap();
    }
    sync(root);
    open
}

/// What is free does not depend on who has a file open, nor do the extents of files: as the file system is read while
/// files are open, so is it after they were closed and it was unmounted. ext4's allocator lists what it holds for open
/// files as used: of an ext4 that was 5 % full, 44 % were shown, and 8 free pieces in place of 107.
fn check_with_open_files(mut mounted: Mounted, expected: &str) {
    let open = grow_together(&mounted.point);
    let live = scan(&job(&mounted.point)).unwrap();
    drop(open);
    mounted.unmount();
    let after = scan(&job(Path::new(&mounted.device))).unwrap();
    assert_eq!(live.source.space_by, expected);
    assert_eq!(live.counts, after.counts);
    assert_eq!((live.free, live.groups), (after.free, after.groups));
    assert_eq!((live.problems, after.problems), (vec![], vec![]));
    let reason = live.source.space_reason.unwrap_or_default();
    assert_eq!(reason.contains("getfsmap counts"), expected == "bitmaps", "{reason}");
}

#[test]
fn what_ext4_holds_for_open_files_is_free() {
    let mkfs = ["mkfs.ext4", "-q", "-b", "4096", "-O", "inline_data"];
    let Some(mounted) = mounted_or_skip(512 * MIB, &mkfs, "rw") else { return };
    check_with_open_files(mounted, "bitmaps");
}

#[test]
fn xfs_with_open_files_has_the_same_free_space_as_after_them() {
    let Some(mounted) = mounted_or_skip(320 * MIB, &["mkfs.xfs", "-q"], "rw") else { return };
    check_with_open_files(mounted, "getfsmap");
}

#[test]
fn btrfs_with_open_files_has_the_same_free_space_as_after_them() {
    let Some(mounted) = mounted_or_skip(320 * MIB, &["mkfs.btrfs", "-q"], "rw") else { return };
    check_with_open_files(mounted, "free space trees");
}

#[test]
fn xfs_mounted_and_from_its_own_structures() {
    let Some(mounted) = mounted_or_skip(320 * MIB, &["mkfs.xfs", "-q"], "rw") else { return };
    check(mounted);
}

#[test]
fn btrfs_mounted_and_from_its_own_structures() {
    let Some(mounted) = mounted_or_skip(256 * MIB, &["mkfs.btrfs", "-q"], "rw") else { return };
    check(mounted);
}

#[test]
fn btrfs_with_a_superblock_among_its_data() {
    let mkfs = ["mkfs.btrfs", "-q", "-m", "single"];
    let Some(mounted) = mounted_or_skip(1200 * MIB, &mkfs, "rw") else { return };
    check(mounted);
}

#[test]
fn the_buddy_allocators_own_numbers_are_those_of_getfsmap() {
    let Some(mounted) = mounted_or_skip(96 * MIB, &["mkfs.ext4", "-q", "-b", "4096"], "rw") else { return };
    fill(&mounted.point).unwrap();
    // The allocator holds nothing for files right after a mount.
    unmount(&mounted.point);
    tool("mount", &[&mounted.device, text(&mounted.point)]).unwrap();
    let found = scan(&job(&mounted.point)).unwrap();
    let name = Path::new(&mounted.device).file_name().unwrap();
    let said = fs::read_to_string(Path::new("/proc/fs/ext4").join(name).join("mb_groups")).unwrap();
    let numbers = |line: &str| {
        let (_, numbers) = line.split_once(':')?;
        let mut numbers = numbers.split_whitespace().map_while(|word| word.parse::<u64>().ok());
        Some((numbers.next()?, numbers.next()?))
    };
    let said: Vec<(u64, u64)> = said.lines().filter_map(numbers).collect();
    let ours: Vec<(u64, u64)> =
        found.groups.iter().map(|group| (group.free_bytes / 4096, group.free_extents)).collect();
    assert_eq!(ours, said, "free blocks and pieces of each group");
}

#[test]
fn an_image_that_is_mounted_is_read_with_a_word_about_it() {
    let Some(mounted) = mounted_or_skip(64 * MIB, &["mkfs.ext4", "-q"], "rw") else { return };
    fs::write(mounted.point.join("file"), vec![1; 5000]).unwrap();
    sync(&mounted.point);
    let found = scan(&job(&mounted.image())).unwrap();
    assert_eq!(found.source.mount_point.as_deref(), Some(text(&mounted.point)));
    assert!(found.source.writable);
    assert!(found.notes.iter().any(|note| note.code == "image_is_mounted"), "{:?}", found.notes);
}

#[test]
fn files_that_come_grow_and_go_meanwhile_stop_nothing() {
    let Some(mounted) = mounted_or_skip(128 * MIB, &["mkfs.ext4", "-q", "-b", "4096"], "rw") else { return };
    let point = &mounted.point;
    for file in 0..300 {
        fs::write(point.join(format!("stays{file}")), vec![1; 5000]).unwrap();
    }
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in (0..).take_while(|_| !is_over.load(Ordering::Relaxed)) {
                let path = point.join(format!("comes-and-goes{}", round % 50));
                // A full file system refuses some; what matters is that they change.
                let _ = fs::write(&path, vec![1; 1 + round % 100_000]);
                let _ = fs::remove_file(&path).and_then(|()| fs::create_dir(&path));
                let _ = fs::remove_dir(&path);
            }
        });
        for _ in 0..30 {
            let found = scan(&job(point));
            let found = found.inspect_err(|_| is_over.store(true, Ordering::Relaxed)).unwrap();
            if !(300..=350).contains(&found.counts.files) {
                is_over.store(true, Ordering::Relaxed);
            }
            assert!((300..=350).contains(&found.counts.files), "{:?}", found.counts);
            let known = |code: &str| ["vanished", "changed", "free_space_differs"].contains(&code);
            let are_known = found.problems.iter().all(|problem| known(&problem.code));
            is_over.fetch_or(!are_known, Ordering::Relaxed);
            assert!(are_known, "{:?}", found.problems);
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_device_without_a_file_system_is_an_error_that_says_so() {
    let Some(mut mounted) = mounted_or_skip(64 * MIB, &["mkfs.ext4", "-q"], "rw") else { return };
    mounted.unmount();
    // Through the device: behind its back, what it has cached would stay.
    let device = fs::OpenOptions::new().write(true).open(&mounted.device).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&device, &vec![0; MIB as usize], 0).unwrap();
    device.sync_all().unwrap();
    let failure = scan(&job(Path::new(&mounted.device))).unwrap_err();
    assert_eq!((failure.code.as_str(), failure.exit_code()), ("job.file_system", 2));
}
