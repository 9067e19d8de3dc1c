//! Clients, from the outside: what they leave on the storage, what they count, what they refuse.

#[path = "../../../fsgauge-load/tests/support/results.rs"]
mod results;

mod errors;
mod files;
mod jobs;
mod mix;
mod mounted;
mod orders;
mod refusals;
mod timing;
