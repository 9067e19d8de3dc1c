//! The clients' way in to a server: each gets its connection, its session and its directory, before anything is
//! measured. A few are on their way at a time.

use std::collections::VecDeque;
use std::time::Duration;

use fsgauge_net::{Answer, Request, Started, Target, kind_of, message_of};
use fsgauge_wire::{ClientOperation, Outcome};

use super::{EventLoop, WAIT_LIMIT_NS, wait_failure};
use crate::file_set::{Directory, PathBuffer};
use crate::server::Gate;

/// How long a loop that has nobody on the way waits at the gate before it looks at the flag that says stop.
const AT_GATE: Duration = Duration::from_millis(20);

/// How far a client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Admitted,
    MakesDirectory,
}

/// Clients on their way in.
#[derive(Debug)]
struct Entrance {
    /// Of each client: when it began, and what it waits for.
    under_way: Vec<Option<(u64, Way)>>,
    count: u32,
    makes_directories: bool,
}

impl<T: Target> EventLoop<'_, T> {
    /// Lets the clients in: the operation connect of each is its connection, its session and, where a phase makes
    /// them, its own directory. A client that is refused is an error and stays: its first operation tries again.
    /// Gives when it began and ended.
    pub(crate) fn admit(&mut self, gate: &Gate, makes_directories: bool) -> Outcome<(u64, u64)> {
        let begin_ns = self.around.clock.now_ns();
        let count = self.clients.len() as u32;
        let mut waiting: VecDeque<u32> = (0..count).collect();
        let mut entrance = Entrance { under_way: vec![None; count as usize], count: 0, makes_directories };
        let mut answered = Vec::with_capacity(self.lanes.len());
        while (!waiting.is_empty() || entrance.count > 0) && !self.around.stop.is_set() {
            while !waiting.is_empty()
                && gate.enter(if entrance.count == 0 { AT_GATE } else { Duration::ZERO })
            {
                let Some(client) = waiting.pop_front() else { break };
                entrance.under_way[client as usize] = Some((self.around.clock.now_ns(), Way::Admitted));
                entrance.count += 1;
                if let Started::Done(answer) = self.target.admit(client) {
                    answered.push((client * self.around.plan.job.outstanding, answer));
                }
            }
            if answered.is_empty() && entrance.count > 0 {
                let each = &mut |lane, answer| answered.push((lane, answer));
                let waited = self.target.wait(Duration::from_nanos(WAIT_LIMIT_NS), each);
                waited.map_err(|error| wait_failure(&error))?;
            }
            while let Some((lane, answer)) = answered.pop() {
                if let Some(at_once) = self.on_the_way(&mut entrance, lane, answer, gate) {
                    answered.push((lane, at_once));
                }
            }
        }
        (0..entrance.count).for_each(|_| gate.leave());
        Ok((begin_ns, self.around.clock.now_ns()))
    }

    /// A client was answered: it goes on, is in, or was refused. Gives the answer of what it goes on with, if
    /// that is known at once.
    fn on_the_way(
        &mut self,
        entrance: &mut Entrance,
        lane: u32,
        answer: Answer,
        gate: &Gate,
    ) -> Option<Answer> {
        let client = lane / self.around.plan.job.outstanding;
        let (asked_ns, way) = entrance.under_way[client as usize]?;
        let number = self.clients[client as usize].count.number;
        let mut path = PathBuffer::new();
        let path = self.around.plan.names.directory(Directory::Client { client: number }, &mut path);
        if answer >= 0 && way == Way::Admitted && entrance.makes_directories {
            entrance.under_way[client as usize] = Some((asked_ns, Way::MakesDirectory));
            return match self.target.start(lane, &Request::MakeDirectory { path }) {
                Started::Done(answer) => Some(answer),
                Started::Pending => None,
            };
        }
        entrance.under_way[client as usize] = None;
        entrance.count -= 1;
        gate.leave();
        let now_ns = self.around.clock.now_ns();
        if answer < 0 {
            let errno = -answer as i32;
            let words = || (self.around.plan.shown(path), message_of(errno));
            self.tally.error(ClientOperation::Connect, kind_of(errno), now_ns, words);
            if entrance.makes_directories {
                self.comes_late(client, kind_of(errno));
            }
        } else {
            let latency_ns = now_ns - asked_ns;
            self.tally.of(ClientOperation::Connect).record(latency_ns, latency_ns);
        }
        None
    }
}
