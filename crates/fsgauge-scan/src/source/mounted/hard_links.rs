//! Files with several hard links are counted once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// More files of which a name is still to come are not remembered.
const LIMIT: usize = 1 << 22;

/// Whether a name is the first that is met of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    First,
    Again,
    /// Too many files are remembered already: it may be counted again.
    Unsure,
}

/// Files of which some names were met, with how many names are still to come.
#[derive(Debug, Default)]
pub(super) struct Links {
    to_come: Mutex<HashMap<(u64, u64), u64>>,
}

impl Links {
    /// A name of a file that has `links` of them, a number that each processor's kernel has in its own width.
    pub(super) fn meet(&self, device: u64, inode: u64, links: impl Into<u64>) -> Meeting {
        let mut to_come = self.to_come.lock().unwrap_or_else(PoisonError::into_inner);
        match to_come.get(&(device, inode)).copied() {
            Some(1) => {
                to_come.remove(&(device, inode));
                Meeting::Again
            }
            Some(count) => {
                to_come.insert((device, inode), count - 1);
                Meeting::Again
            }
            None if to_come.len() >= LIMIT => Meeting::Unsure,
            None => {
                to_come.insert((device, inode), links.into().saturating_sub(1).max(1));
                Meeting::First
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_of_three_names_counts_and_nothing_is_kept_after_the_last() {
        let links = Links::default();
        let met = [(); 3].map(|()| links.meet(1, 12, 3_u32));
        assert_eq!(met, [Meeting::First, Meeting::Again, Meeting::Again]);
        assert!(links.to_come.lock().unwrap().is_empty());
        assert_eq!(links.meet(2, 12, 2_u32), Meeting::First);
    }
}
