//! What every entry point of the engine is given: where events go, and when to end.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Event, Failure};

/// Where events go while a job runs. An error means that nobody listens any more: the job then stops.
pub trait Listener {
    /// Takes one event.
    fn event(&mut self, event: Event) -> std::io::Result<()>;

    /// The moment that an order gave for the start, by CLOCK_MONOTONIC; none while there was no such order.
    fn ordered_start(&self) -> Option<u64> {
        None
    }

    /// Whether the reader has gone away, as far as can be told without an event.
    fn gone(&self) -> bool {
        false
    }
}

/// What every entry point gives: its result, or why there is none.
pub type Outcome<T> = Result<T, Failure>;

/// A flag that says: end with what you have. Cheap to copy and to read.
#[derive(Debug, Clone, Copy)]
pub struct Stop {
    flag: &'static AtomicBool,
}

impl Default for Stop {
    fn default() -> Self {
        Stop::new()
    }
}

impl Stop {
    /// A flag of its own. It lives as long as the process: make few.
    pub fn new() -> Self {
        Stop { flag: Box::leak(Box::new(AtomicBool::new(false))) }
    }

    /// The flag that something else sets too, a signal's handler for example.
    pub fn of(flag: &'static AtomicBool) -> Self {
        Stop { flag }
    }

    /// A flag that is never set.
    pub fn never() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Stop { flag: &NEVER }
    }

    /// Asks everybody to end.
    pub fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether to end.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}
