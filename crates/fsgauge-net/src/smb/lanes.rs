//! What the lanes of a target have under way.

use std::ops::Range;

use super::files::FileId;
use super::session::credits_of;
use crate::target::Answer;

/// How many there are, and what they move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) clients: u32,
    /// Lanes of a client.
    pub(super) outstanding: u32,
    pub(super) record_size_bytes: u32,
}

/// What an operation is about; which replies it waits for, and what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// CREATE: the answer is a handle. Of a new file: a directory of its name is in the way.
    Open,
    Create,
    /// So many bytes were asked for, or given: no reply tells of more.
    Read(u32),
    Write(u32),
    /// One message whose success is the answer: FLUSH, CLOSE, ECHO.
    Simple,
    /// Several messages whose success is the answer.
    Chain,
    /// CREATE and CLOSE of a directory: a file of its name is in the way.
    MakeDirectory,
    /// CREATE and CLOSE: the answer is the size.
    Stat,
    /// CREATE and QUERY_DIRECTORY: more of it follow, then CLOSE.
    ListFirst(FileId),
    ListMore(FileId),
    ListClose,
}

/// An operation that was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    pub(super) kind: Kind,
    /// The number of its first message; others follow it.
    pub(super) first_id: u64,
    /// Whose replies are missing: a bit each, the first message's the lowest.
    pub(super) missing: u8,
    /// What the replies so far make of it.
    pub(super) answer: Answer,
    pub(super) sent_ms: u64,
}

impl Sent {
    /// Those that are missing of so many messages, when they have just been sent.
    #[inline]
    pub(super) fn all_of(messages: u32) -> u8 {
        debug_assert!(messages < u8::BITS, "a lane has fewer messages in flight");
        ((1_u32 << messages) - 1) as u8
    }

    /// Which of its replies, as a bit, one with this number is; none where it is none that is missing: it was
    /// there before, or is another's. Where there are several messages, each takes one number.
    #[inline]
    pub(super) fn bit_of(&self, message_id: u64) -> Option<u8> {
        let which = message_id.wrapping_sub(self.first_id);
        let bit = if which < u64::from(u8::BITS) { 1 << which } else { 0 };
        (self.missing & bit != 0).then_some(bit)
    }
}

/// An operation that waits for a session or for credits.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) kind: Kind,
    pub(super) body: Vec<u8>,
    pub(super) messages: u32,
    pub(super) since_ms: u64,
}

impl Held {
    /// The credits that it takes.
    pub(super) fn credits(&self) -> u32 {
        credits_of(&self.body)
    }
}

/// One lane.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub(super) sent: Option<Sent>,
    pub(super) held: Option<Held>,
    /// Where its last read lies in what its connection received.
    pub(super) read: Range<usize>,
    /// Replies so far with names of the directory that it lists.
    pub(super) listings: u32,
}
