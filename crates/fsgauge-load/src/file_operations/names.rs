//! Names of a set's files: a formula of their numbers.

use std::fmt::Write;

/// Files of one directory, as far as there are few enough directories.
const FILES_IN_DIRECTORY: u32 = 100;
/// Each job has every directory open.
const MOST_DIRECTORIES: u32 = 64;

/// How many directories a set of so many files has.
pub(crate) fn directories(files: u32) -> u32 {
    files.div_ceil(FILES_IN_DIRECTORY).clamp(1, MOST_DIRECTORIES)
}

/// The name of a directory of the set.
pub(crate) fn directory_name(prefix: &str, directory: u32) -> String {
    format!("{prefix}d{directory:02}")
}

/// Writes the name of file `number` in its directory; each file has two, and is renamed from one to the other.
pub(crate) fn write_name(name: &mut String, number: u32, is_second: bool) {
    name.clear();
    // Writing to a string cannot fail.
    let _ = write!(name, "{}{number:07}", if is_second { 'g' } else { 'f' });
}
