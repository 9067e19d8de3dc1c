//! What is known of the space of a mounted file system, and how.

use fsgauge_wire::{FreeSpace, Group, Note};

use crate::measure::{Measure, Wanted};
use crate::problems::Problems;

/// What was found, and how.
pub(super) struct Space {
    /// Pieces are in it, for the map.
    pub(super) measure: Measure,
    pub(super) by: &'static str,
    /// Why not as the kernel lists it.
    pub(super) reason: Option<String>,
    pub(super) free: Option<FreeSpace>,
    pub(super) groups: Vec<Group>,
    pub(super) problems: Problems,
    pub(super) notes: Vec<Note>,
}

impl Space {
    /// Every piece is known.
    pub(super) fn all_known(mut measure: Measure, by: &'static str, problems: Problems) -> Space {
        let (free, groups) = measure.space();
        Space { measure, by, reason: None, free: Some(free), groups, problems, notes: Vec::new() }
    }

    pub(super) fn free_bytes(&self) -> Option<u64> {
        self.free.as_ref().map(|free| free.size_bytes)
    }
}

/// Not asked for.
pub(super) fn none(wanted: &Wanted) -> Space {
    Space {
        measure: Measure::new(wanted.clone()),
        by: "none",
        reason: None,
        free: None,
        groups: Vec::new(),
        problems: Problems::new(),
        notes: Vec::new(),
    }
}
