//! One program for the tests of this crate: to link one for each file takes longer than to run them. A file that
//! counts or limits what its whole process does has one of its own (Cargo.toml).

mod backup;
mod clients;
#[path = "../../fsgauge-net/tests/support/ganesha.rs"]
mod ganesha;
#[path = "support/narrow_door.rs"]
mod narrow_door;
mod nfs;
#[path = "support/other_client.rs"]
mod other_client;
#[path = "support/quota.rs"]
mod quota;
#[path = "../../fsgauge-load/tests/support/results.rs"]
mod results;
#[path = "support/shares.rs"]
mod shares;
mod smb;
mod smb_faults;
mod smb_sessions;
#[path = "../../fsgauge-net/tests/support/smbd.rs"]
mod smbd;
