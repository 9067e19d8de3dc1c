//! Ageing on storage that fails: what there is stays, and the errors are named. Needs root, loop devices and tmpfs:
//! elsewhere it says so and is skipped; FSGAUGE_TEST_ROOT=1 makes such a machine a failure.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use fsgauge_wire::{AgeEnd, AgeEnded, AgeJob, AgeMode, AgeResult};
use tempfile::TempDir;

use crate::support::{
    MIB, Mounted, age, job, mounted_in_or_skip, profile, tool, tree, try_scan, unmount_at_end,
};

const EXT4: &[&str] = &["mkfs.ext4", "-q", "-b", "4096", "-E", "lazy_itable_init=1,lazy_journal_init=1"];
const MOUNT: &str = "noinit_itable";

/// Memory of a fixed size as a disk; it goes when this goes.
struct SmallDisk {
    point: PathBuf,
    _folder: TempDir,
}

impl SmallDisk {
    fn new_or_skip(size_bytes: u64) -> Option<SmallDisk> {
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let point = folder.path().to_owned();
        let size = format!("size={size_bytes}");
        let mount = tool("mount", &["-t", "tmpfs", "-o", &size, "tmpfs", point.to_str().unwrap()]);
        let forced = std::env::var_os("FSGAUGE_TEST_ROOT").is_some_and(|value| value == "1");
        match mount {
            Ok(_) => Some(SmallDisk { point, _folder: folder }),
            Err(reason) if forced => panic!("FSGAUGE_TEST_ROOT=1, but no tmpfs: {reason}"),
            Err(reason) => {
                eprintln!("skipped: needs root and tmpfs ({reason})");
                None
            }
        }
    }

    /// Leaves so many bytes free.
    fn fill_up_to(&self, left_bytes: u64) {
        let room = rustix::fs::statvfs(&self.point).unwrap();
        let ballast = vec![1; (room.f_bavail * room.f_frsize - left_bytes) as usize];
        File::create(self.point.join("ballast")).unwrap().write_all(&ballast).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        unmount_at_end(&self.point);
    }
}

/// The disk under a sparse image: here memory, with some room left.
fn full_below(mode: AgeMode, left_bytes: u64) -> Option<(AgeResult, SmallDisk, Mounted)> {
    let disk = SmallDisk::new_or_skip(64 * MIB)?;
    let mounted = mounted_in_or_skip(&disk.point, 512 * MIB, EXT4, MOUNT)?;
    disk.fill_up_to(left_bytes);
    let end = AgeEnd::StorageAge { storage_age: 3.0 };
    let base = AgeJob { mode, end, space_bytes: Some(400 * MIB), ..job(&mounted.point) };
    let profile = profile(r#"{"kind":"churn"}"#);
    Some((age(&AgeJob { profile, sync_every_bytes: Some(16 * MIB), ..base }).unwrap(), disk, mounted))
}

fn has_note(result: &AgeResult, code: &str) -> bool {
    result.notes.iter().any(|note| note.code == code)
}

#[test]
fn a_full_disk_below_a_sparse_image_is_named_and_what_there_is_stays() {
    // Without data only the file system's own structures need room.
    for (mode, left_bytes) in [(AgeMode::Write, 24 * MIB), (AgeMode::Direct, 24 * MIB), (AgeMode::Fast, MIB)]
    {
        let Some((result, _disk, mounted)) = full_below(mode, left_bytes) else { return };
        assert_eq!(result.ended, AgeEnded::GaveUp, "{mode:?} {:?}", result.errors);
        // Where the journal is the first to find no room, the file system is read-only before any data fails.
        let of_storage = [libc::EROFS, libc::EIO, libc::ENOSPC];
        assert!(!result.errors.is_empty());
        assert!(result.errors.iter().all(|error| of_storage.contains(&error.errno)), "{:?}", result.errors);
        assert!(has_note(&result, "age.storage_failed"), "{:?}", result.notes);
        // The log did not stop at the first error, and its files are still there to be read.
        assert!(result.live_files > 0 && tree(&mounted.point).files >= result.live_files, "{mode:?}");
    }
}

/// Overwrites one block of each group: ext4 sees it when it first looks there, and goes on around it.
fn damage(mounted: &Mounted, which: &str) {
    let dump = tool("dumpe2fs", &[&mounted.device]).unwrap();
    let device = OpenOptions::new().write(true).open(&mounted.device).unwrap();
    let mut damaged = 0;
    for text in dump.lines().filter_map(|line| line.split_once(which).map(|(_, after)| after.trim_start())) {
        let digits = text.split(|letter: char| !letter.is_ascii_digit()).next().unwrap();
        device.write_all_at(&[0xA5; 4096], digits.parse::<u64>().unwrap() * 4096).unwrap();
        damaged += 1;
    }
    device.sync_all().unwrap();
    assert!(damaged > 1, "{dump}");
}

#[test]
fn a_damaged_file_system_is_named_and_the_next_ageing_refused() {
    for which in ["Block bitmap at", "Inode bitmap at"] {
        let parent = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let Some(mut mounted) = mounted_in_or_skip(parent, 512 * MIB, EXT4, MOUNT) else { return };
        mounted.unmount();
        damage(&mounted, which);
        tool("mount", &["-o", MOUNT, &mounted.device, mounted.point.to_str().unwrap()]).unwrap();
        let end = AgeEnd::Operations { operations: 3_000 };
        let profile = profile(r#"{"kind":"churn"}"#);
        let job = AgeJob { profile, end, space_bytes: Some(400 * MIB), ..job(&mounted.point) };
        let result = age(&job).unwrap();
        assert!(has_note(&result, "age.damaged"), "{which}: {:?}", result.notes);
        assert_eq!(tree(&mounted.point).files, result.live_files);

        let fresh = mounted.point.join("fresh");
        fs::create_dir(&fresh).unwrap();
        let directory = fresh.display().to_string();
        let failure = age(&AgeJob { directory, ..job }).unwrap_err();
        assert_eq!((failure.code.as_str(), failure.exit_code()), ("job.damaged", 2), "{which}");
        assert!(failure.next.contains("e2fsck"), "{failure}");
        assert_eq!(tree(&fresh).files, 0);
    }
}

/// tmpfs does not say where extents lie: it can be aged, and only a scan of it is refused.
#[test]
fn a_file_system_without_maps_of_extents_is_aged() {
    let Some(disk) = SmallDisk::new_or_skip(64 * MIB) else { return };
    let aged = disk.point.join("aged");
    fs::create_dir(&aged).unwrap();
    let result = age(&AgeJob { mode: AgeMode::Write, ..job(&aged) }).unwrap();
    assert_eq!((result.ended, result.live_bytes), (AgeEnded::Complete, 40 * MIB));
    assert_eq!(tree(&aged).size_bytes, 40 * MIB);
    let failure = try_scan(&aged).unwrap_err();
    assert!(failure.code == "job.no_fiemap" && failure.cause.contains("tmpfs"), "{failure}");
}
