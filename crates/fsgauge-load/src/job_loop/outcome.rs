//! What a job measured.

use fsgauge_wire::{Ended, Pauses};

use super::JobLoop;
use crate::instruments::cpu;
use crate::outcome::JobOutcome;
use crate::pace::Pace;
use crate::pattern::Order;
use crate::queue::Queue;

impl<Q: Queue, O: Order, P: Pace> JobLoop<'_, Q, O, P> {
    /// Operations that have completed in the measured part so far.
    pub(super) fn completed(&self) -> u64 {
        self.tallies.iter().map(|tally| tally.operations).sum()
    }

    /// What was measured, once everything has completed or was abandoned. `completed` counts the operations that had
    /// completed when submission ended.
    pub(super) fn outcome(&mut self, ended: Ended, late_start_ns: u64, completed: u64) -> JobOutcome {
        if P::OPEN {
            while self.pace.due_ns() < self.end_ns {
                self.backlog_dropped += 1;
                self.pace.advance();
            }
        }
        let drain_ns = self.overrun_ns.max(self.integrated_ns.saturating_sub(self.end_ns));
        // Each slot of the queue counts until its own last completion.
        let slots_ns = (self.in_flight_ns - self.in_flight_at_end_ns) / u64::from(self.setup.depth);
        let end_ns = self.end_ns + self.overrun_ns + slots_ns;
        if end_ns > self.window.interval_begin_ns {
            self.report_interval(end_ns);
        }
        let (user_ns, system_ns) = cpu::thread_user_system_ns();
        let mut outcome = JobOutcome {
            begin_ns: self.begin_ns.unwrap_or(end_ns),
            end_ns,
            in_flight_ns: self.in_flight_ns,
            backlog_dropped: self.backlog_dropped,
            issued: self.writes_allowed - self.writes_left,
            drained: self.completed() - completed,
            drain_ns,
            unfinished: self.in_flight,
            syncs: self.setup.barriers.take_times(),
            file_operations: Vec::new(),
            tallies: std::mem::take(&mut self.tallies),
            user_ns: user_ns - self.cpu_begin_ns.0,
            system_ns: system_ns - self.cpu_begin_ns.1,
            finish: None,
            pauses: Pauses { late_start_ns, starved_ns: self.run_queue.waited_ns(), ..Pauses::default() },
            ended,
            true_start: None,
        };
        if self.begin_ns.is_none() {
            // Interrupted during the warm-up: nothing was measured.
            outcome.tallies = Default::default();
            (outcome.in_flight_ns, outcome.user_ns, outcome.system_ns, outcome.backlog_dropped) =
                (0, 0, 0, 0);
            outcome.drained = 0;
        }
        outcome
    }
}
