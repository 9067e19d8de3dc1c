//! Telling the listener.

use fsgauge_wire::{Event, Listener, Stop};

/// Sends an event; when nobody listens any more, the run stops.
pub fn tell(listener: &mut dyn Listener, stop: &Stop, event: Event) {
    if listener.event(event).is_err() {
        stop.set();
    }
}
