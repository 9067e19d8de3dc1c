//! From files to the order in which a device meets their pieces.
//!
//! Each stream moves its files one after the other, each from start to end, a request at a time; streams take turns. A
//! window of requests is sorted by place, as a queue in kernel and drive does, and pieces that touch are one.

/// A piece of a file on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Where it begins.
    pub start_bytes: u64,
    /// How long it is.
    pub length_bytes: u64,
}

/// What one stream moves: files in order, each as its extents in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stream {
    /// The files.
    pub files: Vec<Vec<Piece>>,
}

/// How streams ask. What is not said, or more than the device takes, is as the device has it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pattern {
    /// Largest request.
    pub request_bytes: Option<u64>,
    /// Requests that are sorted by place together.
    pub window: Option<u64>,
}

/// Requests of a stream as they come: each is the pieces that it meets.
struct Requests<'a> {
    files: std::slice::Iter<'a, Vec<Piece>>,
    file: &'a [Piece],
    /// What is done of the first piece.
    done_bytes: u64,
    request_bytes: u64,
}

impl Requests<'_> {
    /// The pieces of the next request; false where there is none.
    fn next(&mut self, found: &mut Vec<Piece>) -> bool {
        while self.file.is_empty() {
            match self.files.next() {
                Some(file) => self.file = file,
                None => return false,
            }
        }
        let mut left_bytes = self.request_bytes;
        while left_bytes > 0
            && let Some(piece) = self.file.first()
        {
            let length_bytes = (piece.length_bytes - self.done_bytes).min(left_bytes);
            if length_bytes > 0 {
                found.push(Piece { start_bytes: piece.start_bytes + self.done_bytes, length_bytes });
            }
            left_bytes -= length_bytes;
            self.done_bytes += length_bytes;
            if self.done_bytes == piece.length_bytes {
                self.file = &self.file[1..];
                self.done_bytes = 0;
            }
        }
        true
    }
}

/// Gives `meet` every piece in the order in which the device meets it; gives the number of requests.
pub(crate) fn visit(streams: &[Stream], request_bytes: u64, window: u64, mut meet: impl FnMut(Piece)) -> u64 {
    let mut coming: Vec<Requests<'_>> = streams
        .iter()
        .map(|stream| Requests { files: stream.files.iter(), file: &[], done_bytes: 0, request_bytes })
        .collect();
    let (mut requests, mut waiting) = (0, Vec::new());
    while !coming.is_empty() {
        coming.retain_mut(|stream| {
            let is_one = stream.next(&mut waiting);
            requests += u64::from(is_one);
            if is_one && requests % window == 0 {
                sorted(&mut waiting, &mut meet);
            }
            is_one
        });
    }
    sorted(&mut waiting, &mut meet);
    requests
}

fn sorted(waiting: &mut Vec<Piece>, meet: &mut impl FnMut(Piece)) {
    waiting.sort_by_key(|piece| piece.start_bytes);
    waiting.drain(..).for_each(meet);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(files: &[&[(u64, u64)]]) -> Stream {
        let piece = |&(start_bytes, length_bytes): &(u64, u64)| Piece { start_bytes, length_bytes };
        Stream { files: files.iter().map(|file| file.iter().map(piece).collect()).collect() }
    }

    fn met(streams: &[Stream], request_bytes: u64, window: u64) -> (Vec<(u64, u64)>, u64) {
        let mut found = Vec::new();
        let requests = visit(streams, request_bytes, window, |piece| {
            found.push((piece.start_bytes, piece.length_bytes));
        });
        (found, requests)
    }

    #[test]
    fn streams_take_turns_and_a_window_is_sorted() {
        let streams = [stream(&[&[(100, 20)]]), stream(&[&[(0, 10)]])];
        assert_eq!(met(&streams, 10, 1), (vec![(100, 10), (0, 10), (110, 10)], 3));
        assert_eq!(met(&streams, 10, 2), (vec![(0, 10), (100, 10), (110, 10)], 3));
    }

    #[test]
    fn requests_are_cut_where_extents_and_files_end() {
        let streams = [stream(&[&[(0, 7), (50, 8)], &[], &[(90, 3)]])];
        assert_eq!(met(&streams, 10, 1), (vec![(0, 7), (50, 3), (53, 5), (90, 3)], 3));
        assert_eq!(met(&[], 10, 1), (vec![], 0));
    }
}
