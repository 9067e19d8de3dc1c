//! `intermingled`: equal files written in turns, chunk by chunk, then deleted one at a time in a drawn order.
//!
//! Source: the method of the published study of a Sonexion (Lustre ldiskfs): 20 files written at once, so that they lie
//! between one another in pieces of the allocator's preallocation size, then deleted one by one.

use fsgauge_wire::{AgeProfile, Failure};

use super::{Profile, Turn, too_small, wrong};
use crate::log_state::LogState;

pub(crate) struct Intermingled {
    file_size_bytes: u64,
    chunk_bytes: u64,
    to_create: u32,
    deletes: u32,
    /// Files in the order of their turns; a finished one leaves by itself, since all are equally long.
    files: Vec<u32>,
    turn: usize,
    written_bytes: u64,
}

/// Fills in the size of files: whole chunks that fill the room.
pub(super) fn resolve(files: u32, file_size_bytes: &mut Option<u64>, chunk_bytes: u64, room_bytes: u64) {
    let share = room_bytes / u64::from(files.max(1));
    file_size_bytes.get_or_insert(share - share % chunk_bytes.max(1));
}

pub(super) fn begin(profile: &AgeProfile, room_bytes: u64) -> Result<Intermingled, Failure> {
    let &AgeProfile::Intermingled { files, file_size_bytes, chunk_bytes, keep_files } = profile else {
        return Err(wrong("the profile is not intermingled", "its kind is another"));
    };
    let file_size_bytes = file_size_bytes.unwrap_or(0);
    if files == 0 || chunk_bytes == 0 {
        return Err(wrong("files and chunk_bytes must be above 0", "one of them is 0"));
    }
    let keep = keep_files.unwrap_or(files);
    if keep > files {
        return Err(wrong(format!("keep_files {keep} is above files {files}"), "more are kept than made"));
    }
    let needed = u128::from(file_size_bytes) * u128::from(files);
    if file_size_bytes == 0 || needed > u128::from(room_bytes) {
        let chunk = if file_size_bytes == 0 { chunk_bytes } else { file_size_bytes };
        return Err(too_small(&format!("{files} files of {chunk} bytes at least"), room_bytes));
    }
    Ok(Intermingled {
        file_size_bytes,
        chunk_bytes,
        to_create: files,
        deletes: files - keep,
        files: Vec::with_capacity(files as usize),
        turn: 0,
        written_bytes: 0,
    })
}

impl Profile for Intermingled {
    fn turn(&mut self, log: &mut LogState) -> Turn {
        if self.to_create > 0 {
            self.to_create -= 1;
            self.files.push(log.create(self.files.len() as u32, 0));
        } else if self.written_bytes < self.file_size_bytes {
            let size = self.chunk_bytes.min(self.file_size_bytes - self.written_bytes);
            log.append(self.files[self.turn], size);
            self.turn += 1;
            if self.turn == self.files.len() {
                self.turn = 0;
                self.written_bytes += size;
            }
        } else if self.deletes > 0 {
            self.deletes -= 1;
            let at = log.random.below(self.files.len() as u64) as usize;
            log.delete(self.files.swap_remove(at));
        } else {
            return Turn::Over;
        }
        Turn::Goes
    }

    fn is_filled(&self) -> bool {
        self.written_bytes >= self.file_size_bytes
    }
}
