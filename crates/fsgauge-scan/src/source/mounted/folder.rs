//! A folder that is open, and its entries in portions of bounded size.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, Stat, StatxFlags, fstat, openat, statx};
use rustix::io::Errno;

use super::emptied_folders::Names;

/// Room for the entries of one portion, as getdents(2) gives them: several thousand.
pub(super) const PORTION_BYTES: usize = 256 << 10;

/// A folder that is open.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) fd: OwnedFd,
    /// Where it is: files with another one are mounted from elsewhere.
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) size_bytes: u64,
    /// What it takes itself.
    pub(super) taken_bytes: u64,
}

impl Folder {
    /// Opens what a user names; a symbolic link is followed.
    pub(super) fn open_named(path: &Path) -> Result<Folder, Errno> {
        Folder::opened_by(|flags| fsgauge_door::open_named(path, flags))
    }

    /// Opens a folder of another one.
    pub(super) fn open(parent: &Folder, name: &CStr) -> Result<Folder, Errno> {
        Folder::opened_by(|flags| openat(&parent.fd, name, flags | OFlags::NOFOLLOW, Mode::empty()))
    }

    /// Opens a folder without changing its time of access where that is allowed.
    fn opened_by(open: impl Fn(OFlags) -> Result<OwnedFd, Errno>) -> Result<Folder, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = match open(flags | OFlags::NOATIME) {
            Err(Errno::PERM) => open(flags)?,
            opened => opened?,
        };
        let found = fstat(&fd)?;
        Ok(Folder {
            fd,
            device: found.st_dev,
            inode: found.st_ino,
            size_bytes: found.st_size as u64,
            taken_bytes: taken_bytes(&found),
        })
    }

    /// Which mount it is in.
    pub(super) fn mount(&self) -> Result<MountedAs, Errno> {
        mounted_as(self.fd.as_fd(), self.device)
    }

    /// The next entries, sorted; `None` at the end.
    pub(super) fn portion(&self, room: &mut [MaybeUninit<u8>]) -> Result<Option<Portion>, Errno> {
        let mut entries = RawDir::new(&self.fd, room);
        let mut portion = Portion::default();
        let mut any = false;
        while let Some(entry) = entries.next() {
            let entry = entry?;
            any = true;
            portion.add(entry.file_name(), entry.file_type(), entry.ino());
            if entries.is_buffer_empty() {
                break;
            }
        }
        portion.files.sort_unstable();
        portion.folders.sort_unstable();
        Ok(any.then_some(portion))
    }
}

/// What a file takes on the device, its own tables included.
pub(super) fn taken_bytes(found: &Stat) -> u64 {
    (found.st_blocks as u64).saturating_mul(512)
}

/// What distinguishes mounts. A mount shows one file system; that of btrfs has many devices' numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MountedAs {
    Mount(u64),
    Device(u64),
}

/// Which mount something open is in: by its number, or by its device before Linux 5.8.
pub(super) fn mounted_as(open: BorrowedFd<'_>, device: u64) -> Result<MountedAs, Errno> {
    let found = statx(open, c"", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID)?;
    let has_id = found.stx_mask & StatxFlags::MNT_ID.bits() != 0;
    Ok(if has_id { MountedAs::Mount(found.stx_mnt_id) } else { MountedAs::Device(device) })
}

/// Some entries of a folder. Files are in the order of their inodes, which is that of the inode tables: a disk
/// arm goes one way.
#[derive(Debug, Default)]
pub(super) struct Portion {
    names: Vec<u8>,
    files: Vec<Entry>,
    folders: Vec<Entry>,
    /// Those of other kinds too.
    pub(super) names_of_all: Names,
}

/// Inode, then where its name begins.
type Entry = (u64, u32);

impl Portion {
    fn add(&mut self, name: &CStr, kind: FileType, inode: u64) {
        if matches!(name.to_bytes(), b"." | b"..") {
            return;
        }
        self.names_of_all.add(name.to_bytes().len());
        let entries = match kind {
            FileType::RegularFile => &mut self.files,
            FileType::Directory => &mut self.folders,
            // Opened as a file with O_NOFOLLOW and O_NONBLOCK, and looked at then.
            FileType::Unknown => &mut self.files,
            _ => return,
        };
        entries.push((inode, self.names.len() as u32));
        self.names.extend_from_slice(name.to_bytes_with_nul());
    }

    pub(super) fn files(&self) -> usize {
        self.files.len()
    }

    /// The name of a file.
    pub(super) fn file(&self, at: usize) -> Option<&CStr> {
        self.name(self.files.get(at)?)
    }

    /// The name of a folder.
    pub(super) fn folder(&self, at: usize) -> Option<&CStr> {
        self.name(self.folders.get(at)?)
    }

    fn name(&self, entry: &Entry) -> Option<&CStr> {
        CStr::from_bytes_until_nul(self.names.get(entry.1 as usize..)?).ok()
    }
}
