//! Image files whose file system lost its superblock: told by the copies that it keeps elsewhere.

use super::{btrfs, ext, xfs};
use crate::image::Image;
use crate::problems::Problems;

/// A copy of a superblock on an image that does not begin with one.
#[derive(Debug)]
pub(super) struct Lost {
    pub(super) file_system: &'static str,
    pub(super) offset_bytes: u64,
    /// The command that reads by a copy and changes nothing.
    pub(super) next: String,
}

/// Adds a problem when `image`, in which no file system begins, holds a copy of a superblock. Reads a few sectors at
/// places that are known: a file is never searched.
pub(super) fn look(image: &Image, problems: &mut Problems) {
    let ways = [ext::lost_superblock, xfs::lost_superblock, btrfs::lost_superblock];
    if let Some(Lost { file_system, offset_bytes, next }) = ways.into_iter().find_map(|way| way(image)) {
        problems.add(
            "lost_superblock",
            "This is an image whose superblock is destroyed: where the image lies was scanned, not what is in it",
            format_args!("a copy of a superblock of {file_system} lies at byte {offset_bytes}: {next}"),
        );
    }
}
