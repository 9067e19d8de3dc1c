//! The start: a moment that all threads of a run know before it comes.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use fsgauge_clock::{Armed, TrueStart, begin_at};
use serde::{Deserialize, Serialize};

use super::Clock;

/// The first moment of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstMoment {
    /// By the run's clock.
    pub zero_ns: u64,
    /// The same by CLOCK_MONOTONIC, and whether threads spin for it, where other engines start then too.
    common: Option<(u64, bool)>,
}

impl FirstMoment {
    /// Of a run of this engine alone.
    pub fn alone(zero_ns: u64) -> Self {
        FirstMoment { zero_ns, common: None }
    }

    /// Of a run that starts with others; `threads` wait for it.
    pub fn common(armed: &Armed, clock: &Clock, threads: usize) -> Self {
        let spin = std::thread::available_parallelism().is_ok_and(|processors| threads <= processors.get());
        let zero_ns = clock.at_monotonic(armed.start_at_ns);
        FirstMoment { zero_ns, common: Some((armed.start_at_ns, spin)) }
    }

    /// Waits for it, in the thread that begins then.
    pub fn wait(&self, clock: &Clock) -> Begun {
        let true_start = self.common.map(|(start_at_ns, spin)| begin_at(start_at_ns, spin));
        if true_start.is_none() {
            std::thread::sleep(Duration::from_nanos(self.zero_ns.saturating_sub(clock.now_ns())));
        }
        // The two clocks agree to some 100 ns.
        while clock.now_ns() < self.zero_ns {
            std::hint::spin_loop();
        }
        Begun { zero_ns: self.zero_ns, true_start }
    }
}

/// A thread has begun.
#[derive(Debug, Clone, Copy)]
pub struct Begun {
    /// The run's first moment, by its clock.
    pub zero_ns: u64,
    /// When the thread truly began; none for a run of this engine alone.
    pub true_start: Option<TrueStart>,
}

/// The starting line: threads wait here until all of them are ready.
#[derive(Debug, Default)]
pub struct Start {
    first: Mutex<Option<FirstMoment>>,
    changed: Condvar,
}

impl Start {
    /// Starts all threads at a moment that is to come.
    pub fn give(&self, first: FirstMoment) {
        *self.first.lock().unwrap_or_else(PoisonError::into_inner) = Some(first);
        self.changed.notify_all();
    }

    /// Waits for the start, and then for its moment.
    pub fn wait(&self, clock: &Clock) -> Begun {
        let given = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let given = self.changed.wait_while(given, |first| first.is_none());
        let first = *given.unwrap_or_else(PoisonError::into_inner);
        first.unwrap_or(FirstMoment::alone(0)).wait(clock)
    }
}
