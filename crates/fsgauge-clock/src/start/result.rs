//! What a common start gave.

use fsgauge_wire::CommonStart;

use super::begin::TrueStart;
use crate::time::{KernelTime, Time};

/// Everything is prepared, and the start is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Armed {
    /// When to begin, by CLOCK_MONOTONIC.
    pub start_at_ns: u64,
    /// When everything was prepared.
    pub armed_at_ns: u64,
    /// BOOTTIME minus MONOTONIC then.
    pub suspended_ns: i64,
}

impl Armed {
    /// What became of it: when each thread began, and when the last operation had ended. Without any thread that
    /// answered, the start is the one that was meant.
    pub fn result(&self, starts: impl IntoIterator<Item = TrueStart>, ended_at_ns: u64) -> CommonStart {
        let starts: Vec<TrueStart> = starts.into_iter().collect();
        let moments = || starts.iter().map(|start| start.started_at_ns);
        CommonStart {
            start_at_ns: self.start_at_ns,
            armed_at_ns: self.armed_at_ns,
            started_at_ns: moments().min().unwrap_or(self.start_at_ns),
            last_started_at_ns: moments().max().unwrap_or(self.start_at_ns),
            ended_at_ns,
            real_time: !starts.is_empty() && starts.iter().all(|start| start.real_time),
            spun: !starts.is_empty() && starts.iter().all(|start| start.spun),
            suspended_ns: KernelTime.suspended_ns() - self.suspended_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_thread_are_told() {
        let armed = Armed { start_at_ns: 100, armed_at_ns: 50, suspended_ns: KernelTime.suspended_ns() };
        let start = |started_at_ns, real_time| TrueStart { started_at_ns, real_time, spun: true };
        let result = armed.result([start(107, true), start(103, false)], 900);
        assert_eq!((result.started_at_ns, result.last_started_at_ns, result.ended_at_ns), (103, 107, 900));
        assert_eq!((result.real_time, result.spun), (false, true));
        assert!(result.suspended_ns.abs() < 10_000_000);
        assert_eq!(armed.result([], 900).started_at_ns, 100);
    }
}
