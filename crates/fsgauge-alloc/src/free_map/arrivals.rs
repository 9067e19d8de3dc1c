//! Groups by the order of their largest buddy, or of their mean run, as Linux 6.1 keeps them: in lists to whose end a group
//! is added when it comes to that order.

use std::collections::BTreeMap;

use super::ORDERS;

/// What the lists go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListedBy {
    /// The largest buddy.
    Largest,
    /// The mean run.
    Mean,
}

/// The lists, each by the turn in which a group came.
#[derive(Debug, Clone)]
pub(super) struct Arrivals {
    turns: u64,
    /// Of each group the order and the turn, for both sorts of lists; none while it is in no list.
    places: Vec<[Option<(u32, u64)>; 2]>,
    lists: [Vec<BTreeMap<u64, u32>>; 2],
}

impl Arrivals {
    pub(super) fn new(groups: usize) -> Self {
        let lists = || vec![BTreeMap::new(); ORDERS];
        Arrivals { turns: 0, places: vec![[None; 2]; groups], lists: [lists(), lists()] }
    }

    /// A group has this order now: if it is another one, it goes to the end of that list.
    pub(super) fn put(&mut self, by: ListedBy, group: u32, order: Option<u32>) {
        let place = &mut self.places[group as usize][by as usize];
        if place.map(|(order, _)| order) == order {
            return;
        }
        let lists = &mut self.lists[by as usize];
        if let Some((before, turn)) = place.take() {
            lists[before as usize].remove(&turn);
        }
        if let Some(order) = order {
            self.turns += 1;
            lists[order as usize].insert(self.turns, group);
            *place = Some((order, self.turns));
        }
    }

    /// The first group of a list that is good.
    pub(super) fn first(&self, by: ListedBy, order: u32, is_good: impl Fn(u32) -> bool) -> Option<u32> {
        self.lists[by as usize][order as usize].values().copied().find(|&group| is_good(group))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_comes_back_is_the_last() {
        let mut arrivals = Arrivals::new(3);
        (0..3).for_each(|group| arrivals.put(ListedBy::Largest, group, Some(5)));
        arrivals.put(ListedBy::Largest, 0, Some(4));
        arrivals.put(ListedBy::Largest, 1, Some(5));
        arrivals.put(ListedBy::Largest, 0, Some(5));
        let first = |except: &[u32]| arrivals.first(ListedBy::Largest, 5, |group| !except.contains(&group));
        assert_eq!([first(&[]), first(&[1]), first(&[1, 2])], [Some(1), Some(2), Some(0)]);
        assert_eq!(arrivals.first(ListedBy::Mean, 5, |_| true), None);
    }
}
