//! Which file is read first.

use std::os::fd::AsFd;

use fsgauge_wire::{BackupOrder, Failure, Outcome};

use super::fiemap::{DirectoryState, Fiemap, is_missing};
use super::open::Opener;
use super::stopwatch::Stopwatch;
use super::tree::{PathRoom, Tree};

/// What asking for extents found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Extents {
    /// Of all files that could be asked about.
    pub(super) extents: u64,
    /// Files whose first extent is only in the cache.
    pub(super) delayed_files: u64,
    /// Files that could not be asked about.
    pub(super) unknown_files: u64,
}

/// Puts the files of a tree, which are as they were found, into an order. Gives extents where it needs them.
pub(super) fn put_in_order(
    tree: &mut Tree,
    order: BackupOrder,
    opener: &mut Opener,
    watch: &mut Stopwatch,
) -> Outcome<Option<Extents>> {
    match order {
        BackupOrder::Directory => Ok(None),
        BackupOrder::Inode => {
            tree.files.sort_unstable();
            Ok(None)
        }
        BackupOrder::Physical => {
            // A disk's arm goes one way over the inodes that have to be read.
            tree.files.sort_unstable();
            let extents = find_places(tree, opener, watch)?;
            tree.files.sort_unstable();
            Ok(Some(extents))
        }
    }
}

/// Replaces each file's inode by the place of its first extent, or by 0, which comes before all others. A file
/// that cannot be opened is left to the reader, which counts the error.
fn find_places(tree: &mut Tree, opener: &mut Opener, watch: &mut Stopwatch) -> Outcome<Extents> {
    let (mut fiemap, mut paths, mut all) = (Fiemap::new(), PathRoom::default(), Extents::default());
    for at in 0..tree.files.len() {
        watch.look();
        if watch.over().is_some() {
            break;
        }
        let path = paths.file(tree, &tree.files[at]);
        let place = match opener.file(path).map(|file| fiemap.place(file.as_fd())) {
            Ok(Ok(place)) => place,
            Ok(Err(errno)) if is_missing(errno) => return Err(no_fiemap(&opener.shown(c""))),
            Ok(Err(_)) | Err(_) => {
                all.unknown_files += 1;
                DirectoryState::default()
            }
        };
        all.extents += place.extents;
        all.delayed_files += u64::from(place.is_delayed);
        tree.files[at].key = place.first_bytes.unwrap_or(0);
    }
    watch.look();
    Ok(all)
}

fn no_fiemap(shown: &str) -> Failure {
    Failure::job(
        "no_fiemap",
        format!("the extents of files in {shown} are unknown, which physical order needs"),
        "their file system has no FIEMAP: it is in memory, on a network or virtual",
        "choose the order \"inode\" or \"directory\", or a directory on ext4, XFS or btrfs; df -T shows them",
    )
}
