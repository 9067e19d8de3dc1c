//! Boundaries of the measured time: the end of the warm-up, intervals, the end.

use fsgauge_wire::Interval;

use super::JobLoop;
use crate::instruments::{Boundary, Tally, cpu};
use crate::outcome::Report;
use crate::pace::Pace;
use crate::pattern::Order;
use crate::queue::Queue;
use crate::wear_out::{Stonewall, WEAR_OUT_TIMES};

impl<Q: Queue, O: Order, P: Pace> JobLoop<'_, Q, O, P> {
    /// Steps over all boundaries up to now. True at the end. Every stamp is checked before it is used: nothing is
    /// counted on the wrong side, however long the thread was off its processor.
    #[cold]
    pub(super) fn cross(&mut self, now_ns: u64) -> bool {
        self.retries_in_row = 0;
        while now_ns >= self.window.next_ns {
            let at_ns = self.window.next_ns;
            if self.window.is_at_end() {
                if let Some(stonewall) = self.setup.stonewall.take() {
                    self.go_on(&stonewall);
                    continue;
                }
                self.close(at_ns);
                return true;
            }
            self.integrate(at_ns);
            self.report_interval(at_ns);
            if self.window.step() == Boundary::WarmUpEnd {
                self.begin_measuring(at_ns);
            }
        }
        false
    }

    /// Goes on beyond the stonewall, to as many writes as the job that has begun most.
    fn go_on(&mut self, stonewall: &Stonewall) {
        let begun = self.begun();
        stonewall.meeting.come(begun);
        let left = stonewall.meeting.most(&self.setup.stop).saturating_sub(begun);
        let left_bytes = left.saturating_mul(stonewall.write_bytes);
        (self.remaining_bytes, self.has_met) = (self.remaining_bytes.min(left_bytes), true);
        let lasted_ns = self.window.next_ns - self.window.measured_from_ns();
        let limit_ns = lasted_ns.saturating_mul(WEAR_OUT_TIMES);
        self.window.go_on_until(self.window.measured_from_ns().saturating_add(limit_ns));
    }

    /// Writes that were prepared so far.
    pub(super) fn begun(&self) -> u64 {
        self.writes_allowed - self.writes_left
    }

    /// Nothing more is submitted. The current interval is the last, and lasts until everything has completed.
    pub(super) fn close(&mut self, at_ns: u64) {
        self.integrate(at_ns);
        (self.end_ns, self.in_flight_at_end_ns) = (at_ns, self.in_flight_ns);
    }

    pub(super) fn report_interval(&mut self, end_ns: u64) {
        let counts = [self.tallies[0].count(), self.tallies[1].count()];
        let begin_ns = self.window.interval_begin_ns;
        let interval = Interval {
            start_ns: begin_ns - self.window.zero_ns,
            elapsed_ns: end_ns - begin_ns,
            warm_up: self.window.in_warm_up(),
            read: counts[0].since(&self.interval_counts[0]),
            write: counts[1].since(&self.interval_counts[1]),
        };
        self.interval_counts = counts;
        if let Some(reports) = self.setup.reports {
            // The receiver is gone only when the load is aborted.
            let _ = reports.send(Report::Interval { job: self.setup.job, interval });
        }
    }

    /// Discards the warm-up. Operations in flight are part of the size limit, since they will be counted.
    pub(super) fn begin_measuring(&mut self, at_ns: u64) {
        let started_bytes = u64::MAX - self.remaining_bytes;
        let completed_bytes = self.tallies[0].size_bytes + self.tallies[1].size_bytes;
        let in_flight_bytes = started_bytes - completed_bytes;
        let limit_bytes = self.setup.size_limit_bytes.unwrap_or(u64::MAX);
        self.remaining_bytes = limit_bytes.saturating_sub(in_flight_bytes);
        self.tallies.iter_mut().for_each(Tally::clear);
        self.setup.barriers.begin_measuring();
        self.interval_counts = Default::default();
        self.in_flight_ns = 0;
        self.backlog_dropped = 0;
        self.cpu_begin_ns = cpu::thread_user_system_ns();
        self.run_queue.begin();
        self.begin_ns = Some(at_ns);
    }
}
