//! The tree that a backup found, compactly: 16 bytes and its name for a file, so that a million need some 30 MB.

use std::ffi::CStr;

/// Where a name begins.
type Name = u32;

/// A directory; the first is the root, which has no name and is its own parent.
#[derive(Debug, Clone, Copy)]
struct Directory {
    parent: u32,
    name: Name,
}

/// A file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct File {
    /// What files are sorted by: first the number of its inode, later perhaps the place of its first extent.
    pub(super) key: u64,
    /// Names grow in the order in which files are found, so equal keys keep that order.
    name: Name,
    directory: u32,
}

/// More names than the tree has numbers for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full;

/// Directories and files.
#[derive(Debug)]
pub(super) struct Tree {
    directories: Vec<Directory>,
    pub(super) files: Vec<File>,
    /// Each ends in NUL.
    names: Vec<u8>,
}

impl Tree {
    /// A tree of nothing but its root, which has number 0.
    pub(super) fn new() -> Self {
        let root = Directory { parent: 0, name: 0 };
        Tree { directories: vec![root], files: Vec::new(), names: vec![0] }
    }

    /// Adds a directory and gives its number.
    pub(super) fn add_directory(&mut self, parent: u32, name: &CStr) -> Result<u32, Full> {
        let name = self.add_name(name)?;
        self.directories.push(Directory { parent, name });
        Ok((self.directories.len() - 1) as u32)
    }

    /// Adds a file.
    pub(super) fn add_file(&mut self, directory: u32, name: &CStr, inode: u64) -> Result<(), Full> {
        let name = self.add_name(name)?;
        self.files.push(File { key: inode, name, directory });
        Ok(())
    }

    fn add_name(&mut self, name: &CStr) -> Result<Name, Full> {
        let begin = Name::try_from(self.names.len()).map_err(|_| Full)?;
        self.names.extend_from_slice(name.to_bytes_with_nul());
        Ok(begin)
    }

    fn name(&self, name: Name) -> &[u8] {
        let rest = &self.names[name as usize..];
        let length = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
        &rest[..length]
    }

    /// The name of a file, without its directory.
    pub(super) fn file_name(&self, file: &File) -> &[u8] {
        self.name(file.name)
    }

    /// Appends a directory's path below the root, each name with a slash behind it.
    fn push_directory(&self, directory: u32, path: &mut Vec<u8>) {
        let above = |number: &u32| Some(self.directories[*number as usize].parent);
        let way: Vec<u32> =
            std::iter::successors(Some(directory), above).take_while(|number| *number != 0).collect();
        for number in way.iter().rev() {
            path.extend_from_slice(self.name(self.directories[*number as usize].name));
            path.push(b'/');
        }
    }
}

/// Room for the path of one file or directory below the root, used again and again.
#[derive(Debug, Default)]
pub(super) struct PathRoom {
    bytes: Vec<u8>,
    /// The directory that `bytes` begins with, and the length of its path.
    directory: Option<(u32, usize)>,
}

impl PathRoom {
    /// The path of a file: that of the directory before is used again.
    pub(super) fn file(&mut self, tree: &Tree, file: &File) -> &CStr {
        self.enter(tree, file.directory);
        self.bytes.extend_from_slice(tree.file_name(file));
        self.end()
    }

    /// The path of a directory, without a slash at its end: that would follow a symbolic link.
    pub(super) fn directory(&mut self, tree: &Tree, directory: u32) -> &CStr {
        if directory == 0 {
            return c".";
        }
        let Directory { parent, name } = tree.directories[directory as usize];
        self.enter(tree, parent);
        self.bytes.extend_from_slice(tree.name(name));
        self.end()
    }

    /// The path of an entry of a directory.
    pub(super) fn entry(&mut self, tree: &Tree, directory: u32, name: &CStr) -> &CStr {
        self.enter(tree, directory);
        self.bytes.extend_from_slice(name.to_bytes());
        self.end()
    }

    fn enter(&mut self, tree: &Tree, directory: u32) {
        match self.directory {
            Some((known, length)) if known == directory => self.bytes.truncate(length),
            _ => {
                self.bytes.clear();
                tree.push_directory(directory, &mut self.bytes);
                self.directory = Some((directory, self.bytes.len()));
            }
        }
    }

    fn end(&mut self) -> &CStr {
        self.bytes.push(0);
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_from_the_root() {
        let mut tree = Tree::new();
        let outer = tree.add_directory(0, c"outer").unwrap();
        let inner = tree.add_directory(outer, c"inner").unwrap();
        tree.add_file(inner, c"deep", 3).unwrap();
        tree.add_file(0, c"top", 2).unwrap();
        tree.add_file(inner, c"\xff", 1).unwrap();
        let mut room = PathRoom::default();
        let paths: Vec<_> = tree.files.iter().map(|file| room.file(&tree, file).to_owned()).collect();
        assert_eq!(paths, [c"outer/inner/deep", c"top", c"outer/inner/\xff"]);
        assert_eq!(room.directory(&tree, 0), c".");
        assert_eq!(room.directory(&tree, inner), c"outer/inner");
        assert_eq!(room.entry(&tree, outer, c"inner"), c"outer/inner");
    }

    #[test]
    fn a_file_takes_sixteen_bytes() {
        assert_eq!(size_of::<File>(), 16);
    }
}
