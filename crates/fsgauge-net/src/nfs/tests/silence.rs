//! Servers that take clients in and say nothing to what they ask.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

/// A script of a server that hangs from the first call of a kind on: it lets clients in, and that is all.
fn hangs_from(first: &'static [u32]) -> impl Fn(&Asked) -> Act + Send + Sync {
    let hangs = AtomicBool::new(false);
    move |asked| {
        hangs.fetch_or(first.iter().any(|procedure| asked.is(*procedure)), Ordering::Relaxed);
        match hangs.load(Ordering::Relaxed) && asked.program != MOUNT && !asked.is(FSINFO) {
            true => Act::Silence,
            false => Act::Usual,
        }
    }
}

#[test]
fn a_second_operation_without_an_answer_is_the_last() {
    let fake = Fake::start(hangs_from(&[READDIR]));
    let mut target = target(&fake);
    assert_eq!(ask(&mut target, Request::Null), 0);
    target.patience_ms = 300;
    let begin = Instant::now();
    assert_eq!(ask(&mut target, Request::List { path: c"c1" }), error(libc::ETIMEDOUT));
    assert_eq!(ask(&mut target, Request::List { path: c"c1" }), error(libc::ETIMEDOUT));
    assert!(begin.elapsed() >= Duration::from_millis(590), "{:?}", begin.elapsed());
    assert_eq!(target.start(0, &Request::Null), Started::Done(error(libc::ENOTCONN)));
    assert_eq!((target.traffic().unwrap().reconnections, target.under_way), (1, 0));
    // The other client has a connection of its own, and finds out by itself.
    assert_eq!(ask_lane(&mut target, 2, Request::Null), error(libc::ETIMEDOUT));
}

#[test]
fn an_answer_between_makes_another_first() {
    let fake = Fake::start(|asked| if asked.is(WRITE) { Act::Silence } else { Act::Usual });
    let mut target = target(&fake);
    target.patience_ms = 300;
    for _ in 0..3 {
        let open = create(&mut target, c"c1/f.1");
        assert_eq!(ask(&mut target, write(open, &[1; 10])), error(libc::ETIMEDOUT));
    }
    assert_eq!(target.traffic().unwrap().reconnections, 2);
}

/// A server that answers each question just in time would hold its client for as long as there are questions.
#[test]
fn what_is_asked_before_a_run_has_one_limit_for_all() {
    let fake = Fake::start(hangs_from(&[READDIR]));
    let mut target = target(&fake);
    assert_eq!(ask(&mut target, Request::Null), 0);
    let (begin, stop) = (Instant::now(), fsgauge_wire::Stop::new());
    let waiting = crate::target::Waiting::within(Duration::from_millis(200), &stop);
    for _ in 0..5 {
        let answer = crate::target::ask(&mut target, &Request::List { path: c"c1" }, waiting).unwrap();
        assert_eq!(answer, error(libc::ETIMEDOUT));
    }
    assert!(begin.elapsed() < Duration::from_millis(target.patience_ms), "{:?}", begin.elapsed());
}
