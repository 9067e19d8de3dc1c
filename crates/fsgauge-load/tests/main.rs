//! One program for the tests of this crate: to link one for each file takes longer than to run them. A file that
//! counts or limits what its whole process does has one of its own (Cargo.toml).

mod chunks;
mod companions;
#[path = "../../fsgauge-net/tests/support/fake_nfs.rs"]
mod fake_nfs;
mod files;
mod integrity;
mod limits;
mod mix;
#[path = "../../fsgauge-scan/tests/mounts/mounted.rs"]
mod mounted;
mod null;
mod ranges;
mod refusals;
mod shares;
mod support;
mod transfers;
#[path = "support/writers.rs"]
mod writers;
