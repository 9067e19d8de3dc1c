//! The files that a connection has open: a handle is their place and the connection's life.

use crate::target::Handle;

/// A file as the server names it.
pub(super) type FileId = [u8; 16];

/// Lives fit beside a place into a handle that is no negative answer.
const LIFE_LIMIT: u32 = 1 << 31;

/// The open files of one connection.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// How often the connection was lost.
    life: u32,
    ids: Vec<FileId>,
    free: Vec<u32>,
}

impl Files {
    /// The handle of a file that was opened.
    #[inline]
    pub(super) fn add(&mut self, id: FileId) -> Handle {
        let place = match self.free.pop() {
            Some(place) => {
                self.ids[place as usize] = id;
                place
            }
            None => {
                self.ids.push(id);
                self.ids.len() as u32 - 1
            }
        };
        // The first life is 1: numbers that nobody gave are no handles.
        u64::from(self.life + 1) << 32 | u64::from(place)
    }

    /// The file of a handle, or the (positive) error number: ECONNRESET where the connection was lost since.
    #[inline]
    pub(super) fn find(&self, handle: Handle) -> Result<FileId, i32> {
        let (life, place) = ((handle >> 32) as u32, handle as u32);
        match self.ids.get(place as usize) {
            Some(id) if life == self.life + 1 => Ok(*id),
            _ if (1..=self.life).contains(&life) => Err(libc::ECONNRESET),
            _ => Err(libc::EBADF),
        }
    }

    /// Takes a handle back: it is gone whatever the server says.
    #[inline]
    pub(super) fn remove(&mut self, handle: Handle) {
        self.free.push(handle as u32);
    }

    /// The connection was lost, and every file of it is closed.
    pub(super) fn lose_all(&mut self) {
        self.life = (self.life + 1) % (LIFE_LIMIT - 1);
        self.ids.clear();
        self.free.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_die_with_their_connection() {
        let mut files = Files::default();
        let (first, second) = (files.add([1; 16]), files.add([2; 16]));
        assert_eq!((files.find(first), files.find(second)), (Ok([1; 16]), Ok([2; 16])));
        assert_eq!(files.find(1 << 30), Err(libc::EBADF));
        files.remove(first);
        assert_eq!(files.add([3; 16]), first);
        files.lose_all();
        assert_eq!(files.find(first), Err(libc::ECONNRESET));
        let third = files.add([4; 16]);
        assert_ne!(third, first);
        assert_eq!((files.find(third), files.find(second)), (Ok([4; 16]), Err(libc::ECONNRESET)));
    }
}
