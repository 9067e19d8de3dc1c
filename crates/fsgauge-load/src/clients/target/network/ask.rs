//! One request at a time, waited for: what the engine does on a server beside the clients.

use std::io;
use std::time::{Duration, Instant};

use fsgauge_wire::Stop;

use super::super::{Answer, Started, Target};
use crate::clients::request::Request;

/// A target answers sooner, if only that there was no answer.
const PATIENCE: Duration = Duration::from_secs(90);
/// No wait is longer: the flag that says stop is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Starts a request on the target's first lane and waits for its answer; `-EINTR` when it is to stop.
pub(crate) fn ask(target: &mut dyn Target, request: &Request<'_>, stop: &Stop) -> io::Result<Answer> {
    let started = target.start(0, request);
    ask_for(target, started, stop)
}

/// Waits for the answer of what was started on the target's first lane; `-EINTR` when it is to stop.
pub(crate) fn ask_for(target: &mut dyn Target, started: Started, stop: &Stop) -> io::Result<Answer> {
    let mut given = match started {
        Started::Done(answer) => Some(answer),
        Started::Pending => None,
    };
    let begin = Instant::now();
    while given.is_none() {
        if stop.is_set() {
            return Ok(-Answer::from(libc::EINTR));
        }
        if begin.elapsed() > PATIENCE {
            return Ok(-Answer::from(libc::ETIMEDOUT));
        }
        target.wait(LOOK, &mut |_, answer| given = Some(answer))?;
    }
    Ok(given.unwrap_or_default())
}
