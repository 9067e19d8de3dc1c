//! The whole way of files, and of errors that need no special machine.

use super::*;

#[test]
fn every_target_conforms() {
    for directory in directories() {
        on_every_target(directory.path(), conforms);
    }
}

#[test]
fn nothing_answers_everything_at_once() {
    let mut target = NullTarget::new(RECORD_BYTES);
    let first = ask(&mut target, 0, Request::Create { path: c"a" });
    let second = ask(&mut target, 1, Request::Open { path: c"a", write: false });
    assert_ne!(first, second);
    let handle = second as Handle;
    assert_eq!(ask(&mut target, 1, Request::Read { handle, offset_bytes: 9, size_bytes: 77 }), 77);
    assert_eq!(ask(&mut target, 1, Request::Stat { path: c"a" }), Answer::from(RECORD_BYTES));
    assert_eq!(ask(&mut target, 1, Request::Unlink { path: c"a" }), 0);
    assert_eq!(target.calls().len(), 5);
    assert_eq!(call_of(&target, ClientOperation::Create), ("none".into(), None));
}

#[test]
fn a_wait_for_nothing_takes_its_time() {
    let directory = tempfile::tempdir().unwrap();
    let mut ring = ring_target(directory.path(), 2, ClientsInterface::Auto);
    let mut null = NullTarget::new(RECORD_BYTES);
    for target in [&mut ring as &mut dyn Target, &mut null] {
        let begin = Instant::now();
        target.wait(Duration::ZERO, &mut |_, _| unreachable!("nothing is pending")).unwrap();
        target.wait(Duration::from_millis(20), &mut |_, _| unreachable!("nothing is pending")).unwrap();
        assert!(begin.elapsed() >= Duration::from_millis(20));
    }
}

/// The whole way of files below a fresh directory: `root` is that directory, for looking behind.
pub(super) fn conforms(target: &mut dyn Target, root: &Path) {
    files_go_their_way(target, root);
    handles_are_checked(target);
    a_directory_goes(target, root);
    let operations: Vec<_> = target.calls().iter().map(|call| call.operation).collect();
    let mut sorted = operations.clone();
    sorted.sort_unstable();
    assert_eq!(operations, sorted);
    assert_eq!(operations.len(), 11, "{operations:?}");
}
