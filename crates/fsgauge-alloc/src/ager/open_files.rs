//! Files that streams have open: one each, in a table of fixed size.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};

/// A slot for each stream, shared where there are more streams than slots.
pub(crate) struct OpenFiles {
    slots: Vec<Option<Open>>,
}

struct Open {
    stream: u32,
    file: u32,
    descriptor: OwnedFd,
}

impl OpenFiles {
    pub(crate) fn new(slots: usize) -> Self {
        OpenFiles { slots: (0..slots.max(1)).map(|_| None).collect() }
    }

    fn slot(&self, stream: u32) -> usize {
        stream as usize % self.slots.len()
    }

    /// The stream's file, where it is the one that is open.
    pub(crate) fn get(&self, stream: u32, file: u32) -> Option<BorrowedFd<'_>> {
        let open = self.slots[self.slot(stream)].as_ref()?;
        (open.file == file && open.stream == stream).then(|| open.descriptor.as_fd())
    }

    /// Keeps a file open. Gives the file of another stream that had to be closed for it.
    pub(crate) fn keep(&mut self, stream: u32, file: u32, descriptor: OwnedFd) -> Option<u32> {
        let slot = self.slot(stream);
        let before = self.slots[slot].replace(Open { stream, file, descriptor })?;
        (before.stream != stream).then_some(before.file)
    }

    /// The stream turns to another file.
    pub(crate) fn close(&mut self, stream: u32) {
        let slot = self.slot(stream);
        if self.slots[slot].as_ref().is_some_and(|open| open.stream == stream) {
            self.slots[slot] = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn null() -> OwnedFd {
        std::fs::File::open("/dev/null").unwrap().into()
    }

    #[test]
    fn a_stream_has_one_file_open_and_slots_are_shared() {
        let mut open = OpenFiles::new(2);
        assert_eq!(open.keep(0, 10, null()), None);
        assert_eq!(open.keep(1, 11, null()), None);
        assert!(open.get(0, 10).is_some() && open.get(0, 11).is_none());
        // The stream turns to another file: nobody else lost anything.
        assert_eq!(open.keep(0, 12, null()), None);
        // Stream 2 shares a slot with stream 0.
        assert_eq!(open.keep(2, 13, null()), Some(12));
        assert!(open.get(0, 12).is_none() && open.get(2, 13).is_some());
        open.close(0);
        assert!(open.get(2, 13).is_some());
        open.close(2);
        assert!(open.get(2, 13).is_none());
    }
}
