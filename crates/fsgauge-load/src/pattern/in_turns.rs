//! Files in turns: so many operations at each, from the first to the last and again.

use super::{Order, Place, SizeClass};
use crate::random::Random;

/// An order of places for each file, and whose turn it is.
pub(crate) struct InTurns {
    /// One for each file, or one for all where every place is drawn anew.
    orders: Vec<Box<dyn Order>>,
    files: u32,
    each: u32,
    file: u32,
    /// Operations that the file still has in this turn.
    left: u32,
}

impl InTurns {
    /// `each` operations a turn at each of `files`; the places of `orders` lie in one file.
    pub(crate) fn new(files: u32, each: u32, orders: Vec<Box<dyn Order>>) -> Self {
        InTurns { orders, files, each, file: 0, left: each }
    }
}

impl Order for InTurns {
    fn next(&mut self, random: &mut Random, class: &SizeClass) -> Place {
        self.next_of(false, random, class)
    }

    fn next_of(&mut self, write: bool, random: &mut Random, class: &SizeClass) -> Place {
        if self.left == 0 {
            self.file = if self.file + 1 < self.files { self.file + 1 } else { 0 };
            self.left = self.each;
        }
        self.left -= 1;
        let own = if self.orders.len() > 1 { self.file as usize } else { 0 };
        Place { file: self.file, ..self.orders[own].next_of(write, random, class) }
    }
}
