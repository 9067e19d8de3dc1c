//! Free space of each allocation group, block group or chunk.

use fsgauge_wire::Group;

use crate::file_system_info::{GroupPlace, InodePlace};

/// Groups, ascending, with the free pieces found so far.
#[derive(Debug, Clone)]
pub(crate) struct Groups {
    groups: Vec<Group>,
    /// Where the last piece began: most pieces begin where the one before did.
    last: usize,
    /// What is looked for in the free pieces, and how many places were found.
    wanted: Option<InodePlace>,
    places: u64,
}

impl Groups {
    pub(crate) fn new(places: &[GroupPlace], wanted: Option<InodePlace>) -> Self {
        let group = |place: &GroupPlace| Group {
            offset_bytes: place.offset_bytes,
            size_bytes: place.size_bytes,
            free_bytes: 0,
            free_extents: 0,
            largest_free_bytes: 0,
        };
        Groups { groups: places.iter().map(group).collect(), last: 0, wanted, places: 0 }
    }

    /// A free piece, cut at the borders of groups.
    pub(crate) fn add(&mut self, offset_bytes: u64, length_bytes: u64) {
        let end = offset_bytes.saturating_add(length_bytes);
        let is_last = |group: &Group| group.offset_bytes <= offset_bytes && offset_bytes < group_end(group);
        let first = match self.groups.get(self.last) {
            Some(group) if is_last(group) => self.last,
            _ => self.groups.partition_point(|group| group_end(group) <= offset_bytes),
        };
        self.last = first;
        for group in self.groups.iter_mut().skip(first).take_while(|group| group.offset_bytes < end) {
            let begin = group.offset_bytes.max(offset_bytes);
            let free_bytes = group_end(group).min(end) - begin;
            if let Some(wanted) = self.wanted.filter(|wanted| wanted.is_in(group.offset_bytes)) {
                self.places += wanted.fits(begin - group.offset_bytes, free_bytes);
            }
            group.free_bytes += free_bytes;
            group.free_extents += 1;
            group.largest_free_bytes = group.largest_free_bytes.max(free_bytes);
        }
    }

    /// In how many places new inodes fit; `None` when nobody asked.
    pub(crate) fn places(&self) -> Option<u64> {
        self.wanted.map(|_| self.places)
    }

    /// The groups, which are not counted on.
    pub(crate) fn take(&mut self) -> Vec<Group> {
        std::mem::take(&mut self.groups)
    }
}

/// How many a result lists at most: each takes a hundred bytes of its text. An ext4 of 16 TiB has as many.
const LISTED: usize = 1 << 17;

/// The groups as a result lists them: each of its entries stands for equally many side by side, one at best.
pub(crate) fn listed(groups: Vec<Group>) -> Vec<Group> {
    match groups.len().div_ceil(LISTED) {
        0 | 1 => groups,
        each => groups.chunks(each).filter_map(|groups| groups.iter().copied().reduce(together)).collect(),
    }
}

fn together(one: Group, next: Group) -> Group {
    Group {
        offset_bytes: one.offset_bytes,
        size_bytes: one.size_bytes + next.size_bytes,
        free_bytes: one.free_bytes + next.free_bytes,
        free_extents: one.free_extents + next.free_extents,
        largest_free_bytes: one.largest_free_bytes.max(next.largest_free_bytes),
    }
}

fn group_end(group: &Group) -> u64 {
    group.offset_bytes.saturating_add(group.size_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_too_many_groups_those_side_by_side_are_listed_as_one() {
        let group = |at: u64| Group {
            offset_bytes: at * 10,
            size_bytes: 10,
            free_bytes: at % 5,
            free_extents: 1,
            largest_free_bytes: at % 3,
        };
        let few: Vec<Group> = (0..LISTED as u64).map(group).collect();
        assert_eq!(listed(few.clone()), few);
        let many: Vec<Group> = (0..5 * LISTED as u64 / 2).map(group).collect();
        let list = listed(many.clone());
        assert_eq!(list.len(), many.len().div_ceil(3));
        let second = Group {
            offset_bytes: 30,
            size_bytes: 30,
            free_bytes: 3 + 4,
            free_extents: 3,
            largest_free_bytes: 2,
        };
        assert_eq!(list[1], second);
        let free = |groups: &[Group]| groups.iter().map(|group| group.free_bytes).sum::<u64>();
        assert_eq!(free(&list), free(&many));
    }

    #[test]
    fn a_piece_is_cut_at_borders_and_what_no_group_holds_is_left_out() {
        let places = [(0, 100), (100, 100), (300, 50)];
        let places = places.map(|(offset_bytes, size_bytes)| GroupPlace { offset_bytes, size_bytes });
        let mut groups = Groups::new(&places, None);
        groups.add(10, 20);
        groups.add(90, 60);
        groups.add(190, 120);
        let list = groups.take();
        let free: Vec<_> =
            list.iter().map(|g| (g.free_bytes, g.free_extents, g.largest_free_bytes)).collect();
        assert_eq!(free, [(30, 2, 20), (60, 2, 50), (10, 1, 10)]);
    }
}
