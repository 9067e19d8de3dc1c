//! Replies that no honest server sends, each of which once ended a run, misled it or held it up.

use nfs3_client::nfs3_types::nfs3::{GETATTR3res, GETATTR3resok};

use super::fake::attributes;
use super::*;
use crate::nfs::session::Came;
use crate::target::NAMES_LIMIT;

/// The record that a lane has read is compared after the wait that brought it. Where another reply of that wait
/// ended the connection, the bytes were gone by then, and the comparison ended the process.
#[test]
fn what_was_read_is_there_although_the_connection_broke_in_the_same_wait() {
    let garbage = vec![0x80, 0, 0, 4, 1, 2, 3, 4];
    let fake = Fake::start(move |asked| match asked.before {
        1 if asked.is(READ) => Act::Followed(garbage.clone()),
        _ => Act::Usual,
    });
    let mut target = target(&fake);
    let open = create(&mut target, c"c1/f.1");
    let data: Vec<u8> = (0..4096_u32).map(|byte| (byte / 3) as u8).collect();
    assert_eq!(ask(&mut target, write(open, &data)), 4096);
    let read = Request::Read { handle: open, offset_bytes: 0, size_bytes: 4096 };
    assert_eq!(ask(&mut target, read), 4096);
    assert_eq!(ask(&mut target, read), 4096);
    assert_eq!(target.sessions[0].state, State::Out, "both came at once");
    assert_eq!(target.incoming(0)[..4096], data);
}

/// The same for silence: one lane was answered in the very wait in which another's patience ended.
#[test]
fn what_was_read_is_there_although_another_lane_waited_too_long() {
    let fake = Fake::start(|asked| match asked.before {
        0 if asked.is(READDIR) => Act::Silence,
        _ => Act::Usual,
    });
    let mut target = target(&fake);
    let open = create(&mut target, c"c1/f.1");
    assert_eq!(ask(&mut target, write(open, &[9; 4096])), 4096);
    assert_eq!(target.start(1, &Request::List { path: c"c1" }), Started::Pending);
    let read = Request::Read { handle: open, offset_bytes: 0, size_bytes: 4096 };
    assert_eq!(target.start(0, &read), Started::Pending);
    std::thread::sleep(Duration::from_millis(300));
    (target.patience_ms, target.look_ms) = (1, 0);
    let found = answers(&mut target, 2);
    assert_eq!(found, [(0, 4096), (1, error(libc::ETIMEDOUT))]);
    assert_eq!(target.incoming(0)[..4096], [9; 4096]);
}

/// A connection that broke with the first lane that went on was taken for one more that was on its way in, for each
/// lane behind: the count of those went below nothing, and the lanes waited half a minute.
#[test]
fn lanes_that_wait_for_a_connection_which_breaks_at_once_are_answered_at_once() {
    let fake = Fake::start(|asked| if asked.is(FSINFO) { Act::Silence } else { Act::Usual });
    let mut target = target(&fake);
    for lane in 0..2 {
        assert_eq!(target.start(lane, &Request::Stat { path: c"c1/f.1" }), Started::Pending);
    }
    let begin = Instant::now();
    while fake.count(FSINFO) == 0 {
        assert!(begin.elapsed() < PATIENCE);
        target.wait(Duration::from_millis(5), &mut |_, _| panic!("it is not in")).unwrap();
    }
    let connection = target.sessions[0].connection.as_ref().unwrap();
    rustix::net::shutdown(connection.socket(), rustix::net::Shutdown::Write).unwrap();
    target.step(0, Ok(Came::Limits { read_bytes: 4096, write_bytes: 4096 }));
    assert_eq!((target.under_way, target.sessions[0].state), (0, State::Out));
    let broken = error(libc::EPIPE);
    assert_eq!(target.answers, [(0, broken), (1, broken)]);
}

/// Sizes are 64 bits without a sign, and answers have one: a file of 2^64 - 2 bytes was "no such file".
#[test]
fn a_size_is_never_an_error() {
    let sizes = [u64::MAX, u64::MAX - 1, 1 << 63];
    for size in sizes {
        let found = packed(&GETATTR3res::Ok(GETATTR3resok { obj_attributes: attributes(false, size) }));
        let without = [0, 1, 0x7878_7878, 0, 0].map(u32::to_be_bytes).concat();
        let fake = Fake::start(move |asked| match asked.procedure {
            LOOKUP if asked.before == 2 => Act::Results(without.clone()),
            1 if asked.is(1) => Act::Results(found.clone()),
            _ => Act::Usual,
        });
        assert_eq!(ask(&mut target(&fake), Request::Stat { path: c"c1/f.1" }), Answer::MAX);
    }
}

fn listing(entries: &[(&str, u64)], is_end: bool) -> Vec<u8> {
    let mut found = [0, 0, 7, 7].map(u32::to_be_bytes).concat();
    for (name, cookie) in entries {
        found.extend([1, 0, 1].map(u32::to_be_bytes).concat());
        xdr::put_opaque(&mut found, name.as_bytes());
        found.extend(cookie.to_be_bytes());
    }
    found.extend([0, u32::from(is_end)].map(u32::to_be_bytes).concat());
    found
}

/// A listing that leads nowhere was asked for sixteen million times.
#[test]
fn a_listing_that_does_not_go_on_is_refused() {
    for (cookie, replies) in [(0, 1), (77, 2)] {
        let found = listing(&[("a.1", 76), ("b.1", cookie)], false);
        let fake = Fake::start(
            move |asked| if asked.is(READDIR) { Act::Results(found.clone()) } else { Act::Usual },
        );
        assert_eq!(ask(&mut target(&fake), Request::List { path: c"c1" }), error(libc::EPROTO));
        assert_eq!(fake.count(READDIR), replies);
    }
    let found = listing(&[("a.1", 76)], true);
    let fake =
        Fake::start(move |asked| if asked.is(READDIR) { Act::Results(found.clone()) } else { Act::Usual });
    assert_eq!(ask(&mut target(&fake), Request::List { path: c"c1" }), 1);
}

/// A directory whose names have no end ends with as many as there may be.
#[test]
fn a_listing_without_an_end_is_ended() {
    let fake = Fake::start(|asked| match asked.is(READDIR) {
        true => Act::Results(listing(&[("a.1", u64::from(asked.before) + 1)], false)),
        false => Act::Usual,
    });
    let mut target = target(&fake);
    assert_eq!(target.start(0, &Request::List { path: c"c1" }), Started::Pending);
    while fake.count(READDIR) < 3 {
        target.wait(Duration::from_millis(5), &mut |_, _| panic!("it has an end")).unwrap();
    }
    target.lanes[0].names = NAMES_LIMIT;
    assert_eq!(answers(&mut target, 1), [(0, error(libc::ELOOP))]);
}
