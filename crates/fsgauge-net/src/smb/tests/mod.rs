//! The target against a server that does what real ones hardly do.

mod conformance;
#[path = "../../../tests/support/fake_smb.rs"]
#[allow(unreachable_pub, reason = "another crate's tests have it, too")]
mod fake_server;
mod fuzz;
mod hostile;
mod silence;
#[allow(unreachable_pub, reason = "the integration tests have it, too")]
#[path = "../../../tests/support/smbd.rs"]
mod smbd;

use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::lanes::Size;
use super::message::Command;
use super::{SmbAccess, SmbTarget};
use crate::address::Address;
use crate::target::{Answer, ControlSession, Handle, OUT_OF_REACH, Request, Started, Target, ask, ask_for};
use fake_server::{Fate, Seen};
use fsgauge_wire::{SmbDialect, SmbTarget as Job, Stop};

const RESET: Answer = -(libc::ECONNRESET as Answer);

fn guest(port: u16) -> Job {
    Job {
        host: "127.0.0.1".into(),
        port,
        share: "share".into(),
        directory: "d".into(),
        user: String::new(),
        password: None,
        dialect: SmbDialect::Smb302,
        signing: false,
        encryption: false,
        oplocks: false,
    }
}

fn target(port: u16, outstanding: u32, record_size_bytes: u32) -> SmbTarget {
    many(port, 1, outstanding, record_size_bytes)
}

fn many(port: u16, clients: u32, outstanding: u32, record_size_bytes: u32) -> SmbTarget {
    SmbTarget::new(access(port), Size { clients, outstanding, record_size_bytes }, "d").unwrap()
}

fn access(port: u16) -> Arc<SmbAccess> {
    let address = Address::resolve("127.0.0.1", port).unwrap();
    Arc::new(SmbAccess { job: guest(port), address, password: None })
}

/// Whoever comes back finds nobody.
fn nobody() -> Arc<SmbAccess> {
    access(TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port())
}

fn admit(target: &mut SmbTarget) -> Answer {
    let started = target.admit(0);
    ask_for(target, started, &Stop::never()).unwrap()
}

fn asked(target: &mut SmbTarget, request: Request<'_>) -> Answer {
    ask(target, &request, &Stop::never()).unwrap()
}

/// A target that was let in by a server of a script.
fn let_in(script: impl Fn(u32, u16) -> Fate + Send + Sync + 'static) -> (SmbTarget, Seen) {
    let (address, seen) = fake_server::start(Arc::new(script));
    let mut target = target(address.port(), 2, 100_000);
    assert_eq!(admit(&mut target), 0);
    (target, seen)
}

fn on(command: Command, fate: Fate) -> impl Fn(u32, u16) -> Fate + Send + Sync {
    move |_, found| if found == command as u16 { fate } else { Fate::Answered }
}

/// The same for the first of them only.
fn on_first(command: Command, fate: Fate) -> impl Fn(u32, u16) -> Fate + Send + Sync {
    let is_over = std::sync::atomic::AtomicBool::new(false);
    move |_, found| match found == command as u16
        && !is_over.swap(found == command as u16, std::sync::atomic::Ordering::Relaxed)
    {
        true => fate,
        false => Fate::Answered,
    }
}

#[test]
fn an_answer_that_comes_later_is_waited_for() {
    for command in [Command::Create, Command::Read, Command::Write, Command::Close, Command::Echo] {
        let (mut target, _) = let_in(on(command, Fate::AnsweredLater));
        let handle = asked(&mut target, Request::Create { path: c"f" });
        assert!(handle > 0, "{handle}");
        let handle = handle as Handle;
        assert_eq!(asked(&mut target, Request::Write { handle, offset_bytes: 0, data: &[1; 5000] }), 5000);
        assert_eq!(
            asked(&mut target, Request::Read { handle, offset_bytes: 0, size_bytes: 100_000 }),
            100_000
        );
        assert!(target.incoming(0).iter().all(|byte| *byte == 5));
        assert_eq!(asked(&mut target, Request::Close { handle }), 0);
        assert_eq!(asked(&mut target, Request::Stat { path: c"f" }), 0);
        assert_eq!(asked(&mut target, Request::Null), 0);
    }
}

#[test]
fn a_connection_that_ends_in_the_middle_is_lost_with_its_files_and_made_again() {
    for fate in [Fate::CutShort, Fate::Expired, Fate::Garbage] {
        let (mut target, _) = let_in(on_first(Command::Read, fate));
        let handle = asked(&mut target, Request::Open { path: c"f", write: false }) as Handle;
        let read = Request::Read { handle, offset_bytes: 0, size_bytes: 4096 };
        let broken = if fate == Fate::Garbage { -Answer::from(libc::EPROTO) } else { RESET };
        assert_eq!(asked(&mut target, read), broken, "{fate:?}");
        assert_eq!(asked(&mut target, read), RESET, "{fate:?}");
        assert_eq!(asked(&mut target, Request::Close { handle }), RESET, "{fate:?}");
        let again = asked(&mut target, Request::Open { path: c"f", write: false });
        assert!(again > 0 && again as Handle != handle, "{fate:?}: {again}");
        let handle = again as Handle;
        assert_eq!(asked(&mut target, Request::Read { handle, offset_bytes: 0, size_bytes: 4096 }), 4096);
        let traffic = target.traffic().unwrap();
        assert_eq!((traffic.connections, traffic.reconnections), (1, 1), "{fate:?}");
    }
}

#[test]
fn what_is_never_answered_ends_in_time_and_the_connection_with_it() {
    let (mut target, _) = let_in(on_first(Command::Write, Fate::Ignored));
    target.answer_limit_ms = 300;
    let handle = asked(&mut target, Request::Create { path: c"f" }) as Handle;
    let begin = Instant::now();
    let write = Request::Write { handle, offset_bytes: 0, data: &[1; 10] };
    assert_eq!(asked(&mut target, write), -Answer::from(libc::ETIMEDOUT));
    assert!((300..5000).contains(&begin.elapsed().as_millis()), "{:?}", begin.elapsed());
    assert_eq!(asked(&mut target, write), RESET);
    assert!(asked(&mut target, Request::Create { path: c"f" }) > 0);
}

#[test]
fn a_server_that_never_greets_is_no_server() {
    for command in [Command::Negotiate, Command::SessionSetup, Command::TreeConnect] {
        let (address, _) = fake_server::start(Arc::new(on(command, Fate::Ignored)));
        let mut target = target(address.port(), 1, 4096);
        target.answer_limit_ms = 200;
        let answer = admit(&mut target);
        assert_eq!(
            (answer, target.refusal(answer).code.as_str()),
            (-Answer::from(libc::ETIMEDOUT), "network.timeout")
        );
        let (address, _) = fake_server::start(Arc::new(on(command, Fate::Garbage)));
        let mut target = self::target(address.port(), 1, 4096);
        let answer = admit(&mut target);
        assert_eq!(
            (answer, target.refusal(answer).code.as_str()),
            (-Answer::from(libc::EPROTO), "network.protocol")
        );
    }
}

/// Windows refuses who offers no encryption before it hears a name, Samba after.
#[test]
fn a_login_that_is_denied_for_want_of_encryption_blames_no_user() {
    for denied in [1, 2] {
        let script = move |message, _| if message == denied { Fate::Denied } else { Fate::Answered };
        let (address, _) = fake_server::start(Arc::new(script));
        let mut target = target(address.port(), 1, 4096);
        let answer = admit(&mut target);
        assert_eq!(answer, -Answer::from(libc::EACCES), "{denied}");
        assert_eq!(target.refusal(answer).code, "network.encryption", "{denied}");
    }
    let (address, _) = fake_server::start(Arc::new(on(Command::TreeConnect, Fate::Denied)));
    let mut target = target(address.port(), 1, 4096);
    let answer = admit(&mut target);
    assert_eq!(target.refusal(answer).code, "network.share");
}

#[test]
fn a_server_that_gives_few_credits_is_asked_for_more() {
    let is_poor = |_, command| if command == Command::Echo as u16 { Fate::Answered } else { Fate::Poor };
    let script = move |message, command| if message < 3 { Fate::Answered } else { is_poor(message, command) };
    let (mut target, seen) = let_in(script);
    let handle = asked(&mut target, Request::Create { path: c"f" }) as Handle;
    for _ in 0..200 {
        let written = asked(&mut target, Request::Write { handle, offset_bytes: 0, data: &[1; 100_000] });
        assert!(written == 100_000 || written == 65536, "{written}");
        assert_eq!(asked(&mut target, Request::Stat { path: c"f" }), 0);
    }
    assert!(seen.lock().unwrap().contains(&(Command::Echo as u16)));
}

#[test]
fn many_that_are_lost_at_once_come_again_few_at_a_time() {
    let (address, _) = fake_server::start(Arc::new(|_, _| Fate::Answered));
    let mut target = many(address.port(), 60, 1, 4096);
    for client in 0..60 {
        let started = target.admit(client);
        assert_eq!(ask_for(&mut target, started, &Stop::never()).unwrap(), 0);
    }
    (0..60).for_each(|number| target.lose(number, libc::ECONNRESET));
    (0..60).for_each(|lane| assert_eq!(target.start(lane, &Request::Stat { path: c"f" }), Started::Pending));
    let (mut answered, mut most, begin) = (0, 0, Instant::now());
    while answered < 60 {
        assert!(begin.elapsed() < Duration::from_secs(20), "{answered}");
        most = most.max(target.under_way);
        let each = &mut |_, answer| {
            assert_eq!(answer, 0);
            answered += 1;
        };
        target.wait(Duration::from_millis(20), each).unwrap();
    }
    assert!((2..=16).contains(&most) && target.under_way == 0, "{most}");
    assert_eq!(target.traffic().unwrap().reconnections, 60);
}

#[test]
fn a_connection_that_is_given_up_answers_at_once_from_then_on() {
    let (mut target, _) = let_in(|_, _| Fate::Answered);
    (target.access, target.trying_limit_ms) = (nobody(), 300);
    target.lose(0, libc::ECONNRESET);
    let begin = Instant::now();
    assert_eq!(asked(&mut target, Request::Null), OUT_OF_REACH);
    assert!((120..2000).contains(&begin.elapsed().as_millis()), "{:?}", begin.elapsed());
    assert_eq!(target.start(0, &Request::List { path: c"f" }), Started::Done(OUT_OF_REACH));
    assert_eq!(target.start(1, &Request::Null), Started::Done(OUT_OF_REACH));
}

/// A server that takes connections and says nothing costs no more time than one that refuses them, and those
/// that wait for others to be tried do not wait for longer.
#[test]
fn tries_that_hang_end_with_the_time_for_trying() {
    let (address, _) = fake_server::start(Arc::new(|_, _| Fate::Answered));
    let (silent, _) = fake_server::start(Arc::new(on(Command::Negotiate, Fate::Ignored)));
    let mut target = many(address.port(), 40, 1, 4096);
    for client in 0..40 {
        let started = target.admit(client);
        assert_eq!(ask_for(&mut target, started, &Stop::never()).unwrap(), 0);
    }
    (target.access, target.trying_limit_ms) = (access(silent.port()), 400);
    (0..40).for_each(|number| target.lose(number, libc::ECONNRESET));
    (0..40).for_each(|lane| assert_eq!(target.start(lane, &Request::Null), Started::Pending));
    let (mut answered, begin) = (0, Instant::now());
    while answered < 40 {
        assert!(begin.elapsed() < Duration::from_secs(5), "{answered}");
        let each = &mut |_, answer| {
            assert_eq!(answer, OUT_OF_REACH);
            answered += 1;
        };
        target.wait(Duration::from_millis(20), each).unwrap();
    }
    assert!(begin.elapsed() >= Duration::from_millis(390) && target.under_way == 0, "{:?}", begin.elapsed());
}

#[test]
fn one_message_after_the_other_waits_for_nothing() {
    let (mut target, _) = let_in(|_, _| Fate::Answered);
    let mut times: Vec<Duration> = (0..50)
        .map(|_| {
            let begin = Instant::now();
            assert_eq!(asked(&mut target, Request::Null), 0);
            begin.elapsed()
        })
        .collect();
    times.sort_unstable();
    // Nagle's algorithm and a delayed acknowledgement would make it 40 ms each.
    assert!(times[12] < Duration::from_millis(5), "{times:?}");
}
