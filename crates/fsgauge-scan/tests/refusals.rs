//! What this user may not read: a folder, a file and an image are refused alike, in words. Needs root, to become
//! somebody else: elsewhere it says so and is skipped; FSGAUGE_TEST_ROOT=1 makes a machine that cannot run it a failure.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use fsgauge_wire::{Failure, ScanJob};
use tempfile::TempDir;

use crate::mounts::{job, mounted_or_skip, scan};

/// The refusal that an ordinary user gets; a thread has its own user.
fn refused(path: &Path) -> Failure {
    let wanted = ScanJob { threads: Some(1), ..job(path) };
    std::thread::scope(|scope| {
        let work = || {
            rustix::thread::set_thread_uid(rustix::process::Uid::from_raw(65_534)).unwrap();
            scan(&wanted)
        };
        scope.spawn(work).join().unwrap().unwrap_err()
    })
}

fn check(failure: &Failure, words: &str) {
    assert_eq!(failure.exit_code(), 2, "{failure}");
    assert_eq!(failure.code, "job.not_permitted");
    assert!(failure.what.ends_with("Permission denied"), "{failure}");
    assert!(failure.cause.contains(words), "{failure}");
    let all = format!("{} {} {}", failure.what, failure.cause, failure.next);
    assert!(!all.contains("os error"), "{all}");
}

#[test]
fn a_folder_and_a_file_that_may_not_be_read_are_wrong_input() {
    let Some(mut mounted) = mounted_or_skip(16 << 20, &["mkfs.ext4", "-q"], "rw") else { return };
    let folder = TempDir::new().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let (closed, file) = (folder.path().join("closed"), folder.path().join("file"));
    fs::create_dir(&closed).unwrap();
    fs::write(&file, b"text").unwrap();
    for path in [&closed, &file] {
        fs::set_permissions(path, Permissions::from_mode(0o700)).unwrap();
        check(&refused(path), "his user may not read it");
    }
    // A device that is mounted would be scanned by its mount point.
    mounted.unmount();
    check(&refused(Path::new(&mounted.device)), "root or the group disk");
}
