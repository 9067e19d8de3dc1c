//! The two messages of an exchange: fixed size, the same both ways, so that no reply is larger than its request.
//!
//! Bytes 0..4 "FSGC", 4 the version, 5 the kind, 6..8 zero, 8..24 the nonce, 24..32 when the request arrived, 32..40
//! when the reply left, 40..48 BOOTTIME minus MONOTONIC, 48..80 HMAC-SHA256 of all before it. Numbers are
//! little-endian; a request has zeros for the three times.

use crate::key::{Key, MAC_BYTES};

/// Length of both messages.
pub(crate) const SIZE_BYTES: usize = SIGNED_BYTES + MAC_BYTES;

const SIGNED_BYTES: usize = 48;
const MAGIC: [u8; 4] = *b"FSGC";
const VERSION: u8 = 1;
const REQUEST: u8 = 1;
const REPLY: u8 = 2;

pub(crate) type Message = [u8; SIZE_BYTES];
/// What tells one request from all others.
pub(crate) type Nonce = [u8; 16];

/// What a reply says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) nonce: Nonce,
    /// When the request arrived, by the clock that is asked for.
    pub(crate) received_ns: u64,
    /// When the reply left.
    pub(crate) replied_ns: u64,
    /// BOOTTIME minus MONOTONIC there.
    pub(crate) suspended_ns: i64,
}

/// A request, signed.
pub(crate) fn request(nonce: &Nonce, key: &Key) -> Message {
    signed(REQUEST, nonce, [[0; 8]; 3], key)
}

/// The nonce of a request; none where it is not one, or not of this key.
pub(crate) fn parse_request(datagram: &[u8], key: &Key) -> Option<Nonce> {
    let message = authentic(datagram, REQUEST, key)?;
    Some(bytes_at(message, 8))
}

impl Reply {
    /// The reply, signed.
    pub(crate) fn message(&self, key: &Key) -> Message {
        let times =
            [self.received_ns.to_le_bytes(), self.replied_ns.to_le_bytes(), self.suspended_ns.to_le_bytes()];
        signed(REPLY, &self.nonce, times, key)
    }

    /// Reads a reply; none where it is not one, or not of this key.
    pub(crate) fn parse(datagram: &[u8], key: &Key) -> Option<Reply> {
        let message = authentic(datagram, REPLY, key)?;
        Some(Reply {
            nonce: bytes_at(message, 8),
            received_ns: u64::from_le_bytes(bytes_at(message, 24)),
            replied_ns: u64::from_le_bytes(bytes_at(message, 32)),
            suspended_ns: i64::from_le_bytes(bytes_at(message, 40)),
        })
    }
}

fn signed(kind: u8, nonce: &Nonce, times: [[u8; 8]; 3], key: &Key) -> Message {
    let mut message = [0; SIZE_BYTES];
    message[..4].copy_from_slice(&MAGIC);
    (message[4], message[5]) = (VERSION, kind);
    message[8..24].copy_from_slice(nonce);
    message[24..SIGNED_BYTES].copy_from_slice(times.as_flattened());
    let signature = key.sign(&message[..SIGNED_BYTES]);
    message[SIGNED_BYTES..].copy_from_slice(&signature);
    message
}

/// The message, where size, magic, version, kind and signature are right.
fn authentic<'d>(datagram: &'d [u8], kind: u8, key: &Key) -> Option<&'d Message> {
    let message: &Message = datagram.try_into().ok()?;
    let is_ours = message[..4] == MAGIC && message[4..8] == [VERSION, kind, 0, 0];
    (is_ours && key.is_signed(&message[..SIGNED_BYTES], &message[SIGNED_BYTES..])).then_some(message)
}

fn bytes_at<const N: usize>(message: &Message, at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&message[at..at + N]);
    bytes
}

#[cfg(test)]
mod tests {
    use fsgauge_wire::ClockKey;

    use super::*;

    const REPLIED: Reply = Reply { nonce: [7; 16], received_ns: 1, replied_ns: u64::MAX, suspended_ns: -3 };

    fn key(digit: &str) -> Key {
        Key::new(&ClockKey(digit.repeat(64))).unwrap()
    }

    #[test]
    fn messages_come_out_as_they_went_in() {
        let key = key("a");
        assert_eq!(parse_request(&request(&[9; 16], &key), &key), Some([9; 16]));
        assert_eq!(Reply::parse(&REPLIED.message(&key), &key), Some(REPLIED));
    }

    #[test]
    fn a_request_is_no_reply_and_a_reply_no_request() {
        let key = key("a");
        assert_eq!(Reply::parse(&request(&[9; 16], &key), &key), None);
        assert_eq!(parse_request(&REPLIED.message(&key), &key), None);
    }

    #[test]
    fn every_changed_bit_and_every_other_length_or_key_is_noticed() {
        let (mine, other) = (key("a"), key("b"));
        let message = REPLIED.message(&mine);
        assert_eq!(Reply::parse(&message, &other), None);
        for bit in 0..8 * SIZE_BYTES {
            let mut changed = message;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Reply::parse(&changed, &mine), None, "bit {bit}");
        }
        assert!((0..SIZE_BYTES).all(|length| Reply::parse(&message[..length], &mine).is_none()));
        assert_eq!(Reply::parse(&[message.as_slice(), &[0]].concat(), &mine), None);
    }
}
