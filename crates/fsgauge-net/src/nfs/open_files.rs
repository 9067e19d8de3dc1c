//! Files that clients have open: the server knows nothing of it.

use super::file_handle::FileHandle;
use crate::target::Handle;

/// An open file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpenFile {
    pub(super) file: FileHandle,
    pub(super) may_write: bool,
    /// The connection that it was opened on, of its client's.
    pub(super) connection: u32,
    /// What the server called its state when it last took data that it has not committed.
    pub(super) uncommitted: Option<u64>,
    /// The server called its state otherwise since: it lost what it had taken.
    pub(super) is_lost: bool,
}

/// All of a target's.
#[derive(Debug, Default)]
pub(super) struct OpenFiles {
    places: Vec<(u32, Option<OpenFile>)>,
    free: Vec<u32>,
}

impl OpenFiles {
    /// Adds a file; its handle is no other's, neither now nor soon.
    #[inline]
    pub(super) fn add(&mut self, file: OpenFile) -> Handle {
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push((0, None));
            (self.places.len() - 1) as u32
        });
        let (round, kept) = &mut self.places[place as usize];
        // The answer that gives a handle is no negative number.
        *round = (*round + 1) & (u32::MAX >> 1);
        *kept = Some(file);
        Handle::from(*round) << 32 | Handle::from(place)
    }

    #[inline]
    pub(super) fn get(&mut self, handle: Handle) -> Option<&mut OpenFile> {
        let (round, kept) = self.places.get_mut(handle as u32 as usize)?;
        if *round != (handle >> 32) as u32 {
            return None;
        }
        kept.as_mut()
    }

    /// Takes a file away; its handle is dead.
    #[inline]
    pub(super) fn remove(&mut self, handle: Handle) {
        if self.get(handle).is_some() {
            let place = handle as u32;
            self.places[place as usize].1 = None;
            self.free.push(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::xdr::Decoder;
    use super::*;

    #[test]
    fn a_handle_is_dead_after_its_end() {
        let file = FileHandle::of(&mut Decoder::new(&[0, 0, 0, 4, 1, 2, 3, 4])).unwrap();
        let open = OpenFile { file, may_write: true, connection: 1, uncommitted: None, is_lost: false };
        let mut files = OpenFiles::default();
        let (first, second) = (files.add(open), files.add(open));
        assert!(first != second && files.get(first).is_some());
        files.remove(first);
        files.remove(first);
        assert_eq!(files.get(first), None);
        let third = files.add(open);
        assert!(third != first && third as i64 > 0);
        assert_eq!(files.get(first), None);
        assert_eq!(files.get(third).copied(), Some(open));
        assert_eq!(files.get(1 << 30), None);
    }
}
