//! The directory that is aged: that it is there and empty, what space it has, whether overwrites stay in place.

use std::path::Path;

use fsgauge_door::Folder;
use fsgauge_wire::{AgeMode, Failure, Outcome};
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, Dir, FallocateFlags, Mode, OFlags, fallocate, fstat, fstatfs, fstatvfs, openat, unlinkat,
};
use rustix::io::Errno;

/// An opened directory and what matters of its file system.
pub(crate) struct Place {
    pub(crate) root: OwnedFd,
    pub(crate) available_bytes: u64,
    /// Whether an overwrite gets new blocks.
    pub(crate) copies_on_write: bool,
}

/// A file made for a moment to see whether the mode's calls are known here.
const PROBE: &str = ".fsgauge-age-probe";

/// Write permission of the group and of all others.
const OTHERS_WRITE: u32 = 0o022;

/// btrfs, bcachefs, ZFS, F2FS, NILFS2: the numbers of statfs(2).
const COPY_ON_WRITE: [u64; 5] = [0x9123_683E, 0xCA45_1A4E, 0x2FC1_2FC1, 0xF2F5_2010, 0x3434];

/// Opens a directory; refuses one that is missing or holds anything.
pub(crate) fn open(directory: &str) -> Outcome<Place> {
    let entered = Folder::enter(Path::new(directory)).and_then(|folder| folder.reopen());
    let root = entered.map_err(|errno| {
        Failure::job(
            "directory",
            format!("the directory {directory} cannot be opened"),
            text_of(errno),
            "name an existing, empty directory",
        )
    })?;
    refuse_others(directory, &root)?;
    refuse_contents(directory, &root)?;
    let unreadable = |errno: Errno| {
        let what = format!("the space of {directory} cannot be read");
        let next = "check the mount with: findmnt -T DIRECTORY";
        Failure::system("statvfs", Some(errno.raw_os_error()), what, text_of(errno), next)
    };
    let space = fstatvfs(&root).map_err(unreadable)?;
    let kind = fstatfs(&root).map_err(unreadable)?.f_type as u64;
    Ok(Place {
        root,
        available_bytes: space.f_bavail.saturating_mul(space.f_frsize),
        copies_on_write: COPY_ON_WRITE.contains(&(kind & 0xFFFF_FFFF)),
    })
}

/// Root fills no directory in which others may make and rename things: what they plant while it is filled would be met.
fn refuse_others(directory: &str, root: &OwnedFd) -> Outcome<()> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let found = fstat(root).map_err(|errno| {
        let what = format!("the directory {directory} cannot be read");
        Failure::system("fstat", Some(errno.raw_os_error()), what, text_of(errno), "ls -ld DIRECTORY")
    })?;
    let cause = if found.st_uid != 0 {
        format!("it belongs to another user (number {}), who may plant links in it", found.st_uid)
    } else if found.st_mode & OTHERS_WRITE != 0 {
        format!("others may write in it (mode {:o}), and plant links", found.st_mode & 0o7777)
    } else {
        return Ok(());
    };
    Err(Failure::job(
        "others_write",
        format!("root does not age the directory {directory}"),
        cause,
        format!("as its owner, without sudo; or: chown root {directory}; chmod 755 {directory}"),
    ))
}

fn refuse_contents(directory: &str, root: &OwnedFd) -> Outcome<()> {
    let refuse = |cause: String| {
        Err(Failure::job(
            "not_empty",
            format!("the directory {directory} is not known to be empty"),
            cause,
            "name an empty directory, for example a new one",
        ))
    };
    let entries = match Dir::read_from(root) {
        Ok(entries) => entries,
        Err(errno) => return refuse(text_of(errno)),
    };
    for entry in entries {
        match entry {
            Ok(entry) if matches!(entry.file_name().to_bytes(), b"." | b".." | b"lost+found") => {}
            Ok(entry) => return refuse(format!("it holds {}", entry.file_name().to_string_lossy())),
            Err(errno) => return refuse(text_of(errno)),
        }
    }
    Ok(())
}

/// Tries the mode's calls on a file of one block, and removes it.
pub(crate) fn try_mode(place: &Place, mode: AgeMode) -> Outcome<()> {
    let direct = if mode == AgeMode::Direct { OFlags::DIRECT } else { OFlags::empty() };
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC | direct;
    let made = openat(&place.root, PROBE, flags, Mode::from_raw_mode(0o600));
    let was_made = made.is_ok();
    let tried = made.and_then(|file| match mode {
        AgeMode::Write => Ok(()),
        AgeMode::Direct => {
            let mut block = crate::aligned_block::AlignedBlock::new();
            rustix::io::pwrite(&file, block.bytes(), 0).map(drop)
        }
        AgeMode::Fast => fallocate(&file, FallocateFlags::empty(), 0, 4096)
            .and_then(|()| if place.copies_on_write { fallocate(&file, punch(), 0, 4096) } else { Ok(()) }),
    });
    if was_made {
        // What cannot be removed stays: a file of one block at most.
        let _ = unlinkat(&place.root, PROBE, AtFlags::empty());
    }
    tried.map_err(|errno| refused(mode, errno))
}

/// A hole in a file: its blocks are given back, its size stays.
pub(crate) fn punch() -> FallocateFlags {
    FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE
}

fn refused(mode: AgeMode, errno: Errno) -> Failure {
    let other_mode = |code: &str, call: &str, next: &str| {
        Failure::job(code, format!("the file system has no {call}"), text_of(errno), next)
    };
    match (mode, errno) {
        (_, Errno::NOSPC | Errno::DQUOT) => Failure::job(
            "space",
            "the file system has no space for one block",
            text_of(errno),
            "give more space; check with: df -h DIRECTORY",
        ),
        (AgeMode::Fast, Errno::OPNOTSUPP | Errno::NOSYS) => {
            other_mode("no_fallocate", "fallocate(2), which mode fast needs", "use mode write")
        }
        (AgeMode::Direct, Errno::INVAL | Errno::OPNOTSUPP) => {
            other_mode("no_direct", "direct I/O in blocks of 4096 bytes", "use mode write")
        }
        _ => Failure::system(
            "age.probe",
            Some(errno.raw_os_error()),
            "a first file cannot be made in the directory",
            text_of(errno),
            "check that it is mounted read-write and yours: findmnt -T DIRECTORY",
        ),
    }
}

/// What the kernel's number means, without the number.
pub(crate) fn text_of(errno: Errno) -> String {
    let text = std::io::Error::from(errno).to_string();
    text.split(" (os error").next().unwrap_or_default().to_string()
}
