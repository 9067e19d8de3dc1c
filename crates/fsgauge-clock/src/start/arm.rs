//! From prepared to the last moment before the start: the main thread's part.

use std::time::Duration;

use fsgauge_wire::{Event, Failure, Listener, Outcome, Stop, WantedStart};

use super::check::check_moment;
use super::result::Armed;
use crate::failures;
use crate::time::{KernelTime, Time, now_ns};

/// How often it looks for an order, for a stop, and whether its listener is there.
const TICK: Duration = Duration::from_millis(2);

/// Says that everything is prepared, and waits until `lead_ns` before the start. None where the job has no start in
/// common with others: then nothing is said and nothing waited for.
///
/// The rest of the time is for waking threads: each waits for the moment itself ([`begin_at`](super::begin_at)).
pub fn arm(
    wanted: &WantedStart,
    lead_ns: u64,
    listener: &mut dyn Listener,
    stop: Stop,
) -> Outcome<Option<Armed>> {
    if !wanted.is_common() {
        return Ok(None);
    }
    let (armed_at_ns, suspended_ns) = (now_ns(), KernelTime.suspended_ns());
    if listener.event(Event::Armed { armed_at_ns }).is_err() {
        stop.set();
    }
    let start_at_ns = match wanted.at_ns {
        Some(start_at_ns) => start_at_ns,
        None => ordered(listener, stop)?,
    };
    check_moment(start_at_ns)?;
    loop {
        look(listener, stop)?;
        let left_ns = start_at_ns.saturating_sub(now_ns());
        if left_ns == 0 {
            return Err(failures::missed(now_ns() - start_at_ns));
        }
        if left_ns <= lead_ns {
            return Ok(Some(Armed { start_at_ns, armed_at_ns, suspended_ns }));
        }
        std::thread::sleep(TICK.min(Duration::from_nanos(left_ns - lead_ns)));
    }
}

/// The moment that an order gives. The lease bounds how long it is waited for.
fn ordered(listener: &dyn Listener, stop: Stop) -> Outcome<u64> {
    loop {
        if let Some(start_at_ns) = listener.ordered_start() {
            return Ok(start_at_ns);
        }
        look(listener, stop)?;
        std::thread::sleep(TICK);
    }
}

fn look(listener: &dyn Listener, stop: Stop) -> Outcome<()> {
    if listener.gone() {
        stop.set();
    }
    if stop.is_set() {
        return Err(Failure::interrupted("the engine was stopped before its start: nothing was loaded"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes whether it was told, and has an order.
    struct Caller(bool, Option<u64>);

    impl Listener for Caller {
        fn event(&mut self, event: Event) -> std::io::Result<()> {
            self.0 |= matches!(event, Event::Armed { .. });
            Ok(())
        }

        fn ordered_start(&self) -> Option<u64> {
            self.1
        }
    }

    fn at(at_ns: Option<u64>, on_order: bool) -> WantedStart {
        WantedStart { at_ns, on_order, has_lease: on_order }
    }

    #[test]
    fn without_a_start_nothing_is_said() {
        let mut caller = Caller(false, None);
        assert_eq!(arm(&at(None, false), 0, &mut caller, Stop::new()), Ok(None));
        assert!(!caller.0);
    }

    #[test]
    fn a_start_is_handed_over_its_lead_before_it_comes() {
        let start_at_ns = now_ns() + 30_000_000;
        for (wanted, order) in [(at(Some(start_at_ns), false), None), (at(None, true), Some(start_at_ns + 1))]
        {
            let mut caller = Caller(false, order);
            let armed = arm(&wanted, 20_000_000, &mut caller, Stop::new()).unwrap().unwrap();
            assert!(caller.0 && armed.start_at_ns >= start_at_ns && armed.armed_at_ns < start_at_ns);
            assert!(now_ns() + 20_000_000 >= start_at_ns);
        }
    }

    #[test]
    fn a_start_that_passed_and_a_stop_end_it() {
        let stop = Stop::new();
        let missed = arm(&at(None, true), 0, &mut Caller(false, Some(5)), stop).unwrap_err();
        assert_eq!(missed.code, "start.missed");
        stop.set();
        let stopped = arm(&at(None, true), 0, &mut Caller(false, None), stop).unwrap_err();
        assert_eq!(stopped.exit_code(), 130);
    }
}
