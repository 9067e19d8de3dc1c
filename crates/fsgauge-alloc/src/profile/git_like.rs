//! `git_like`: a tree of sources and its updates. An update writes some files of some directories anew: the new one
//! is created beside the old, then the old is deleted (a log has no rename).
//!
//! The idea is that of Conway and others, "File Systems Fated for Senescence? Nonsense, Says Science!" (FAST 2017),
//! who pull a repository again and again. The parameters are choices, not fits.

use fsgauge_wire::{AgeProfile, Failure};

use super::{Profile, Turn, too_small, wrong};
use crate::draw::Sizes;
use crate::log_state::{LogState, taken};

/// Changed files of one directory in one go, at most.
const CLUSTER: u64 = 4;
/// One changed file in so many comes with a new one, where there is room.
const GROWTH: u64 = 8;
/// An update an hour.
const UPDATE_NS: u64 = 3600 * 1_000_000_000;

pub(crate) struct GitLike {
    sizes: Sizes,
    files_per_directory: usize,
    update_share: f64,
    room_bytes: u64,
    fill_only: bool,
    filled: bool,
    directories: Vec<Vec<u32>>,
    left_of_update: u64,
}

pub(super) fn begin(profile: &AgeProfile, room_bytes: u64, fill_only: bool) -> Result<GitLike, Failure> {
    let AgeProfile::GitLike { sizes, files_per_directory, update_percent } = profile else {
        return Err(wrong("the profile is not git_like", "its kind is another"));
    };
    let sizes = Sizes::new(sizes).map_err(|cause| wrong("the profile's sizes are not valid", cause))?;
    if *files_per_directory == 0 || !(*update_percent > 0.0 && *update_percent <= 100.0) {
        let what = "files_per_directory must be above 0, update_percent above 0 and at most 100";
        return Err(wrong(what, "one of them is not"));
    }
    if taken(sizes.largest_bytes()) > room_bytes {
        let needed = format!("room for one file of {} bytes", sizes.largest_bytes());
        return Err(too_small(&needed, room_bytes));
    }
    Ok(GitLike {
        sizes,
        files_per_directory: *files_per_directory as usize,
        update_share: update_percent / 100.0,
        room_bytes,
        fill_only,
        filled: false,
        directories: Vec::new(),
        left_of_update: 0,
    })
}

impl GitLike {
    fn fits(&self, log: &LogState, size_bytes: u64) -> bool {
        log.taken_bytes() + taken(size_bytes) <= self.room_bytes
    }

    /// One more file of the first tree, directory by directory; false when there is no room for it.
    fn fill(&mut self, log: &mut LogState) -> bool {
        let size_bytes = self.sizes.draw(&mut log.random);
        if !self.fits(log, size_bytes) {
            return false;
        }
        if self.directories.last().is_none_or(|files| files.len() == self.files_per_directory) {
            self.directories.push(Vec::with_capacity(self.files_per_directory));
        }
        let directory = self.directories.len() - 1;
        self.add(log, directory, size_bytes);
        true
    }

    fn add(&mut self, log: &mut LogState, directory: usize, size_bytes: u64) {
        let file = log.create(directory as u32, size_bytes);
        self.directories[directory].push(file);
    }

    /// A few neighbours of one directory, each made anew.
    fn change_cluster(&mut self, log: &mut LogState) -> bool {
        let Some(file) = log.draw_live() else { return false };
        let directory = log.stream(file) as usize;
        let count = self.directories[directory].len() as u64;
        let first = log.random.below(count);
        let cluster = (1 + log.random.below(CLUSTER)).min(count).min(self.left_of_update);
        for step in 0..cluster {
            self.change(log, directory, ((first + step) % count) as usize);
        }
        self.left_of_update -= cluster;
        self.keep_level(log, directory);
        true
    }

    /// The new file has its size within a tenth of the old one's.
    fn change(&mut self, log: &mut LogState, directory: usize, at: usize) {
        let old = self.directories[directory][at];
        let before_bytes = log.size(old);
        let least_bytes = before_bytes - before_bytes / 10;
        let size_bytes = least_bytes + log.random.below(before_bytes / 5 + 1);
        let new = log.create(directory as u32, size_bytes.max(1));
        log.delete(old);
        self.directories[directory][at] = new;
    }

    /// A file goes where the tree has outgrown its room; one comes now and then where it has not.
    fn keep_level(&mut self, log: &mut LogState, directory: usize) {
        if log.taken_bytes() > self.room_bytes && self.directories[directory].len() > 1 {
            let at = log.random.below(self.directories[directory].len() as u64) as usize;
            log.delete(self.directories[directory].swap_remove(at));
        } else if log.random.below(GROWTH) == 0 {
            let size_bytes = self.sizes.draw(&mut log.random);
            if self.fits(log, size_bytes) {
                self.add(log, directory, size_bytes);
            }
        }
    }
}

impl Profile for GitLike {
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
        if self.left_of_update == 0 {
            log.now_ns = log.now_ns.saturating_add(UPDATE_NS);
            self.left_of_update = ((log.live_files() as f64 * self.update_share) as u64).max(1);
        }
        if self.change_cluster(log) { Turn::Goes } else { Turn::Over }
    }

    fn is_filled(&self) -> bool {
        self.filled
    }
}
