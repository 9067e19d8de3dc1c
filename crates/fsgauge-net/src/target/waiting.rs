//! How long a server is waited for: until its user is to stop, or until the time of all answers together is over.

use std::time::{Duration, Instant};

use fsgauge_wire::Stop;

/// A single request: a target answers sooner, if only that there was no answer.
const OF_ONE_REQUEST: Duration = Duration::from_secs(90);

/// A server may take so long for all that it is asked beside the measured part, however many answers that is and
/// however slowly each comes.
pub const BESIDE_LIMIT: Duration = Duration::from_secs(30);

/// A wait with an end.
#[derive(Debug, Clone, Copy)]
pub struct Waiting {
    stop: Stop,
    until: Instant,
}

impl Waiting {
    /// From now on, no longer than so.
    pub fn within(limit: Duration, stop: &Stop) -> Self {
        Waiting { stop: *stop, until: Instant::now() + limit }
    }

    /// What is left of the time.
    pub fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    /// Whether its user is to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }
}

impl From<&Waiting> for Waiting {
    fn from(waiting: &Waiting) -> Self {
        *waiting
    }
}

impl From<&Stop> for Waiting {
    fn from(stop: &Stop) -> Self {
        Waiting::within(OF_ONE_REQUEST, stop)
    }
}
