//! `database`: files of fixed size, filled from start to end, then overwritten page by page at drawn places. On a
//! file system that overwrites in place nothing moves; on one that copies on write every page does.

use fsgauge_wire::{AgeProfile, Failure};

use super::{Profile, Turn, too_small, wrong};
use crate::log_state::LogState;

pub(crate) struct Database {
    file_size_bytes: u64,
    page_bytes: u64,
    extend_bytes: u64,
    fsync_every: u32,
    fill_only: bool,
    to_create: u32,
    files: Vec<u32>,
    /// Overwrites of each file since its last fsync.
    unsynced: Vec<u32>,
    filled: bool,
}

pub(super) fn begin(profile: &AgeProfile, room_bytes: u64, fill_only: bool) -> Result<Database, Failure> {
    let &AgeProfile::Database { files, page_bytes, extend_bytes, fsync_every } = profile else {
        return Err(wrong("the profile is not database", "its kind is another"));
    };
    if files == 0 || page_bytes == 0 || extend_bytes == 0 {
        return Err(wrong("files, page_bytes and extend_bytes must be above 0", "one of them is 0"));
    }
    let page_bytes = u64::from(page_bytes);
    let share = room_bytes / u64::from(files);
    let file_size_bytes = share - share % page_bytes;
    if file_size_bytes == 0 {
        return Err(too_small(&format!("{files} files of {page_bytes} bytes"), room_bytes));
    }
    Ok(Database {
        file_size_bytes,
        page_bytes,
        extend_bytes,
        fsync_every,
        fill_only,
        to_create: files,
        files: Vec::new(),
        unsynced: vec![0; files as usize],
        filled: false,
    })
}

impl Database {
    /// The next step of the fill; false when every file has its size.
    fn fill(&mut self, log: &mut LogState) -> bool {
        if let Some(&file) = self.files.last() {
            let left_bytes = self.file_size_bytes - log.size(file);
            if left_bytes > 0 {
                log.append(file, self.extend_bytes.min(left_bytes));
                return true;
            }
        }
        if self.to_create == 0 {
            return false;
        }
        self.to_create -= 1;
        self.files.push(log.create(self.files.len() as u32, 0));
        true
    }

    fn overwrite(&mut self, log: &mut LogState) {
        let at = log.random.below(self.files.len() as u64) as usize;
        let page = log.random.below(self.file_size_bytes / self.page_bytes);
        log.overwrite(self.files[at], page * self.page_bytes, self.page_bytes);
        self.unsynced[at] += 1;
        if self.unsynced[at] == self.fsync_every {
            self.unsynced[at] = 0;
            log.fsync(self.files[at]);
        }
    }
}

impl Profile for Database {
    fn turn(&mut self, log: &mut LogState) -> Turn {
        if !self.filled {
            if self.fill(log) {
                return Turn::Goes;
            }
            self.filled = true;
        }
        if self.fill_only {
            return Turn::Over;
        }
        self.overwrite(log);
        Turn::Goes
    }

    fn is_filled(&self) -> bool {
        self.filled
    }
}
