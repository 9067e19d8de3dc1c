//! Reads and writes each in an order of their own.

use super::{Order, Place, SizeClass};
use crate::random::Random;

/// Two orders, which know nothing of one another.
pub(crate) struct ByKind {
    reads: Box<dyn Order>,
    writes: Box<dyn Order>,
}

impl ByKind {
    /// `order` gives that of what writes, or of what does not.
    pub(crate) fn new(order: impl Fn(bool) -> Box<dyn Order>) -> Self {
        ByKind { reads: order(false), writes: order(true) }
    }
}

impl Order for ByKind {
    fn next(&mut self, random: &mut Random, class: &SizeClass) -> Place {
        self.reads.next(random, class)
    }

    fn next_of(&mut self, write: bool, random: &mut Random, class: &SizeClass) -> Place {
        let order = if write { &mut self.writes } else { &mut self.reads };
        order.next_of(write, random, class)
    }
}
