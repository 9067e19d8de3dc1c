//! Clients connect to a server: each gets its connection, its session and its directory, before anything is measured.
//! A limited number connect at a time.

use std::collections::VecDeque;
use std::time::Duration;

use fsgauge_net::{Answer, Request, Started, Target, Waiting, kind_of, message_of};
use fsgauge_wire::{ClientOperation, Failure, Outcome};

use super::{EventLoop, WAIT_LIMIT_NS, wait_failure};
use crate::file_set::{Directory, PathBuffer};
use crate::server::ConnectLimit;

/// How long a loop with no client connecting waits for the limit before it checks the stop flag.
const ACQUIRE_WAIT: Duration = Duration::from_millis(20);

/// A server that answers, but so slowly that the clients would never be in.
pub(super) fn too_slow() -> Failure {
    Failure::system(
        "network.timeout",
        Some(libc::ETIMEDOUT),
        "the server did not let all clients in in time",
        "it hangs, or sends its answers in small pieces",
        "see the server's log; fewer clients",
    )
}

/// What a connecting client waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectStep {
    Admitted,
    MakesDirectory,
}

/// Clients that are connecting.
#[derive(Debug)]
struct Admission {
    /// For each client: when it began, and what it waits for.
    steps: Vec<Option<(u64, ConnectStep)>>,
    count: u32,
    makes_directories: bool,
}

impl<T: Target> EventLoop<'_, T> {
    /// Connects the clients. One operation connect is the connection, the session and, where the phase creates them,
    /// the client's directory. A refused client counts as an error; its first operation reconnects. Gives when it
    /// began and ended.
    pub(crate) fn admit(
        &mut self,
        limit: &ConnectLimit,
        makes_directories: bool,
        waiting_for: &Waiting,
    ) -> Outcome<(u64, u64)> {
        let begin_ns = self.context.clock.now_ns();
        let count = self.clients.len() as u32;
        let mut waiting: VecDeque<u32> = (0..count).collect();
        let mut admission = Admission { steps: vec![None; count as usize], count: 0, makes_directories };
        let mut answered = Vec::with_capacity(self.lanes.len());
        while (!waiting.is_empty() || admission.count > 0) && !self.context.stop.is_set() {
            if waiting_for.is_over() {
                return Err(too_slow());
            }
            while !waiting.is_empty()
                && limit.acquire(if admission.count == 0 { ACQUIRE_WAIT } else { Duration::ZERO })
            {
                let Some(client) = waiting.pop_front() else { break };
                admission.steps[client as usize] = Some((self.context.clock.now_ns(), ConnectStep::Admitted));
                admission.count += 1;
                if let Started::Done(answer) = self.target.admit(client) {
                    answered.push((client * self.context.plan.job.outstanding, answer));
                }
            }
            if answered.is_empty() && admission.count > 0 {
                let each = &mut |lane, answer| answered.push((lane, answer));
                let waited = self.target.wait(Duration::from_nanos(WAIT_LIMIT_NS), each);
                waited.map_err(|error| wait_failure(&error))?;
            }
            while let Some((lane, answer)) = answered.pop() {
                if let Some(at_once) = self.connect_step_done(&mut admission, lane, answer, limit) {
                    answered.push((lane, at_once));
                }
            }
        }
        (0..admission.count).for_each(|_| limit.release());
        Ok((begin_ns, self.context.clock.now_ns()))
    }

    /// One step of a client was answered: it takes its next step, is connected, or was refused. Gives the answer of
    /// the next step if that is known at once.
    fn connect_step_done(
        &mut self,
        admission: &mut Admission,
        lane: u32,
        answer: Answer,
        limit: &ConnectLimit,
    ) -> Option<Answer> {
        let client = lane / self.context.plan.job.outstanding;
        let (asked_ns, way) = admission.steps[client as usize]?;
        let number = self.clients[client as usize].count.number;
        let mut path = PathBuffer::new();
        let path = self.context.plan.names.directory(Directory::Client { client: number }, &mut path);
        if answer >= 0 && way == ConnectStep::Admitted && admission.makes_directories {
            admission.steps[client as usize] = Some((asked_ns, ConnectStep::MakesDirectory));
            return match self.target.start(lane, &Request::MakeDirectory { path }) {
                Started::Done(answer) => Some(answer),
                Started::Pending => None,
            };
        }
        admission.steps[client as usize] = None;
        admission.count -= 1;
        limit.release();
        let now_ns = self.context.clock.now_ns();
        if answer < 0 {
            let errno = -answer as i32;
            let words = || (self.context.plan.shown(path), message_of(errno));
            self.tally.error(ClientOperation::Connect, kind_of(errno), now_ns, words);
            if admission.makes_directories {
                self.mark_directory_missing(client, kind_of(errno));
            }
        } else {
            let latency_ns = now_ns - asked_ns;
            self.tally.of(ClientOperation::Connect).record(latency_ns, latency_ns);
        }
        None
    }
}
