//! What of the log's files there really is. It differs from the log where the file system refused something.

/// Files by number.
#[derive(Debug, Default)]
pub(crate) struct FileTable {
    files: Vec<Option<FileState>>,
    pub(crate) live_files: u64,
    pub(crate) live_bytes: u64,
}

/// One file that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileState {
    pub(crate) directory: u32,
    pub(crate) size_bytes: u64,
    /// Closed for another stream's file, not by its own stream.
    pub(crate) closed_early: bool,
}

impl FileTable {
    pub(crate) fn get(&self, file: u32) -> Option<FileState> {
        self.files.get(file as usize).copied().flatten()
    }

    pub(crate) fn add(&mut self, file: u32, directory: u32, size_bytes: u64) {
        if self.files.len() <= file as usize {
            self.files.resize(file as usize + 1, None);
        }
        self.files[file as usize] = Some(FileState { directory, size_bytes, closed_early: false });
        self.live_files += 1;
        self.live_bytes += size_bytes;
    }

    pub(crate) fn remove(&mut self, file: u32) {
        if let Some(state) = self.files[file as usize].take() {
            self.live_files -= 1;
            self.live_bytes -= state.size_bytes;
        }
    }

    pub(crate) fn set_size(&mut self, file: u32, size_bytes: u64) {
        if let Some(state) = &mut self.files[file as usize] {
            self.live_bytes = self.live_bytes - state.size_bytes + size_bytes;
            state.size_bytes = size_bytes;
        }
    }

    /// Directory and number of every file, directory by directory.
    pub(crate) fn in_directories(&self) -> Vec<(u32, u32)> {
        let place =
            |(file, state): (usize, &Option<FileState>)| Some((state.as_ref()?.directory, file as u32));
        let mut places: Vec<_> = self.files.iter().enumerate().filter_map(place).collect();
        places.sort_unstable();
        places
    }

    pub(crate) fn set_closed_early(&mut self, file: u32, closed_early: bool) {
        if let Some(Some(state)) = self.files.get_mut(file as usize) {
            state.closed_early = closed_early;
        }
    }
}
