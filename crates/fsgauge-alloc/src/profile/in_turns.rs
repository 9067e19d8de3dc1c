//! Files that are written at the same time: each stream has one, and all streams write a piece of theirs in turns. So files
//! lie between one another, as those of many clients do.

use crate::log_state::{LogState, taken};

/// The files that streams are writing.
#[derive(Debug)]
pub(super) struct InTurns {
    piece_bytes: u64,
    open: Vec<Option<Open>>,
    next: usize,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    file: u32,
    /// What it will have.
    size_bytes: u64,
}

/// What a stream did with its turn.
pub(super) enum Wrote {
    /// A piece of its file.
    Piece,
    /// The last piece of this file.
    Last(u32),
    /// Nothing: it has no file.
    Nothing,
}

impl InTurns {
    /// So many streams, of which none has a file.
    pub(super) fn new(streams: u32, piece_bytes: u64) -> Self {
        InTurns { piece_bytes, open: vec![None; streams as usize], next: 0 }
    }

    pub(super) fn streams(&self) -> usize {
        self.open.len()
    }

    /// Whose turn it is.
    pub(super) fn stream(&self) -> u32 {
        self.next as u32
    }

    /// The next stream's turn.
    pub(super) fn pass_on(&mut self) {
        self.next = (self.next + 1) % self.open.len();
    }

    /// The stream whose turn it is begins a file, which will have so many bytes.
    pub(super) fn begin(&mut self, file: u32, size_bytes: u64) {
        self.open[self.next] = Some(Open { file, size_bytes });
    }

    /// The stream whose turn it is writes a piece.
    pub(super) fn write(&mut self, log: &mut LogState) -> Wrote {
        let Some(Open { file, size_bytes }) = self.open[self.next] else { return Wrote::Nothing };
        let left_bytes = size_bytes - log.size(file);
        log.append(file, left_bytes.min(self.piece_bytes));
        if left_bytes > self.piece_bytes {
            return Wrote::Piece;
        }
        self.open[self.next] = None;
        Wrote::Last(file)
    }

    /// What files that are being written will still take.
    pub(super) fn promised_bytes(&self, log: &LogState) -> u64 {
        let left = |open: &Open| taken(open.size_bytes) - taken(log.size(open.file));
        self.open.iter().flatten().map(left).sum()
    }
}

#[cfg(test)]
mod tests {
    use fsgauge_wire::AgeOperation;

    use super::*;

    #[test]
    fn streams_write_pieces_in_turns_until_their_files_are_whole() {
        let mut log = LogState::new(1);
        let mut turns = InTurns::new(2, 8192);
        for size_bytes in [20_000, 5000] {
            let file = log.create(turns.stream(), 0);
            turns.begin(file, size_bytes);
            turns.pass_on();
        }
        assert_eq!(turns.promised_bytes(&log), 7 * 4096);
        let mut last = Vec::new();
        for _ in 0..6 {
            if let Wrote::Last(file) = turns.write(&mut log) {
                last.push(file);
            }
            turns.pass_on();
        }
        assert_eq!((last, turns.promised_bytes(&log)), (vec![1, 0], 0));
        let written: Vec<_> = std::iter::from_fn(|| log.take())
            .filter(|operation| operation.kind == AgeOperation::Append)
            .map(|operation| (operation.stream, operation.size_bytes))
            .collect();
        assert_eq!(written, [(0, 8192), (1, 5000), (0, 8192), (0, 3616)]);
    }
}
