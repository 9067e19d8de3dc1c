//! The target against a server that damages what it says, and its parsers against damage alone.

use std::sync::{Arc, Mutex};

use super::fake::{pieces, record};
use super::*;
use crate::nfs::procedures::{Call, listed_names, results};
use crate::nfs::xdr::Decoder;
use crate::tests::fuzz::{Example, Fuzz, Trick, examples};
use crate::tests::hostile::{RECORD_BYTES, clients_hold};

/// State of the tricks: the damage, and replies that are held.
struct Way {
    fuzz: Fuzz,
    held: Vec<u8>,
}

impl Way {
    fn change(&mut self, mut reply: Vec<u8>) -> Option<Vec<u8>> {
        let mut bytes = std::mem::take(&mut self.held);
        match self.fuzz.trick() {
            Trick::None if self.fuzz.one_in(8) => bytes.extend(pieces(&reply, 1 + self.fuzz.below(9))),
            Trick::None => bytes.extend(record(&reply)),
            Trick::Damaged => {
                match self.fuzz.below(3) {
                    // The results alone, or nothing but their status.
                    0 if reply.len() >= 28 => {
                        const STATUSES: [u32; 8] = [0, 2, 17, 70, 10_003, 10_008, 10_006, u32::MAX];
                        reply[24..28].copy_from_slice(&STATUSES[self.fuzz.below(8)].to_be_bytes());
                    }
                    1 => {
                        let mut results = reply.split_off(24);
                        self.fuzz.damage(&mut results, false);
                        reply.extend(results);
                    }
                    _ => self.fuzz.damage(&mut reply, false),
                }
                bytes.extend(record(&reply));
            }
            Trick::Cut => {
                let mut whole = pieces(&reply, 1 + self.fuzz.below(3));
                self.fuzz.damage(&mut whole, false);
                bytes.extend(whole);
            }
            Trick::Twice => bytes.extend([record(&reply), record(&reply)].concat()),
            Trick::Held => self.held = record(&reply),
            Trick::Swallowed => {}
            Trick::WithGarbage => {
                let garbage = self.fuzz.garbage(300);
                let empty = vec![0; 4 * self.fuzz.below(300)];
                bytes.extend([empty, record(&reply), record(&garbage)].concat());
            }
            Trick::End => return None,
        }
        Some(bytes)
    }
}

/// Whatever a server says, a client neither ends the run nor waits for ever, believes in no more than it asked for,
/// and has no more memory than for the largest reply.
#[test]
fn clients_hold_against_a_server_that_lies() {
    let way = Arc::new(Mutex::new(Way { fuzz: Fuzz::new(0), held: Vec::new() }));
    let (ways, count) = (way.clone(), examples(60));
    let fake = Fake::start_changing(usual, move |reply| ways.lock().unwrap().change(reply));
    for number in 0..count {
        let _example = Example(number);
        *way.lock().unwrap() = Way { fuzz: Fuzz::new(2 * number), held: Vec::new() };
        let mut fuzz = Fuzz::new(2 * number + 1);
        let mut target = NfsTarget::new(&export(&fake), "d", RECORD_BYTES, 2, 2).unwrap();
        (target.keeps_names, target.patience_ms) = (number % 3 == 0, 15);
        clients_hold(&mut target, 4, 60, &mut fuzz, |target| {
            target.look_ms = 0;
            let connections = target.sessions.iter().filter_map(|session| session.connection.as_ref());
            connections.for_each(|connection| assert!(connection.room_bytes() < 2 << 20));
            assert!(target.under_way <= 2 && target.names.all().len() < 1 << 20);
        });
        fake.forget();
    }
}

#[test]
fn damaged_results_are_refused_or_read() {
    const CALLS: [Call; 14] = [
        Call::Null,
        Call::Attributes,
        Call::Lookup,
        Call::Access,
        Call::Read,
        Call::Write,
        Call::Create,
        Call::MakeDirectory,
        Call::Remove,
        Call::RemoveDirectory,
        Call::Rename,
        Call::List,
        Call::Limits,
        Call::Commit,
    ];
    let mut words: Vec<u8> = [0, 0, 4, 7, 1].map(u32::to_be_bytes).concat();
    words.extend([0, 0, 0, 1].repeat(60));
    let mut whole = 0;
    for number in 0..100 * examples(100) {
        let (_example, mut fuzz) = (Example(number), Fuzz::new(number));
        let mut found = words.clone();
        fuzz.damage(&mut found, false);
        for call in CALLS {
            whole += u32::from(results(call, Decoder::new(&found)).is_ok());
        }
        let mut names = ListedNames::default();
        assert_eq!(listed_names(Decoder::new(&found), &mut names), Ok(()));
        assert!(names.all().iter().map(String::len).sum::<usize>() <= 3 * found.len());
        let _ = rpc::reply(&found);
    }
    assert!(whole > 0, "nothing gets through");
}
