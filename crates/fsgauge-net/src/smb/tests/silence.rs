//! Servers that take clients in and say nothing to what they ask.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

const TIMED_OUT: Answer = -(libc::ETIMEDOUT as Answer);

/// A script of a server that hangs from the first message of a kind on: it lets clients in, and that is all.
fn hangs_from(first: &[Command]) -> impl Fn(u32, u16) -> Fate + Send + Sync + use<> {
    let (first, hangs) =
        (first.iter().map(|command| *command as u16).collect::<Vec<_>>(), AtomicBool::new(false));
    let lets_in =
        [Command::Negotiate, Command::SessionSetup, Command::TreeConnect].map(|command| command as u16);
    move |_, found| {
        hangs.fetch_or(first.contains(&found), Ordering::Relaxed);
        match hangs.load(Ordering::Relaxed) && !lets_in.contains(&found) {
            true => Fate::Ignored,
            false => Fate::Answered,
        }
    }
}

#[test]
fn a_second_operation_without_an_answer_is_the_last() {
    let (mut target, seen) = let_in(hangs_from(&[Command::Create]));
    target.answer_limit_ms = 200;
    let begin = Instant::now();
    assert_eq!(asked(&mut target, Request::Stat { path: c"f" }), TIMED_OUT);
    assert_eq!(asked(&mut target, Request::Stat { path: c"f" }), TIMED_OUT);
    assert!(begin.elapsed() >= Duration::from_millis(400), "{:?}", begin.elapsed());
    assert_eq!(target.start(0, &Request::Null), Started::Done(OUT_OF_REACH));
    assert_eq!(target.traffic().unwrap().reconnections, 1);
    let connected = seen.lock().unwrap().iter().filter(|seen| **seen == Command::TreeConnect as u16).count();
    assert_eq!(connected, 2);
}

#[test]
fn an_answer_between_makes_another_first() {
    let (mut target, _) = let_in(on(Command::Write, Fate::Ignored));
    target.answer_limit_ms = 100;
    for _ in 0..3 {
        let handle = asked(&mut target, Request::Create { path: c"f" });
        assert!(handle > 0, "{handle}");
        let write = Request::Write { handle: handle as Handle, offset_bytes: 0, data: &[1; 10] };
        assert_eq!(asked(&mut target, write), TIMED_OUT);
    }
    assert_eq!(target.traffic().unwrap().reconnections, 2);
}

/// What waits for credits waits for an answer, too.
#[test]
fn what_waits_for_credits_that_never_come_ends_in_time() {
    let poor = |message, command| match command == Command::Echo as u16 {
        true => Fate::Ignored,
        false if message < 3 => Fate::Answered,
        false => Fate::Poor,
    };
    let (mut target, seen) = let_in(poor);
    let has_asked = || seen.lock().unwrap().contains(&(Command::Echo as u16));
    let handle = asked(&mut target, Request::Create { path: c"f" }) as Handle;
    target.answer_limit_ms = 300;
    let (mut answer, begin) = (0, Instant::now());
    for _ in 0..200 {
        assert!(asked(&mut target, Request::Write { handle, offset_bytes: 0, data: &[1; 100_000] }) > 0);
        answer = asked(&mut target, Request::Stat { path: c"f" });
        if answer < 0 {
            break;
        }
    }
    assert!(has_asked() && begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
    assert_eq!(answer, TIMED_OUT);
}
