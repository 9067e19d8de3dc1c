//! What every run measures with, whatever it drives: the clock, the window of what counts, the series of intervals, tallies,
//! processor time, pauses of the engine itself, the start that all threads wait for, and stopping them.

mod clock;
pub mod cpu;
mod following;
pub mod pauses;
mod series;
mod start;
mod stop;
mod tally;
mod tell;
mod window;

pub use clock::{Clock, unix_ns};
pub use cpu::RunQueue;
pub use following::{Deadline, Following, STOP_LIMIT, TICK, stop_all};
pub use pauses::PauseWatch;
pub use series::Series;
pub use start::Start;
pub use stop::{allow_nudges, die_with_parent, nudge, stop_on_signals};
pub use tally::Tally;
pub use tell::tell;
pub use window::{Boundary, Window};
