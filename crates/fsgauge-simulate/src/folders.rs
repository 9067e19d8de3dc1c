//! Files by their folders: which number a file has in the model, how large it is, and what it is called.

use std::collections::BTreeMap;

/// Streams of one folder have numbers of their own; no log has more.
const STREAMS_OF_A_FOLDER: u32 = 1 << 17;

/// The first stream of a folder, by the folder's own number.
pub(crate) fn first_stream(folder: u32) -> u32 {
    folder * STREAMS_OF_A_FOLDER
}

/// A file that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Held {
    /// Its number in the model.
    pub(crate) number: u32,
    /// Who wrote it: in one folder, the files of a stream lie together.
    pub(crate) stream: u32,
    pub(crate) size_bytes: u64,
}

/// The files of one folder, by numbers of its own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Folder {
    /// What comes before a file's number in its name: "d0000/f", "rate-".
    prefix: String,
    /// The first of its streams.
    pub(crate) first_stream: u32,
    /// The folder's own number, where the files of all streams lie together.
    directory: Option<u32>,
    files: Vec<Option<Held>>,
}

impl Folder {
    pub(crate) fn get(&self, local: u32) -> Option<Held> {
        self.files.get(local as usize).copied().flatten()
    }

    /// The directory that all of its streams share, if they do.
    pub(crate) fn directory(&self) -> Option<u32> {
        self.directory
    }

    pub(crate) fn get_mut(&mut self, local: u32) -> Option<&mut Held> {
        self.files.get_mut(local as usize).and_then(Option::as_mut)
    }

    /// Every file with its number in the folder.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, Held)> + '_ {
        (0..).zip(&self.files).filter_map(|(local, held)| held.map(|held| (local, held)))
    }

    fn set(&mut self, local: u32, held: Option<Held>) {
        if self.files.len() <= local as usize {
            self.files.resize(local as usize + 1, None);
        }
        self.files[local as usize] = held;
    }
}

/// All folders, and the numbers that are free.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    by_path: BTreeMap<String, Folder>,
    unused: Vec<u32>,
    next: u32,
}

impl Folders {
    /// A folder that is there or is made now; names of its files begin with the prefix.
    pub(crate) fn made(&mut self, directory: &str, prefix: &str) -> &mut Folder {
        let folders = self.by_path.len() as u32;
        self.by_path.entry(directory.trim_end_matches('/').to_owned()).or_insert_with(|| Folder {
            prefix: prefix.to_owned(),
            first_stream: first_stream(folders),
            directory: None,
            files: Vec::new(),
        })
    }

    /// The same for one whose files all lie in one directory.
    pub(crate) fn made_together(&mut self, directory: &str, prefix: &str) -> &mut Folder {
        let folder = self.made(directory, prefix);
        folder.directory = Some(folder.first_stream / STREAMS_OF_A_FOLDER);
        folder
    }

    pub(crate) fn get(&self, directory: &str) -> Option<&Folder> {
        self.by_path.get(directory.trim_end_matches('/'))
    }

    /// A new file of a folder that is there.
    pub(crate) fn add(&mut self, directory: &str, local: u32, stream: u32) -> u32 {
        let number = self.unused.pop().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        let folder = self.made(directory, "f");
        let stream = folder.first_stream + stream;
        folder.set(local, Some(Held { number, stream, size_bytes: 0 }));
        number
    }

    /// Forgets a file; gives what it was.
    pub(crate) fn remove(&mut self, directory: &str, local: u32) -> Option<Held> {
        let folder = self.by_path.get_mut(directory.trim_end_matches('/'))?;
        let held = folder.get(local)?;
        folder.set(local, None);
        self.unused.push(held.number);
        Some(held)
    }

    /// The folder below which a path lies and the file's number there, by the digits that its name ends with.
    pub(crate) fn find(&self, path: &str) -> Option<(String, u32)> {
        let name = path.rsplit('/').next()?;
        let digits = name.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let local = digits.parse().ok()?;
        self.by_path
            .iter()
            .find(|(directory, folder)| {
                folder.get(local).is_some()
                    && path.strip_prefix(directory.as_str()).is_some_and(|rest| rest.starts_with('/'))
            })
            .map(|(directory, _)| (directory.clone(), local))
    }

    /// Every file at or below a directory: its path and what it is.
    pub(crate) fn below<'a>(&'a self, directory: &'a str) -> impl Iterator<Item = (String, Held)> + 'a {
        let root = directory.trim_end_matches('/');
        self.by_path
            .iter()
            .filter(move |(path, _)| {
                path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
            .flat_map(|(path, folder)| {
                folder.iter().map(move |(local, held)| (format!("{path}/{}{local:04}", folder.prefix), held))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_their_paths_and_numbers_are_used_again() {
        let mut folders = Folders::default();
        folders.made("/m/aged", "d0000/f");
        assert_eq!([folders.add("/m/aged", 3, 0), folders.add("/m/aged", 4, 1)], [0, 1]);
        assert_eq!(folders.find("/m/aged/d0000/f0003"), Some(("/m/aged".into(), 3)));
        assert_eq!(folders.find("/m/agedness/f0003"), None);
        assert_eq!(folders.remove("/m/aged", 3).map(|held| held.number), Some(0));
        assert_eq!(folders.find("/m/aged/d0000/f0003"), None);
        folders.made("/m/rate", "rate-");
        assert_eq!(folders.add("/m/rate", 0, 0), 0);
        let all: Vec<String> = folders.below("/m").map(|(path, _)| path).collect();
        assert_eq!(all, ["/m/aged/d0000/f0004", "/m/rate/rate-0000"]);
        assert_eq!(folders.below("/m/aged").count(), 1);
        assert!(folders.get("/m/rate").unwrap().first_stream > 0);
    }
}
