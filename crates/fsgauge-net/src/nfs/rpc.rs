//! Remote procedure calls (RFC 5531) over TCP: calls with AUTH_SYS, records with a mark before them.

use super::xdr::{Decoder, Malformed, padding, put_opaque, put_u32};

/// A procedure of a program, of the version that this engine speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Procedure {
    pub(super) program: u32,
    pub(super) version: u32,
    pub(super) number: u32,
}

/// Bytes before a record: its length, and whether it is the last piece.
pub(super) const MARK_BYTES: usize = 4;
pub(super) const LAST_FRAGMENT: u32 = 1 << 31;

const CALL: u32 = 0;
const REPLY: u32 = 1;
const RPC_VERSION: u32 = 2;
const AUTH_SYS: u32 = 1;
/// The largest body of a credential or a verifier (RFC 5531, 8.2).
const AUTH_LIMIT_BYTES: usize = 400;

/// Who calls: what stands in every call, ready.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    /// Credential and verifier.
    authentication: Vec<u8>,
}

impl Caller {
    pub(super) fn new(user_id: u32, group_id: u32) -> Self {
        let mut body = Vec::new();
        // The stamp, which is the client's to choose.
        put_u32(&mut body, 0);
        put_opaque(&mut body, b"fsgauge");
        put_u32(&mut body, user_id);
        put_u32(&mut body, group_id);
        // No other groups.
        put_u32(&mut body, 0);
        let mut authentication = Vec::new();
        put_u32(&mut authentication, AUTH_SYS);
        put_opaque(&mut authentication, &body);
        // The verifier is none.
        put_u32(&mut authentication, 0);
        put_opaque(&mut authentication, &[]);
        Caller { authentication }
    }

    /// Begins a call in `message`, which is emptied: arguments come after it, then [`finish`].
    #[inline]
    pub(super) fn begin(&self, message: &mut Vec<u8>, xid: u32, procedure: Procedure) {
        message.clear();
        for word in [0, xid, CALL, RPC_VERSION, procedure.program, procedure.version, procedure.number] {
            put_u32(message, word);
        }
        message.extend_from_slice(&self.authentication);
    }
}

/// Writes the mark of a message, which `data` follows with the zeros that fill it up.
#[inline]
pub(super) fn finish(message: &mut [u8], data: &[u8]) {
    let length = message.len() - MARK_BYTES + data.len() + padding(data.len());
    message[..MARK_BYTES].copy_from_slice(&(length as u32 | LAST_FRAGMENT).to_be_bytes());
}

/// A reply: to which call, and its results or why there are none, as an error number.
pub(super) type Reply<'received> = (u32, Result<Decoder<'received>, i32>);

/// Takes a record for a reply.
#[inline]
pub(super) fn reply(record: &[u8]) -> Result<Reply<'_>, Malformed> {
    let mut decoder = Decoder::new(record);
    let xid = decoder.u32()?;
    if decoder.u32()? != REPLY {
        return Err(Malformed);
    }
    if decoder.u32()? != 0 {
        return Ok((xid, Err(denied(decoder.u32()?))));
    }
    let _flavor = decoder.u32()?;
    decoder.opaque(AUTH_LIMIT_BYTES)?;
    match decoder.u32()? {
        0 => Ok((xid, Ok(decoder))),
        state => Ok((xid, Err(not_accepted(state)))),
    }
}

/// The server speaks another version of RPC, or does not take the credential.
#[cold]
fn denied(why: u32) -> i32 {
    if why == 1 { libc::EKEYREJECTED } else { libc::EPROTO }
}

/// There is no such program, version or procedure, or the arguments say nothing to it.
#[cold]
fn not_accepted(state: u32) -> i32 {
    const SYSTEM_ERROR: u32 = 5;
    if state == SYSTEM_ERROR { libc::EIO } else { libc::EPROTO }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    fn refusal(record: &[u32]) -> Option<i32> {
        reply(&words(record)).unwrap().1.err()
    }

    #[test]
    fn replies_say_what_became_of_the_call() {
        let record = words(&[9, 1, 0, 0, 0, 0, 77]);
        let (xid, results) = reply(&record).unwrap();
        assert_eq!((xid, results.unwrap().u32()), (9, Ok(77)));
        // Programs that are not there, arguments that say nothing, and a server in need.
        assert_eq!(refusal(&[9, 1, 0, 0, 0, 1]), Some(libc::EPROTO));
        assert_eq!(refusal(&[9, 1, 0, 0, 0, 2, 4, 4]), Some(libc::EPROTO));
        assert_eq!(refusal(&[9, 1, 0, 0, 0, 5]), Some(libc::EIO));
        // Another version of RPC, and a credential that is not taken.
        assert_eq!(refusal(&[9, 1, 1, 0, 2, 2]), Some(libc::EPROTO));
        assert_eq!(refusal(&[9, 1, 1, 1, 5]), Some(libc::EKEYREJECTED));
    }

    #[test]
    fn what_is_no_reply_is_refused() {
        for record in [&[9][..], &[9, 0, 0, 0, 0, 0], &[9, 1, 0, 0, 4000, 0], &[9, 1, 0, 0, 0]] {
            assert!(reply(&words(record)).is_err(), "{record:?}");
        }
    }
}
