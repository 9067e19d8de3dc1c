//! The window: when the warm-up ends, when the measured part ends, and the intervals between.
//!
//! All boundaries are known beforehand and equal for all threads, so intervals of several can be added. An
//! operation belongs to the interval in which it was seen to complete. The last interval goes on beyond its
//! boundary until everything in flight is answered.

use super::warm_up::WarmUp;

/// What a boundary means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// An interval ends.
    Interval,
    /// The warm-up ends, and what is measured begins.
    WarmUpEnd,
    /// The time is up.
    End,
}

/// The boundaries of one run, in the clock's nanoseconds.
#[derive(Debug, Clone)]
pub struct Window {
    /// The first moment.
    pub zero_ns: u64,
    interval_ns: u64,
    warm_up: WarmUp,
    warm_up_end_ns: u64,
    end_ns: u64,
    /// Start of the current interval.
    pub interval_begin_ns: u64,
    /// The next boundary: the only thing that the hot loop compares.
    pub next_ns: u64,
}

impl Window {
    /// The warm-up, what is measured, and the intervals in both, from `zero_ns` on.
    pub fn new(zero_ns: u64, warm_up: impl Into<WarmUp>, duration_ns: u64, interval_ns: u64) -> Self {
        let warm_up = warm_up.into();
        let warm_up_end_ns = zero_ns + warm_up.end_ns();
        let end_ns = warm_up_end_ns.saturating_add(duration_ns);
        let interval_begin_ns = zero_ns;
        let mut window =
            Window { zero_ns, interval_ns, warm_up, warm_up_end_ns, end_ns, interval_begin_ns, next_ns: 0 };
        window.next_ns = window.after(zero_ns);
        window
    }

    /// When the measured part begins.
    pub fn measured_from_ns(&self) -> u64 {
        self.warm_up_end_ns
    }

    /// Another end, later than the one that was reached.
    pub fn go_on_until(&mut self, end_ns: u64) {
        self.end_ns = end_ns;
        self.next_ns = self.after(self.interval_begin_ns);
    }

    /// Whether the next boundary is the last.
    pub fn is_at_end(&self) -> bool {
        self.next_ns >= self.end_ns
    }

    /// Whether the current interval belongs to the warm-up.
    pub fn in_warm_up(&self) -> bool {
        self.interval_begin_ns < self.warm_up_end_ns
    }

    /// Steps over the next boundary and says what it was.
    pub fn step(&mut self) -> Boundary {
        let at_ns = self.next_ns;
        if self.in_warm_up() {
            // Who hears of it late begins at this boundary: none goes without a measured part.
            let cut_ns = (self.zero_ns + self.warm_up.end_ns()).max(at_ns);
            let sooner_ns = self.warm_up_end_ns.saturating_sub(cut_ns);
            self.warm_up_end_ns -= sooner_ns;
            self.end_ns -= sooner_ns;
        }
        self.interval_begin_ns = at_ns;
        self.next_ns = self.after(at_ns);
        if at_ns >= self.end_ns {
            Boundary::End
        } else if at_ns == self.warm_up_end_ns {
            Boundary::WarmUpEnd
        } else {
            Boundary::Interval
        }
    }

    /// The first boundary after `at_ns`: intervals are counted anew from the end of the warm-up.
    fn after(&self, at_ns: u64) -> u64 {
        let limit_ns = if at_ns < self.warm_up_end_ns { self.warm_up_end_ns } else { self.end_ns };
        at_ns.saturating_add(self.interval_ns).min(limit_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_meet_the_warm_up_and_the_end() {
        let mut window = Window::new(100, 25, 30, 10);
        let mut seen = Vec::new();
        for _ in 0..6 {
            let at_ns = window.next_ns;
            seen.push((at_ns, window.in_warm_up(), window.step()));
        }
        let expected = [
            (110, true, Boundary::Interval),
            (120, true, Boundary::Interval),
            (125, true, Boundary::WarmUpEnd),
            (135, false, Boundary::Interval),
            (145, false, Boundary::Interval),
            (155, false, Boundary::End),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_warm_up_that_is_cut_moves_the_end_with_it() {
        let warm_up = WarmUp::from(1000);
        let mut window = Window::new(100, warm_up.clone(), 15, 10);
        assert_eq!((window.next_ns, window.step()), (110, Boundary::Interval));
        warm_up.cut(30);
        warm_up.cut(40);
        let mut seen = Vec::new();
        for _ in 0..4 {
            seen.push((window.next_ns, window.in_warm_up(), window.is_at_end(), window.step()));
        }
        let expected = [
            (120, true, false, Boundary::Interval),
            (130, true, false, Boundary::WarmUpEnd),
            (140, false, false, Boundary::Interval),
            (145, false, true, Boundary::End),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn without_a_warm_up_measuring_begins_at_once() {
        assert!(!Window::new(100, 0, 30, 10).in_warm_up());
    }

    #[test]
    fn a_warm_up_whose_end_is_heard_of_too_late_ends_at_the_next_boundary() {
        let warm_up = WarmUp::from(1000);
        let mut window = Window::new(100, warm_up.clone(), 15, 10);
        for _ in 0..3 {
            assert_eq!(window.step(), Boundary::Interval);
        }
        warm_up.cut(20);
        assert_eq!((window.next_ns, window.step()), (140, Boundary::WarmUpEnd));
        assert_eq!((window.step(), window.next_ns, window.step()), (Boundary::Interval, 155, Boundary::End));
    }
}
