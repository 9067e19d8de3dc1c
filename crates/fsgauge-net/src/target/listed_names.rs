//! Names of a directory as a server lists it, which may be damaged or mean harm: there is an end to them.

/// A directory with more names is taken for a damaged one that has no end.
pub(crate) const NAMES_LIMIT: u64 = 1 << 24;
/// So much memory have the names that are kept of one directory: about four million of the usual length.
const KEPT_BYTES_LIMIT: usize = 256 << 20;
/// What a name takes beside its bytes: its place in the list, and what the allocator keeps of it.
const BESIDE_A_NAME_BYTES: usize = size_of::<String>() + 16;
/// No name is longer: every file system has 255 bytes, and in UTF-16 that are 510.
pub(crate) const NAME_LIMIT_BYTES: usize = 1024;

/// The names of the directory that was listed last.
#[derive(Debug, Default)]
pub(crate) struct ListedNames {
    names: Vec<String>,
    kept_bytes: usize,
}

impl ListedNames {
    pub(crate) fn clear(&mut self) {
        self.names.clear();
        self.kept_bytes = 0;
    }

    /// Keeps a name, unless there is no room for it.
    pub(crate) fn keep(&mut self, name: String) -> Result<(), TooManyNames> {
        self.kept_bytes += name.len() + BESIDE_A_NAME_BYTES;
        if self.kept_bytes > KEPT_BYTES_LIMIT {
            return Err(TooManyNames);
        }
        self.names.push(name);
        Ok(())
    }

    pub(crate) fn all(&self) -> &[String] {
        &self.names
    }
}

/// The names of a directory have no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooManyNames;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_up_to_a_limit_and_anew_after_it() {
        let mut names =
            ListedNames { kept_bytes: KEPT_BYTES_LIMIT - 2 - BESIDE_A_NAME_BYTES, ..ListedNames::default() };
        assert_eq!(names.keep("ab".into()), Ok(()));
        assert_eq!((names.keep("c".into()), names.all().len()), (Err(TooManyNames), 1));
        names.clear();
        assert_eq!((names.keep("n".into()), names.all()), (Ok(()), &["n".to_string()][..]));
    }
}
