//! The files that streams have open: one each, for a stream closes a file before it turns to the next.

/// By stream, the file that it has open.
#[derive(Debug, Default)]
pub(crate) struct OpenFiles {
    by_stream: Vec<Option<u32>>,
}

impl OpenFiles {
    /// Opens `file`. Gives the other file that the stream had open, which is closed by that.
    pub(crate) fn turn_to(&mut self, stream: u32, file: u32) -> Option<u32> {
        if self.by_stream.len() <= stream as usize {
            self.by_stream.resize(stream as usize + 1, None);
        }
        self.by_stream[stream as usize].replace(file).filter(|&before| before != file)
    }

    /// Closes what the stream has open, and gives it.
    pub(crate) fn close(&mut self, stream: u32) -> Option<u32> {
        self.by_stream.get_mut(stream as usize)?.take()
    }

    /// Closes everything, and gives what was open.
    pub(crate) fn close_all(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.by_stream).into_iter().flatten().collect()
    }

    /// Whether the stream has the file open.
    pub(crate) fn has(&self, stream: u32, file: u32) -> bool {
        self.by_stream.get(stream as usize) == Some(&Some(file))
    }
}
