//! The walk: everything below the root that is in the same mount, each directory whole before the next.
//!
//! Symbolic links are not followed, and what is neither file nor directory is left out. Deeper than a path may be
//! long (4096 bytes, PATH_MAX) the kernel opens nothing: such directories are counted as errors.

use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use fsgauge_wire::{ClientOperation, Failure, Outcome};
use rustix::fs::{AtFlags, FileType, RawDir, Statx, StatxFlags, statx};
use rustix::io::Errno;

use super::open::Opener;
use super::stopwatch::Stopwatch;
use super::tree::{Full, PathRoom, Tree};

/// Room for the entries of one getdents64(2).
const ROOM_BYTES: usize = 256 << 10;

/// What a walk found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) tree: Tree,
    /// Directories that were read.
    pub(super) directories: u64,
    /// Directories that are mounted from elsewhere.
    pub(super) left_out: u64,
}

/// Walks the tree below the opener's root, until it is done or the backup is over.
pub(super) fn walk(opener: &mut Opener, watch: &mut Stopwatch) -> Outcome<Found> {
    let root = look(opener.root(), c"").map_err(|errno| cannot_look(&opener.shown(c""), errno))?;
    let mut walk = Walk {
        opener,
        watch,
        mount: mount_of(&root),
        room: vec![MaybeUninit::uninit(); ROOM_BYTES],
        paths: PathRoom::default(),
        found: Found { tree: Tree::new(), directories: 0, left_out: 0 },
        unsure: Vec::new(),
        pending: vec![0],
    };
    while let Some(directory) = walk.pending.pop() {
        if walk.watch.over().is_some() {
            break;
        }
        walk.list(directory).map_err(|Full| too_large(&walk.opener.shown(c"")))?;
    }
    Ok(walk.found)
}

/// What distinguishes mounts: the mount's number, or the device's before Linux 5.8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mount {
    Number(u64),
    Device(u32, u32),
}

/// Looks at what a directory names; at the directory itself where the name is empty.
fn look(directory: impl AsFd, name: &CStr) -> Result<Statx, Errno> {
    let wanted = StatxFlags::TYPE | StatxFlags::INO | StatxFlags::MNT_ID;
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT | AtFlags::EMPTY_PATH;
    statx(directory, name, flags, wanted)
}

fn mount_of(found: &Statx) -> Mount {
    if found.stx_mask & StatxFlags::MNT_ID.bits() != 0 {
        return Mount::Number(found.stx_mnt_id);
    }
    Mount::Device(found.stx_dev_major, found.stx_dev_minor)
}

struct Walk<'a> {
    opener: &'a mut Opener,
    watch: &'a mut Stopwatch,
    mount: Mount,
    room: Vec<MaybeUninit<u8>>,
    paths: PathRoom,
    found: Found,
    /// Entries of the directory at hand that have to be looked at.
    unsure: Vec<(CString, FileType)>,
    /// Directories to be read, the next one last.
    pending: Vec<u32>,
}

/// Why a directory was not read whole.
enum Trouble {
    Refused(Errno),
    Full,
    /// The backup is over.
    OperationProgress,
}

impl From<Errno> for Trouble {
    fn from(errno: Errno) -> Self {
        Trouble::Refused(errno)
    }
}

impl From<Full> for Trouble {
    fn from(_: Full) -> Self {
        Trouble::Full
    }
}

impl Walk<'_> {
    /// Reads one directory whole and puts those in it next, in their order.
    fn list(&mut self, directory: u32) -> Result<(), Full> {
        let begin_ns = self.watch.begin();
        let mut opened = None;
        match self.read(directory, &mut opened) {
            Ok(()) => {
                self.watch.done(ClientOperation::List, begin_ns, 0);
                self.found.directories += 1;
            }
            Err(Trouble::Refused(errno)) => {
                let path = self.paths.directory(&self.found.tree, directory);
                self.watch.failed(ClientOperation::List, begin_ns, errno, || self.opener.shown(path));
            }
            Err(Trouble::Full) => return Err(Full),
            Err(Trouble::OperationProgress) => return Ok(()),
        }
        let Some(opened) = opened else { return Ok(()) };
        let first = self.pending.len();
        let mut unsure = std::mem::take(&mut self.unsure);
        let looked =
            unsure.drain(..).try_for_each(|(name, kind)| self.look_at((directory, &opened), &name, kind));
        self.unsure = unsure;
        self.pending[first..].reverse();
        looked
    }

    /// Adds the files of a directory, and keeps what has to be looked at: directories, which may be mounted from
    /// elsewhere, and entries of unknown kind. The directory stays open for that.
    fn read(&mut self, directory: u32, opened: &mut Option<OwnedFd>) -> Result<(), Trouble> {
        let opened = opened.insert(self.opener.directory(self.paths.directory(&self.found.tree, directory))?);
        let mut entries = RawDir::new(&*opened, &mut self.room);
        loop {
            if entries.is_buffer_empty() {
                self.watch.look();
                if self.watch.over().is_some() {
                    return Err(Trouble::OperationProgress);
                }
            }
            let Some(entry) = entries.next() else { return Ok(()) };
            let entry = entry?;
            let name = entry.file_name();
            match entry.file_type() {
                FileType::RegularFile => self.found.tree.add_file(directory, name, entry.ino())?,
                _ if matches!(name.to_bytes(), b"." | b"..") => {}
                kind @ (FileType::Directory | FileType::Unknown) => self.unsure.push((name.to_owned(), kind)),
                _ => {}
            }
        }
    }

    fn look_at(
        &mut self,
        (directory, opened): (u32, &OwnedFd),
        name: &CStr,
        kind: FileType,
    ) -> Result<(), Full> {
        let begin_ns = self.watch.begin();
        let found = match look(opened, name) {
            Ok(found) => found,
            Err(errno) => {
                let path = self.paths.entry(&self.found.tree, directory, name);
                self.watch.failed(ClientOperation::List, begin_ns, errno, || self.opener.shown(path));
                return Ok(());
            }
        };
        let kind = match kind {
            FileType::Unknown => FileType::from_raw_mode(found.stx_mode.into()),
            known => known,
        };
        match kind {
            FileType::Directory if mount_of(&found) == self.mount => {
                self.pending.push(self.found.tree.add_directory(directory, name)?);
            }
            FileType::Directory => self.found.left_out += 1,
            FileType::RegularFile => self.found.tree.add_file(directory, name, found.stx_ino)?,
            _ => {}
        }
        Ok(())
    }
}

fn cannot_look(shown: &str, errno: Errno) -> Failure {
    let what = format!("{shown} cannot be walked: {errno}");
    let next = format!("ls -ld {shown}; or run as root");
    Failure::system("backup.walk", Some(errno.raw_os_error()), what, "the kernel refused", next)
}

fn too_large(shown: &str) -> Failure {
    let what = format!("the names of the files below {shown} are longer than 4 GiB in all");
    Failure::job("target", what, "that is more than a backup keeps in memory", "back up a part of the tree")
}
