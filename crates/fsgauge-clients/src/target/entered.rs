//! A directory that was entered: what lies in it is named by the last part of its path.
//!
//! To look up each file from the directory above costs the kernel a component of the path in every call. A thread of its
//! own changes into its client's directory, as a program does; where the kernel does not let it, the directory stays open.

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::CWD;

use super::working_directory;

/// The directory.
#[derive(Debug)]
pub(super) struct Entered {
    /// Its path as requests give it, with a slash.
    path: Box<[u8]>,
    /// None: it is the thread's working directory.
    directory: Option<OwnedFd>,
}

impl Entered {
    /// Enters a directory that is open.
    pub(super) fn new(path: &CStr, directory: OwnedFd) -> Self {
        let path = [path.to_bytes(), b"/"].concat().into_boxed_slice();
        let is_working = working_directory::change(&directory).is_ok();
        Entered { path, directory: (!is_working).then_some(directory) }
    }

    /// Where a path in this directory is looked up, and what is left of it; none of a path that is not in it.
    #[inline]
    pub(super) fn place<'path>(&self, path: &'path CStr) -> Option<(BorrowedFd<'_>, &'path CStr)> {
        if !path.to_bytes().starts_with(&self.path) {
            return None;
        }
        Some((self.directory.as_ref().map_or(CWD, AsFd::as_fd), &path[self.path.len()..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    use rustix::fs::{AtFlags, statat};

    #[test]
    fn names_in_it_are_found_and_others_are_not_its_own() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("file"), "five!").unwrap();
        let open = || OwnedFd::from(File::open(directory.path()).unwrap());
        let held = Entered { path: Box::from(*b"own/"), directory: Some(open()) };
        for entered in [Entered::new(c"own", open()), held] {
            let (from, name) = entered.place(c"own/file").unwrap();
            assert_eq!(name, c"file");
            assert_eq!(statat(from, name, AtFlags::empty()).unwrap().st_size, 5);
            for other in [c"own", c"other/file", c"", c"ow"] {
                assert!(entered.place(other).is_none(), "{other:?}");
            }
        }
    }
}
