//! Clients, from the outside: what they leave on the storage, what they count, what they refuse.

mod errors;
mod files;
mod jobs;
mod mix;
mod mounted;
mod orders;
mod refusals;
mod stonewall;
mod timing;
