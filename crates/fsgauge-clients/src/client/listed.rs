//! Files in the order in which their directory gives their names.
//!
//! Names are read as a program reads them: those of one call, then what is done with these files, then the next call.

use std::ffi::CStr;
use std::os::fd::OwnedFd;

use crate::file_set::FileNumber;

/// A directory on its way, and the files that it has given.
#[derive(Debug)]
pub(crate) struct Listed {
    client: u32,
    /// None: at its end.
    directory: Option<OwnedFd>,
    /// What the last call gave.
    numbers: Vec<u32>,
    /// How many of them were taken.
    taken: usize,
    is_given: Vec<bool>,
    /// Every file before this one was given, or taken without a name.
    first_missing: u32,
}

impl Listed {
    /// The `files` files of client `client`, in its directory.
    pub(crate) fn new(client: u32, files: u32, directory: OwnedFd) -> Box<Listed> {
        Box::new(Listed {
            client,
            directory: Some(directory),
            numbers: Vec::new(),
            taken: 0,
            is_given: vec![false; files as usize],
            first_missing: 0,
        })
    }

    /// Whether names have to be read before the next file is known.
    #[inline]
    pub(super) fn is_short(&self) -> bool {
        self.taken == self.numbers.len() && self.directory.is_some()
    }

    /// Reads on: `read` hands out the names of one call and says whether there was one before the end. After an error
    /// nothing more is read.
    pub(crate) fn read_on<E>(
        &mut self,
        read: impl FnOnce(&OwnedFd, &mut dyn FnMut(&CStr)) -> Result<bool, E>,
    ) -> Result<(), E> {
        let Some(directory) = self.directory.take() else { return Ok(()) };
        self.numbers.clear();
        self.taken = 0;
        if read(&directory, &mut |name| self.give(name))? {
            self.directory = Some(directory);
        }
        Ok(())
    }

    /// Notes a name, once; those of other files are passed over.
    fn give(&mut self, name: &CStr) {
        let Some(number) = FileNumber::of_name(name.to_bytes()) else { return };
        if number.client != self.client {
            return;
        }
        if let Some(is_given @ false) = self.is_given.get_mut(number.file as usize) {
            *is_given = true;
            self.numbers.push(number.file);
        }
    }

    /// The next file. Those that the directory did not give come last, by number: they are missing, and will be found
    /// so one by one. There is one to take as long as fewer were taken than there are files.
    pub(super) fn take(&mut self) -> u32 {
        if let Some(number) = self.numbers.get(self.taken) {
            self.taken += 1;
            return *number;
        }
        let rest = &self.is_given[self.first_missing as usize..];
        let given = rest.iter().take_while(|is_given| **is_given).count() as u32;
        self.first_missing += given + 1;
        self.first_missing - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    fn listed(files: u32) -> Box<Listed> {
        Listed::new(0, files, File::open("/").unwrap().into())
    }

    /// Reads one call's names.
    fn read(listed: &mut Listed, names: &[&CStr]) {
        let read = |_: &OwnedFd, each: &mut dyn FnMut(&CStr)| {
            names.iter().for_each(|name| each(name));
            Ok::<_, ()>(!names.is_empty())
        };
        listed.read_on(read).unwrap();
    }

    #[test]
    fn what_a_directory_does_not_give_comes_last() {
        let mut listed = listed(5);
        assert!(listed.is_short());
        read(&mut listed, &[c"c00000-f000004", c"c00000-f000000"]);
        assert!(!listed.is_short());
        assert_eq!([listed.take(), listed.take()], [4, 0]);
        assert!(listed.is_short());
        read(&mut listed, &[c"c00000-f000002"]);
        assert_eq!(listed.take(), 2);
        read(&mut listed, &[]);
        assert!(!listed.is_short());
        assert_eq!([listed.take(), listed.take()], [1, 3]);
    }

    #[test]
    fn names_of_others_and_names_that_come_again_are_passed_over() {
        let mut listed = listed(2);
        read(&mut listed, &[c"c00000-f000001", c"lost+found", c"c00001-f000000", c"c00000-f000002"]);
        assert_eq!(listed.take(), 1);
        read(&mut listed, &[c"c00000-f000001", c"c00000-f000000"]);
        assert_eq!(listed.take(), 0);
    }

    #[test]
    fn after_an_error_files_come_by_number() {
        let mut listed = listed(2);
        assert_eq!(listed.read_on(|_, _| Err(5)), Err(5));
        assert!(!listed.is_short());
        assert_eq!([listed.take(), listed.take()], [0, 1]);
    }
}
