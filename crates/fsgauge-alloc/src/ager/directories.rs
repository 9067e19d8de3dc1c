//! Where files lie: directories of bounded fan-out, made as they are needed, kept open as far as there are
//! descriptors.

use fsgauge_door::open_beneath;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, mkdirat};
use rustix::io::{self, Errno};

use super::directory_fill::DirectoryFill;
use super::name::Name;
use crate::operation::Placement;

/// A directory as what names are relative to.
const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);

/// All directories that were made. None that was there before is used: it could be a link, or another's.
pub(crate) struct Directories {
    root: OwnedFd,
    directory_fill: DirectoryFill,
    /// Paths that were made and are needed again: the last group, and a directory that could not be opened yet.
    made: [Option<Name>; 2],
    /// Of the first directories.
    descriptors: Vec<OwnedFd>,
    descriptors_limit: usize,
}

impl Directories {
    pub(crate) fn new(root: OwnedFd, placement: Placement, descriptors_limit: usize) -> Self {
        let directory_fill = DirectoryFill::new(placement);
        Directories { root, directory_fill, made: [None, None], descriptors: Vec::new(), descriptors_limit }
    }

    pub(crate) fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    pub(crate) fn count(&self) -> u32 {
        self.directory_fill.count()
    }

    /// A directory with room for one more file of a stream.
    pub(crate) fn with_room(&mut self, stream: u32) -> io::Result<u32> {
        loop {
            if let Some(index) = self.directory_fill.with_room(stream) {
                return Ok(index);
            }
            self.make(stream)?;
        }
    }

    /// Creates directories until there are this many.
    pub(crate) fn make_up_to(&mut self, count: u32) -> io::Result<()> {
        (self.count()..count).try_for_each(|_| self.make(0))
    }

    pub(crate) fn add_file(&mut self, directory: u32) {
        self.directory_fill.add_file(directory);
    }

    pub(crate) fn remove_file(&mut self, directory: u32) {
        self.directory_fill.remove_file(directory);
    }

    /// What the names of a directory's files are relative to.
    pub(crate) fn directory(&self, index: u32) -> io::Result<Directory<'_>> {
        match self.descriptors.get(index as usize) {
            Some(descriptor) => Ok(Directory::Kept(descriptor.as_fd())),
            None => self.open(index).map(Directory::Opened),
        }
    }

    fn open(&self, index: u32) -> io::Result<OwnedFd> {
        open_beneath(self.root.as_fd(), Name::directory(index).as_c_str(), DIRECTORY, Mode::empty())
    }

    fn make(&mut self, stream: u32) -> io::Result<()> {
        let index = self.count();
        if let Some(group) = Name::group(index) {
            self.make_once(0, group)?;
        }
        self.make_once(1, Name::directory(index))?;
        if self.descriptors.len() < self.descriptors_limit {
            self.descriptors.push(self.open(index)?);
        }
        self.directory_fill.add_directory(stream);
        Ok(())
    }

    /// Makes a directory, unless it is the one that was made last in this place.
    fn make_once(&mut self, place: usize, name: Name) -> io::Result<()> {
        let Some(made) = self.made.get_mut(place) else { return Err(Errno::INVAL) };
        if made.as_ref().is_some_and(|made| made.as_c_str() == name.as_c_str()) {
            return Ok(());
        }
        mkdirat(&self.root, name.as_c_str(), Mode::from_raw_mode(0o755))?;
        *made = Some(name);
        Ok(())
    }
}

/// A directory that is open: kept so, or for a moment.
pub(crate) enum Directory<'a> {
    Kept(BorrowedFd<'a>),
    Opened(OwnedFd),
}

impl AsFd for Directory<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Directory::Kept(descriptor) => *descriptor,
            Directory::Opened(descriptor) => descriptor.as_fd(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::super::directory_fill::{FILES_LIMIT, REUSED_BELOW};
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
        assert!(matches!(directories.directory(0).unwrap(), Directory::Kept(_)));
        assert!(matches!(directories.directory(1).unwrap(), Directory::Opened(_)));
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

    /// A planted link with the name of a directory, or of a group of them, sent root's files elsewhere.
    #[test]
    fn what_is_there_already_is_no_directory_of_ours() {
        for (planted, directories_before) in [("d0000", 0), ("d0003", 3), ("g0001", 1024)] {
            let (root, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let mut directories = below(root.path(), Placement::ByStream, 4000);
            directories.make_up_to(directories_before).unwrap();
            symlink(elsewhere.path(), root.path().join(planted)).unwrap();
            assert_eq!(directories.with_room(directories_before), Err(Errno::EXIST), "{planted}");
            assert_eq!(directories.with_room(directories_before), Err(Errno::EXIST), "{planted} again");
            assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        }
    }

    /// Directories that are not kept open are found again by name: a link that took the place of one is not followed.
    #[test]
    fn a_link_in_place_of_a_directory_is_not_followed() {
        let (root, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut directories = below(root.path(), Placement::ByStream, 0);
        directories.make_up_to(2).unwrap();
        std::fs::rename(root.path().join("d0001"), elsewhere.path().join("d0001")).unwrap();
        symlink(elsewhere.path().join("d0001"), root.path().join("d0001")).unwrap();
        assert!(directories.directory(0).is_ok());
        assert_eq!(directories.directory(1).err(), Some(Errno::NOTDIR));
    }
}
