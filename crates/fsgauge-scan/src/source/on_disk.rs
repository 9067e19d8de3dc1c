//! What every reader of an unmounted file system can do.

use std::collections::HashMap;
use std::path::PathBuf;

use rustix::fs::FileType;

use crate::{FileSystemInfo, Problems, Sink};

/// A file system read from its own structures on a device or image. Shared by threads: each brings its own sink
/// and problems and takes other parts. A damaged structure is a problem; the rest is still read.
pub trait OnDisk: Sync {
    /// What the superblock says.
    fn info(&self) -> FileSystemInfo;

    /// Pours free space, and the places of the fixed structures, into `sink`: ascending free pieces, whole.
    /// Ends early when `stop` says so.
    fn read_space(&self, sink: &mut dyn Sink, stop: &dyn Fn() -> bool, problems: &mut Problems);

    /// In how many parts files may be read, in any order and each once.
    fn file_parts(&self) -> usize;

    /// Pours the files of one part into `sink`, and the blocks of folders and trees as metadata.
    fn read_files(&self, part: usize, sink: &mut dyn Sink, stop: &dyn Fn() -> bool, problems: &mut Problems);

    /// The paths of some inodes from the root of the file system, by one bounded walk of its folders. Those that
    /// are not met have none.
    fn names(
        &self,
        inodes: &[u64],
        stop: &dyn Fn() -> bool,
        problems: &mut Problems,
    ) -> HashMap<u64, PathBuf>;

    /// Everything, on one thread.
    fn read(&self, sink: &mut dyn Sink, stop: &dyn Fn() -> bool, problems: &mut Problems) {
        self.read_space(sink, stop, problems);
        for part in 0..self.file_parts() {
            if stop() {
                return;
            }
            self.read_files(part, sink, stop, problems);
        }
    }
}

/// Whether an inode of this kind may have blocks: devices and sockets have none, and neither has what makes no
/// sense.
pub(super) fn has_blocks(kind: FileType) -> bool {
    matches!(kind, FileType::RegularFile | FileType::Directory | FileType::Symlink)
}
