//! The target against a server that damages what it says, and its parsers against damage alone.

use std::sync::Mutex;

use super::fake_server::{framed, start_changing};
use super::*;
use crate::smb::message::field;
use crate::smb::requests::for_each_name;
use crate::tests::fuzz::{Example, Fuzz, Trick, examples};
use crate::tests::hostile::{RECORD_BYTES, clients_hold};

/// States of the tricks: the damage, and replies that are held.
struct Way {
    fuzz: Fuzz,
    held: Vec<u8>,
}

impl Way {
    fn change(&mut self, reply: Vec<u8>) -> Option<Vec<u8>> {
        let mut reply = reply;
        let mut bytes = std::mem::take(&mut self.held);
        match self.fuzz.trick() {
            Trick::None => bytes.extend(framed(&reply)),
            Trick::Damaged => {
                match self.fuzz.below(4) {
                    // Above all the header, and where counts lie.
                    0 => self.header(&mut reply),
                    1 if reply.len() > 128 => {
                        let mut front = reply[60..128].to_vec();
                        self.fuzz.damage(&mut front, true);
                        reply.splice(60..128, front);
                    }
                    _ => self.fuzz.damage(&mut reply, true),
                }
                bytes.extend(framed(&reply));
            }
            Trick::Cut => {
                let mut whole = framed(&reply);
                self.fuzz.damage(&mut whole, true);
                bytes.extend(whole);
            }
            Trick::Twice => bytes.extend([framed(&reply), framed(&reply)].concat()),
            Trick::Held => {
                self.held = framed(&reply);
            }
            Trick::Swallowed => {}
            Trick::WithGarbage => {
                let garbage = self.fuzz.garbage(300);
                bytes.extend([framed(&reply), framed(&garbage)].concat());
            }
            Trick::End => return None,
        }
        Some(bytes)
    }

    /// Another status, number, place of the next message, or number of credits.
    fn header(&mut self, reply: &mut [u8]) {
        const STATUSES: [u32; 6] = [0, 0x103, 0xC000_0011, 0x8000_0006, 0xC000_035C, 0xC000_0022];
        match self.fuzz.below(6) {
            0 | 1 => reply[8..12].copy_from_slice(&STATUSES[self.fuzz.below(6)].to_le_bytes()),
            2 => reply[field::NEXT] = 8 * self.fuzz.below(32) as u8,
            3 => reply[field::CREDITS..][..2].fill([0, 0xFF][self.fuzz.below(2)]),
            4 => reply[field::MESSAGE_ID] = reply[field::MESSAGE_ID].wrapping_sub(self.fuzz.below(4) as u8),
            _ => reply[field::MESSAGE_ID..][..8].fill(0xFF),
        }
    }
}

/// Whatever a server says, a client neither ends the run nor waits for ever, believes in no more than it asked for,
/// and keeps what it was promised: no more memory than its connections have.
#[test]
fn clients_hold_against_a_server_that_lies() {
    let way = Arc::new(Mutex::new(Way { fuzz: Fuzz::new(0), held: Vec::new() }));
    let (ways, count) = (way.clone(), examples(60));
    let change = move |_, reply| ways.lock().unwrap().change(reply);
    let (address, seen) = start_changing(Arc::new(|_, _| Fate::Answered), Arc::new(change));
    for number in 0..count {
        let _example = Example(number);
        *way.lock().unwrap() = Way { fuzz: Fuzz::new(2 * number), held: Vec::new() };
        let mut fuzz = Fuzz::new(2 * number + 1);
        let mut target = many(address.port(), 2, 2, RECORD_BYTES);
        let access = Arc::get_mut(&mut target.access).unwrap();
        access.job.oplocks = number % 2 == 0;
        (target.keeps_names, target.answer_limit_ms, target.trying_limit_ms) = (number % 3 == 0, 15, 30);
        let room = target.connections[0].incoming.size_bytes();
        clients_hold(&mut target, 4, 60, &mut fuzz, |target| {
            target.look_ms = 0;
            for connection in &target.connections {
                let session = &connection.session;
                assert!(session.credits <= 65535 && connection.backlog.len() <= 4 * room);
                assert!(connection.incoming.size_bytes() == room);
            }
            assert!(target.under_way <= 2 && target.names.all().len() < 1 << 20);
        });
        seen.lock().unwrap().clear();
    }
}

#[test]
fn damaged_listings_and_challenges_are_refused_or_read() {
    for number in 0..50 * examples(100) {
        let (_example, mut fuzz) = (Example(number), Fuzz::new(number));
        let mut listing = Vec::new();
        for name in 0..20_u32 {
            let mut entry = vec![0; 104 + 8 * fuzz.below(8)];
            let (length, size) = (entry.len() as u32 - 104, entry.len() as u32);
            entry[60..64].copy_from_slice(&length.to_le_bytes());
            entry[..4].copy_from_slice(&if name == 19 { 0 } else { size }.to_le_bytes());
            listing.extend(entry);
        }
        fuzz.damage(&mut listing, true);
        let mut named_bytes = 0;
        for_each_name(&listing, |name| named_bytes += name.len());
        assert!(named_bytes <= listing.len());
    }
}
