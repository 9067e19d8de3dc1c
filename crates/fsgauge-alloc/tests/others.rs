//! Root ages no folder in which others may plant links. Needs root: elsewhere it says so and is skipped.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

use fsgauge_wire::AgeEnded;
use tempfile::TempDir;

use crate::support::{age, job};

fn is_root_or_skipped() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        let forced = std::env::var_os("FSGAUGE_TEST_ROOT").is_some_and(|value| value == "1");
        assert!(!forced, "FSGAUGE_TEST_ROOT=1, but this is not root");
        eprintln!("skipped: needs root; FSGAUGE_TEST_ROOT=1 to force");
    }
    is_root
}

fn code(folder: &Path) -> Option<String> {
    age(&job(folder)).err().map(|failure| failure.code)
}

/// A folder that others may write in, or that is another's: a `d0000` planted there between the look into the folder and
/// the first file was taken for a directory of the run, and root's files went where it led.
#[test]
fn root_ages_no_folder_of_others() {
    if !is_root_or_skipped() {
        return;
    }
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for mode in [0o777, 0o1777, 0o775, 0o757] {
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(code(folder.path()).as_deref(), Some("job.others_write"), "{mode:o}");
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    chown(folder.path(), Some(65_534), None).unwrap();
    assert_eq!(code(folder.path()).as_deref(), Some("job.others_write"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    chown(folder.path(), Some(0), None).unwrap();
    assert_eq!(age(&job(folder.path())).unwrap().ended, AgeEnded::Complete);
}

/// The folder that is looked into is the one that is filled, also when its name leads elsewhere meanwhile.
#[test]
fn a_link_as_the_folders_name_is_held_to_what_it_leads_to() {
    if !is_root_or_skipped() {
        return;
    }
    let outer = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let full = outer.path().join("full");
    fs::create_dir(&full).unwrap();
    fs::write(full.join("mine"), "mine").unwrap();
    symlink(&full, outer.path().join("link")).unwrap();
    assert_eq!(code(&outer.path().join("link")).as_deref(), Some("job.not_empty"));
    assert_eq!(fs::read_dir(&full).unwrap().count(), 1);
}
