//! Inodes: which number a new file or directory gets, and so the group near which its blocks are looked for. Directories of
//! the root are spread by the hash of their names (Orlov's way); files stay in the flex group of their directory.

use super::counter::Counter;
use super::name_hash::name_hash;
use crate::free_map::Bits;

/// What the choice looks at of a flex group: groups whose inodes lie together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flex {
    pub(super) free_inodes: u32,
    pub(super) directories: u32,
    /// As the bitmaps on disk have it: what was freed counts at once, what is set aside is free.
    pub(super) free_blocks: u64,
}

/// Inodes of one group.
#[derive(Debug, Clone)]
struct Group {
    free: u32,
    /// Which are free. Made when it is first changed: until then, they are the last ones.
    bits: Option<Bits>,
}

impl Group {
    fn bits(&mut self, per_group: u32) -> &mut Bits {
        self.bits.get_or_insert_with(|| {
            let mut bits = Bits::new(per_group);
            bits.set(per_group - self.free, per_group, true);
            bits
        })
    }
}

/// All inodes.
#[derive(Debug, Clone)]
pub(super) struct Inodes {
    per_group: u32,
    flex_groups: u32,
    group_blocks: u32,
    seed: [u32; 4],
    groups: Vec<Group>,
    pub(super) flex: Vec<Flex>,
    free: Counter,
    directories: Counter,
}

/// Where a directory's new inodes go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parent {
    pub(super) group: u32,
    pub(super) is_root: bool,
    /// The group of the last inode that was made in it.
    pub(super) last_group: Option<u32>,
}

/// What is there at the beginning: the inodes in use at the start of each group, and directories in it.
pub(super) struct Used<'a> {
    pub(super) inodes: &'a [u32],
    pub(super) directories: &'a [u32],
}

impl Inodes {
    pub(super) fn new(
        per_group: u32,
        flex_groups: u32,
        group_blocks: u32,
        seed: [u32; 4],
        used: Used<'_>,
        processors: u32,
    ) -> Self {
        let count = used.inodes.len();
        let mut flex = vec![Flex::default(); count.div_ceil(flex_groups as usize)];
        let mut groups = Vec::with_capacity(count);
        for (group, (&in_use, &directories)) in used.inodes.iter().zip(used.directories).enumerate() {
            let free = per_group - in_use;
            groups.push(Group { free, bits: None });
            let flex = &mut flex[group / flex_groups as usize];
            flex.free_inodes += free;
            flex.directories += directories;
        }
        let free = groups.iter().map(|group| u64::from(group.free)).sum();
        let directories = used.directories.iter().map(|&count| u64::from(count)).sum();
        Inodes {
            per_group,
            flex_groups,
            group_blocks,
            seed,
            groups,
            flex,
            free: Counter::new(free, processors),
            directories: Counter::new(directories, processors),
        }
    }

    /// The number and group of a new inode; none if all are in use. `free_blocks` is the sum over the device as decisions
    /// read it.
    pub(super) fn take(
        &mut self,
        parent: &mut Parent,
        directory: Option<&[u8]>,
        free_blocks: u64,
    ) -> Option<u64> {
        let group = match directory {
            Some(name) => self.group_of_directory(*parent, Some(name), free_blocks),
            None => self.group_of_file(*parent, free_blocks),
        }?;
        parent.last_group = Some(group);
        let count = self.groups.len() as u32;
        for step in 0..count {
            let at = (group + step) % count;
            if let Some(place) = self.take_in(at) {
                let flex = &mut self.flex[(at / self.flex_groups) as usize];
                flex.free_inodes -= 1;
                self.free.add(-1);
                if directory.is_some() {
                    flex.directories += 1;
                    self.directories.add(1);
                }
                return Some(u64::from(at) * u64::from(self.per_group) + u64::from(place) + 1);
            }
        }
        None
    }

    /// Groups whose inodes lie together.
    pub(super) fn flex_groups(&self) -> u32 {
        self.flex_groups
    }

    /// The group of an inode.
    pub(super) fn group_of(&self, inode: u64) -> u32 {
        ((inode - 1) / u64::from(self.per_group)) as u32
    }

    /// Gives the inode of a file back: the next file may have it.
    pub(super) fn give(&mut self, inode: u64) {
        let group = self.group_of(inode);
        let place = ((inode - 1) % u64::from(self.per_group)) as u32;
        let state = &mut self.groups[group as usize];
        state.bits(self.per_group).set(place, place + 1, true);
        state.free += 1;
        self.flex[(group / self.flex_groups) as usize].free_inodes += 1;
        self.free.add(1);
    }

    fn take_in(&mut self, group: u32) -> Option<u32> {
        let per_group = self.per_group;
        let state = &mut self.groups[group as usize];
        if state.free == 0 {
            return None;
        }
        let bits = state.bits(per_group);
        let place = bits.first()?;
        bits.set(place, place + 1, false);
        state.free -= 1;
        Some(place)
    }

    /// In its directory's flex group, else where the last one went, else where there is room.
    fn group_of_file(&self, parent: Parent, free_blocks: u64) -> Option<u32> {
        [Some(parent.group), parent.last_group]
            .into_iter()
            .flatten()
            .find_map(|group| self.first_in_flex(group / self.flex_groups))
            .or_else(|| self.group_of_directory(Parent { is_root: false, ..parent }, None, free_blocks))
    }

    /// The first group of a flex group that has a free inode.
    fn first_in_flex(&self, flex: u32) -> Option<u32> {
        let first = flex * self.flex_groups;
        let last = (first + self.flex_groups).min(self.groups.len() as u32);
        (first..last).find(|&group| self.groups[group as usize].free > 0)
    }

    fn group_of_directory(&self, parent: Parent, name: Option<&[u8]>, free_blocks: u64) -> Option<u32> {
        let count = self.flex.len() as u32;
        let mean_inodes = (self.free.roughly() / u64::from(count)) as u32;
        let mean_blocks = free_blocks / u64::from(count);
        let chosen = match name {
            Some(name) if parent.is_root => self.least_used(name, mean_inodes, mean_blocks),
            _ => self.near(parent, mean_inodes, mean_blocks),
        };
        chosen.and_then(|flex| self.first_in_flex(flex)).or_else(|| self.anywhere(parent))
    }

    /// Of the flex groups with no less than the mean of what is free, the one with the fewest directories, from one on
    /// that the name's hash names.
    fn least_used(&self, name: &[u8], mean_inodes: u32, mean_blocks: u64) -> Option<u32> {
        let count = self.flex.len() as u32;
        let first = name_hash(name, self.seed) % count;
        let (mut best, mut least) = (None, self.per_group);
        for step in 0..count {
            let at = (first + step) % count;
            let flex = &self.flex[at as usize];
            if flex.free_inodes > 0
                && flex.directories < least
                && flex.free_inodes >= mean_inodes
                && flex.free_blocks >= mean_blocks
            {
                (best, least) = (Some(at), flex.directories);
            }
        }
        best
    }

    /// The first flex group, from the parent's on, that is not much worse than the others.
    fn near(&self, parent: Parent, mean_inodes: u32, mean_blocks: u64) -> Option<u32> {
        let count = self.flex.len() as u32;
        let of_flex = i64::from(self.per_group) * i64::from(self.flex_groups);
        let most = (self.directories.roughly() / u64::from(count)) as i64 + of_flex / 16;
        let least_inodes = (i64::from(mean_inodes) - of_flex / 4).max(1);
        let group_blocks = i64::from(self.group_blocks) * i64::from(self.flex_groups);
        let least_blocks = (mean_blocks as i64 - group_blocks / 4).max(0);
        let first = parent.last_group.unwrap_or(parent.group) / self.flex_groups;
        (0..count).map(|step| (first + step) % count).find(|&at| {
            let flex = &self.flex[at as usize];
            i64::from(flex.directories) < most
                && i64::from(flex.free_inodes) >= least_inodes
                && flex.free_blocks as i64 >= least_blocks
        })
    }

    /// The first group with no less than the mean of free inodes; else with any.
    fn anywhere(&self, parent: Parent) -> Option<u32> {
        let count = self.groups.len() as u32;
        let mean = (self.free.roughly() / u64::from(count)) as u32;
        let with = |least: u32| {
            (0..count)
                .map(|step| (parent.group + step) % count)
                .find(|&group| self.groups[group as usize].free >= least.max(1))
        };
        with(mean).or_else(|| with(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inodes(groups: usize) -> Inodes {
        let (mut in_use, mut directories) = (vec![0; groups], vec![0; groups]);
        (in_use[0], directories[0]) = (11, 2);
        let mut inodes =
            Inodes::new(100, 4, 32768, [0; 4], Used { inodes: &in_use, directories: &directories }, 1);
        inodes.flex.iter_mut().for_each(|flex| flex.free_blocks = 4 * 32768);
        inodes
    }

    #[test]
    fn numbers_begin_at_the_first_that_is_free_and_are_used_again() {
        let mut inodes = inodes(16);
        let mut parent = Parent { group: 1, is_root: false, last_group: None };
        assert_eq!([(); 3].map(|()| inodes.take(&mut parent, None, 0)), [Some(12), Some(13), Some(14)]);
        inodes.give(13);
        assert_eq!(inodes.take(&mut parent, None, 0), Some(13));
        assert_eq!((inodes.group_of(100), inodes.group_of(101)), (0, 1));
    }

    #[test]
    fn directories_of_the_root_are_spread() {
        let mut inodes = inodes(16);
        let mut root = Parent { group: 0, is_root: true, last_group: None };
        let free_blocks = 16 * 32768;
        let mut flexes: Vec<u32> = (0..3)
            .map(|which| {
                let name = format!("d{which:04}");
                let inode = inodes.take(&mut root, Some(name.as_bytes()), free_blocks).unwrap();
                inodes.group_of(inode) / 4
            })
            .collect();
        flexes.sort_unstable();
        // The first flex group has two directories already, and fewer inodes than the mean.
        assert_eq!(flexes, [1, 2, 3]);
    }

    #[test]
    fn a_full_flex_group_is_left_and_all_full_is_none() {
        let mut inodes = inodes(8);
        let mut parent = Parent { group: 5, is_root: false, last_group: None };
        let taken = std::iter::from_fn(|| inodes.take(&mut parent, None, 0)).collect::<Vec<_>>();
        assert_eq!(taken.len(), 800 - 11);
        assert!(taken[..400].iter().all(|inode| inodes.group_of(*inode) >= 4));
        assert_eq!(taken[400], 12);
    }
}
