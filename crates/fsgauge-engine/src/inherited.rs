//! Open files that the engine was started with: its three streams, the places that its job says are held, and by
//! mistake others, which are closed.
//!
//! Unsafe code: taking and closing descriptors by their numbers, before this process has opened anything.

use std::collections::HashSet;
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::path::{Component, Path, PathBuf};

use fsgauge_wire::{Failure, Held, Outcome};
use rustix::fs::{FileType, fstat};
use rustix::io::{FdFlags, fcntl_getfd, fcntl_setfd};

/// Without /proc, descriptors above this one are left: few programs have more open.
const MOST_WITHOUT_PROC: RawFd = 1024;
/// A job names a folder or a device, and perhaps a few beside it.
const MOST_HELD: usize = 64;

/// Takes the places that are held, and closes all else but standard input, output and error. Call it once, before
/// anything is opened.
///
/// A worker does not: it has the files of a load from the engine.
pub(crate) fn take(held: &[Held]) -> Outcome<Vec<(PathBuf, OwnedFd)>> {
    let numbers: HashSet<RawFd> = held.iter().map(|place| place.descriptor).collect();
    if numbers.len() != held.len() || held.len() > MOST_HELD {
        let what = format!("the job's held names a descriptor twice, or more than {MOST_HELD} places");
        return Err(refused(what, "each place has a descriptor of its own"));
    }
    close_others(&numbers);
    held.iter().map(take_one).collect()
}

fn take_one(held: &Held) -> Outcome<(PathBuf, OwnedFd)> {
    let Held { path, descriptor } = held;
    let is_plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
    let path = Path::new(path);
    if *descriptor <= 2 || !path.is_absolute() || !path.components().all(is_plain) {
        let what = format!("the job holds {} by descriptor {descriptor}", path.display());
        return Err(refused(what, "the path is absolute and has no \"..\", the number is above 2"));
    }
    // SAFETY: the number is borrowed for these calls alone, which fail where nothing is open under it.
    let found = unsafe { BorrowedFd::borrow_raw(*descriptor) };
    let kind = fcntl_setfd(found, FdFlags::CLOEXEC)
        .and_then(|()| fstat(found))
        .map(|status| FileType::from_raw_mode(status.st_mode));
    match kind {
        Ok(FileType::Directory | FileType::RegularFile | FileType::BlockDevice) => {
            // SAFETY: it is open, as was just seen; nothing in this process owns it, and each number is taken once.
            Ok((path.to_path_buf(), unsafe { OwnedFd::from_raw_fd(*descriptor) }))
        }
        Ok(_) => {
            let what = format!("descriptor {descriptor} is no folder, file or block device");
            Err(refused(what, format!("the job says that it is {}", path.display())))
        }
        Err(errno) => {
            let what = format!("descriptor {descriptor} is not open: {errno}");
            Err(refused(what, format!("the job says that it is {}", path.display())))
        }
    }
}

fn refused(what: String, cause: impl Into<String>) -> Failure {
    Failure::job("held", what, cause, "start the engine with the descriptors that the job names")
}

fn close_others(kept: &HashSet<RawFd>) {
    for number in numbers().into_iter().filter(|number| !kept.contains(number)) {
        // SAFETY: the number is borrowed for this call alone, which fails where nothing is open under it: the
        // descriptor that listed the others is closed by now.
        if fcntl_getfd(unsafe { BorrowedFd::borrow_raw(number) }).is_ok() {
            // SAFETY: it is open, as was just seen, and nothing in this process owns a descriptor yet.
            drop(unsafe { OwnedFd::from_raw_fd(number) });
        }
    }
}

fn numbers() -> Vec<RawFd> {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else {
        return (3..MOST_WITHOUT_PROC).collect();
    };
    let names = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    names.filter(|number| *number > 2).collect()
}
