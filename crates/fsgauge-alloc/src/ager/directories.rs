//! Where files lie: directories of bounded fan-out, made as they are needed, kept open as far as there are
//! descriptors.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, mkdirat, openat};
use rustix::io::{self, Errno};

use super::name::Name;
use crate::op_log::Placement;

/// Files in one directory, at most.
const FILES_LIMIT: u32 = 1024;
/// A directory that had no room takes files again once it has lost half of them.
const REUSED_BELOW: u32 = FILES_LIMIT / 2;

/// All directories that were made.
pub(crate) struct Directories {
    root: OwnedFd,
    placement: Placement,
    all: Vec<Directory>,
    /// For each stream, the directory that its next file goes to.
    current: Vec<Option<u32>>,
    descriptors_left: usize,
}

struct Directory {
    descriptor: Option<OwnedFd>,
    stream: u32,
    files: u32,
}

impl Directories {
    pub(crate) fn new(root: OwnedFd, placement: Placement, descriptors: usize) -> Self {
        Directories { root, placement, all: Vec::new(), current: Vec::new(), descriptors_left: descriptors }
    }

    pub(crate) fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    pub(crate) fn count(&self) -> u64 {
        self.all.len() as u64
    }

    /// A directory with room for one more file of a stream.
    pub(crate) fn with_room(&mut self, stream: u32) -> io::Result<u32> {
        let stream = if self.placement == Placement::Together { 0 } else { stream };
        if self.current.len() <= stream as usize {
            self.current.resize(stream as usize + 1, None);
        }
        match self.current[stream as usize] {
            Some(index) if self.all[index as usize].files < FILES_LIMIT => Ok(index),
            _ => {
                let index = self.make(stream)?;
                self.current[stream as usize] = Some(index);
                Ok(index)
            }
        }
    }

    pub(crate) fn add_file(&mut self, directory: u32) {
        self.all[directory as usize].files += 1;
    }

    pub(crate) fn remove_file(&mut self, directory: u32) {
        let Directory { files, stream, .. } = &mut self.all[directory as usize];
        *files -= 1;
        if *files == REUSED_BELOW {
            self.current[*stream as usize] = Some(directory);
        }
    }

    /// What a file's name is relative to, and the name.
    pub(crate) fn path(&self, directory: u32, file: u32) -> (BorrowedFd<'_>, Name) {
        match &self.all[directory as usize].descriptor {
            Some(descriptor) => (descriptor.as_fd(), Name::file(file)),
            None => (self.root.as_fd(), Name::file_below(directory, file)),
        }
    }

    fn make(&mut self, stream: u32) -> io::Result<u32> {
        let index = self.all.len() as u32;
        let mode = Mode::from_raw_mode(0o755);
        if let Some(group) = Name::group(index) {
            match mkdirat(&self.root, group.as_c_str(), mode) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
        let name = Name::directory(index);
        match mkdirat(&self.root, name.as_c_str(), mode) {
            Ok(()) => {}
            // Made before, when it could not be opened.
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno),
        }
        let mut descriptor = None;
        if self.descriptors_left > 0 {
            self.descriptors_left -= 1;
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            descriptor = Some(openat(&self.root, name.as_c_str(), flags, Mode::empty())?);
        }
        self.all.push(Directory { descriptor, stream, files: 0 });
        Ok(index)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn below(directory: &Path, placement: Placement, descriptors: usize) -> Directories {
        let root = rustix::fs::open(directory, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        Directories::new(root, placement, descriptors)
    }

    #[test]
    fn a_full_directory_is_followed_by_another_and_used_again_later() {
        let root = tempfile::tempdir().unwrap();
        let mut directories = below(root.path(), Placement::Together, 1);
        for stream in 0..FILES_LIMIT {
            let index = directories.with_room(stream).unwrap();
            assert_eq!(index, 0);
            directories.add_file(index);
        }
        assert_eq!(directories.with_room(0).unwrap(), 1);
        for _ in 0..REUSED_BELOW {
            directories.remove_file(0);
        }
        assert_eq!(directories.with_room(0).unwrap(), 0);
        assert_eq!(directories.path(0, 5).1.as_c_str(), c"f0005");
        assert_eq!(directories.path(1, 5).1.as_c_str(), c"d0001/f0005");
        assert!(root.path().join("d0001").is_dir());
    }

    #[test]
    fn streams_have_directories_of_their_own_and_the_top_has_few_names() {
        let root = tempfile::tempdir().unwrap();
        let mut directories = below(root.path(), Placement::ByStream, 10);
        for stream in 0..3000 {
            assert_eq!(directories.with_room(stream).unwrap(), stream);
        }
        assert_eq!(directories.count(), 3000);
        // 1024 directories and two groups of them.
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 1026);
        assert!(root.path().join("g0002/d0951").is_dir());
    }
}
