//! What every target must do, run against each of them.

mod conformance;
mod faults;
#[path = "../../../../fsgauge-net/tests/support/conformance.rs"]
mod files;
mod guarded;
mod no_io_uring;
mod ring;

use std::path::Path;
use std::time::{Duration, Instant};

use fsgauge_door::Folder;
use fsgauge_net::{Answer, Handle, Request, Started, Target, kind_of};
use fsgauge_wire::{ClientErrorKind, ClientOperation, ClientsInterface};

use super::*;
use files::*;

/// A directory where this test was built: /tmp may be a tmpfs, this hardly ever is.
fn on_disk() -> tempfile::TempDir {
    tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap()
}

/// A directory on the machine's usual file system, and one on tmpfs.
fn directories() -> [tempfile::TempDir; 2] {
    [on_disk(), tempfile::tempdir_in("/dev/shm").unwrap()]
}

const INTERFACES: [ClientsInterface; 3] =
    [ClientsInterface::Auto, ClientsInterface::IoUring, ClientsInterface::Plain];

fn folder(root: &Path) -> Folder {
    Folder::enter(root).unwrap()
}

fn ring_target(root: &Path, lanes: u32, interface: ClientsInterface) -> RingTarget {
    RingTarget::new(&folder(root), RECORD_BYTES, lanes, interface).unwrap().0
}

/// Runs a test on every target that reaches files, each of two lanes on a directory of its own below `parent`.
fn on_every_target(parent: &Path, mut test: impl FnMut(&mut dyn Target, &Path)) {
    let root = || tempfile::tempdir_in(parent).unwrap();
    let directory = root();
    test(&mut PlainTarget::new(&folder(directory.path()), RECORD_BYTES).unwrap(), directory.path());
    for interface in INTERFACES {
        let directory = root();
        test(&mut ring_target(directory.path(), 2, interface), directory.path());
    }
}

fn call_of(target: &dyn Target, operation: ClientOperation) -> (String, Option<String>) {
    let call = target.calls().into_iter().find(|call| call.operation == operation).unwrap();
    (call.call, call.reason)
}
