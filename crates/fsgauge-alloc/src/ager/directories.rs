//! Where files lie: directories of bounded fan-out, made as they are needed, kept open as far as there are
//! descriptors.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, mkdirat, openat};
use rustix::io::{self, Errno};

use super::filing::Filing;
use super::name::Name;
use crate::op_log::Placement;

/// All directories that were made.
pub(crate) struct Directories {
    root: OwnedFd,
    filing: Filing,
    /// Of the first directories.
    descriptors: Vec<OwnedFd>,
    descriptors_limit: usize,
}

impl Directories {
    pub(crate) fn new(root: OwnedFd, placement: Placement, descriptors_limit: usize) -> Self {
        Directories { root, filing: Filing::new(placement), descriptors: Vec::new(), descriptors_limit }
    }

    pub(crate) fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    pub(crate) fn count(&self) -> u32 {
        self.filing.count()
    }

    /// A directory with room for one more file of a stream.
    pub(crate) fn with_room(&mut self, stream: u32) -> io::Result<u32> {
        loop {
            if let Some(index) = self.filing.with_room(stream) {
                return Ok(index);
            }
            self.make(stream)?;
        }
    }

    /// Makes directories until there are so many.
    pub(crate) fn make_up_to(&mut self, count: u32) -> io::Result<()> {
        (self.count()..count).try_for_each(|_| self.make(0))
    }

    pub(crate) fn add_file(&mut self, directory: u32) {
        self.filing.add_file(directory);
    }

    pub(crate) fn remove_file(&mut self, directory: u32) {
        self.filing.remove_file(directory);
    }

    /// What a file's name is relative to, and the name.
    pub(crate) fn path(&self, directory: u32, file: u32) -> (BorrowedFd<'_>, Name) {
        match self.descriptors.get(directory as usize) {
            Some(descriptor) => (descriptor.as_fd(), Name::file(file)),
            None => (self.root.as_fd(), Name::file_below(directory, file)),
        }
    }

    fn make(&mut self, stream: u32) -> io::Result<()> {
        let index = self.count();
        let mode = Mode::from_raw_mode(0o755);
        let made = |name: Name| match mkdirat(&self.root, name.as_c_str(), mode) {
            // A group of another directory, or made before, when it could not be opened.
            Ok(()) | Err(Errno::EXIST) => Ok(name),
            Err(errno) => Err(errno),
        };
        Name::group(index).map(made).transpose()?;
        let name = made(Name::directory(index))?;
        if self.descriptors.len() < self.descriptors_limit {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            self.descriptors.push(openat(&self.root, name.as_c_str(), flags, Mode::empty())?);
        }
        self.filing.add_directory(stream);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::filing::{FILES_LIMIT, REUSED_BELOW};
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
