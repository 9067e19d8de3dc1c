//! The lease: a job ends when its caller is gone or silent, and does as it is ordered.
//!
//! A thread of its own reads the control pipe. What it hears it sets: the flag that ends the job, and the moment of
//! the start. A job that does not end by the flag, since the kernel holds it, ends with the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use fsgauge_clock::boot_ns;
use fsgauge_wire::{Failure, Lease, Order, Outcome, Stop, parse_order};

use crate::control_pipe::{ControlPipe, Heard};

const SILENCE_MIN_NS: u64 = 100_000_000;
const SILENCE_MAX_NS: u64 = 3_600_000_000_000;
/// How often it looks at the time: a machine that was suspended wakes with its lease over.
const TICK: Duration = Duration::from_secs(1);
/// How long a job may take to clean up once its lease is over.
const CLEAN_UP_LIMIT: Duration = Duration::from_secs(10);
/// The machine failed.
const EXIT_CODE: i32 = 3;
const STACK_BYTES: usize = 128 << 10;

/// What the caller has said, for the job's thread.
#[derive(Debug, Clone, Default)]
pub(crate) struct Orders(Arc<Said>);

#[derive(Debug, Default)]
struct Said {
    start_at_ns: OnceLock<u64>,
    over: Mutex<Option<Failure>>,
    is_stopped: AtomicBool,
}

impl Orders {
    /// The moment that an order gave for the start.
    pub(crate) fn start_at_ns(&self) -> Option<u64> {
        self.0.start_at_ns.get().copied()
    }

    /// Why the lease is over; none while it holds, and none after an order to stop: who gave it need not stay.
    pub(crate) fn over(&self) -> Option<Failure> {
        self.0.over.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_over(&self, failure: Failure) {
        if !self.0.is_stopped.load(Ordering::Relaxed) {
            *self.0.over.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
        }
    }

    /// Does what a line says.
    fn obey(&self, line: &str, stop: Stop) -> Outcome<()> {
        match parse_order(line)? {
            Order::Hold {} => {}
            Order::Stop {} => {
                self.0.is_stopped.store(true, Ordering::Relaxed);
                stop.set();
            }
            Order::Start { start_at_ns } => {
                if *self.0.start_at_ns.get_or_init(|| start_at_ns) != start_at_ns {
                    let what = "two orders gave different starts";
                    return Err(Failure::job("order", what, "a job starts once", "send one"));
                }
            }
        }
        Ok(())
    }
}

/// Watches the control pipe from now on. When the lease is over, `stop` is set, and the process ends if the job has not
/// cleaned up in time.
pub(crate) fn hold(lease: &Lease, pipe: ControlPipe, stop: Stop) -> Outcome<Orders> {
    let silence_limit_ns = lease.silence_limit_ns;
    if !(SILENCE_MIN_NS..=SILENCE_MAX_NS).contains(&silence_limit_ns) {
        let what = format!("silence_limit_ns {silence_limit_ns} is not between 100 ms and one hour");
        return Err(Failure::job("lease", what, "a lease ends soon after its caller", "10000000000"));
    }
    let orders = Orders::default();
    let held = orders.clone();
    let watch = move || {
        held.set_over(listen(pipe, silence_limit_ns, &held, stop));
        stop.set();
        std::thread::sleep(CLEAN_UP_LIMIT);
        std::process::exit(EXIT_CODE);
    };
    let builder = std::thread::Builder::new().name("lease".into()).stack_size(STACK_BYTES);
    builder.spawn(watch).map_err(|error| {
        let what = format!("the thread that watches the control pipe cannot be started: {error}");
        Failure::system("threads", error.raw_os_error(), what, "a limit on processes is reached", "ulimit -u")
    })?;
    Ok(orders)
}

/// Hears the caller until it is gone, silent or makes no sense; gives why.
fn listen(mut pipe: ControlPipe, silence_limit_ns: u64, orders: &Orders, stop: Stop) -> Failure {
    let mut heard_ns = boot_ns();
    loop {
        let silent_ns = boot_ns().saturating_sub(heard_ns);
        match pipe.next_line(TICK.min(Duration::from_nanos(silence_limit_ns.saturating_sub(silent_ns)))) {
            Heard::Line(line) => {
                heard_ns = boot_ns();
                if let Err(failure) = orders.obey(&line, stop) {
                    return failure;
                }
            }
            Heard::Nothing if silent_ns < silence_limit_ns => {}
            Heard::Nothing => return silent(silence_limit_ns),
            Heard::Closed => return closed(),
        }
    }
}

fn silent(silence_limit_ns: u64) -> Failure {
    let what =
        format!("the control pipe was silent for {:.1} s: the lease is over", silence_limit_ns as f64 / 1e9);
    let cause = "the caller hangs, was stopped, or cannot be reached";
    Failure::system("lease.silent", None, what, cause, "look at the machine that leads the run")
}

fn closed() -> Failure {
    let what = "the control pipe was closed: the lease is over";
    let cause = "the caller ended before its job";
    Failure::system("lease.closed", None, what, cause, "look at the machine that leads the run")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_obeyed_and_a_start_does_not_change() {
        let (orders, stop) = (Orders::default(), Stop::new());
        orders.obey("", stop).unwrap();
        assert_eq!((orders.start_at_ns(), stop.is_set()), (None, false));
        let start = |at_ns| orders.obey(&format!(r#"{{"kind":"start","start_at_ns":{at_ns}}}"#), stop);
        start(7).unwrap();
        start(7).unwrap();
        assert_eq!(start(8).unwrap_err().code, "job.order");
        orders.obey(r#"{"kind":"stop"}"#, stop).unwrap();
        assert_eq!((orders.start_at_ns(), stop.is_set()), (Some(7), true));
        orders.set_over(closed());
        assert_eq!(orders.over(), None);
    }
}
