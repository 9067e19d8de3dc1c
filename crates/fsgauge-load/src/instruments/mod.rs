//! What every run measures with, whatever it drives: the clock, the window of what counts, the series of intervals, tallies,
//! processor time, pauses of the engine itself, the start that all threads wait for, and stopping them.

mod clock;
pub mod cpu;
pub mod pauses;
mod run_monitor;
mod send_event;
mod series;
mod start;
mod stop;
mod tally;
mod warm_up;
mod window;

pub use clock::{Clock, unix_ns};
pub use cpu::RunQueue;
pub use pauses::PauseWatch;
pub use run_monitor::{Deadline, RunMonitor, STOP_LIMIT, TICK, stop_all};
pub use send_event::send_event;
pub use series::Series;
pub use start::{Begun, FirstMoment, Start};
pub use stop::{allow_interrupts, die_with_parent, interrupt, stop_on_signals};
pub use tally::Tally;
pub use warm_up::WarmUp;
pub use window::{Boundary, Window};
