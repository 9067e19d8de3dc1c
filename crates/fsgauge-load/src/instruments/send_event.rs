//! Events on their way to the listener.

use fsgauge_wire::{Event, Listener, Stop};

/// Sends an event; when the listener is gone, the run stops.
pub fn send_event(listener: &mut dyn Listener, stop: &Stop, event: Event) {
    if listener.event(event).is_err() {
        stop.set();
    }
}
