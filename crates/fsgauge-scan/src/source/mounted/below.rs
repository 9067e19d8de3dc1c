//! What lies below a mounted file system that is not one on a disk itself, or tells nothing of its files.

use std::path::{Path, PathBuf};

use super::mount::{self, Mount};
use crate::shown::{quoted, shown};

/// File systems that show what others hold, or what was written once.
const OVER_OTHERS: [&str; 8] =
    ["overlay", "erofs", "squashfs", "iso9660", "udf", "cramfs", "romfs", "ecryptfs"];

/// What to know of a file system that tells of its files, though it lies on another one.
pub(super) fn note(mount: &Mount) -> Option<String> {
    let is_over = OVER_OTHERS.contains(&mount.file_system.as_str()) || is_fuse(mount);
    is_over.then(|| format!("{}: {}", nature(mount), below(mount)))
}

/// Why nothing is known of where its files lie.
pub(super) fn why_untold(mount: &Mount) -> String {
    format!("{}, and has no FIEMAP: {}", nature(mount), below(mount))
}

/// What to scan instead.
pub(super) fn next(mount: &Mount) -> String {
    if let Some(image) = file_behind(mount) {
        let folder = image.parent().unwrap_or(Path::new("/"));
        return format!("fsgauge scan {}   (where the file itself lies)", quoted(folder));
    }
    let source = &mount.source;
    if source.is_absolute() && source.exists() && mount::block_number(source).is_none() {
        return format!("fsgauge scan {}", quoted(source));
    }
    "scan a folder on ext4, XFS, btrfs or another file system on a disk; df -T shows them".to_owned()
}

fn is_fuse(mount: &Mount) -> bool {
    mount.file_system == "fuseblk" || mount.file_system.split('.').next() == Some("fuse")
}

fn nature(mount: &Mount) -> String {
    let kind = &mount.file_system;
    match kind.as_str() {
        _ if is_fuse(mount) => format!("its file system, {kind}, is served by a program (FUSE)"),
        "tmpfs" | "ramfs" | "devtmpfs" => format!("its file system, {kind}, is in memory"),
        "nfs" | "nfs4" | "cifs" | "smb3" | "ceph" | "9p" | "afs" | "lustre" | "virtiofs" => {
            format!("its file system, {kind}, is that of another machine")
        }
        "squashfs" | "erofs" | "iso9660" | "cramfs" | "romfs" => {
            format!("its file system, {kind}, is read-only: it was written at once and never changes")
        }
        "overlay" | "ecryptfs" | "aufs" | "unionfs" => {
            format!("its file system, {kind}, shows the files of others")
        }
        "proc" | "sysfs" | "cgroup" | "cgroup2" | "debugfs" | "tracefs" | "securityfs" | "bpf" | "pstore" => {
            format!("its file system, {kind}, is the kernel's own view of itself")
        }
        "zfs" => "its file system, zfs, is in a pool of its own".to_owned(),
        _ if mount::block_device(mount).is_some() => format!("its file system, {kind}, is on a disk"),
        _ => format!("its file system is {kind}"),
    }
}

fn below(mount: &Mount) -> String {
    if let Some(image) = file_behind(mount) {
        return format!("below it is the file {}", shown(&image));
    }
    let upper = mount.options.split(',').find_map(|option| option.strip_prefix("upperdir="));
    let lower = mount.options.split(',').find_map(|option| option.strip_prefix("lowerdir="));
    match (upper.or(lower), mount::block_device(mount)) {
        (Some(folder), _) => format!("what was written is in {}", shown(Path::new(folder))),
        (None, Some(_)) => format!("below it is the device {}", shown(&mount.source)),
        // What has nothing below it is mounted by any word: as a rule "none", or the name of the file system.
        (None, None)
            if !mount.source.as_os_str().as_encoded_bytes().iter().any(|byte| b"/:".contains(byte)) =>
        {
            "nothing lies below it".to_owned()
        }
        (None, None) => format!("below it is {}", shown(&mount.source)),
    }
}

fn file_behind(mount: &Mount) -> Option<PathBuf> {
    mount::file_behind(mount::block_device(mount)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(file_system: &str, source: &str, options: &str) -> Mount {
        Mount {
            id: 1,
            device_number: (0, 1),
            root: "/".into(),
            point: "/x".into(),
            file_system: file_system.into(),
            source: source.into(),
            options: options.into(),
            writable: true,
            is_listed: true,
        }
    }

    #[test]
    fn what_lies_below_is_said() {
        let sshfs = why_untold(&mount("fuse.sshfs", "host:/data", ""));
        assert!(
            sshfs.contains("served by a program (FUSE)") && sshfs.ends_with("below it is host:/data"),
            "{sshfs}"
        );
        let over = note(&mount("overlay", "overlay", "rw,lowerdir=/l,upperdir=/var/u,workdir=/w")).unwrap();
        assert!(over.ends_with("what was written is in /var/u"), "{over}");
        assert!(why_untold(&mount("tmpfs", "none", "")).contains("in memory"));
        for kind in ["tmpfs", "proc"] {
            assert!(why_untold(&mount(kind, kind, "")).ends_with("nothing lies below it"));
        }
        assert!(why_untold(&mount("tmpfs", "shm", "")).ends_with("nothing lies below it"));
        assert!(why_untold(&mount("nfs4", "s:/x", "")).contains("another machine"));
        assert_eq!(note(&mount("ext4", "/dev/sda1", "")), None);
        assert_eq!(next(&mount("fuse.bindfs", "/", "")), "fsgauge scan /");
    }
}
