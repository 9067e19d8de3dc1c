//! The places that this process was started with.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::OnceLock;

static HELD: OnceLock<Vec<(PathBuf, OwnedFd)>> = OnceLock::new();

/// Takes the places of this process's job, for as long as the process runs. They are given once, before it begins.
pub fn hold(places: Vec<(PathBuf, OwnedFd)>) {
    // A second time is a mistake of the engine's own; what was held first stays.
    let _ = HELD.set(places);
}
