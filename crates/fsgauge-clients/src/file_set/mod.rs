//! The file set as a formula: names, sizes and contents follow from the numbers of client and file. Nothing is
//! listed: a set of any size takes no memory, and the contents of a file follow from its name.

mod contents;
mod names;
mod records;
mod sizes;
mod tree;

use fsgauge_wire::FileSet;

pub(crate) use contents::{Contents, PAGE_BYTES};
pub(crate) use names::{Names, PathBuffer};
pub(crate) use records::Records;
pub(crate) use sizes::Sizes;
pub(crate) use tree::{Directory, directories, leaves};

/// The sizes of a set's files, by the numbers of client and file.
pub fn file_sizes(set: &FileSet, seed: u64) -> impl Fn(u32, u32) -> u64 + use<> {
    let sizes = Sizes::new(set, seed);
    move |client, file| sizes.size_bytes(FileNumber { client, file })
}

/// One file: whose it is, and which of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FileNumber {
    pub(crate) client: u32,
    pub(crate) file: u32,
}

impl FileNumber {
    /// Both numbers in one.
    #[inline]
    fn key(self) -> u64 {
        u64::from(self.client) << 32 | u64::from(self.file)
    }
}
