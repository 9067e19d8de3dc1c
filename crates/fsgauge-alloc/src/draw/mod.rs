//! Random numbers and what is drawn with them, the same on every machine: no function here is the platform's own.

mod bins;
mod lifetimes;
mod lognormal;
mod random;
mod sizes;

pub(crate) use bins::Bins;
pub(crate) use lifetimes::Lifetimes;
pub(crate) use lognormal::Lognormal;
pub(crate) use random::Random;
pub(crate) use sizes::Sizes;
