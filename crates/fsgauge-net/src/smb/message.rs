//! Messages as they lie on the wire (MS-SMB2 2.2.1): a header of 64 bytes and a body; several of them in one
//! frame, each but the last padded to eight bytes.

pub(super) const HEADER_BYTES: usize = 64;
/// Before each frame: a zero and its length in three bytes, the highest first.
pub(super) const LENGTH_BYTES: usize = 4;

pub(super) const FLAG_REPLY: u32 = 0x1;
pub(super) const FLAG_RELATED: u32 = 0x4;
pub(super) const FLAG_SIGNED: u32 = 0x8;

const PROTOCOL: [u8; 4] = [0xFE, b'S', b'M', b'B'];

/// The commands that are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum Command {
    Negotiate = 0,
    SessionSetup = 1,
    TreeConnect = 3,
    Create = 5,
    Close = 6,
    Flush = 7,
    Read = 8,
    Write = 9,
    Echo = 13,
    QueryDirectory = 14,
    SetInfo = 17,
    OplockBreak = 18,
}

/// Where the fields of a header lie.
pub(super) mod field {
    pub(in super::super) const CREDIT_CHARGE: usize = 6;
    pub(in super::super) const CREDITS: usize = 14;
    pub(in super::super) const FLAGS: usize = 16;
    pub(in super::super) const NEXT: usize = 20;
    pub(in super::super) const MESSAGE_ID: usize = 24;
    pub(in super::super) const TREE_ID: usize = 36;
    pub(in super::super) const SESSION_ID: usize = 40;
    pub(in super::super) const SIGNATURE: usize = 48;
}

/// The header of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) status: u32,
    pub(super) command: u16,
    pub(super) credits: u16,
    pub(super) flags: u32,
    /// Where the next message of the frame begins, counted from this one; 0 for the last.
    pub(super) next: u32,
    pub(super) message_id: u64,
    pub(super) tree_id: u32,
    pub(super) session_id: u64,
}

impl Header {
    /// The header of a message; none of what is no message of SMB 2.
    #[inline]
    pub(super) fn of(message: &[u8]) -> Option<Header> {
        if message.len() < HEADER_BYTES || message[..4] != PROTOCOL {
            return None;
        }
        Some(Header {
            status: u32_at(message, 8),
            command: u16_at(message, 12),
            credits: u16_at(message, field::CREDITS),
            flags: u32_at(message, field::FLAGS),
            next: u32_at(message, field::NEXT),
            message_id: u64_at(message, field::MESSAGE_ID),
            tree_id: u32_at(message, field::TREE_ID),
            session_id: u64_at(message, field::SESSION_ID),
        })
    }
}

#[inline]
pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
}

#[inline]
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

#[inline]
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// A frame that is written: one or more messages. Numbers that only the connection knows (message, tree and
/// session) are set when it is sent.
#[derive(Debug)]
pub(super) struct Frame {
    bytes: Vec<u8>,
    /// Where the current message begins.
    at: usize,
    messages: u32,
}

/// Room before the first message for the frame's length and for the header of an encrypted one.
pub(super) const HEAD_BYTES: usize = LENGTH_BYTES + super::seal::TRANSFORM_BYTES;

impl Frame {
    pub(super) fn new() -> Self {
        Frame { bytes: vec![0; HEAD_BYTES], at: HEAD_BYTES, messages: 0 }
    }

    /// Throws away what was written; the memory stays.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.bytes.truncate(HEAD_BYTES);
        (self.at, self.messages) = (HEAD_BYTES, 0);
    }

    /// Begins a message. One that is `related` refers to the file of the one before.
    #[inline]
    pub(super) fn begin(&mut self, command: Command, is_related: bool, credit_charge: u16) {
        if self.messages > 0 {
            let padded = (self.bytes.len() - self.at).next_multiple_of(8);
            self.bytes.resize(self.at + padded, 0);
            self.set_u32(field::NEXT, padded as u32);
            self.at = self.bytes.len();
        }
        self.messages += 1;
        let mut header = [0; HEADER_BYTES];
        header[..4].copy_from_slice(&PROTOCOL);
        header[4] = HEADER_BYTES as u8;
        header[field::CREDIT_CHARGE..][..2].copy_from_slice(&credit_charge.to_le_bytes());
        header[12..14].copy_from_slice(&(command as u16).to_le_bytes());
        let flags = if is_related { FLAG_RELATED } else { 0 };
        header[field::FLAGS..][..4].copy_from_slice(&flags.to_le_bytes());
        self.bytes.extend_from_slice(&header);
    }

    fn set_u32(&mut self, field: usize, value: u32) {
        self.bytes[self.at + field..][..4].copy_from_slice(&value.to_le_bytes());
    }

    #[inline]
    pub(super) fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    #[inline]
    pub(super) fn put_u16(&mut self, value: u16) {
        self.put(&value.to_le_bytes());
    }

    #[inline]
    pub(super) fn put_u32(&mut self, value: u32) {
        self.put(&value.to_le_bytes());
    }

    #[inline]
    pub(super) fn put_u64(&mut self, value: u64) {
        self.put(&value.to_le_bytes());
    }

    pub(super) fn put_zeros(&mut self, count: usize) {
        self.bytes.resize(self.bytes.len() + count, 0);
    }

    /// The length of the current message so far.
    pub(super) fn length(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(super) fn messages(&self) -> u32 {
        self.messages
    }

    /// All bytes, room before the first message included.
    pub(super) fn bytes_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// The messages.
    pub(super) fn body(&self) -> &[u8] {
        &self.bytes[HEAD_BYTES..]
    }

    /// Takes the messages of another frame.
    pub(super) fn copy_from(&mut self, body: &[u8], messages: u32) {
        self.clear();
        self.bytes.extend_from_slice(body);
        self.messages = messages;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_a_frame_lie_on_multiples_of_eight() {
        let mut frame = Frame::new();
        for round in 0..2 {
            frame.clear();
            frame.begin(Command::Create, false, 1);
            frame.put(b"abc");
            frame.begin(Command::Close, true, 1);
            frame.put_u16(24);
            let body = frame.body();
            let first = Header::of(body).unwrap();
            assert_eq!((first.command, first.next, first.flags), (5, 72, 0), "round {round}");
            let second = Header::of(&body[72..]).unwrap();
            assert_eq!((second.command, second.next, second.flags), (6, 0, FLAG_RELATED));
            assert_eq!((body.len(), frame.messages()), (72 + 66, 2));
        }
        assert_eq!(Header::of(&[0xFF; 64]), None);
        assert_eq!(Header::of(&frame.body()[..63]), None);
    }
}
