//! The books of a loop: intervals while it runs, and the end.

use fsgauge_wire::{Ended, Interval};

use super::EventLoop;
use crate::clients::target::Target;
use crate::window::Boundary;

impl<T: Target> EventLoop<'_, T> {
    /// Steps over the boundaries that have passed.
    #[cold]
    pub(super) fn cross(&mut self, now_ns: u64) {
        while now_ns >= self.window.next_ns && self.ended.is_none() {
            let begin_ns = self.window.interval_begin_ns;
            let boundary = self.window.step();
            self.tell_interval(begin_ns, self.window.interval_begin_ns);
            if boundary == Boundary::End {
                self.ended = Some(Ended::Duration);
            }
        }
    }

    fn tell_interval(&mut self, begin_ns: u64, end_ns: u64) {
        let counts = [self.tally.reads(), self.tally.writes()];
        let interval = Interval {
            start_ns: begin_ns - self.window.zero_ns,
            elapsed_ns: end_ns - begin_ns,
            warm_up: false,
            read: counts[0].since(&self.counted[0]),
            write: counts[1].since(&self.counted[1]),
        };
        self.counted = counts;
        (self.around.on_interval)(interval);
    }

    /// Closes the books: the last interval, and the time of lanes that are not through. Gives the end.
    pub(super) fn end(&mut self) -> u64 {
        let is_interrupted = self.ended == Some(Ended::Interrupted);
        if is_interrupted {
            // Boundaries may have passed since the last answer: every interval but the last is whole.
            self.ended = None;
            self.cross(self.now_ns);
        }
        let begin_ns = self.window.interval_begin_ns;
        let end_ns = match (self.ended, is_interrupted) {
            (Some(_), _) => begin_ns,
            (None, true) => self.now_ns.max(begin_ns),
            (None, false) => self.last_done_ns().max(begin_ns),
        };
        if is_interrupted {
            self.ended = Some(Ended::Interrupted);
        }
        if end_ns > begin_ns {
            self.tell_interval(begin_ns, end_ns);
        }
        self.ended.get_or_insert(Ended::SizeLimit);
        for times in &self.times {
            let ns = end_ns.saturating_sub(times.since_ns);
            *if times.rests { &mut self.think_ns } else { &mut self.in_flight_ns } += ns;
        }
        self.clients.iter_mut().for_each(|member| member.count.gave_up = member.client.gave_up);
        end_ns
    }
    /// When the last client was through.
    fn last_done_ns(&self) -> u64 {
        self.clients.iter().filter_map(|member| member.count.end_ns).max().unwrap_or(0)
    }
}
