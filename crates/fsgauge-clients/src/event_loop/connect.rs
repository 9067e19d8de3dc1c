//! The clients' directories are created, before anything is measured.

use std::io;
use std::time::Duration;

use fsgauge_net::{Answer, Request, Started, Target, Waiting, kind_of, message_of};
use fsgauge_wire::{ClientOperation, Outcome, Stop};

use super::admit::too_slow;
use super::{EventLoop, WAIT_LIMIT_NS, wait_failure};
use crate::file_set::{Directory, PathBuffer};

impl<T: Target> EventLoop<'_, T> {
    /// Creates the clients' directories, one after the other. Gives when it began and ended. Where clients have
    /// connections to a `server`, those are counted instead, and it has only so long for all.
    pub(crate) fn connect(
        &mut self,
        directories: impl Iterator<Item = Directory>,
        server: Option<&Waiting>,
    ) -> Outcome<(u64, u64)> {
        let begin_ns = self.context.clock.now_ns();
        let (mut asked_ns, mut path) = (begin_ns, PathBuffer::new());
        for which in directories {
            if self.context.stop.is_set() {
                break;
            }
            if server.is_some_and(Waiting::is_over) {
                return Err(too_slow());
            }
            let path = self.context.plan.names.directory(which, &mut path);
            let answer = one_answer(&mut self.target, &Request::MakeDirectory { path }, &self.context.stop);
            let answer = answer.map_err(|error| wait_failure(&error))?;
            let now_ns = self.context.clock.now_ns();
            match answer {
                Some(answer) if answer < 0 => {
                    let errno = -answer as i32;
                    let words = || (self.context.plan.shown(path), message_of(errno));
                    self.tally.error(ClientOperation::Connect, kind_of(errno), now_ns, words);
                }
                Some(_) if server.is_some() => {}
                Some(_) => {
                    let latency_ns = now_ns - asked_ns;
                    self.tally.of(ClientOperation::Connect).record(latency_ns, latency_ns);
                }
                None => break,
            }
            asked_ns = now_ns;
        }
        Ok((begin_ns, asked_ns))
    }
}

/// Starts one request on a lane of its own and waits for its answer; none when it is to stop.
fn one_answer(target: &mut impl Target, request: &Request<'_>, stop: &Stop) -> io::Result<Option<Answer>> {
    let mut given = match target.start(0, request) {
        Started::Done(answer) => return Ok(Some(answer)),
        Started::Pending => None,
    };
    while given.is_none() && !stop.is_set() {
        target.wait(Duration::from_nanos(WAIT_LIMIT_NS), &mut |_, answer| given = Some(answer))?;
    }
    Ok(given)
}
