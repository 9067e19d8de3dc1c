//! What only shows from inside: the order of files, a tree that changes, contents that are wrong, other mounts.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;

use fsgauge_load::instruments::Clock;
use fsgauge_wire::{BackupOrder, ClientErrorKind, ClientOperation, ClientsJob, Ended, Job, Outcome, Stop};

use super::open::Opener;
use super::order::{Extents, put_in_order};
use super::pass::read_all;
use super::stopwatch::Stopwatch;
use super::tree::{PathRoom, Tree};
use super::verify::Verifier;
use super::walk::walk;
use crate::clients_tally::ClientsTally;
use crate::file_set::{Contents, FileNumber};

fn watch() -> Stopwatch {
    let (sender, _) = channel();
    Stopwatch::start(Clock::new().0, Stop::never(), 60_000_000_000, 1_000_000_000, sender)
}

/// The paths of a tree in its order, below `root`.
fn paths(tree: &Tree, root: &Path) -> Vec<PathBuf> {
    let mut room = PathRoom::default();
    let path = |file| root.join(OsStr::from_bytes(room.file(tree, file).to_bytes()));
    tree.files.iter().map(path).collect()
}

fn ordered(root: &Path, order: BackupOrder) -> Outcome<(Vec<PathBuf>, Option<Extents>)> {
    let (mut opener, mut watch) = (Opener::new(&root.display().to_string())?, watch());
    let mut tree = walk(&mut opener, &mut watch)?.tree;
    let extents = put_in_order(&mut tree, order, &mut opener, &mut watch)?;
    Ok((paths(&tree, root), extents))
}

/// Files in three directories, made in turns so that inodes and directories do not agree.
fn plant(root: &Path) {
    for number in 0..30 {
        let folder = root.join(["z", "a", "m/n"][number % 3]);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{}", 1000 - number));
        fs::write(&path, vec![1; if number == 7 { 0 } else { 5000 }]).unwrap();
        fs::File::open(&path).unwrap().sync_all().unwrap();
    }
}

#[test]
fn directories_are_whole_one_after_the_other() {
    let root = tempfile::tempdir().unwrap();
    plant(root.path());
    let (paths, _) = ordered(root.path(), BackupOrder::Directory).unwrap();
    let mut folders: Vec<_> = paths.iter().map(|path| path.parent().unwrap()).collect();
    folders.dedup();
    assert_eq!((paths.len(), folders.len()), (30, 3));
    for folder in folders {
        let as_given: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        let as_found: Vec<_> = paths.iter().filter(|path| path.starts_with(folder)).cloned().collect();
        assert_eq!(as_found, as_given);
    }
}

#[test]
fn inodes_ascend_over_the_whole_tree() {
    let root = tempfile::tempdir().unwrap();
    plant(root.path());
    let (paths, extents) = ordered(root.path(), BackupOrder::Inode).unwrap();
    let inodes: Vec<u64> = paths.iter().map(|path| fs::metadata(path).unwrap().ino()).collect();
    assert!(inodes.is_sorted() && inodes.len() == 30, "{inodes:?}");
    assert_eq!(extents, None);
}

#[test]
fn files_without_extents_come_first_in_physical_order() {
    let root = tempfile::tempdir().unwrap();
    plant(root.path());
    // Where the file system tells: memory does not.
    let Ok((paths, extents)) = ordered(root.path(), BackupOrder::Physical) else { return };
    assert!(paths[0].ends_with("a/993"), "{:?}", paths[0]);
    let extents = extents.unwrap();
    assert_eq!((paths.len(), extents.delayed_files, extents.unknown_files), (30, 0, 0));
    assert!(extents.extents >= 29, "{extents:?}");
}

fn read_tree(root: &Path, between: impl FnOnce(), verifier: Option<&mut Verifier>) -> ClientsTally {
    let (mut opener, mut watch) = (Opener::new(&root.display().to_string()).unwrap(), watch());
    let tree = walk(&mut opener, &mut watch).unwrap().tree;
    between();
    let ended = read_all(&tree, &mut [0; 6000], &mut opener, &mut watch, verifier);
    assert_eq!(ended, Ended::SizeLimit);
    watch.finish().tally
}

#[test]
fn what_went_away_is_counted_and_the_rest_is_read() {
    let root = tempfile::tempdir().unwrap();
    plant(root.path());
    let away = root.path().join("z");
    let tally = read_tree(root.path(), || fs::remove_dir_all(&away).unwrap(), None);
    assert_eq!((tally.files, tally.files_given_up), (20, 10));
    let [error] = &tally.errors()[..] else { panic!("{:?}", tally.errors()) };
    assert_eq!(
        (error.operation, error.kind, error.count),
        (ClientOperation::Open, ClientErrorKind::Missing, 10)
    );
    assert!(Path::new(&error.first_path).starts_with(&away), "{error:?}");
}

#[test]
fn what_became_a_link_or_a_pipe_is_not_followed_and_not_waited_for() {
    let root = tempfile::tempdir().unwrap();
    plant(root.path());
    let (link, pipe) = (root.path().join("z/1000"), root.path().join("a/999"));
    let replace = || {
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink("/proc/self/status", &link).unwrap();
        fs::remove_file(&pipe).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
    };
    let tally = read_tree(root.path(), replace, None);
    assert_eq!((tally.files_given_up, tally.files), (1, 29));
    assert_eq!(tally.errors()[0].first_path, link.display().to_string());
}

/// A job of files of 10,000 bytes, verified.
fn verified_job() -> ClientsJob {
    let text = r#"{"format": 1, "kind": "clients", "target": {"kind": "path", "directory": "/tmp"},
        "phase": {"kind": "backup", "order": "directory", "block_size_bytes": 4096}, "verify": true,
        "clients": 1, "time_limit_ns": 60000000000, "seed": 7,
        "files": {"clients": 2, "files_per_client": 3, "record_size_bytes": 4096,
                  "sizes": {"kind": "cycle", "sizes_bytes": [10000]}, "tree": {"kind": "own"}}}"#;
    match fsgauge_wire::parse_job(text).unwrap() {
        Job::Clients(job) => job,
        other => panic!("{other:?}"),
    }
}

#[test]
fn wrong_bytes_and_short_files_are_found_by_the_names() {
    let root = tempfile::tempdir().unwrap();
    let job = verified_job();
    let contents = Contents::new(job.data, job.seed);
    let write = |client, file, change: fn(&mut Vec<u8>)| {
        let mut bytes = vec![0; 10_000];
        contents.fill(FileNumber { client, file }, 0, &mut bytes);
        change(&mut bytes);
        fs::write(root.path().join(format!("c{client:05}-f{file:06}")), bytes).unwrap();
    };
    write(0, 0, |_| {});
    write(1, 2, |_| {});
    write(0, 1, |bytes| bytes[7001] ^= 1);
    write(0, 2, |bytes| bytes.truncate(9_000));
    fs::write(root.path().join("other"), [1; 10]).unwrap();
    let mut verifier = Verifier::of(&job).unwrap();
    let tally = read_tree(root.path(), || {}, Some(&mut verifier));
    assert_eq!((tally.files, tally.files_given_up, verifier.unchecked_files), (4, 1, 1));
    // Blocks of 6000 bytes: two a file.
    assert_eq!((tally.checked_records, tally.bad_records), (8, 1));
    let bad = &tally.bad[0];
    assert!(bad.path.ends_with("/c00000-f000001"), "{bad:?}");
    assert_eq!((bad.offset_bytes, bad.first_byte), (6000, 7001));
    let errors = tally.errors();
    assert_eq!((errors.len(), errors[0].kind, errors[0].count), (1, ClientErrorKind::Short, 1));
    assert!(errors[0].message.contains("after 9000 bytes, 1000 too early"), "{errors:?}");
}

#[test]
fn what_is_mounted_below_is_left_out() {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(4));
    let below: Vec<&Path> = points.filter(|point| point.starts_with("/dev/")).map(Path::new).collect();
    if below.is_empty() {
        return;
    }
    let (mut opener, mut watch) = (Opener::new("/dev").unwrap(), watch());
    let found = walk(&mut opener, &mut watch).unwrap();
    assert!(found.left_out >= 1, "{below:?}");
    let inside = paths(&found.tree, Path::new("/dev"));
    assert!(!inside.iter().any(|path| below.iter().any(|point| path.starts_with(point))), "{inside:?}");
}
