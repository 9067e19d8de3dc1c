//! Directories that were looked up: asked for once, as an operating system's client does that keeps names.

use std::collections::HashMap;

use super::file_handle::FileHandle;

/// Beyond so many it begins anew: they would take more memory than all clients.
const LIMIT: usize = 1 << 16;

/// Handles by path, below the export's root.
#[derive(Debug, Default)]
pub(super) struct Directories {
    known: HashMap<Box<[u8]>, FileHandle>,
}

impl Directories {
    #[inline]
    pub(super) fn get(&self, path: &[u8]) -> Option<FileHandle> {
        self.known.get(path).copied()
    }

    pub(super) fn add(&mut self, path: &[u8], directory: FileHandle) {
        if self.known.len() >= LIMIT {
            self.known.clear();
        }
        self.known.insert(path.into(), directory);
    }

    /// Forgets a directory and those that lead to it: one of them is another or gone.
    pub(super) fn forget(&mut self, path: &[u8]) {
        let ends = (0..path.len()).filter(|at| path[*at] == b'/').chain([path.len()]);
        for end in ends {
            self.known.remove(&path[..end]);
        }
    }
}
