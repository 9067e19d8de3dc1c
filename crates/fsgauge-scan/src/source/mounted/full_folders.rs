//! Folders of a mounted ext4 whose index is full, read through the device, whose cache is where ext4 changes them.

use std::path::{Path, PathBuf};

use fsgauge_wire::Note;

use super::ext_bitmaps;
use super::mount::Mount;
use crate::extent::{FileName, Sink};
use crate::image::Image;
use crate::problems::Problems;
use crate::source::ext::folder_index;
use crate::source::{Ext, note};

/// Memory for the folders of one thread.
const KEPT_BYTES: usize = 16 << 20;

/// From how many bytes on a folder is looked at; `None` where folders have no such limit.
pub(super) fn least_bytes(mount: &Mount, block_bytes: u64) -> Option<u64> {
    mount.is_ext().then(|| folder_index::least_bytes(block_bytes))
}

/// Folders of at least as many bytes as was asked for.
#[derive(Debug, Default)]
pub(super) struct LargeFolders {
    kept: Vec<LargeFolder>,
    kept_bytes: usize,
    /// Those for which there was no memory.
    left_out: u64,
}

#[derive(Debug)]
struct LargeFolder {
    inode: u64,
    size_bytes: u64,
    path: PathBuf,
}

impl LargeFolders {
    pub(super) fn add(&mut self, inode: u64, size_bytes: u64, path: &Path) {
        let room_bytes = size_of::<LargeFolder>() + path.as_os_str().len();
        if self.kept_bytes + room_bytes > KEPT_BYTES {
            self.left_out += 1;
            return;
        }
        self.kept_bytes += room_bytes;
        self.kept.push(LargeFolder { inode, size_bytes, path: path.to_owned() });
    }

    /// Takes in what another thread found.
    pub(super) fn merge(&mut self, other: LargeFolders) {
        self.kept.extend(other.kept);
        self.left_out += other.left_out;
    }
}

/// Adds those that are full to `sink`; says of which that is not known.
pub(super) fn read(mount: &Mount, folders: &LargeFolders, sink: &mut dyn Sink) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut unread = |text: String| notes.push(note("folder_index_unread", text));
    if folders.left_out > 0 {
        let looked_at = folders.kept.len();
        unread(format!(
            "whether {} large folders take more names is not known: the first {looked_at} were looked at; scan parts \
             of the tree",
            folders.left_out
        ));
    }
    let Some(largest) = folders.kept.iter().max_by_key(|folder| folder.size_bytes) else { return notes };
    let image = ext_bitmaps::device(mount).and_then(|path| Image::open(&path).ok());
    let ext = image.as_ref().and_then(|image| Ext::open(image, &mut Problems::new()).ok().flatten());
    let Some(ext) = ext else {
        unread(format!(
            "whether {} ({} bytes){} takes more names is not known: the index of a folder so large is read from {}, \
             which this user may not open, or which is not in this container; root's scan on the host reads it",
            largest.path.display(),
            largest.size_bytes,
            and_more(folders.kept.len()),
            mount.source.display()
        ));
        return notes;
    };
    let mut unreadable: Vec<(&LargeFolder, Problems)> = Vec::new();
    for folder in &folders.kept {
        let mut problems = Problems::new();
        if let Some(index) = ext.full_index(folder.inode, &mut problems) {
            sink.full_folder(FileName::Path(&folder.path), folder.size_bytes, index);
        }
        if !problems.is_empty() {
            unreadable.push((folder, problems));
        }
    }
    let count = unreadable.len();
    if let Some((folder, problems)) = unreadable.into_iter().next() {
        let place =
            problems.into_list().into_iter().next().and_then(|first| first.examples.into_iter().next());
        unread(format!(
            "whether {}{} takes more names is not known: {}. It is damaged, or others write there now: e2fsck -fn {}, \
             unmounted, tells",
            folder.path.display(),
            and_more(count),
            place.unwrap_or_default(),
            mount.source.display()
        ));
    }
    notes
}

fn and_more(count: usize) -> String {
    if count > 1 { format!(" and {} more", count - 1) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_no_memory_for_is_counted_and_said() {
        let mut folders = LargeFolders::default();
        let name = "d".repeat(KEPT_BYTES / 4);
        (0..5).for_each(|inode| folders.add(inode, 1 << 30, Path::new(&name)));
        assert_eq!((folders.kept.len(), folders.left_out), (3, 2));
        let mut all = LargeFolders::default();
        (0..1000).for_each(|inode| all.add(inode, 1 << 30, Path::new("/srv/mail")));
        assert_eq!((all.kept.len(), all.left_out), (1000, 0));
        all.merge(folders);
        assert_eq!((all.kept.len(), all.left_out), (1003, 2));
    }
}
