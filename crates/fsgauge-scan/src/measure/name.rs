//! A file's name, kept.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::extent::FileName;

/// How much of a path is kept, from its end: PATH_MAX. Trees may be deeper.
const LONGEST_BYTES: usize = 4096;

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
            KeptName::Path(path) if path.as_os_str().len() == LONGEST_BYTES => {
                format!("...{}", path.to_string_lossy())
            }
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
            (KeptName::Path(mine), FileName::Path(other)) => mine.as_path() > end_of(other),
            (KeptName::Inode(mine), FileName::Inode(other)) => mine > other,
            (KeptName::Inode(_), FileName::Path(_)) => true,
            (KeptName::Path(_), FileName::Inode(_)) => false,
        }
    }
}

impl From<&FileName<'_>> for KeptName {
    fn from(name: &FileName<'_>) -> Self {
        match name {
            FileName::Path(path) => KeptName::Path(end_of(path).to_path_buf()),
            FileName::Inode(inode) => KeptName::Inode(*inode),
        }
    }
}

fn end_of(path: &Path) -> &Path {
    let bytes = path.as_os_str().as_bytes();
    Path::new(OsStr::from_bytes(&bytes[bytes.len().saturating_sub(LONGEST_BYTES)..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_path_longer_than_path_max_the_end_is_kept() {
        let long = PathBuf::from(format!("/first{}/last", "/d".repeat(100_000)));
        let kept = KeptName::from(&FileName::Path(&long));
        assert!(!kept.is_after(&FileName::Path(&long)), "it is the same");
        let text = kept.into_text(&mut |_| None);
        assert!(text.starts_with("...") && text.ends_with("/d/last"));
        assert_eq!(text.len(), LONGEST_BYTES + 3);
    }
}
