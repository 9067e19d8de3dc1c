//! Folders of a mounted ext2, 3 or 4 whose names were deleted: their blocks stay, and whoever lists them reads all.

use std::path::Path;

use fsgauge_wire::EmptiedFolder;

/// A smaller one is read at once.
const LEAST_BYTES: u64 = 1 << 20;
/// So many times what its names need. While names are added, blocks are split and at least half full.
const TIMES: u64 = 10;
const LISTED: usize = 8;

/// Names of a folder, and the bytes that they need there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) count: u64,
    pub(super) bytes: u64,
}

impl Names {
    /// With inode, lengths and kind before it, at a multiple of four (struct ext4_dir_entry_2).
    pub(super) fn add(&mut self, name_bytes: usize) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add((name_bytes as u64).saturating_add(8).next_multiple_of(4));
    }

    pub(super) fn join(&mut self, others: Names) {
        self.count += others.count;
        self.bytes = self.bytes.saturating_add(others.bytes);
    }
}

/// The largest of them.
#[derive(Debug, Default)]
pub(super) struct EmptiedFolders(Vec<EmptiedFolder>);

impl EmptiedFolders {
    pub(super) fn add(&mut self, path: &Path, size_bytes: u64, names: Names) {
        if size_bytes >= LEAST_BYTES && size_bytes / TIMES > names.bytes {
            self.0.push(EmptiedFolder { name: path.display().to_string(), size_bytes, entries: names.count });
            self.cut();
        }
    }

    pub(super) fn merge(&mut self, other: EmptiedFolders) {
        self.0.extend(other.0);
        self.cut();
    }

    fn cut(&mut self) {
        self.0.sort_by(|one, other| (other.size_bytes, &one.name).cmp(&(one.size_bytes, &other.name)));
        self.0.truncate(LISTED);
    }

    pub(super) fn into_list(self) -> Vec<EmptiedFolder> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_needs_its_entry() {
        let mut names = Names::default();
        [1, 4, 5, 255].into_iter().for_each(|length| names.add(length));
        assert_eq!(names, Names { count: 4, bytes: 12 + 12 + 16 + 264 });
        names.join(names);
        assert_eq!((names.count, names.bytes), (8, 608));
    }

    #[test]
    fn those_with_ten_times_the_room_are_listed_and_the_largest_of_all_threads_stay() {
        let listed = |size_bytes: u64, bytes: u64| {
            let mut found = EmptiedFolders::default();
            found.add(Path::new("/a"), size_bytes, Names { count: 1, bytes });
            !found.into_list().is_empty()
        };
        assert!(listed(LEAST_BYTES, LEAST_BYTES / 10 - 1) && !listed(LEAST_BYTES - 1, 0));
        assert!(!listed(LEAST_BYTES, LEAST_BYTES / 10));
        let (mut one, mut other) = (EmptiedFolders::default(), EmptiedFolders::default());
        for at in 0..20 {
            let found = if at % 3 == 0 { &mut one } else { &mut other };
            found.add(Path::new(&format!("/{at}")), LEAST_BYTES << (at / 2), Names::default());
        }
        one.merge(other);
        let names: Vec<_> = one.into_list().into_iter().map(|folder| folder.name).collect();
        assert_eq!(names, ["/18", "/19", "/16", "/17", "/14", "/15", "/12", "/13"]);
    }
}
