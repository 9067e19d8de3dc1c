//! Files of a mounted file system that have no name and are still open, found by what processes hold: their space comes
//! back when these end.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{DirEntry, read_dir};
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use fsgauge_wire::{DeletedFile, DeletedFiles};
use rustix::fs::{AtFlags, CWD, FileType, StatxFlags, fstat, statx};

use super::folder::{MountedAs, mounted_as};

/// Descriptors that are looked at.
const LIMIT: usize = 1 << 20;
const LISTED: usize = 3;
const MARK: &[u8] = b" (deleted)";

/// Those in the mount, or on the device, that something open is in, of processes that this user may look into.
pub(super) fn find(open: BorrowedFd<'_>) -> DeletedFiles {
    let mut found = DeletedFiles { all_processes: true, ..DeletedFiles::default() };
    let Ok(device) = fstat(open).map(|stat| stat.st_dev) else { return DeletedFiles::default() };
    let Ok(mount) = mounted_as(open, device) else { return DeletedFiles::default() };
    let (mut seen, mut left) = (HashSet::new(), LIMIT);
    for process in entries(Path::new("/proc")) {
        let Some(number) = process.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let Ok(held) = read_dir(process.path().join("fd")) else {
            found.all_processes &= !process.path().exists();
            continue;
        };
        for entry in held.filter_map(Result::ok) {
            left = left.saturating_sub(1);
            let Some((inode, size_bytes)) = deleted(&entry, mount, device).filter(|_| left > 0) else {
                continue;
            };
            if !seen.insert(inode) {
                continue;
            }
            found.files += 1;
            found.size_bytes = found.size_bytes.saturating_add(size_bytes);
            let Some(path) = target(&entry.path()) else { continue };
            found.largest.push(DeletedFile {
                path,
                size_bytes,
                process: name_of(&process),
                process_id: number,
            });
            found.largest.sort_by_key(|file| std::cmp::Reverse(file.size_bytes));
            found.largest.truncate(LISTED);
        }
    }
    found
}

fn entries(folder: &Path) -> Vec<DirEntry> {
    read_dir(folder).map(|entries| entries.filter_map(Result::ok).collect()).unwrap_or_default()
}

/// Inode and bytes of a regular file without a name in that mount or on that device.
fn deleted(entry: &DirEntry, mount: MountedAs, device: u64) -> Option<(u64, u64)> {
    let link = std::fs::read_link(entry.path()).ok()?;
    if !link.as_os_str().as_bytes().ends_with(MARK) {
        return None;
    }
    let wanted = StatxFlags::BASIC_STATS.union(StatxFlags::MNT_ID);
    let found = statx(CWD, entry.path(), AtFlags::empty(), wanted).ok()?;
    let is_file = FileType::from_raw_mode(found.stx_mode.into()) == FileType::RegularFile;
    let is_in_mount = mount == MountedAs::Mount(found.stx_mnt_id);
    let is_on_device = rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor) == device;
    (is_file && found.stx_nlink == 0 && (is_in_mount || is_on_device))
        .then(|| (found.stx_ino, found.stx_blocks.saturating_mul(512)))
}

fn target(link: &Path) -> Option<String> {
    let target = std::fs::read_link(link).ok()?;
    let path = target.as_os_str().as_bytes().strip_suffix(MARK)?;
    Some(Path::new(OsStr::from_bytes(path)).display().to_string())
}

fn name_of(process: &DirEntry) -> String {
    std::fs::read_to_string(process.path().join("comm")).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsFd;

    #[test]
    fn a_file_that_was_deleted_while_open_is_found_with_its_process_and_one_with_a_name_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut file = std::fs::File::create(&path).unwrap();
        file.write_all(&[7; 1 << 20]).unwrap();
        file.sync_all().unwrap();
        let opened = std::fs::File::open(folder.path()).unwrap();
        let ours = |found: &DeletedFiles| found.largest.iter().any(|file| Path::new(&file.path) == path);
        assert!(!ours(&find(opened.as_fd())));
        std::fs::remove_file(&path).unwrap();
        let found = find(opened.as_fd());
        assert!(found.size_bytes >= 1 << 20 && found.files >= 1, "{found:?}");
        if found.files <= LISTED as u64 {
            assert!(ours(&found), "{found:?}");
        }
    }
}
