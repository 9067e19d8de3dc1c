//! Folders of a mounted ext4 whose index is full, read through the device, whose cache is where ext4 changes them.

use fsgauge_wire::Note;

use super::ext_bitmaps;
use super::mount::Mount;
use super::walk::LargeFolder;
use crate::extent::{FileName, Sink};
use crate::image::Image;
use crate::problems::Problems;
use crate::source::ext::folder_index;
use crate::source::{Ext, note};

/// From how many bytes on a folder is looked at; `None` where folders have no such limit.
pub(super) fn least_bytes(mount: &Mount, block_bytes: u64) -> Option<u64> {
    mount.is_ext().then(|| folder_index::least_bytes(block_bytes))
}

/// Adds those that are full to `sink`; says of which that is not known to this user.
pub(super) fn read(mount: &Mount, folders: &[LargeFolder], sink: &mut dyn Sink) -> Option<Note> {
    let largest = folders.iter().max_by_key(|folder| folder.size_bytes)?;
    let mut problems = Problems::new();
    let image = ext_bitmaps::device(mount).and_then(|path| Image::open(&path).ok());
    let ext = image.as_ref().and_then(|image| Ext::open(image, &mut problems).ok().flatten());
    let Some(ext) = ext else {
        let more = if folders.len() > 1 { format!(" and {} more", folders.len() - 1) } else { String::new() };
        let text = format!(
            "whether {} ({} bytes){more} takes more names is not told to this user: root's scan reads the index of a \
             folder so large from the device",
            largest.path.display(),
            largest.size_bytes
        );
        return Some(note("folder_index_unread", text));
    };
    for folder in folders {
        if let Some(index) = ext.full_index(folder.inode, &mut problems) {
            sink.full_folder(FileName::Path(&folder.path), folder.size_bytes, index);
        }
    }
    None
}
