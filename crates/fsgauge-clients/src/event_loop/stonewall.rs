//! The stonewall: when the time is up, every client goes on until it has as many files as the one that had most then.
//!
//! All loops meet there, since the client that had most may be another's.

use std::io;

use fsgauge_load::{WEAR_OUT_TIMES, WearOut};
use fsgauge_net::Target;
use fsgauge_wire::Ended;

use super::EventLoop;
use super::drain::Drained;
use crate::client::Client;

impl<T: Target> EventLoop<'_, T> {
    /// The loop meets the others there.
    pub(crate) fn wears_out(&mut self, wear_out: std::sync::Arc<WearOut>) {
        self.wear_out = Some(wear_out);
    }

    /// Its clients have no more files than there are, as `there` says of each.
    pub(crate) fn find_files(&mut self, there: impl Fn(u32) -> u32) {
        let plan = self.context.plan;
        for member in &mut self.clients {
            let number = member.count.number;
            member.client = Client::with_files(plan, number, there(number));
        }
    }

    /// What each client has begun.
    pub(super) fn count_files(&mut self) {
        self.clients.iter_mut().for_each(|member| member.count.files = member.client.begun());
    }

    /// Goes on beyond the stonewall, if the time is up and the job asks for it.
    pub(super) fn wear_out(&mut self) -> io::Result<()> {
        let Some(wear_out) = self.wear_out.take() else { return Ok(()) };
        wear_out.come(self.clients.iter().map(|member| u64::from(member.client.begun())).max().unwrap_or(0));
        let (stop, hangs) = (self.context.stop, self.drained.unanswered > 0);
        if self.ended != Some(Ended::Duration) || hangs {
            return Ok(());
        }
        let most = wear_out.most(&stop) as u32;
        self.stonewall_ns = Some(self.time_up_ns - self.window.zero_ns);
        self.count_files();
        let limit_ns = self.context.plan.job.time_limit_ns.saturating_mul(WEAR_OUT_TIMES);
        self.window.go_on_until(self.window.zero_ns.saturating_add(limit_ns));
        (self.ended, self.drained) = (None, Drained::default());
        self.line_up_again(most);
        // A client that was the last to answer and has nothing more to do came after boundaries that nobody crossed.
        self.cross(self.last_done_ns());
        self.turn()?;
        self.drain()
    }

    /// Queues every lane that has not finished, or finishes it. A client has one lane.
    fn line_up_again(&mut self, most: u32) {
        let now_ns = self.context.clock.now_ns();
        self.clients.iter_mut().for_each(|member| member.client.has_at_most(most));
        for lane in 0..self.lanes.len() {
            let (state, times) = (&self.lanes[lane], &mut self.times[lane]);
            let member = &self.clients[state.client as usize];
            if member.count.end_ns.is_some() || times.is_thinking {
                continue;
            }
            if state.is_idle() && !state.has_more(self.context.plan, &member.client) {
                let asked_ns = times.asked_ns;
                self.finished(lane as u32, asked_ns);
                continue;
            }
            (times.asked_ns, times.since_ns) = (now_ns, now_ns);
            self.ready.push_back(lane as u32);
        }
    }
}
