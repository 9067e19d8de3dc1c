//! How many of its files a client has, where a phase before was ended by its time.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use fsgauge_door::Folder;

use crate::file_set::{FileNumber, PathBuffer};
use crate::plan::Plan;

/// The number of the first file that is missing, looked for by halves: files were made in the order of their numbers.
pub(crate) fn existing(plan: &Plan, folder: &Folder, client: u32) -> u32 {
    let (mut path, mut low, mut high) = (PathBuffer::new(), 0, plan.job.files.files_per_client);
    while low < high {
        let file = low + (high - low) / 2;
        let name = plan.names.file(FileNumber { client, file }, &mut path);
        match folder.stat(OsStr::from_bytes(name.to_bytes())) {
            Ok(_) => low = file + 1,
            Err(_) => high = file,
        }
    }
    low
}
