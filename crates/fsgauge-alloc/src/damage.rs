//! What a file system knows of its own damage. ext4 counts the errors that it finds in its structures, keeps the
//! number in its superblock until e2fsck, and shows it in /sys/fs/ext4/DEVICE/errors_count; it goes on around what
//! is damaged, so an ageing may come to its end on half of it.

use std::path::{Path, PathBuf};

use fsgauge_wire::{Failure, Outcome};
use rustix::fd::AsFd;
use rustix::fs::{fstat, major, minor};

/// Errors found so far; None where the file system does not count them.
pub(crate) fn errors_found(root: impl AsFd) -> Option<u64> {
    let device = fstat(root).ok()?.st_dev;
    let link = PathBuf::from(format!("/sys/dev/block/{}:{}", major(device), minor(device)));
    let name = std::fs::read_link(link).ok()?;
    let file = Path::new("/sys/fs/ext4").join(name.file_name()?).join("errors_count");
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// Refuses a file system that has found errors before.
pub(crate) fn refuse_damaged(directory: &str, errors: Option<u64>) -> Outcome<()> {
    match errors {
        None | Some(0) => Ok(()),
        Some(errors) => Err(Failure::job(
            "damaged",
            format!("the file system of {directory} is damaged"),
            format!("it has found {errors} errors in its own structures since it was last checked"),
            "unmount it and run: e2fsck -f DEVICE",
        )),
    }
}
