//! A mount that /proc/self/mountinfo does not list: below a root that is no mount point (chroot), or without /proc.
//! What statx(2) and statfs(2) say of it is enough to read it.

use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, StatVfsMountFlags, fstat, fstatfs, fstatvfs, openat};
use rustix::io::Errno;

use super::folder::{MountedAs, mounted_as};
use super::mount::{self, Mount};

/// Folders above a path, at most.
const DEPTH_LIMIT: usize = 4096;

/// File systems by the number that statfs(2) gives (linux/magic.h, Linux 6.18). ext2, ext3 and ext4 have one number.
const NAMES: [(u64, &str); 17] = [
    (0xEF53, "ext4"),
    (0x5846_5342, "xfs"),
    (0x9123_683E, "btrfs"),
    (0xF2F5_2010, "f2fs"),
    (0x0102_1994, "tmpfs"),
    (0x8584_58F6, "ramfs"),
    (0x9FA0, "proc"),
    (0x6265_6572, "sysfs"),
    (0x6367_7270, "cgroup2"),
    (0x6969, "nfs"),
    (0x794C_7630, "overlay"),
    (0x4D44, "vfat"),
    (0x2011_BAB0, "exfat"),
    (0xE0F5_E1E2, "erofs"),
    (0x7371_7368, "squashfs"),
    (0x6573_5546, "fuse"),
    (0xCA45_1A4E, "bcachefs"),
];

/// The mount that `open` is in, which lies at `path`.
pub(super) fn mount(
    open: BorrowedFd<'_>,
    path: &Path,
    found: MountedAs,
    device_number: (u32, u32),
) -> Result<Mount, Errno> {
    let (MountedAs::Mount(id) | MountedAs::Device(id)) = found;
    let flags = fstatvfs(open)?.f_flag;
    Ok(Mount {
        id,
        device_number,
        root: PathBuf::from("/"),
        point: highest(path, found),
        file_system: name(fstatfs(open)?.f_type as u64),
        source: source(device_number),
        options: String::new(),
        writable: !flags.contains(StatVfsMountFlags::RDONLY),
        is_listed: false,
    })
}

fn name(number: u64) -> String {
    let number = number & 0xFFFF_FFFF;
    let known = NAMES.iter().find(|(each, _)| *each == number);
    known.map_or_else(|| format!("file system {number:#x}"), |(_, name)| (*name).to_owned())
}

/// The device's node where there is one, else its number.
fn source((major, minor): (u32, u32)) -> PathBuf {
    let node = mount::kernel_name((major, minor)).map(|name| Path::new("/dev").join(name));
    node.filter(|node| mount::block_number(node) == Some((major, minor)))
        .unwrap_or_else(|| PathBuf::from(format!("{major}:{minor}")))
}

/// The highest folder above `path` that is in the same mount, as far as this process sees.
fn highest(path: &Path, found: MountedAs) -> PathBuf {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_in_it = |folder: &Path| {
        let opened = openat(CWD, folder, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        Ok::<bool, Errno>(mounted_as(opened.as_fd(), fstat(&opened)?.st_dev)? == found)
    };
    let above = whole.ancestors().take(DEPTH_LIMIT).take_while(|folder| is_in_it(folder).unwrap_or(false));
    above.last().unwrap_or(&whole).to_owned()
}
