//! A counter that the kernel keeps per processor, and adds up only when a processor's part is large: decisions read the
//! sum without these parts.

/// The kernel's counter, as one processor changes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counter {
    sum: i64,
    part: i64,
    batch: i64,
}

impl Counter {
    /// A machine of so many processors adds a part of this size to the sum.
    pub(super) fn new(sum: u64, processors: u32) -> Self {
        Counter { sum: sum as i64, part: 0, batch: i64::from(processors * 2).max(32) }
    }

    pub(super) fn add(&mut self, amount: i64) {
        self.part += amount;
        if self.part.abs() >= self.batch {
            self.sum += self.part;
            self.part = 0;
        }
    }

    /// As decisions read it.
    pub(super) fn roughly(&self) -> u64 {
        self.sum.max(0) as u64
    }

    pub(super) fn exactly(&self) -> u64 {
        (self.sum + self.part).max(0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_changes_are_seen_late() {
        let mut counter = Counter::new(1000, 2);
        counter.add(-31);
        assert_eq!((counter.roughly(), counter.exactly()), (1000, 969));
        counter.add(-1);
        assert_eq!((counter.roughly(), counter.exactly()), (968, 968));
    }
}
