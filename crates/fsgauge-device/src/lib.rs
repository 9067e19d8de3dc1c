//! Models of devices: what it would take them to move files that lie in given extents. They predict; nothing is measured.
//!
//! `python/fsgauge/devices` has a file for each device, which the lab reads too: every number with what it is and its source. `visits` turns
//! files into the order in which a device meets their pieces; `disk` times heads, `flash` gives a range.

#![warn(unreachable_pub)]

mod disk;
mod flash;
mod model;
mod visits;

pub use model::{Model, model_names};
pub use visits::{Pattern, Piece, Stream};

use disk::ZonedDisk;
use flash::Flash;

/// What moving some files takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Time {
    /// Bytes that were moved.
    pub size_bytes: u64,
    /// Requests of streams.
    pub requests: u64,
    /// Pieces that the device met, after those that touch were joined.
    pub pieces: u64,
    /// The shortest time that the model thinks possible.
    pub fastest_ns: f64,
    /// The longest.
    pub slowest_ns: f64,
}

impl Model {
    /// What moving these streams takes, all at the same time.
    pub fn time(&self, streams: &[Stream], pattern: Pattern) -> Time {
        let requests = (self.number("request_size") as u64).max(1);
        let window = (self.number("window") as u64).max(1);
        let pattern = Pattern {
            request_bytes: Some(pattern.request_bytes.map_or(requests, |wanted| wanted.min(requests))),
            window: Some(pattern.window.map_or(window, |wanted| wanted.min(window))),
        };
        match self.facts().kind {
            fsgauge_wire::DeviceKind::ZonedDisk => ZonedDisk::of(self).time(streams, pattern),
            fsgauge_wire::DeviceKind::Flash => Flash::of(self).time(streams, pattern),
        }
    }
}
