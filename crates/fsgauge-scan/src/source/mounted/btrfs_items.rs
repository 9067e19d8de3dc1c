//! Items of the trees of a mounted btrfs, as the kernel finds them. Only root may search trees.

use std::os::fd::BorrowedFd;

use rustix::io::Errno;

use super::kernel::TreeSearch;
use crate::reader_threads::IsStopped;
use crate::source::btrfs::items::Key;

/// Room for the items of one search.
const ROOM_BYTES: usize = 1 << 20;

/// The items of trees, as the kernel finds them.
pub(super) struct Items<'a> {
    search: TreeSearch,
    open: BorrowedFd<'a>,
    pub(super) is_stopped: IsStopped<'a>,
}

impl<'a> Items<'a> {
    pub(super) fn new(open: BorrowedFd<'a>, is_stopped: IsStopped<'a>) -> Self {
        Items { search: TreeSearch::new(ROOM_BYTES), open, is_stopped }
    }

    /// Gives `found` every item of a tree between two keys.
    pub(super) fn each(
        &mut self,
        tree: u64,
        (mut from, to): (Key, Key),
        mut found: impl FnMut(&Key, &[u8]),
    ) -> Result<(), Errno> {
        while !(self.is_stopped)() {
            let items = self.search.read(self.open, tree, from, to)?;
            items.iter().for_each(|(key, contents)| found(key, contents));
            // Keys ascend, so this ends; a kernel that gave them otherwise ends it too.
            match items.last().and_then(|(key, _)| after(key)) {
                Some(next) if next > from => from = next,
                _ => break,
            }
        }
        Ok(())
    }
}

/// The key that follows.
fn after(key: &Key) -> Option<Key> {
    let Key { object, kind, offset } = *key;
    let next_offset = offset.checked_add(1).map(|offset| Key { object, kind, offset });
    let next_kind = || kind.checked_add(1).map(|kind| Key { object, kind, offset: 0 });
    let next_object = || object.checked_add(1).map(|object| Key { object, kind: 0, offset: 0 });
    next_offset.or_else(next_kind).or_else(next_object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_after_the_last_of_an_object_is_of_the_next() {
        let key = |object, kind, offset| Key { object, kind, offset };
        assert_eq!(after(&key(1, 2, 3)), Some(key(1, 2, 4)));
        assert_eq!(after(&key(1, 2, u64::MAX)), Some(key(1, 3, 0)));
        assert_eq!(after(&key(1, u8::MAX, u64::MAX)), Some(key(2, 0, 0)));
        assert_eq!(after(&key(u64::MAX, u8::MAX, u64::MAX)), None);
    }
}
