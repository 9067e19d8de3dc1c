//! Replies that no honest server sends: each was believed once, or might have been.

use super::fake_server::{framed, start_changing};
use super::*;
use crate::smb::message::{field, u32_at};
use crate::target::NAMES_LIMIT;

const PROTOCOL: Answer = -(libc::EPROTO as Answer);

/// A target that was let in by a server which changes its replies to frames with this command, once it is in.
fn changed(command: Command, change: impl Fn(Vec<u8>) -> Vec<u8> + Send + Sync + 'static) -> SmbTarget {
    let change = move |found, reply: Vec<u8>| match found == command as u16 {
        true => Some(change(reply)),
        false => Some(framed(&reply)),
    };
    let (address, _) = start_changing(Arc::new(|_, _| Fate::Answered), Arc::new(change));
    let mut target = target(address.port(), 2, 100_000);
    assert_eq!(admit(&mut target), 0);
    target
}

fn with_u32(mut reply: Vec<u8>, at: usize, value: u32) -> Vec<u8> {
    reply[at..at + 4].copy_from_slice(&value.to_le_bytes());
    reply
}

/// More than was asked for was counted as read: bytes that nobody sent, and an offset behind the end of the file.
#[test]
fn a_read_that_gives_more_than_was_asked_for_is_no_read() {
    let mut target = changed(Command::Read, |reply| {
        let length = u32_at(&reply, 68) + 1;
        framed(&[with_u32(reply, 68, length), vec![0]].concat())
    });
    let handle = asked(&mut target, Request::Open { path: c"f", write: false }) as Handle;
    let read = Request::Read { handle, offset_bytes: 0, size_bytes: 4096 };
    assert_eq!(asked(&mut target, read), PROTOCOL);
}

/// More than was given was counted as written.
#[test]
fn a_write_that_took_more_than_was_given_is_no_write() {
    for written in [11, u32::MAX] {
        let mut target = changed(Command::Write, move |reply| framed(&with_u32(reply, 68, written)));
        let handle = asked(&mut target, Request::Create { path: c"f" }) as Handle;
        assert_eq!(asked(&mut target, Request::Write { handle, offset_bytes: 0, data: &[1; 10] }), PROTOCOL);
    }
    let mut target = changed(Command::Write, |reply| framed(&with_u32(reply, 68, 7)));
    let handle = asked(&mut target, Request::Create { path: c"f" }) as Handle;
    assert_eq!(asked(&mut target, Request::Write { handle, offset_bytes: 0, data: &[1; 10] }), 7);
}

/// The first reply of two came twice: the operation was over before the second, and a refusal in that unheard.
#[test]
fn a_reply_that_comes_twice_counts_once() {
    let mut target = changed(Command::Create, |reply| {
        let next = u32_at(&reply, field::NEXT) as usize;
        if next == 0 {
            return framed(&reply);
        }
        let first = with_u32(reply[..next].to_vec(), field::NEXT, 0);
        let refused = with_u32(reply[next..].to_vec(), 8, 0xC000_0022);
        [framed(&first), framed(&first), framed(&first), framed(&refused)].concat()
    });
    assert_eq!(asked(&mut target, Request::MakeDirectory { path: c"f" }), -Answer::from(libc::EACCES));
    assert_eq!(target.traffic().unwrap().reconnections, 0);
}

/// The record that was read is compared after the wait that brought it.
#[test]
fn what_was_read_is_there_although_the_connection_broke_in_the_same_wait() {
    let mut target = changed(Command::Read, |reply| [framed(&reply), framed(&[7; 80])].concat());
    let handle = asked(&mut target, Request::Open { path: c"f", write: false }) as Handle;
    assert_eq!(asked(&mut target, Request::Read { handle, offset_bytes: 0, size_bytes: 4096 }), 4096);
    assert!(target.connections[0].is_down(), "both came at once");
    assert_eq!(target.incoming(0), [5; 4096]);
}

/// An operation that had waited for credits, and was sent over a connection which broke with it, was answered by
/// nobody: its lane waited for ever. Found by the fuzzer.
#[test]
fn what_waited_for_credits_is_answered_when_the_connection_breaks_with_it() {
    let (mut target, _) = let_in(|_, _| Fate::Answered);
    target.connections[0].session.credits = 0;
    for lane in 0..2 {
        assert_eq!(target.start(lane, &Request::Stat { path: c"f" }), Started::Pending);
    }
    target.connections[0].session.credits = 100;
    target.connections[0].socket().unwrap().shutdown(std::net::Shutdown::Write).unwrap();
    assert!(!target.send_held(0));
    target.lose(0, libc::ECONNRESET);
    target.answers.sort_unstable();
    assert_eq!(target.answers, [(0, RESET), (1, RESET)]);
}

#[test]
fn what_is_promised_for_ever_ends_in_time() {
    let (mut target, _) = let_in(on(Command::Echo, Fate::Pending));
    target.answer_limit_ms = 200;
    assert_eq!(asked(&mut target, Request::Null), -Answer::from(libc::ETIMEDOUT));
}

/// Replies that no lane waits for gave sixty thousand credits each, until the sum of them overflowed.
#[test]
fn credits_have_an_end() {
    let (address, _) = start_changing(
        Arc::new(|_, _| Fate::Answered),
        Arc::new(|command, reply| {
            let rich = |mut reply: Vec<u8>, id: u64| {
                reply[field::CREDITS..][..2].fill(0xFF);
                reply[field::MESSAGE_ID..][..8].copy_from_slice(&id.to_le_bytes());
                framed(&reply)
            };
            Some(match command == Command::Echo as u16 {
                true => [rich(reply.clone(), 1 << 40).repeat(70_000), framed(&reply)].concat(),
                false => framed(&reply),
            })
        }),
    );
    let mut target = target(address.port(), 1, 4096);
    assert_eq!(admit(&mut target), 0);
    assert_eq!(asked(&mut target, Request::Null), 0);
    assert_eq!(target.connections[0].session.credits, 65535);
}

/// A server that asks for what it never lent, and does not listen, had the client store its answers.
#[test]
fn what_is_not_heard_is_not_stored_without_an_end() {
    const NOTICES: usize = 200_000;
    for oplocks in [false, true] {
        let (address, _) = start_changing(
            Arc::new(|_, _| Fate::Answered),
            Arc::new(|command, reply| {
                if command != Command::Echo as u16 {
                    return Some(framed(&reply));
                }
                let mut notice = reply;
                notice.truncate(64);
                notice[12..14].copy_from_slice(&(Command::OplockBreak as u16).to_le_bytes());
                notice[field::MESSAGE_ID..][..8].fill(0xFF);
                notice.extend([24; 24]);
                notice[65] = 0;
                Some(framed(&notice).repeat(NOTICES))
            }),
        );
        let mut job = guest(address.port());
        job.oplocks = oplocks;
        let access = SmbAccess {
            job,
            address: Address::resolve("127.0.0.1", address.port()).unwrap(),
            password: None,
        };
        let size = Size { clients: 1, outstanding: 1, record_size_bytes: 4096 };
        let mut target = SmbTarget::new(Arc::new(access), size, "d").unwrap();
        assert_eq!(admit(&mut target), 0);
        target.answer_limit_ms = 2000;
        assert_eq!(target.start(0, &Request::Null), Started::Pending);
        let (mut given, mut most) = (None, 0);
        while given.is_none() {
            target.wait(Duration::from_millis(20), &mut |_, answer| given = Some(answer)).unwrap();
            most = most.max(target.connections[0].backlog.len());
        }
        assert!(given < Some(0) && most < 1 << 20, "{given:?}, {most} bytes");
        assert!(oplocks || most == 0);
    }
}

fn entry(name: &str, next: usize) -> Vec<u8> {
    let mut entry = vec![0; 104];
    entry[..4].copy_from_slice(&(next as u32).to_le_bytes());
    entry[60..64].copy_from_slice(&(2 * name.len() as u32).to_le_bytes());
    entry.extend(name.encode_utf16().flat_map(u16::to_le_bytes));
    entry.resize(entry.len().next_multiple_of(8), 0);
    entry
}

/// A reply to QUERY_DIRECTORY, in the place of its second message where there are two.
fn with_listing(mut reply: Vec<u8>, listing: &[u8]) -> Vec<u8> {
    let at = u32_at(&reply, field::NEXT) as usize;
    if at > 0 {
        // The directory's name to the server.
        reply[128] = 1;
    }
    reply.truncate(at + 64);
    reply.extend([9, 0, 72, 0]);
    reply.extend((listing.len() as u32).to_le_bytes());
    reply.extend(listing);
    framed(&reply)
}

fn lists(listing: &'static (dyn Fn() -> Vec<u8> + Sync)) -> SmbTarget {
    let change = move |command, reply: Vec<u8>| match command {
        // CREATE, with QUERY_DIRECTORY behind it.
        5 if u32_at(&reply, field::NEXT) > 0 => Some(with_listing(reply, &listing())),
        14 => Some(with_listing(reply, &listing())),
        _ => Some(framed(&reply)),
    };
    let (address, _) = start_changing(Arc::new(|_, _| Fate::Answered), Arc::new(change));
    let mut target = target(address.port(), 1, 100_000);
    assert_eq!(admit(&mut target), 0);
    target
}

/// Entries that begin in each other: one reply was taken for gigabytes of names.
#[test]
fn listings_that_are_none_are_refused() {
    let wrong: [&'static (dyn Fn() -> Vec<u8> + Sync); 3] = [
        &|| [entry("a", 1), vec![0; 60_000]].concat(),
        // Nothing, and no end either.
        &Vec::new,
        // More than was asked for.
        &|| [entry("a", 112), entry("b", 0), vec![0; 65_536]].concat(),
    ];
    for listing in wrong {
        assert_eq!(asked(&mut lists(listing), Request::List { path: c"f" }), PROTOCOL);
    }
}

#[test]
fn a_listing_without_an_end_is_ended_and_its_directory_closed() {
    let mut target = lists(&|| [entry("a", 112), entry("bc", 0)].concat());
    assert_eq!(target.start(0, &Request::List { path: c"f" }), Started::Pending);
    for _ in 0..20 {
        target.wait(Duration::from_millis(5), &mut |_, _| panic!("it has an end")).unwrap();
    }
    target.lanes[0].sent.as_mut().unwrap().answer = NAMES_LIMIT as Answer;
    let (mut given, begin) = (None, Instant::now());
    while given.is_none() && begin.elapsed() < Duration::from_secs(20) {
        target.wait(Duration::from_millis(20), &mut |_, answer| given = Some(answer)).unwrap();
    }
    assert_eq!(given, Some(-Answer::from(libc::ELOOP)));
    assert_eq!((asked(&mut target, Request::Null), target.traffic().unwrap().reconnections), (0, 0));
}
