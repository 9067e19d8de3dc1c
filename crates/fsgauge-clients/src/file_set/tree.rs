//! The directories of a file set.

use fsgauge_wire::{FileSet, Tree};

/// One directory that the set needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Directory {
    /// A client's own.
    Client { client: u32 },
    /// One of a shared tree: number `index` of those on `level`, which counts from 1.
    Shared { level: u32, index: u64 },
}

/// How many lowest directories there are in a shared tree; 1 where each client has its own. More than fit
/// into the number count as its largest.
pub(crate) fn leaves(tree: &Tree) -> u64 {
    match *tree {
        Tree::Own {} => 1,
        Tree::Shared { depth, fan_out } => u64::from(fan_out).saturating_pow(depth),
    }
}

/// All directories of the set that `clients` need, those that contain others first.
pub(crate) fn directories(set: &FileSet, clients: u32) -> Box<dyn Iterator<Item = Directory>> {
    match set.tree {
        Tree::Own {} => Box::new((0..clients).map(|client| Directory::Client { client })),
        Tree::Shared { depth, fan_out } => Box::new((1..=depth).flat_map(move |level| {
            (0..u64::from(fan_out).saturating_pow(level)).map(move |index| Directory::Shared { level, index })
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_set::{Names, PathBuffer};
    use fsgauge_wire::FileSizes;

    fn set(tree: Tree) -> FileSet {
        let sizes = FileSizes::Cycle { sizes_bytes: vec![1] };
        FileSet { clients: 3, files_per_client: 10, sizes, record_size_bytes: 1, tree }
    }

    fn paths(tree: Tree) -> Vec<String> {
        let (set, mut path) = (set(tree), PathBuffer::new());
        let names = Names::new(&set);
        directories(&set, 3)
            .map(|which| names.directory(which, &mut path).to_str().unwrap().to_string())
            .collect()
    }

    #[test]
    fn a_client_has_one() {
        assert_eq!(paths(Tree::Own {}), ["c00000", "c00001", "c00002"]);
    }

    #[test]
    fn parents_come_first_and_every_file_finds_its_directory() {
        let tree = Tree::Shared { depth: 3, fan_out: 2 };
        let (paths, names, mut path) = (paths(tree), Names::new(&set(tree)), PathBuffer::new());
        assert_eq!(paths.len(), 2 + 4 + 8);
        for (at, made) in paths.iter().enumerate() {
            let parent = made.rsplit_once('/').map(|(parent, _)| parent.to_string());
            assert!(parent.is_none_or(|parent| paths[..at].contains(&parent)), "{made}");
        }
        for (client, file) in (0..3).flat_map(|client| (0..10).map(move |file| (client, file))) {
            let number = super::super::FileNumber { client, file };
            let directory = names.directory_of(number, &mut path).to_str().unwrap().to_string();
            assert!(paths.contains(&directory), "{directory}");
        }
    }
}
