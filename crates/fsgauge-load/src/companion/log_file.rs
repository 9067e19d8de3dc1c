//! The file of a log: made anew beside the target's first file, and removed at the end.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use fsgauge_door::Folder;
use fsgauge_wire::{Failure, Target};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::target::{Ground, open_failure, path_of};

/// A log that was made here; dropping it removes it.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    /// The folder that it is in; none once it is to stay.
    folder: Option<Arc<Folder>>,
}

impl LogFile {
    /// Makes log `index` beside the target and opens it: through the page cache, since fdatasync follows each
    /// write anyway, and a log's writes need no alignment.
    pub(super) fn create(
        target: &Target,
        ground: &Ground,
        index: usize,
    ) -> Result<(LogFile, OwnedFd), Failure> {
        let path = path_beside(target, index);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let Some(folder) = ground.folder().cloned() else {
            return Err(open_failure(&path, Errno::NOTDIR, false));
        };
        let opened = folder.open(folder.name_of(&path), flags, Mode::RUSR | Mode::WUSR).map_err(|errno| {
            if errno != Errno::EXIST {
                return open_failure(&path, errno, false);
            }
            let what = format!("the log {} exists already", path.display());
            let cause = "a run that was killed left it, or it is not fsgauge's";
            Failure::system(
                "companion.log",
                Some(errno.raw_os_error()),
                what,
                cause,
                format!("ls -l {0}; if it is not needed: rm {0}", path.display()),
            )
        })?;
        Ok((LogFile { path, folder: Some(folder) }, opened))
    }

    /// Writes it whole, and makes that durable: what comes then finds its blocks there.
    pub(super) fn fill(&self, opened: &OwnedFd, size_bytes: u64) -> Result<(), Failure> {
        let piece = vec![0x5a; 1 << 20];
        let mut at = 0;
        let written = loop {
            if at >= size_bytes {
                break rustix::fs::fdatasync(opened);
            }
            match rustix::io::pwrite(opened, &piece, at) {
                Ok(bytes) => at += bytes as u64,
                Err(Errno::INTR) => {}
                Err(errno) => break Err(errno),
            }
        };
        written.map_err(|errno| {
            let what = format!("{} could not be filled: {errno}", self.path());
            let cause = "the file system is full, or reported an error";
            let next = "df -h; dmesg | tail; larger storage";
            Failure::system("companion.checkpoint", Some(errno.raw_os_error()), what, cause, next)
        })
    }

    pub(super) fn path(&self) -> String {
        self.path.display().to_string()
    }

    /// Does not remove it after all; gives its name.
    pub(super) fn leave(mut self) -> String {
        self.folder = None;
        self.path()
    }
}

impl Drop for LogFile {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            // A file that is gone already, or a file system that went read-only: nothing more can be done.
            let _ = folder.remove_file(folder.name_of(&self.path));
        }
    }
}

/// DIRECTORY/PREFIX-log-INDEX, and FILE-log-INDEX for a target of one file.
fn path_beside(target: &Target, index: usize) -> PathBuf {
    let mut first = match target {
        Target::Files { directory, prefix, .. } => PathBuf::from(directory).join(prefix),
        _ => path_of(target, 0),
    }
    .into_os_string();
    first.push(format!("-log-{index}"));
    PathBuf::from(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_lies_beside_the_first_file() {
        let files =
            Target::Files { directory: "/mnt".into(), prefix: "f".into(), count: 2, file_size_bytes: 1 };
        assert_eq!(path_beside(&files, 1), PathBuf::from("/mnt/f-log-1"));
        let file = Target::File { path: "/mnt/data".into(), size_bytes: 1 };
        assert_eq!(path_beside(&file, 0), PathBuf::from("/mnt/data-log-0"));
    }

    #[test]
    fn what_was_there_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data");
        let target = Target::File { path: path.display().to_string(), size_bytes: 1 };
        std::fs::write(directory.path().join("data-log-0"), "precious").unwrap();
        let failure = LogFile::create(&target, &Ground::of(&target, true).unwrap(), 0).unwrap_err();
        assert!(failure.what.ends_with("data-log-0 exists already"), "{}", failure.what);
        assert_eq!(std::fs::read(directory.path().join("data-log-0")).unwrap(), b"precious");
    }

    #[test]
    fn a_log_is_removed_unless_it_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let target =
            Target::File { path: directory.path().join("data").display().to_string(), size_bytes: 1 };
        drop(LogFile::create(&target, &Ground::of(&target, true).unwrap(), 0).unwrap());
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        let left = LogFile::create(&target, &Ground::of(&target, true).unwrap(), 0).unwrap().0.leave();
        assert!(std::fs::exists(left).unwrap());
    }
}
