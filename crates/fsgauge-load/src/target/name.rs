//! Names of a target's files, and sentences about what failed on them.

use std::path::{Path, PathBuf};

use fsgauge_wire::{Failure, Target};
use rustix::io::Errno;

use super::on_share::{io_advice, shown};
use crate::operation::{DIFFERS, Operation};

/// The path of file `index`; "null" for the null target.
pub(crate) fn path_of(target: &Target, index: u32) -> PathBuf {
    match target {
        Target::Null { .. } => PathBuf::from("null"),
        Target::Block { path, .. } | Target::File { path, .. } => PathBuf::from(path),
        Target::Files { directory, prefix, .. } => Path::new(directory).join(format!("{prefix}{index:04}")),
        Target::ShareFiles { share, .. } | Target::ShareFile { share, .. } => shown(share, target, index),
    }
}

/// The directory that holds a target's files, if it has files on this machine.
pub(crate) fn directory_of(target: &Target) -> Option<PathBuf> {
    match target {
        Target::Null { .. } | Target::Block { .. } | Target::ShareFiles { .. } | Target::ShareFile { .. } => {
            None
        }
        Target::Files { directory, .. } => Some(PathBuf::from(directory)),
        Target::File { path, .. } => {
            let parent = Path::new(path).parent().filter(|parent| !parent.as_os_str().is_empty());
            Some(parent.unwrap_or(Path::new(".")).to_path_buf())
        }
    }
}

/// What to tell when a path cannot be opened.
pub(crate) fn open_failure(path: &Path, errno: Errno, direct: bool) -> Failure {
    let shown = path.display();
    let (cause, next) = match errno {
        Errno::NOENT => ("it does not exist", "run a job of kind layout on this target first".into()),
        Errno::ACCESS | Errno::PERM => ("this user may not", format!("ls -l {shown}; or run as root")),
        Errno::INVAL if direct => {
            ("its file system has no direct I/O", "set direct=false, or choose another file system".into())
        }
        Errno::BUSY => ("it is in use: mounted, or part of a RAID, LVM or swap", format!("lsblk {shown}")),
        Errno::ROFS => ("the file system is mounted read-only", "mount".into()),
        Errno::MFILE | Errno::NFILE => {
            ("too many files are open", "ulimit -n 1048576, or fewer files or jobs".into())
        }
        Errno::NOSPC => ("the file system is full", "df -h -i".into()),
        Errno::ISDIR => ("it is a directory", "name a file".into()),
        Errno::LOOP => {
            ("it is a symbolic link, or lies behind one", format!("ls -l {shown}; name the file itself"))
        }
        Errno::XDEV => {
            ("it is mounted there from elsewhere", format!("findmnt -T {shown}; name a folder on it"))
        }
        Errno::NXIO => ("it is no ordinary file", format!("ls -l {shown}")),
        Errno::MLINK => (
            "it has a second name, under which it may be another's",
            format!("stat {shown}; name a file of its own"),
        ),
        _ => ("the kernel refused it", "dmesg | tail".into()),
    };
    let what = format!("{shown} cannot be opened: {errno}");
    Failure::system("target.open", Some(errno.raw_os_error()), what, cause, next)
}

/// An operation that failed: `result` is its bytes when it was short, or its negative error number.
pub(crate) fn describe_io_failure(target: &Target, operation: &Operation, result: i32) -> Failure {
    let verb = if operation.write { "write" } else { "read" };
    let (size, offset) = (operation.size_bytes, operation.offset_bytes);
    let place =
        format!("{verb} of {size} bytes at offset {offset} of {}", path_of(target, operation.file).display());
    if result >= 0 {
        let cause = if operation.write {
            "the storage is full or the file's size is limited"
        } else {
            "the file or device ends there"
        };
        let next =
            "check the size that the job gives for the target; a file is filled by a job of kind layout";
        return Failure::system("io.short", None, format!("{place} was short: {result} bytes"), cause, next);
    }
    if result == DIFFERS {
        let what = format!("{place} gave other bytes than were written there");
        let cause = "the file system, its storage or memory changed them";
        return Failure::system("io.differs", None, what, cause, "dmesg | tail; repeat it on other storage");
    }
    let errno = Errno::from_raw_os_error(-result);
    let (cause, next) = match errno {
        _ if target.share().is_some() => io_advice(-result),
        Errno::NOSPC | Errno::DQUOT => {
            ("the file system or the quota is full", "df -h; choose a smaller target")
        }
        Errno::IO => ("the device or the file system reported an error", "dmesg | tail"),
        Errno::INVAL => (
            "offset, size or memory is not aligned as this file system needs for direct I/O",
            "choose larger block sizes, or direct=false",
        ),
        Errno::ROFS => {
            ("the file system is mounted read-only, perhaps after an error", "dmesg | tail; mount")
        }
        Errno::FBIG => {
            ("the file would be larger than the file system or ulimit -f allows", "choose a smaller target")
        }
        Errno::OPNOTSUPP => {
            ("the file system does not support this operation", "choose interface psync, or direct=false")
        }
        _ => ("the kernel refused it", "dmesg | tail"),
    };
    Failure::system("io.failed", Some(-result), format!("{place} failed: {errno}"), cause, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_a_formula() {
        let target =
            Target::Files { directory: "/mnt".into(), prefix: "f-".into(), count: 3, file_size_bytes: 1 };
        assert_eq!(path_of(&target, 12), Path::new("/mnt/f-0012"));
        assert_eq!(path_of(&target, 12345), Path::new("/mnt/f-12345"));
    }

    #[test]
    fn a_failed_write_is_told_with_its_place() {
        let target = Target::File { path: "/mnt/data".into(), size_bytes: 8192 };
        let operation = Operation { write: true, file: 0, size_bytes: 4096, offset_bytes: 4096 };
        let failure = describe_io_failure(&target, &operation, -libc::ENOSPC);
        let what =
            "write of 4096 bytes at offset 4096 of /mnt/data failed: No space left on device (os error 28)";
        assert_eq!((failure.what.as_str(), failure.errno, failure.exit_code()), (what, Some(28), 3));
    }
}
