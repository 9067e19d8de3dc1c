//! What was agreed with the server, and the keys.

use super::message::{FLAG_RELATED, Frame, HEAD_BYTES, LENGTH_BYTES, field, u16_at, u32_at};
use super::seal::{CipherKind, Seal, TRANSFORM_BYTES};
use super::sign::{Signer, SigningKind};

/// More at a time is not asked for.
const CREDITS_LIMIT: u32 = 512;
/// More than this are not believed in: eight times what Windows and Samba give at most.
const CREDITS_HELD_LIMIT: u32 = 65535;

/// The numbers that go into messages, and what protects them.
#[derive(Debug, Default)]
pub(super) struct Session {
    pub(super) id: u64,
    pub(super) tree_id: u32,
    pub(super) signer: Option<Signer>,
    pub(super) seal: Option<Seal>,
    pub(super) credits: u32,
    /// As many as the client's lanes need at the same time.
    pub(super) credits_wanted: u32,
    pub(super) next_message_id: u64,
    /// The most data of one read and of one write.
    pub(super) read_limit_bytes: u32,
    pub(super) write_limit_bytes: u32,
    /// Whether messages say how many credits they take (2.1 and later).
    pub(super) has_charges: bool,
    pub(super) signing: Option<SigningKind>,
    pub(super) cipher: Option<CipherKind>,
}

impl Session {
    pub(super) fn new(credits_wanted: u32) -> Self {
        // Every connection begins with one.
        Session { credits: 1, credits_wanted, ..Session::default() }
    }

    /// The server gives credits.
    #[inline]
    pub(super) fn take_credits(&mut self, credits: u16) {
        self.credits = (self.credits + u32::from(credits)).min(CREDITS_HELD_LIMIT);
    }

    /// Completes a frame: numbers, credits, signatures or encryption, length. Gives the first message's number and
    /// where the frame begins in `frame`.
    #[inline]
    pub(super) fn complete(&mut self, frame: &mut Frame) -> Option<(u64, usize)> {
        let first_id = self.next_message_id;
        let bytes = frame.bytes_mut();
        let mut at = HEAD_BYTES;
        loop {
            let next = u32_at(bytes, at + field::NEXT) as usize;
            let end = if next == 0 { bytes.len() } else { at + next };
            self.complete_message(&mut bytes[at..end]);
            if next == 0 {
                break;
            }
            at = end;
        }
        let begin = match &mut self.seal {
            Some(seal) => {
                seal.close(&mut bytes[LENGTH_BYTES..])?;
                0
            }
            None => TRANSFORM_BYTES,
        };
        let length = (bytes.len() - begin - LENGTH_BYTES) as u32;
        bytes[begin..begin + LENGTH_BYTES].copy_from_slice(&length.to_be_bytes());
        Some((first_id, begin))
    }

    fn complete_message(&mut self, message: &mut [u8]) {
        let charge = u32::from(u16_at(message, field::CREDIT_CHARGE)).max(1);
        if !self.has_charges {
            message[field::CREDIT_CHARGE..][..2].fill(0);
        }
        self.credits = self.credits.saturating_sub(charge);
        let asked = (charge + self.credits_wanted.saturating_sub(self.credits)).min(CREDITS_LIMIT);
        message[field::CREDITS..][..2].copy_from_slice(&(asked as u16).to_le_bytes());
        message[field::MESSAGE_ID..][..8].copy_from_slice(&self.next_message_id.to_le_bytes());
        self.next_message_id += u64::from(charge);
        message[field::TREE_ID..][..4].copy_from_slice(&self.tree_id.to_le_bytes());
        message[field::SESSION_ID..][..8].copy_from_slice(&self.id.to_le_bytes());
        if let (Some(signer), None) = (&self.signer, &self.seal) {
            signer.sign(message);
        }
    }
}

/// The credits that the messages of a frame take.
#[inline]
pub(super) fn credits_of(body: &[u8]) -> u32 {
    let (mut at, mut credits) = (0, 0);
    loop {
        credits += u32::from(u16_at(body, at + field::CREDIT_CHARGE)).max(1);
        match u32_at(body, at + field::NEXT) as usize {
            0 => return credits,
            next => at += next,
        }
    }
}

const _: () = assert!(FLAG_RELATED != 0 && HEAD_BYTES == LENGTH_BYTES + TRANSFORM_BYTES);

#[cfg(test)]
mod tests {
    use super::super::message::{Command, Header};
    use super::*;

    fn two_messages(charge: u16) -> Frame {
        let mut frame = Frame::new();
        frame.begin(Command::Create, false, charge);
        frame.put(b"abc");
        frame.begin(Command::Close, true, 1);
        frame.put_u16(24);
        frame
    }

    #[test]
    fn numbers_and_credits_are_counted() {
        let mut session = Session { id: 7, tree_id: 8, has_charges: true, ..Session::new(20) };
        (session.credits, session.next_message_id) = (10, 5);
        let mut frame = two_messages(3);
        assert_eq!(credits_of(frame.body()), 4);
        assert_eq!(session.complete(&mut frame), Some((5, TRANSFORM_BYTES)));
        let first = Header::of(frame.body()).unwrap();
        let second = Header::of(&frame.body()[first.next as usize..]).unwrap();
        assert_eq!((first.message_id, second.message_id, session.next_message_id), (5, 8, 9));
        assert_eq!((first.session_id, second.tree_id, session.credits), (7, 8, 6));
        assert_eq!((first.credits, second.credits), (16, 15));
        let length = frame.body().len() as u32;
        assert_eq!(frame.bytes_mut()[TRANSFORM_BYTES..HEAD_BYTES], length.to_be_bytes());
    }

    #[test]
    fn every_message_of_a_frame_is_signed_with_its_padding() {
        let signer = Signer::new(SigningKind::HmacSha256, &[3; 16]);
        let mut session = Session { signer: signer.clone(), ..Session::new(2) };
        let mut frame = two_messages(1);
        session.complete(&mut frame).unwrap();
        let (first, second) = frame.bytes_mut()[HEAD_BYTES..].split_at_mut(72);
        let signer = signer.unwrap();
        assert!(signer.is_signed(first) && signer.is_signed(second));
    }
}
