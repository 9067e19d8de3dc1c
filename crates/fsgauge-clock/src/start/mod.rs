//! A start that engines on several machines have in common: preparing, waiting, beginning, and what it gave.

mod arm;
mod begin;
mod check;
mod result;

pub use arm::arm;
pub use begin::{LEAD_NS, TrueStart, begin_at};
pub use check::check_start;
pub use result::Armed;
