//! Lays a file set out: every file written whole, by its formula, then all of it made durable.

use std::sync::Arc;

use fsgauge_door::Folder;
use fsgauge_wire::{Failure, FileOperation, LoadJob, Outcome, Stop, Target};
use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::file_set::{enter_directories, size_of};
use super::names::{directories, directory_name, write_name};
use crate::filler::Filler;

const BLOCK_BYTES: usize = 1 << 20;

/// Makes the files of a load with operations; files that are there already are written anew, and have their first
/// names alone.
pub(crate) fn lay_out_set(load: &LoadJob, folder: &Arc<Folder>, stop: &Stop) -> Outcome<()> {
    let Target::Files { prefix, count, .. } = &load.target else { return Ok(()) };
    for directory in 0..directories(*count) {
        let name = directory_name(prefix, directory);
        match folder.make_directory(&name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(failure(&folder.path().join(name), errno)),
        }
    }
    let folders = enter_directories(&load.target, folder)?;
    let (size_of, mut filler) = (size_of(load), Filler::for_data(load.data, load.seed, 0));
    let mut block = vec![0; BLOCK_BYTES];
    filler.fill(&mut block);
    let mut name = String::new();
    let may_have_second = load.operations.iter().any(|each| each.operation == FileOperation::Rename);
    for number in 0..*count {
        if stop.is_set() {
            return Ok(());
        }
        let directory = &folders[number as usize % folders.len()];
        if may_have_second {
            write_name(&mut name, number, true);
            match directory.remove_file(&name) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(errno) => return Err(failure(&directory.path().join(&name), errno)),
            }
        }
        write_name(&mut name, number, false);
        write_whole(directory, &name, size_of(number), &mut block, &mut filler)
            .map_err(|errno| failure(&directory.path().join(&name), errno))?;
    }
    rustix::fs::syncfs(folder.as_ref()).map_err(|errno| failure(folder.path(), errno))
}

fn write_whole(
    directory: &Folder,
    name: &str,
    size_bytes: u64,
    block: &mut [u8],
    filler: &mut Filler,
) -> Result<(), Errno> {
    let flags = OFlags::CREATE | OFlags::TRUNC | OFlags::WRONLY;
    let file = directory.open(name, flags, Mode::RUSR | Mode::WUSR)?;
    let mut offset = 0;
    while offset < size_bytes {
        let length = (size_bytes - offset).min(block.len() as u64) as usize;
        for (at, word) in filler.stamps(length as u32).filter(|(at, _)| at + 8 <= length) {
            block[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        let written = retry_on_intr(|| rustix::io::pwrite(&file, &block[..length], offset))?;
        if written == 0 {
            return Err(Errno::NOSPC);
        }
        offset += written as u64;
    }
    Ok(())
}

#[cold]
fn failure(path: &std::path::Path, errno: Errno) -> Failure {
    let what = format!("{} cannot be laid out: {errno}", path.display());
    let (cause, next) = match errno {
        Errno::NOSPC | Errno::DQUOT => {
            ("the file system is full, of bytes or of inodes", "df -h; df -i; fewer or smaller files")
        }
        _ => ("the device or the file system reported an error", "dmesg | tail"),
    };
    Failure::system("layout.files", Some(errno.raw_os_error()), what, cause, next)
}
