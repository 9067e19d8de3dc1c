//! A file's name, kept.

use std::path::PathBuf;

use crate::extent::FileName;

/// A [`FileName`] that owns what it says. Ordered, so that ties end the same way in every scan.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeptName {
    Path(PathBuf),
    Inode(u64),
}

impl KeptName {
    /// As a result has it; `name_of` may know the path of an inode.
    pub(crate) fn into_text(self, name_of: &mut dyn FnMut(u64) -> Option<PathBuf>) -> String {
        match self {
            KeptName::Path(path) => path.to_string_lossy().into_owned(),
            KeptName::Inode(inode) => match name_of(inode) {
                Some(path) => path.to_string_lossy().into_owned(),
                None => format!("inode {inode}"),
            },
        }
    }

    /// The number, of one whose path is not known.
    pub(crate) fn inode(&self) -> Option<u64> {
        match self {
            KeptName::Path(_) => None,
            KeptName::Inode(inode) => Some(*inode),
        }
    }

    /// Whether `other` comes before this one.
    pub(crate) fn is_after(&self, other: &FileName<'_>) -> bool {
        match (self, other) {
            (KeptName::Path(mine), FileName::Path(other)) => mine.as_path() > *other,
            (KeptName::Inode(mine), FileName::Inode(other)) => mine > other,
            (KeptName::Inode(_), FileName::Path(_)) => true,
            (KeptName::Path(_), FileName::Inode(_)) => false,
        }
    }
}

impl From<&FileName<'_>> for KeptName {
    fn from(name: &FileName<'_>) -> Self {
        match name {
            FileName::Path(path) => KeptName::Path(path.to_path_buf()),
            FileName::Inode(inode) => KeptName::Inode(*inode),
        }
    }
}
