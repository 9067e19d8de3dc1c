//! The target against a server with faults.

#[path = "../../../tests/support/fake_nfs.rs"]
#[allow(unreachable_pub, reason = "another crate's tests have it, too")]
mod fake;
mod fuzz;
#[path = "../../../tests/support/ganesha.rs"]
#[allow(dead_code, unreachable_pub, reason = "integration tests use all of it")]
mod ganesha;
mod hostile;
mod portmapper;
mod silence;

use std::ffi::CStr;
use std::time::{Duration, Instant};

use crate::tests::conformance::{files_go_their_way, handles_are_checked};
use nfs3_client::nfs3_types::mount::{fhandle3, mountres3, mountres3_ok, mountstat3};
use nfs3_client::nfs3_types::nfs3::{LOOKUP3res, LOOKUP3resok, Nfs3Option};
use nfs3_client::nfs3_types::xdr_codec::Opaque;

use self::fake::{Act, Asked, Fake, MOUNT, committed, handle, packed, written};
use super::*;
use crate::target::{ControlSession, Handle};

const PATIENCE: Duration = Duration::from_secs(20);
// Numbers of procedures.
const LOOKUP: u32 = 3;
const ACCESS: u32 = 4;
const READ: u32 = 6;
const WRITE: u32 = 7;
const CREATE: u32 = 8;
const MKDIR: u32 = 9;
const READDIR: u32 = 16;
const FSINFO: u32 = 19;
const COMMIT: u32 = 21;
/// NFS3ERR_STALE.
const STALE: [u8; 4] = [0, 0, 0, 70];

fn usual(_: &Asked) -> Act {
    Act::Usual
}

fn export(fake: &Fake) -> Export {
    Export {
        address: Address::resolve("127.0.0.1", fake.port).unwrap(),
        mount_port: Some(fake.port),
        path: "/e".into(),
        user_id: 4711,
        group_id: 4712,
    }
}

/// Two clients with two lanes each, below directory `d`.
fn target(fake: &Fake) -> NfsTarget {
    NfsTarget::new(&export(fake), "d", 4096, 2, 2).unwrap()
}

fn answers(target: &mut NfsTarget, count: usize) -> Vec<(u32, Answer)> {
    let (mut answers, begin) = (Vec::new(), Instant::now());
    while answers.len() < count {
        assert!(begin.elapsed() < PATIENCE, "{answers:?}");
        target.wait(Duration::from_millis(20), &mut |lane, answer| answers.push((lane, answer))).unwrap();
    }
    answers.sort_unstable();
    answers
}

fn ask_lane(target: &mut NfsTarget, lane: u32, request: Request<'_>) -> Answer {
    match target.start(lane, &request) {
        Started::Done(answer) => answer,
        Started::Pending => match answers(target, 1)[..] {
            [(answered, answer)] if answered == lane => answer,
            ref others => panic!("{others:?}"),
        },
    }
}

fn ask(target: &mut NfsTarget, request: Request<'_>) -> Answer {
    ask_lane(target, 0, request)
}

fn create(target: &mut NfsTarget, path: &CStr) -> Handle {
    let handle = ask(target, Request::Create { path });
    assert!(handle >= 0, "{handle}");
    handle as Handle
}

fn write(handle: Handle, data: &[u8]) -> Request<'_> {
    Request::Write { handle, offset_bytes: 0, data }
}

const fn error(errno: i32) -> Answer {
    -(errno as Answer)
}

#[test]
fn another_implementation_understands_every_call() {
    let fake = Fake::start(usual);
    let mut target = target(&fake);
    assert_eq!(target.admit(1), Started::Pending);
    assert_eq!(answers(&mut target, 1), [(2, 0)]);
    assert_eq!(ask(&mut target, Request::MakeDirectory { path: c"c1" }), 0);
    let open = create(&mut target, c"c1/f.1");
    let data: Vec<u8> = (0..4095_u32).map(|byte| (byte * 7) as u8).collect();
    assert_eq!(ask(&mut target, write(open, &data)), 4095);
    let read = Request::Read { handle: open, offset_bytes: 95, size_bytes: 4096 };
    assert_eq!(ask(&mut target, read), 4000);
    assert_eq!(target.incoming(0), &data[95..]);
    assert_eq!(ask(&mut target, Request::Fsync { handle: open }), 0);
    assert_eq!(ask(&mut target, Request::Close { handle: open }), 0);
    assert_eq!(ask(&mut target, Request::Close { handle: open }), error(libc::EBADF));
    let open = ask(&mut target, Request::Open { path: c"c1/f.1", write: false }) as Handle;
    assert_eq!(ask(&mut target, write(open, &data)), error(libc::EBADF));
    assert_eq!(ask(&mut target, Request::Close { handle: open }), 0);
    assert_eq!(ask(&mut target, Request::Stat { path: c"c1/f.1" }), 4096);
    assert_eq!(ask(&mut target, Request::List { path: c"c1" }), 3);
    assert_eq!(ask(&mut target, Request::Rename { from: c"c1/f.1", to: c"c2/g.1" }), 0);
    assert_eq!(ask(&mut target, Request::Unlink { path: c"c2/g.1" }), 0);
    assert_eq!(ask(&mut target, Request::Null), 0);
    // What is committed need not be committed again, and directories are looked up once.
    assert_eq!((fake.count(COMMIT), fake.count(LOOKUP), fake.count(ACCESS)), (1, 3 + 2, 1));
    assert_eq!(fake.stabilities(), [nfs3_client::nfs3_types::nfs3::stable_how::UNSTABLE]);
    assert!(fake.asked().iter().all(|asked| asked.user_id == 4711));
    let traffic = target.traffic().unwrap();
    assert_eq!((traffic.connections, traffic.reconnections), (2, 0));
    assert!(traffic.sent_bytes > 4095 && traffic.received_bytes > 4000);
}

#[test]
fn lanes_of_a_client_are_told_apart_whatever_comes_first() {
    let fake = Fake::start(|asked| match asked.before {
        2 if asked.is(LOOKUP) => Act::Stranger,
        _ if asked.is(LOOKUP) => Act::Pieces(5),
        _ => Act::Usual,
    });
    let mut target = target(&fake);
    for lane in 0..4 {
        assert_eq!(target.start(lane, &Request::Stat { path: c"c1/f.1" }), Started::Pending);
    }
    assert_eq!(answers(&mut target, 4), [(0, 4096), (1, 4096), (2, 4096), (3, 4096)]);
}

#[test]
fn more_than_the_server_takes_is_written_in_parts() {
    let fake = Fake::start(usual);
    let mut target = target(&fake);
    let open = create(&mut target, c"c1/f.1");
    assert_eq!(ask(&mut target, write(open, &[1; 20_000])), 8192);
    let fake = Fake::start(|asked| if asked.is(WRITE) { Act::Results(written(100)) } else { Act::Usual });
    let mut target = self::target(&fake);
    let open = create(&mut target, c"c1/f.1");
    assert_eq!(ask(&mut target, write(open, &[1; 4096])), 100);
    // More than it was given.
    assert_eq!(ask(&mut target, write(open, &[1; 99])), error(libc::EPROTO));
}

#[test]
fn a_server_that_forgot_what_it_took_is_found_out() {
    let fake = Fake::start(|asked| match asked.before {
        0 if asked.is(COMMIT) => Act::Results(committed(2)),
        _ => Act::Usual,
    });
    let mut target = target(&fake);
    let open = create(&mut target, c"c1/f.1");
    assert_eq!(ask(&mut target, write(open, &[1; 4096])), 4096);
    assert_eq!(ask(&mut target, Request::Close { handle: open }), error(libc::EIO));
    let open = create(&mut target, c"c1/f.1");
    assert_eq!(ask(&mut target, write(open, &[1; 4096])), 4096);
    assert_eq!(ask(&mut target, Request::Close { handle: open }), 0);
}

#[test]
fn a_directory_that_became_another_is_looked_up_again_once() {
    let fake = Fake::start(|asked| match asked.before {
        1 if asked.is(CREATE) => Act::Results(STALE.to_vec()),
        3.. if asked.is(CREATE) => Act::Results(STALE.to_vec()),
        _ => Act::Usual,
    });
    let mut target = target(&fake);
    create(&mut target, c"c1/f.1");
    assert_eq!(fake.count(LOOKUP), 2);
    create(&mut target, c"c1/f.2");
    assert_eq!((fake.count(LOOKUP), fake.count(CREATE)), (4, 3));
    assert_eq!(ask(&mut target, Request::Create { path: c"c1/f.3" }), error(libc::ESTALE));
    assert_eq!(fake.count(CREATE), 5);
}

#[test]
fn what_a_reply_leaves_out_is_asked_for() {
    let fake = Fake::start(|asked| {
        if asked.is(LOOKUP) {
            let (object, dir_attributes) = (handle(b"x"), Nfs3Option::None);
            let obj_attributes = Nfs3Option::None;
            return Act::Results(packed(&LOOKUP3res::Ok(LOOKUP3resok {
                object,
                obj_attributes,
                dir_attributes,
            })));
        }
        // It worked, and says nothing of what was made.
        let none = [0; 5 * 4];
        if asked.is(CREATE) { Act::Results(none.to_vec()) } else { Act::Usual }
    });
    let mut target = target(&fake);
    create(&mut target, c"c1/f.1");
    assert_eq!(fake.count(LOOKUP), 2 + 1);
    assert_eq!(ask(&mut target, Request::Stat { path: c"c1/f.1" }), 77);
}

#[test]
fn a_server_that_asks_for_patience_is_asked_again_a_little_later() {
    let patience = 10_008_u32.to_be_bytes().to_vec();
    let fake = Fake::start(move |asked| match asked.before {
        0..2 if asked.is(WRITE) || asked.is(COMMIT) => Act::Results(patience.clone()),
        _ => Act::Usual,
    });
    let mut target = target(&fake);
    let open = create(&mut target, c"c1/f.1");
    let begin = Instant::now();
    for _ in 0..2 {
        assert_eq!(ask(&mut target, write(open, &[1; 4096])), error(libc::EAGAIN));
    }
    assert!(begin.elapsed() >= Duration::from_millis(LOOK_MS / 2), "{:?}", begin.elapsed());
    assert_eq!(ask(&mut target, write(open, &[1; 4096])), 4096);
    assert_eq!(target.lanes[0].delays, 0);
    // A close cannot be asked for again: it goes on by itself.
    assert_eq!(ask(&mut target, Request::Close { handle: open }), 0);
    assert_eq!(fake.count(COMMIT), 3);
}

#[test]
fn who_may_not_is_told_when_opening() {
    let fake = Fake::start(|asked| match asked.procedure {
        // Only to read.
        ACCESS => Act::Results([0, 0, 1].map(u32::to_be_bytes).concat()),
        _ => Act::Usual,
    });
    let mut target = target(&fake);
    assert!(ask(&mut target, Request::Open { path: c"c1/f.1", write: false }) >= 0);
    assert_eq!(ask(&mut target, Request::Open { path: c"c1/f.1", write: true }), error(libc::EACCES));
}

#[test]
fn a_name_that_is_taken_is_a_directory_or_in_the_way() {
    let exists = 17_u32.to_be_bytes().to_vec();
    let fake =
        Fake::start(move |asked| if asked.is(MKDIR) { Act::Results(exists.clone()) } else { Act::Usual });
    let mut target = target(&fake);
    assert_eq!(ask(&mut target, Request::MakeDirectory { path: c"c1" }), 0);
    assert_eq!(ask(&mut target, Request::MakeDirectory { path: c"f.1" }), error(libc::EEXIST));
}

#[test]
fn files_of_a_lost_connection_are_lost_and_the_client_comes_back() {
    let fake = Fake::start(|asked| match asked.before {
        1 if asked.is(WRITE) => Act::HangUp,
        _ => Act::Usual,
    });
    let mut target = target(&fake);
    let (first, second) = (create(&mut target, c"c1/f.1"), create(&mut target, c"c1/f.2"));
    assert_eq!(ask(&mut target, write(first, &[1; 4096])), 4096);
    assert_eq!(ask(&mut target, write(first, &[1; 4096])), error(libc::ECONNRESET));
    // Nobody knows what became of it; the other was not written.
    assert_eq!(ask(&mut target, write(second, &[1; 4096])), error(libc::ECONNRESET));
    assert_eq!(ask(&mut target, Request::Close { handle: first }), error(libc::ECONNRESET));
    assert_eq!(ask(&mut target, Request::Close { handle: second }), 0);
    let again = create(&mut target, c"c1/f.1");
    assert_eq!(ask(&mut target, write(again, &[1; 4096])), 4096);
    let traffic = target.traffic().unwrap();
    assert_eq!((traffic.connections, traffic.reconnections), (1, 1));
    // It ends while nothing is asked.
    fake.hang_up();
    let begin = Instant::now();
    while target.sessions[0].state == State::In && begin.elapsed() < PATIENCE {
        target.wait(Duration::from_millis(10), &mut |_, _| panic!("nothing was asked")).unwrap();
    }
    assert_eq!(ask(&mut target, Request::Stat { path: c"c1/f.1" }), 4096);
    assert_eq!(target.traffic().unwrap().reconnections, 2);
}

#[test]
fn an_answer_that_does_not_come_is_waited_for_so_long() {
    let fake = Fake::start(|asked| match asked.before {
        0 if asked.is(READDIR) => Act::Silence,
        _ => Act::Usual,
    });
    let mut target = target(&fake);
    assert_eq!(ask(&mut target, Request::Null), 0);
    target.patience_ms = 400;
    let begin = Instant::now();
    assert_eq!(ask(&mut target, Request::List { path: c"c1" }), error(libc::ETIMEDOUT));
    assert!(begin.elapsed() >= Duration::from_millis(390), "{:?}", begin.elapsed());
    assert_eq!(ask(&mut target, Request::List { path: c"c1" }), 3);
    assert_eq!(target.traffic().unwrap().reconnections, 1);
}

#[test]
fn who_cannot_come_back_gives_up_after_a_while() {
    let fake = Fake::start(|asked| match asked.before {
        1.. if asked.program == MOUNT => Act::HangUp,
        _ => Act::Usual,
    });
    let mut target = target(&fake);
    assert_eq!(ask(&mut target, Request::Null), 0);
    target.patience_ms = 400;
    fake.hang_up();
    let begin = Instant::now();
    while target.sessions[0].state == State::In && begin.elapsed() < PATIENCE {
        target.wait(Duration::from_millis(10), &mut |_, _| panic!("nothing was asked")).unwrap();
    }
    let begin = Instant::now();
    assert_eq!(ask(&mut target, Request::Stat { path: c"c1/f.1" }), error(libc::ENOTCONN));
    // With rests between: 50, 100, 200 ms; another would end too late.
    assert!(begin.elapsed() >= Duration::from_millis(340), "{:?}", begin.elapsed());
    let tries = fake.asked().iter().filter(|asked| asked.program == MOUNT).count();
    assert!((3..=6).contains(&tries), "{tries}");
    assert_eq!(target.start(0, &Request::Null), Started::Done(error(libc::ENOTCONN)));
}

/// One that never was in is tried once with each operation, unless that takes as long as all tries may.
#[test]
fn who_is_never_answered_is_not_asked_again() {
    let fake = Fake::start(|_| Act::Silence);
    let mut target = target(&fake);
    target.patience_ms = 300;
    assert_eq!(target.admit(0), Started::Pending);
    assert_eq!(answers(&mut target, 1), [(0, error(libc::ETIMEDOUT))]);
    assert_eq!(target.start(0, &Request::Null), Started::Done(error(libc::ENOTCONN)));
}

#[test]
fn garbage_ends_the_connection_and_not_the_run() {
    let garbage = [&[0xff; 64][..], &[0x80, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8], &[0x80, 0, 0, 0]];
    for bytes in garbage.map(<[u8]>::to_vec) {
        let fake = Fake::start(move |asked| match asked.before {
            0 if asked.is(READ) => Act::Bytes(bytes.clone()),
            _ => Act::Usual,
        });
        let mut target = target(&fake);
        let open = create(&mut target, c"c1/f.1");
        let read = Request::Read { handle: open, offset_bytes: 0, size_bytes: 4096 };
        assert_eq!(ask(&mut target, read), error(libc::EPROTO));
        assert_eq!(ask(&mut target, Request::Null), 0);
        assert_eq!(target.traffic().unwrap().reconnections, 1);
    }
    // Results that are none of the procedure's.
    for results in [vec![], vec![0; 4], vec![0; 16], [0, 0, 5000, 1, 5000].map(u32::to_be_bytes).concat()] {
        let fake =
            Fake::start(move |asked| if asked.is(READ) { Act::Results(results.clone()) } else { Act::Usual });
        let mut target = target(&fake);
        let open = create(&mut target, c"c1/f.1");
        let read = Request::Read { handle: open, offset_bytes: 0, size_bytes: 4096 };
        assert_eq!(ask(&mut target, read), error(libc::EPROTO));
        assert_eq!(target.traffic().unwrap().reconnections, 0);
    }
}

fn refusal(script: impl Fn(&Asked) -> Act + Send + Sync + 'static) -> Failure {
    let fake = Fake::start(script);
    let mut target = NfsTarget::control_session(&export(&fake), 0).unwrap();
    target.patience_ms = 400;
    assert_eq!(target.admit(0), Started::Pending);
    let answer = answers(&mut target, 1)[0].1;
    assert!(answer < 0, "{answer}");
    let failure = target.refusal(answer);
    assert_eq!(failure.exit_code(), 3);
    failure
}

#[test]
fn refusals_say_what_is_to_be_done() {
    let mount = |act: Act| move |asked: &Asked| if asked.program == MOUNT { act.clone() } else { Act::Usual };
    let status = |status: mountstat3| Act::Results(packed(&status));
    for (state, cause) in [(mountstat3::MNT3ERR_NOENT, "misspelt"), (mountstat3::MNT3ERR_ACCES, "below 1024")]
    {
        let failure = refusal(mount(status(state)));
        assert_eq!(failure.code, "network.share");
        assert!(
            failure.cause.contains(cause) && failure.next.starts_with("showmount -e 127.0.0.1"),
            "{failure}"
        );
    }
    let fhandle = fhandle3(Opaque::borrowed(b"root"));
    let kerberos = packed(&mountres3::Ok(mountres3_ok { fhandle, auth_flavors: vec![390_003, 390_004] }));
    let failure = refusal(mount(Act::Results(kerberos)));
    assert_eq!((failure.code.as_str(), failure.next.as_str()), ("network.login", "export it with sec=sys"));
    assert_eq!(refusal(mount(Act::Silence)).code, "network.timeout");
    let failure = refusal(mount(Act::HangUp));
    assert!(failure.code == "network.lost" && failure.what.contains("the MOUNT service"), "{failure}");
    assert_eq!(
        refusal(|asked| if asked.is(FSINFO) { Act::Results(vec![0; 8]) } else { Act::Usual }).code,
        "network.dialect"
    );
}

/// The rules of every target, on a real server; but not what is removed behind its back: it keeps names for a while.
#[test]
fn it_is_a_target_as_every_other() {
    if let Some(why) = ganesha::missing() {
        eprintln!("skipped: {why}");
        return;
    }
    let (_kept, exported) = ganesha::exported();
    let server = ganesha::Ganesha::start(&exported, "RW");
    let export = Export::of(&server.target(&exported, "")).unwrap();
    let mut target = NfsTarget::new(&export, "", 4096, 1, 2).unwrap();
    files_go_their_way(&mut target, &exported);
    handles_are_checked(&mut target);
}
