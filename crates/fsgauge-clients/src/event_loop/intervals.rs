//! The intervals of a loop, and its end.

use fsgauge_net::Target;
use fsgauge_wire::{Ended, Interval};

use super::EventLoop;

impl<T: Target> EventLoop<'_, T> {
    /// Steps over the boundaries that have passed.
    #[cold]
    pub(super) fn cross(&mut self, now_ns: u64) {
        while now_ns >= self.window.next_ns && self.ended.is_none() {
            if self.window.is_at_end() {
                (self.ended, self.time_up_ns) = (Some(Ended::Duration), self.window.next_ns);
                return;
            }
            let begin_ns = self.window.interval_begin_ns;
            self.window.step();
            self.report_interval(begin_ns, self.window.interval_begin_ns);
        }
    }

    fn report_interval(&mut self, begin_ns: u64, end_ns: u64) {
        let counts = [self.tally.reads(), self.tally.writes()];
        let interval = Interval {
            start_ns: begin_ns - self.window.zero_ns,
            elapsed_ns: end_ns - begin_ns,
            warm_up: false,
            read: counts[0].since(&self.counted[0]),
            write: counts[1].since(&self.counted[1]),
        };
        self.counted = counts;
        (self.context.on_interval)(interval);
    }

    /// The run was stopped. Boundaries may have passed since the last answer: every interval but the last is whole.
    pub(super) fn interrupted(&mut self) {
        self.ended = None;
        self.cross(self.now_ns);
        if self.ended.is_none() {
            self.time_up_ns = self.now_ns.max(self.window.interval_begin_ns);
        }
        self.ended = Some(Ended::Interrupted);
    }

    /// Closes the last interval, and counts the time of lanes that have not finished. Gives the end.
    pub(super) fn end(&mut self) -> u64 {
        let begin_ns = self.window.interval_begin_ns;
        if self.ended.is_none() {
            self.ended = Some(Ended::SizeLimit);
            self.time_up_ns = self.last_done_ns().max(begin_ns);
        }
        self.is_cleaning_up = true;
        let end_ns = self.time_up_ns + self.drained.lanes_ns / self.lanes.len().max(1) as u64;
        if end_ns > begin_ns {
            self.report_interval(begin_ns, end_ns);
        }
        for times in &self.times {
            let ns = self.time_up_ns.saturating_sub(times.since_ns);
            *if times.is_thinking { &mut self.think_ns } else { &mut self.in_flight_ns } += ns;
        }
        if self.stonewall_ns.is_none() {
            self.count_files();
        }
        for member in &mut self.clients {
            (member.count.gave_up, member.count.names) = (member.client.gave_up, member.client.names);
        }
        end_ns
    }

    /// When the last client finished.
    pub(super) fn last_done_ns(&self) -> u64 {
        self.clients.iter().filter_map(|member| member.count.end_ns).max().unwrap_or(0)
    }
}
