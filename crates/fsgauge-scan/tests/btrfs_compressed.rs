//! Compressed files of a real btrfs are in as many pieces as on the device, by the trees themselves: read from an image,
//! from a mount by root, and bounded for a user. Needs root and loop devices: elsewhere it says so and is skipped.

use std::fs;
use std::path::Path;

use fsgauge_wire::{ScanCounts, ScanJob, ScanResult};

use crate::mounts::{Mounted, job, mounted_or_skip, scan, sync, text, tool};

const MIB: u64 = 1 << 20;

/// Pieces of the regular files by `dump-tree`: one more for every extent that does not begin where the one before ends.
fn pieces_by_dump(device: &str) -> u64 {
    let dump = tool("btrfs", &["inspect-internal", "dump-tree", "-t", "5", device]).unwrap();
    let (mut pieces, mut last) = (0, None);
    let mut at = (0u64, 0u64);
    for line in dump.lines().map(str::trim) {
        let number = |word: &str| -> Option<u64> {
            line.split_once(word)?
                .1
                .trim_start()
                .split(|letter: char| !letter.is_ascii_digit())
                .next()?
                .parse()
                .ok()
        };
        if let (true, Some(inode)) = (line.contains(" EXTENT_DATA "), number("key (")) {
            at = (inode, number("EXTENT_DATA ").unwrap());
        } else if let (Some(address), Some(bytes)) = (number("extent data disk byte"), number(" nr "))
            && address > 0
        {
            pieces += u64::from(last != Some((at.0, address)));
            last = Some((at.0, address + bytes));
        }
    }
    pieces
}

fn by_user(point: &Path) -> ScanResult {
    let wanted = ScanJob { threads: Some(1), ..job(point) };
    std::thread::scope(|scope| {
        let work = || {
            rustix::thread::set_thread_uid(rustix::process::Uid::from_raw(65_534)).unwrap();
            scan(&wanted).unwrap()
        };
        scope.spawn(work).join().unwrap()
    })
}

fn fill(mounted: &Mounted) {
    use std::os::unix::fs::{FileExt, PermissionsExt};
    let point = &mounted.point;
    fs::set_permissions(point, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(point.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(point.join("whole"), vec![b'a'; 16 << 20]).unwrap();
    sync(point);
    // Two that grow in turns, so that their pieces alternate.
    let files = ["one", "two"].map(|name| fs::File::create(point.join(name)).unwrap());
    for turn in 0..20u64 {
        for file in &files {
            file.write_all_at(&vec![turn as u8; 128 << 10], turn << 17).unwrap();
            file.sync_all().unwrap();
        }
    }
    // Compressed, and overwritten in its middle.
    let middle = fs::File::create(point.join("middle")).unwrap();
    middle.write_all_at(&vec![1; 1 << 20], 0).unwrap();
    middle.sync_all().unwrap();
    middle.write_all_at(&vec![2; 8192], 300 << 10).unwrap();
    middle.sync_all().unwrap();
    sync(point);
}

fn truth(counts: &ScanCounts) -> (u64, u64, u64) {
    (counts.files, counts.extents, counts.undecided_extents)
}

#[test]
fn compressed_files_are_in_as_many_pieces_as_on_the_device() {
    for options in ["compress-force=zstd", "compress-force=lzo", "compress=zlib", "nodatacow"] {
        let Some(mut mounted) = mounted_or_skip(512 * MIB, &["mkfs.btrfs", "-q"], options) else { return };
        fill(&mounted);
        let by_root = scan(&job(&mounted.point)).unwrap();
        let by_user = by_user(&mounted.point).counts;
        let pieces = pieces_by_dump(&mounted.device);
        mounted.unmount();
        let on_disk = scan(&job(Path::new(&mounted.device))).unwrap();
        assert_eq!(truth(&by_root.counts), (4, pieces, 0), "{options}");
        assert_eq!(by_root.counts, on_disk.counts, "{options}");
        assert_eq!(by_root.free, on_disk.free, "{options}");
        assert!(
            (by_user.extents - by_user.undecided_extents..=by_user.extents).contains(&pieces),
            "{options}"
        );
        if options == "compress-force=zstd" {
            assert!(by_user.undecided_extents > 100 && by_user.undecided_files >= 1, "{by_user:?}");
        }
        let again = tool("mount", &["-o", "ro", &mounted.device, text(&mounted.point)]);
        again.unwrap();
        let whole = ScanJob { path: text(&mounted.point.join("whole")).into(), ..job(&mounted.point) };
        let counts = scan(&whole).unwrap().counts;
        assert!(
            counts.extents <= 2 && counts.contiguous_block_pairs + 1 >= counts.block_pairs,
            "{options}: {counts:?}"
        );
    }
}

#[test]
fn what_a_snapshot_shares_is_counted_once() {
    let Some(mut mounted) = mounted_or_skip(512 * MIB, &["mkfs.btrfs", "-q"], "rw") else { return };
    fs::create_dir(mounted.point.join("inside")).unwrap();
    let volume = mounted.point.join("volume");
    tool("btrfs", &["subvolume", "create", text(&volume)]).unwrap();
    fs::write(volume.join("large"), vec![7; 8 << 20]).unwrap();
    sync(&mounted.point);
    for copy in ["first", "second"] {
        tool("btrfs", &["subvolume", "snapshot", text(&volume), text(&mounted.point.join(copy))]).unwrap();
    }
    sync(&mounted.point);
    let by_mount = scan(&job(&mounted.point)).unwrap().counts;
    mounted.unmount();
    let on_disk = scan(&job(Path::new(&mounted.device))).unwrap().counts;
    assert_eq!(by_mount, on_disk);
    assert_eq!(
        (on_disk.files, on_disk.shared_bytes, on_disk.shared_once_bytes),
        (3, 24 * MIB, Some(8 * MIB))
    );
    assert_eq!(on_disk.shared_once_extents, Some(on_disk.shared_extents / 3));
}
