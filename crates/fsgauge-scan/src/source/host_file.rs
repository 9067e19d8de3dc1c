//! The file that holds a file system: what it writes where the file has a hole takes room of another file system.

use std::path::Path;

use fsgauge_door::open_named;
use fsgauge_wire::HostFile;
use rustix::fs::{FileType, OFlags, fstat, fstatvfs};

/// Of a file system of so many bytes in the file at `path`. `None` where all of it has, or finds, room, and where another
/// file, or a part of one, is shown.
pub(super) fn host_file(path: &Path, size_bytes: u64) -> Option<HostFile> {
    let open = open_named(path, OFlags::PATH).ok()?;
    let (found, host) = (fstat(&open).ok()?, fstatvfs(&open).ok()?);
    let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
    // The size of a device is in sectors.
    let is_whole = is_file && found.st_size as u64 / 512 == size_bytes / 512;
    let sparse_bytes = size_bytes.saturating_sub((found.st_blocks as u64).saturating_mul(512));
    let available_bytes = host.f_bavail.saturating_mul(host.f_frsize);
    let path = path.display().to_string();
    (is_whole && sparse_bytes > available_bytes).then_some(HostFile { path, sparse_bytes, available_bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_more_holes_than_there_is_room_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image");
        let file = std::fs::File::create(&path).unwrap();
        let room = fstatvfs(&file).unwrap();
        let (small, large) = (1u64 << 20, (room.f_bavail * room.f_frsize).saturating_mul(2) + (1 << 30));
        file.set_len(small).unwrap();
        assert_eq!(host_file(&path, small), None, "there is room");
        if file.set_len(large).is_err() {
            return eprintln!("skipped: no file here may be so long");
        }
        let found = host_file(&path, large).unwrap();
        assert_eq!((found.sparse_bytes, found.path), (large, path.display().to_string()));
        assert!(found.available_bytes < large / 2);
        assert_eq!(host_file(&path, large / 2), None, "another one");
        assert_eq!(host_file(folder.path(), 0), None);
    }
}
