//! The monotonic clocks of several machines: comparing them, and starting together by them. Never a wall clock.
//!
//! One engine serves its clock ([`Echo`]), another asks for it many times and keeps the fastest answer
//! ([`read_peer`]). Half of that round trip bounds the error, whatever the way there and the way back took. A second
//! reading after the run gives a line ([`Line`]), on which moments of one clock are moments of the other, each with
//! its bound. How engines are reached and who carries their messages is not known here.

#![warn(unreachable_pub)]

mod echo;
mod exchange;
mod failures;
mod key;
mod line;
mod message;
mod nonces;
mod real_time;
mod run;
mod samples;
mod start;
mod time;

pub use echo::{Echo, EchoCount};
pub use exchange::{Exchange, Found, read_peer};
pub use key::Key;
pub use line::Line;
pub use run::{run_exchange_clock, run_serve_clock};
pub use start::{Armed, LEAD_NS, TrueStart, arm, begin_at, check_start};
pub use time::{KernelTime, Time, boot_ns, now_ns, sleep_until};
