//! Standard output: one JSON object a line, written at once.

use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fsgauge_wire::{Engine, Event, Failure, Listener, Stop};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::lease::Orders;

/// Writes events to standard output.
pub(crate) struct Output {
    stdout: io::Stdout,
    /// What the caller says meanwhile; none without a lease.
    orders: Option<Orders>,
}

impl Output {
    pub(crate) fn new() -> Self {
        Output { stdout: io::stdout(), orders: None }
    }

    /// From now on the caller's orders count.
    pub(crate) fn take_orders(&mut self, orders: Orders) {
        self.orders = Some(orders);
    }

    /// The first event. Without a reader the job does not start.
    pub(crate) fn started(&mut self, engine: &Engine, stop: &Stop) {
        let unix_ns =
            SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_nanos() as u64;
        if self.event(Event::Started { engine: engine.clone(), unix_ns }).is_err() {
            stop.set();
        }
    }

    /// The last event. A failure here cannot be reported.
    pub(crate) fn last(&mut self, event: Event) -> Result<(), ()> {
        self.event(event).map_err(|_| ())
    }
}

impl Listener for Output {
    fn event(&mut self, event: Event) -> io::Result<()> {
        let mut line = serde_json::to_vec(&event).map_err(io::Error::other)?;
        line.push(b'\n');
        let mut stdout = self.stdout.lock();
        stdout.write_all(&line)?;
        stdout.flush()
    }

    fn ordered_start(&self) -> Option<u64> {
        self.orders.as_ref()?.start_at_ns()
    }

    /// A pipe without a reader shows an error at once, long before the next event would be written.
    fn gone(&self) -> bool {
        let mut ends = [PollFd::new(&self.stdout, PollFlags::empty())];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        matches!(poll(&mut ends, Some(&now)), Ok(1)) && ends[0].revents().contains(PollFlags::ERR)
    }
}

/// From now on a broken assertion ends the engine with a failed event and exit code 3.
pub(crate) fn say_no_panic() {
    std::panic::set_hook(Box::new(|panic: &PanicHookInfo<'_>| {
        let place = panic.location().map_or_else(|| "an unknown place".into(), ToString::to_string);
        let error = Failure::system(
            "internal",
            None,
            "the engine panicked",
            format!("a bug in fsgauge at {place}"),
            "report it with this line and the job",
        );
        let _ = Output::new().last(Event::Failed { error });
        std::process::exit(3);
    }));
}
