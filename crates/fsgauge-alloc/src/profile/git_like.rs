//! `git_like`: a tree of sources and its updates. An update writes some files of some directories anew: the new one
//! is created beside the old, then the old is deleted (a log has no rename).
//!
//! The idea is that of Conway and others, "File Systems Fated for Senescence? Nonsense, Says Science!" (FAST 2017),
//! who pull a repository again and again. The parameters are choices, not fits.

use fsgauge_wire::{AgeProfile, Failure};

use super::{Profile, Turn, too_small, wrong};
use crate::draw::Sizes;
use crate::world::{World, taken};

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
    let sizes = Sizes::new(sizes).map_err(|cause| wrong("the profile's sizes cannot be", cause))?;
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
    fn fits(&self, world: &World, size_bytes: u64) -> bool {
        world.taken_bytes() + taken(size_bytes) <= self.room_bytes
    }

    /// One more file of the first tree, directory by directory; false when there is no room for it.
    fn fill(&mut self, world: &mut World) -> bool {
        let size_bytes = self.sizes.draw(&mut world.random);
        if !self.fits(world, size_bytes) {
            return false;
        }
        if self.directories.last().is_none_or(|files| files.len() == self.files_per_directory) {
            self.directories.push(Vec::with_capacity(self.files_per_directory));
        }
        let directory = self.directories.len() - 1;
        self.add(world, directory, size_bytes);
        true
    }

    fn add(&mut self, world: &mut World, directory: usize, size_bytes: u64) {
        let file = world.create(directory as u32, size_bytes);
        self.directories[directory].push(file);
    }

    /// A few neighbours of one directory, each made anew.
    fn change_cluster(&mut self, world: &mut World) -> bool {
        let Some(file) = world.draw_live() else { return false };
        let directory = world.stream(file) as usize;
        let count = self.directories[directory].len() as u64;
        let first = world.random.below(count);
        let cluster = (1 + world.random.below(CLUSTER)).min(count).min(self.left_of_update);
        for step in 0..cluster {
            self.change(world, directory, ((first + step) % count) as usize);
        }
        self.left_of_update -= cluster;
        self.keep_level(world, directory);
        true
    }

    /// The new file has its size within a tenth of the old one's.
    fn change(&mut self, world: &mut World, directory: usize, at: usize) {
        let old = self.directories[directory][at];
        let before_bytes = world.size(old);
        let least_bytes = before_bytes - before_bytes / 10;
        let size_bytes = least_bytes + world.random.below(before_bytes / 5 + 1);
        let new = world.create(directory as u32, size_bytes.max(1));
        world.delete(old);
        self.directories[directory][at] = new;
    }

    /// A file goes where the tree has outgrown its room; one comes now and then where it has not.
    fn keep_level(&mut self, world: &mut World, directory: usize) {
        if world.taken_bytes() > self.room_bytes && self.directories[directory].len() > 1 {
            let at = world.random.below(self.directories[directory].len() as u64) as usize;
            world.delete(self.directories[directory].swap_remove(at));
        } else if world.random.below(GROWTH) == 0 {
            let size_bytes = self.sizes.draw(&mut world.random);
            if self.fits(world, size_bytes) {
                self.add(world, directory, size_bytes);
            }
        }
    }
}

impl Profile for GitLike {
    fn turn(&mut self, world: &mut World) -> Turn {
        if !self.filled {
            if self.fill(world) {
                return Turn::Goes;
            }
            self.filled = true;
        }
        if self.fill_only {
            return Turn::Over;
        }
        if self.left_of_update == 0 {
            world.now_ns = world.now_ns.saturating_add(UPDATE_NS);
            self.left_of_update = ((world.live_files() as f64 * self.update_share) as u64).max(1);
        }
        if self.change_cluster(world) { Turn::Goes } else { Turn::Over }
    }

    fn is_filled(&self) -> bool {
        self.filled
    }
}
