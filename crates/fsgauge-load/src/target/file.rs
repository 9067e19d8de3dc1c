//! Opening files for load.

use std::os::fd::OwnedFd;

use fsgauge_wire::{Failure, Target};
use rustix::fs::{FallocateFlags, OFlags, fallocate, fstat, fsync, ftruncate};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{Ground, OpenMode, open_failure, path_of};

/// Opens file `index`, which must hold `size_bytes` unless it may be created.
pub(super) fn open(
    target: &Target,
    ground: &Ground,
    (index, size_bytes): (u32, u64),
    mode: OpenMode,
) -> Result<OwnedFd, Failure> {
    let path = path_of(target, index);
    let create = if mode.create { OFlags::CREATE } else { OFlags::empty() };
    let file = ground
        .open(target, index, flags(mode) | create)
        .map_err(|errno| open_failure(&path, errno, mode.direct))?;
    let found = fstat(&file).map_err(|errno| open_failure(&path, errno, false))?.st_size as u64;
    if found < size_bytes && !mode.create {
        let what = format!("{} has {found} bytes, the job says {size_bytes}", path.display());
        let cause = "it was not laid out, or with another size";
        let next = "run a job of kind layout on this target first";
        return Err(Failure::system("target.size", None, what, cause, next));
    }
    Ok(file)
}

/// Empties file `number`, or makes it.
pub(super) fn empty(
    target: &Target,
    ground: &Ground,
    number: u32,
    allocated_bytes: Option<u64>,
) -> Result<(), Failure> {
    let path = path_of(target, number);
    let mode =
        OpenMode { reads: false, writes: true, direct: false, noatime: false, dsync: false, create: true };
    let file = open(target, ground, (number, 0), mode)?;
    // Freed blocks may be given away again only once their freeing is on the device.
    let emptied = ftruncate(&file, 0).and_then(|()| fsync(&file));
    let allocated = emptied.and_then(|()| match allocated_bytes {
        Some(size_bytes) => {
            fallocate(&file, FallocateFlags::empty(), 0, size_bytes).and_then(|()| fsync(&file))
        }
        None => Ok(()),
    });
    allocated.map_err(|errno| {
        let what = format!("{} cannot be emptied and allocated again: {errno}", path.display());
        let (cause, next) = match errno {
            Errno::OPNOTSUPP => ("its file system cannot preallocate", "leave preallocate out"),
            _ => ("it is no ordinary file, or the file system refused", "ls -l; dmesg | tail"),
        };
        Failure::system("target.extend", Some(errno.raw_os_error()), what, cause, next)
    })
}

/// O_DSYNC. What rustix 1 calls so is O_SYNC (linux_raw), which makes times of files durable too: on ext4 a commit of
/// the journal for each tick of the clock.
pub(crate) const DSYNC: OFlags = OFlags::from_bits_retain(libc::O_DSYNC as u32);

/// The flags that a mode asks for.
pub(super) fn flags(mode: OpenMode) -> OFlags {
    let access = match (mode.reads, mode.writes) {
        (true, true) => OFlags::RDWR,
        (false, true) => OFlags::WRONLY,
        _ => OFlags::RDONLY,
    };
    let direct = if mode.direct { OFlags::DIRECT } else { OFlags::empty() };
    let noatime = if mode.noatime { OFlags::NOATIME } else { OFlags::empty() };
    let dsync = if mode.dsync { DSYNC } else { OFlags::empty() };
    access | direct | noatime | dsync | OFlags::CLOEXEC
}

/// Raises the soft limit of open files to the hard one when `count` files need it.
pub(crate) fn allow_open_files(count: u32) {
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|soft| soft < u64::from(count) + 64) {
        // Refused only by a sandbox; opening then says that too many files are open.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn flags_are_those_of_the_mode() {
        let plain = OpenMode {
            reads: false,
            writes: true,
            direct: false,
            noatime: false,
            dsync: false,
            create: false,
        };
        assert_eq!(flags(plain), OFlags::WRONLY | OFlags::CLOEXEC);
        let dsync = OpenMode { dsync: true, ..plain };
        assert_eq!(flags(dsync), OFlags::WRONLY | OFlags::CLOEXEC | DSYNC);
    }

    #[test]
    fn what_is_durable_by_each_write_is_its_data_and_not_its_times() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data");
        let file = rustix::fs::open(&path, OFlags::WRONLY | OFlags::CREATE | DSYNC, 0o600.into()).unwrap();
        let found = rustix::fs::fcntl_getfl(&file).unwrap().bits() as i32 & libc::O_SYNC;
        assert_eq!(found, libc::O_DSYNC);
        assert_ne!(libc::O_DSYNC, libc::O_SYNC);
    }

    #[test]
    fn only_ordinary_files_are_emptied() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data");
        std::fs::write(&path, [1; 5000]).unwrap();
        let target = |path: &Path| Target::File { path: path.display().to_string(), size_bytes: 8192 };
        let emptied = |target: Target| empty(&target, &Ground::of(&target, true).unwrap(), 0, None);
        emptied(target(&path)).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
        assert_eq!(emptied(target(Path::new("/dev/null"))).unwrap_err().code, "target.extend");
    }
}
