//! The whole way of files, which every target goes, on a server or not. The module around it names what is asked.

#![allow(dead_code, unreachable_pub, reason = "the tests of each crate use their part")]

use std::ffi::CString;
use std::path::Path;
use std::time::{Duration, Instant};

use fsgauge_wire::ClientErrorKind;

use super::{Answer, Handle, Request, Started, Target, kind_of};

pub const RECORD_BYTES: u32 = 4096;
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Starts a request and waits for its answer.
pub fn ask(target: &mut dyn Target, lane: u32, request: Request<'_>) -> Answer {
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

pub fn errors_kind(answer: Answer) -> ClientErrorKind {
    assert!(answer < 0, "{answer} is no error");
    kind_of(-answer as i32)
}

pub fn name(text: &str) -> CString {
    CString::new(text).unwrap()
}

/// The bytes of a record that is like no other.
pub fn contents(number: u32) -> impl Iterator<Item = u8> {
    (0..RECORD_BYTES).map(move |byte| (byte.wrapping_mul(31) ^ number.wrapping_mul(2654435761) >> 7) as u8)
}

pub fn write_record(target: &mut dyn Target, lane: u32, handle: Handle, record: u32, size_bytes: u32) {
    let data: Vec<u8> = contents(record).take(size_bytes as usize).collect();
    let offset_bytes = u64::from(record) * u64::from(RECORD_BYTES);
    let written = ask(target, lane, Request::Write { handle, offset_bytes, data: &data });
    assert_eq!(written, Answer::from(size_bytes));
}

pub fn make_file(target: &mut dyn Target, lane: u32, path: &str, records: u32) {
    let handle = ask(target, lane, Request::Create { path: &name(path) });
    assert!(handle >= 0, "{path}: {handle}");
    let handle = handle as Handle;
    (0..records).for_each(|record| write_record(target, lane, handle, record, RECORD_BYTES));
    assert_eq!(ask(target, lane, Request::Close { handle }), 0);
}

/// What targets on servers do, too: all but what a number that is no handle, and a handle of the wrong kind, give.
pub fn files_go_their_way(target: &mut dyn Target, root: &Path) {
    makes_directories(target);
    writes_and_reads_back(target, root);
    names_change(target, root);
    errors_are_told(target);
}

fn makes_directories(target: &mut dyn Target) {
    for path in ["c00001", "c00001/deeper", "c00001"] {
        assert_eq!(ask(target, 1, Request::MakeDirectory { path: &name(path) }), 0, "{path}");
    }
    assert_eq!(ask(target, 1, Request::List { path: c"c00001" }), 1);
    assert_eq!(ask(target, 1, Request::List { path: c"c00001/deeper" }), 0);
}

fn writes_and_reads_back(target: &mut dyn Target, root: &Path) {
    let path = name("c00001/c00001-f000001");
    let handle = ask(target, 0, Request::Create { path: &path });
    assert!(handle >= 0, "{handle}");
    let handle = handle as Handle;
    write_record(target, 0, handle, 0, RECORD_BYTES);
    write_record(target, 0, handle, 1, RECORD_BYTES);
    write_record(target, 0, handle, 2, 100);
    assert_eq!(ask(target, 0, Request::Fsync { handle }), 0);
    assert_eq!(ask(target, 0, Request::Close { handle }), 0);

    let found = std::fs::read(root.join("c00001/c00001-f000001")).unwrap();
    let expected: Vec<u8> = contents(0).chain(contents(1)).chain(contents(2).take(100)).collect();
    assert!(found == expected, "{} bytes", found.len());
    assert_eq!(ask(target, 0, Request::Stat { path: &path }), 8292);

    let handle = ask(target, 0, Request::Open { path: &path, write: true }) as Handle;
    write_record(target, 0, handle, 1, RECORD_BYTES);
    assert_eq!(ask(target, 0, Request::Close { handle }), 0);

    let handle = ask(target, 0, Request::Open { path: &path, write: false }) as Handle;
    for (record, size_bytes) in [(0, 4096), (1, 4096), (2, 100), (3, 0)] {
        let offset_bytes = u64::from(record) * u64::from(RECORD_BYTES);
        let read = Request::Read { handle, offset_bytes, size_bytes: RECORD_BYTES };
        assert_eq!(ask(target, 0, read), size_bytes, "record {record}");
        let is_right = target.incoming(0).iter().copied().zip(contents(record)).take(size_bytes as usize);
        assert!(is_right.into_iter().all(|(found, expected)| found == expected), "record {record}");
    }
    assert_eq!(ask(target, 0, Request::Close { handle }), 0);
}

fn names_change(target: &mut dyn Target, root: &Path) {
    for number in 2..10 {
        make_file(target, 0, &format!("c00001/c00001-f{number:06}"), 1);
    }
    let (from, to) = (name("c00001/c00001-f000002"), name("c00001/c00001-f000001"));
    assert_eq!(ask(target, 0, Request::List { path: c"c00001" }), 10);
    assert_eq!(ask(target, 0, Request::Rename { from: &from, to: &to }), 0);
    assert_eq!(ask(target, 0, Request::Stat { path: &to }), Answer::from(RECORD_BYTES));
    assert_eq!(ask(target, 0, Request::List { path: c"c00001" }), 9);
    assert_eq!(ask(target, 0, Request::Unlink { path: &to }), 0);
    assert!(!root.join("c00001/c00001-f000001").exists());
    assert_eq!(ask(target, 0, Request::List { path: c"c00001" }), 8);
}

fn errors_are_told(target: &mut dyn Target) {
    use ClientErrorKind::{Exists, Missing};
    let (file, gone) = (name("c00001/c00001-f000003"), name("c00001/gone"));
    let below_file = name("c00001/c00001-f000003/x");
    let expected = [
        (Request::Create { path: &file }, Exists),
        (Request::MakeDirectory { path: &file }, Exists),
        (Request::MakeDirectory { path: c"nowhere/deeper" }, Missing),
        (Request::Create { path: c"nowhere/c00001-f000003" }, Missing),
        (Request::Open { path: &gone, write: false }, Missing),
        (Request::Open { path: &below_file, write: false }, Missing),
        (Request::Stat { path: &gone }, Missing),
        (Request::List { path: &gone }, Missing),
        (Request::List { path: &file }, Missing),
        (Request::Rename { from: &gone, to: &file }, Missing),
        (Request::Unlink { path: &gone }, Missing),
    ];
    for (request, kind) in expected {
        assert_eq!(errors_kind(ask(target, 0, request)), kind, "{request:?}");
    }
    assert_eq!(ask(target, 0, Request::MakeDirectory { path: c"c00001/empty" }), 0);
    assert_eq!(ask(target, 0, Request::RemoveDirectory { path: c"c00001/empty" }), 0);
    let full = ask(target, 0, Request::RemoveDirectory { path: c"c00001" });
    assert_eq!(full, -Answer::from(libc::ENOTEMPTY));
    assert_eq!(errors_kind(ask(target, 0, Request::RemoveDirectory { path: c"c00001/empty" })), Missing);
    assert_eq!(ask(target, 0, Request::Null), 0);
}

pub fn handles_are_checked(target: &mut dyn Target) {
    let file = name("c00001/c00001-f000003");
    // A handle that is not open, of a file that can only be read, and of a directory.
    let handle = ask(target, 0, Request::Open { path: &file, write: false }) as Handle;
    let write = |handle| Request::Write { handle, offset_bytes: 0, data: &[1; RECORD_BYTES as usize] };
    let read = |handle| Request::Read { handle, offset_bytes: 0, size_bytes: RECORD_BYTES };
    assert_eq!(ask(target, 0, write(handle)), -Answer::from(libc::EBADF));
    assert_eq!(ask(target, 0, Request::Close { handle }), 0);
    let never_open = 1 << 30;
    for request in [read(never_open), Request::Fsync { handle: never_open }] {
        assert_eq!(ask(target, 0, request), -Answer::from(libc::EBADF), "{request:?}");
    }
    let directory = ask(target, 0, Request::Open { path: c"c00001", write: false }) as Handle;
    assert_eq!(errors_kind(ask(target, 0, read(directory))), ClientErrorKind::Other);
    assert_eq!(ask(target, 0, Request::Close { handle: directory }), 0);
}

/// The directory is removed under the client.
pub fn a_directory_goes(target: &mut dyn Target, root: &Path) {
    std::fs::remove_dir_all(root.join("c00001")).unwrap();
    let answer = ask(target, 0, Request::Create { path: c"c00001/c00001-f000003" });
    assert_eq!(errors_kind(answer), ClientErrorKind::Missing);
}
