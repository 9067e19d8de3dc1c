//! What every target must do, run against each of them.

pub(super) mod conformance;
mod faults;
pub(super) mod fuzz;
pub(super) mod gone;
pub(super) mod hostile;
mod no_io_uring;
mod ring;

use std::ffi::CString;
use std::path::Path;
use std::time::{Duration, Instant};

use fsgauge_wire::{ClientErrorKind, ClientOperation, ClientsInterface};

use super::*;
use crate::clients::request::Handle;

const RECORD_BYTES: u32 = 4096;
const PATIENCE: Duration = Duration::from_secs(20);

/// Starts a request and waits for its answer.
fn ask(target: &mut dyn Target, lane: u32, request: Request<'_>) -> Answer {
    let mut answer = match target.start(lane, &request) {
        Started::Done(answer) => Some(answer),
        Started::Pending => None,
    };
    let begin = Instant::now();
    while answer.is_none() {
        assert!(begin.elapsed() < PATIENCE, "no answer to {request:?}");
        let each = &mut |answered: u32, given: Answer| {
            assert_eq!(answered, lane);
            assert_eq!(answer.replace(given), None);
        };
        target.wait(Duration::from_millis(100), each).unwrap();
    }
    answer.unwrap_or_default()
}

fn errors_kind(answer: Answer) -> ClientErrorKind {
    assert!(answer < 0, "{answer} is no error");
    kind_of(-answer as i32)
}

fn name(text: &str) -> CString {
    CString::new(text).unwrap()
}

/// The bytes of a record that is like no other.
fn contents(number: u32) -> impl Iterator<Item = u8> {
    (0..RECORD_BYTES).map(move |byte| (byte.wrapping_mul(31) ^ number.wrapping_mul(2654435761) >> 7) as u8)
}

fn write_record(target: &mut dyn Target, lane: u32, handle: Handle, record: u32, size_bytes: u32) {
    let data: Vec<u8> = contents(record).take(size_bytes as usize).collect();
    let offset_bytes = u64::from(record) * u64::from(RECORD_BYTES);
    let written = ask(target, lane, Request::Write { handle, offset_bytes, data: &data });
    assert_eq!(written, Answer::from(size_bytes));
}

fn make_file(target: &mut dyn Target, lane: u32, path: &str, records: u32) {
    let handle = ask(target, lane, Request::Create { path: &name(path) });
    assert!(handle >= 0, "{path}: {handle}");
    let handle = handle as Handle;
    (0..records).for_each(|record| write_record(target, lane, handle, record, RECORD_BYTES));
    assert_eq!(ask(target, lane, Request::Close { handle }), 0);
}

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

fn ring_target(root: &Path, lanes: u32, interface: ClientsInterface) -> RingTarget {
    RingTarget::new(root, RECORD_BYTES, lanes, interface).unwrap().0
}

/// Runs a test on every target that reaches files, each of two lanes on a directory of its own below `parent`.
fn on_every_target(parent: &Path, mut test: impl FnMut(&mut dyn Target, &Path)) {
    let root = || tempfile::tempdir_in(parent).unwrap();
    let directory = root();
    test(&mut PlainTarget::new(directory.path(), RECORD_BYTES).unwrap(), directory.path());
    for interface in INTERFACES {
        let directory = root();
        test(&mut ring_target(directory.path(), 2, interface), directory.path());
    }
}

fn call_of(target: &dyn Target, operation: ClientOperation) -> (String, Option<String>) {
    let call = target.calls().into_iter().find(|call| call.operation == operation).unwrap();
    (call.call, call.reason)
}
