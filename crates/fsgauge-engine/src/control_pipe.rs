//! The control pipe: the job on standard input, and behind it the orders of a job with a lease.
//!
//! A job without a lease is read to the end of the pipe. One with a lease is the pipe's first line: its caller holds
//! the other end open.

use std::io::{self, Stdin};
use std::time::Duration;

use fsgauge_wire::{Failure, Job, parse_job};
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, retry_on_intr};
use serde::Deserialize;
use serde::de::IgnoredAny;

const PIECE_BYTES: usize = 1 << 16;
/// Orders are short.
const LONGEST_ORDER_BYTES: usize = 4096;

/// Standard input, as far as it was read.
pub(crate) struct ControlPipe {
    stdin: Stdin,
    read: Vec<u8>,
    is_closed: bool,
}

/// What came over the pipe.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// A line, without its end.
    Line(String),
    /// Nothing in the given time.
    Nothing,
    /// The other end is gone.
    Closed,
}

/// A job, read only as far as to know whether it has a lease.
#[derive(Deserialize)]
struct Leased {
    #[serde(default)]
    lease: Option<IgnoredAny>,
}

impl ControlPipe {
    pub(crate) fn new() -> Self {
        ControlPipe { stdin: io::stdin(), read: Vec::with_capacity(PIECE_BYTES), is_closed: false }
    }

    /// The job: the first line where that is one with a lease, else everything up to the end.
    pub(crate) fn read_job(&mut self) -> Result<Job, Failure> {
        let cannot = |error: io::Error| unreadable(&error.to_string());
        if let Some(end) = self.end_of_first_line().map_err(cannot)? {
            let first: serde_json::Result<Leased> = serde_json::from_slice(&self.read[..end]);
            if first.is_ok_and(|job| job.lease.is_some()) {
                return parse(self.read.drain(..=end).collect());
            }
        }
        while !self.is_closed {
            self.receive().map_err(cannot)?;
        }
        parse(std::mem::take(&mut self.read))
    }

    /// Where the first line ends, as soon as that is known; none where there is one line without an end.
    fn end_of_first_line(&mut self) -> io::Result<Option<usize>> {
        let mut looked_at = 0;
        loop {
            if let Some(end) = self.read[looked_at..].iter().position(|byte| *byte == b'\n') {
                return Ok(Some(looked_at + end));
            }
            if self.is_closed {
                return Ok(None);
            }
            looked_at = self.read.len();
            self.receive()?;
        }
    }

    /// The next line, when it comes within a time.
    pub(crate) fn next_line(&mut self, timeout: Duration) -> Heard {
        if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.read.drain(..=end).collect();
            return Heard::Line(String::from_utf8_lossy(&line[..end]).into_owned());
        }
        if self.read.len() > LONGEST_ORDER_BYTES {
            // No order, and it is told as the line that it may become.
            return Heard::Line(String::from_utf8_lossy(&std::mem::take(&mut self.read)).into_owned());
        }
        if self.is_closed {
            return Heard::Closed;
        }
        let timeout = Timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: timeout.subsec_nanos().into() };
        let mut ends = [PollFd::new(&self.stdin, PollFlags::IN)];
        match poll(&mut ends, Some(&timeout)) {
            Ok(0) | Err(Errno::INTR) => Heard::Nothing,
            Ok(_) if self.receive().is_ok() => self.next_line(Duration::ZERO),
            Ok(_) | Err(_) => Heard::Closed,
        }
    }

    /// Waits for bytes, or the end.
    fn receive(&mut self) -> io::Result<()> {
        self.read.reserve(LONGEST_ORDER_BYTES);
        let length = retry_on_intr(|| read(&self.stdin, spare_capacity(&mut self.read)))?;
        self.is_closed = length == 0;
        Ok(())
    }
}

fn parse(text: Vec<u8>) -> Result<Job, Failure> {
    parse_job(&String::from_utf8(text).map_err(|error| unreadable(&error.to_string()))?)
}

fn unreadable(cause: &str) -> Failure {
    let next = "give one JSON object on standard input; schema/job.json describes it";
    Failure::job("not_json", "the job cannot be read", cause, next)
}
