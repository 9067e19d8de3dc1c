//! Which directory a file goes to: a matter of the log alone, no system call. So a copy finds the places of the
//! files that a log leaves without replaying it.

use crate::operation::Placement;

/// Files in one directory, at most.
pub(super) const FILES_LIMIT: u32 = 1024;
/// A directory that had no room takes files again once it has lost half of them.
pub(super) const REUSED_BELOW: u32 = FILES_LIMIT / 2;

/// All directories with the number of their files.
#[derive(Debug)]
pub(crate) struct DirectoryFill {
    placement: Placement,
    all: Vec<FilledDirectory>,
    /// For each stream, the directory that its next file goes to.
    current: Vec<Option<u32>>,
}

#[derive(Debug, Clone, Copy)]
struct FilledDirectory {
    stream: u32,
    files: u32,
}

impl DirectoryFill {
    pub(crate) fn new(placement: Placement) -> Self {
        DirectoryFill { placement, all: Vec::new(), current: Vec::new() }
    }

    pub(crate) fn count(&self) -> u32 {
        self.all.len() as u32
    }

    /// A directory with room for one more file of a stream; none where one must be added first.
    pub(crate) fn with_room(&self, stream: u32) -> Option<u32> {
        match self.placement {
            Placement::Numbered => (stream < self.count()).then_some(stream),
            Placement::Together => self.not_full(0),
            Placement::ByStream => self.not_full(stream),
        }
    }

    fn not_full(&self, stream: u32) -> Option<u32> {
        let index = self.current.get(stream as usize).copied().flatten()?;
        (self.all[index as usize].files < FILES_LIMIT).then_some(index)
    }

    /// One more directory, which takes the stream's next files.
    pub(crate) fn add_directory(&mut self, stream: u32) {
        let stream = if self.placement == Placement::ByStream { stream } else { 0 };
        if self.current.len() <= stream as usize {
            self.current.resize(stream as usize + 1, None);
        }
        self.current[stream as usize] = Some(self.count());
        self.all.push(FilledDirectory { stream, files: 0 });
    }

    pub(crate) fn add_file(&mut self, directory: u32) {
        self.all[directory as usize].files += 1;
    }

    pub(crate) fn remove_file(&mut self, directory: u32) {
        let FilledDirectory { files, stream } = &mut self.all[directory as usize];
        *files -= 1;
        if *files == REUSED_BELOW {
            self.current[*stream as usize] = Some(directory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_directories_are_those_that_are_named() {
        let mut directory_fill = DirectoryFill::new(Placement::Numbered);
        assert_eq!(directory_fill.with_room(1), None);
        directory_fill.add_directory(1);
        assert_eq!(directory_fill.with_room(1), None);
        directory_fill.add_directory(1);
        assert_eq!((directory_fill.with_room(0), directory_fill.with_room(1)), (Some(0), Some(1)));
    }
}
