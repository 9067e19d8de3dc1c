//! A connection: one write a call, one read for what has come, and memory that is used again.

use std::io::IoSlice;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::{Errno, writev};
use rustix::net::{RecvFlags, SendFlags, recv, send};

use super::rpc::{LAST_FRAGMENT, MARK_BYTES};
use super::xdr::padding;
use crate::dial::{dial, dialled};

/// Room for replies at first; a larger one makes more.
const ROOM_BYTES: usize = 8 << 10;
/// Beside its data a reply has less than this.
const BESIDE_DATA_BYTES: usize = 4 << 10;
/// Listings and small replies need no more.
const REPLY_BYTES: usize = 1 << 20;

/// A connection to a server, which never makes its caller wait.
#[derive(Debug)]
pub(super) struct Connection {
    socket: OwnedFd,
    /// What the kernel has not taken yet.
    unsent: Vec<u8>,
    received: Vec<u8>,
    /// The record that comes next, as far as it is put together, lies between these.
    begin: usize,
    joined: usize,
    /// The mark of its next piece lies here, and what is received ends there.
    next: usize,
    end: usize,
    reply_limit: usize,
}

/// Where a record lies in what was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) begin: usize,
    pub(super) end: usize,
}

impl Connection {
    /// Begins to connect; the connection can be written to when it is there. Data in replies has at most
    /// `data_bytes`.
    pub(super) fn begin(address: SocketAddr, data_bytes: usize) -> Result<Self, Errno> {
        let socket = dial(&address)?;
        Ok(Connection {
            socket,
            unsent: Vec::new(),
            received: vec![0; ROOM_BYTES.max(data_bytes + BESIDE_DATA_BYTES / 4)],
            begin: 0,
            joined: 0,
            next: 0,
            end: 0,
            reply_limit: REPLY_BYTES.max(data_bytes + BESIDE_DATA_BYTES),
        })
    }

    pub(super) fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// What came of connecting.
    pub(super) fn connected(&self) -> Result<(), Errno> {
        dialled(&self.socket)
    }

    /// Sends a message and the data behind it, with one call. What the kernel does not take is kept. Gives the
    /// bytes of all.
    #[inline]
    pub(super) fn send(&mut self, message: &[u8], data: &[u8]) -> Result<usize, Errno> {
        let zeros = &[0; 3][..padding(data.len())];
        let all = message.len() + data.len() + zeros.len();
        let sent = if !self.unsent.is_empty() {
            0
        } else if data.is_empty() {
            taken(send(&self.socket, message, SendFlags::NOSIGNAL))?
        } else {
            taken(writev(&self.socket, &[message, data, zeros].map(IoSlice::new)))?
        };
        if sent < all {
            self.keep([message, data, zeros], sent);
        }
        Ok(all)
    }

    #[cold]
    fn keep(&mut self, pieces: [&[u8]; 3], mut sent: usize) {
        for piece in pieces {
            let skipped = sent.min(piece.len());
            self.unsent.extend_from_slice(&piece[skipped..]);
            sent -= skipped;
        }
    }

    /// Whether the kernel has taken everything.
    #[inline]
    pub(super) fn has_sent(&self) -> bool {
        self.unsent.is_empty()
    }

    /// Sends more of what was kept.
    #[cold]
    pub(super) fn send_more(&mut self) -> Result<(), Errno> {
        if !self.unsent.is_empty() {
            let sent = taken(send(&self.socket, &self.unsent, SendFlags::NOSIGNAL))?;
            self.unsent.drain(..sent);
        }
        Ok(())
    }

    /// Takes what has come, with one call; how many bytes. What records held before is gone. The end of the
    /// stream is an error.
    #[inline]
    pub(super) fn receive(&mut self) -> Result<usize, Errno> {
        self.make_room();
        let room = &mut self.received[self.end..];
        match recv(&self.socket, room, RecvFlags::empty()) {
            Ok((0, _)) => Err(Errno::CONNRESET),
            Ok((length, _)) => {
                self.end += length;
                Ok(length)
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            Err(errno) => Err(errno),
        }
    }

    /// Moves what is left to the front, and has room for the piece that it ends with.
    #[inline]
    fn make_room(&mut self) {
        if self.begin == self.end {
            (self.begin, self.joined, self.next, self.end) = (0, 0, 0, 0);
            return;
        }
        // Between the two lie marks that are read: however many pieces a record has, they take no room.
        let (whole, rest) = (self.joined - self.begin, self.end - self.next);
        self.received.copy_within(self.begin..self.joined, 0);
        self.received.copy_within(self.next..self.end, whole);
        (self.begin, self.joined, self.next, self.end) = (0, whole, whole, whole + rest);
        let piece = match self.mark() {
            // The mark of the piece after it, too.
            Some((length, _)) => MARK_BYTES + length + MARK_BYTES,
            None => MARK_BYTES,
        };
        if whole + piece > self.received.len() {
            self.received.resize((whole + piece).next_multiple_of(4096), 0);
        }
    }

    /// Length of the next piece, and whether it is the last of its record.
    #[inline]
    fn mark(&self) -> Option<(usize, bool)> {
        let (mark, _) = self.received[self.next..self.end].split_first_chunk()?;
        let mark = u32::from_be_bytes(*mark);
        Some(((mark & !LAST_FRAGMENT) as usize, mark & LAST_FRAGMENT != 0))
    }

    /// The next record that is there whole. Records stay where they are until more is received. A server that
    /// sends larger ones than it was asked for speaks another protocol.
    #[inline]
    pub(super) fn next_record(&mut self) -> Result<Option<Record>, Errno> {
        loop {
            let Some((length, is_last)) = self.mark() else { return Ok(None) };
            if self.joined - self.begin + length > self.reply_limit {
                return Err(Errno::PROTO);
            }
            let piece = self.next + MARK_BYTES;
            if piece + length > self.end {
                return Ok(None);
            }
            self.next = piece + length;
            if self.begin == self.joined {
                (self.begin, self.joined) = (piece, piece + length);
            } else {
                self.join(piece, length);
            }
            if is_last {
                let record = Record { begin: self.begin, end: self.joined };
                (self.begin, self.joined) = (self.next, self.next);
                return Ok(Some(record));
            }
        }
    }

    /// Joins a piece with those before it. Each byte is moved once, so that a record of many pieces takes no
    /// longer than one of few.
    #[cold]
    fn join(&mut self, piece: usize, length: usize) {
        self.received.copy_within(piece..piece + length, self.joined);
        self.joined += length;
    }

    /// What was received, when the connection is over: records are where they were.
    pub(super) fn into_received(self) -> Vec<u8> {
        self.received
    }

    #[inline]
    pub(super) fn record(&self, record: Record) -> &[u8] {
        &self.received[record.begin..record.end]
    }
}

/// How much the kernel took.
#[inline]
fn taken(sent: Result<usize, Errno>) -> Result<usize, Errno> {
    match sent {
        Err(Errno::AGAIN | Errno::INTR) => Ok(0),
        sent => sent,
    }
}

#[cfg(test)]
impl Connection {
    /// The memory that it has for what comes and for what goes.
    pub(super) fn room_bytes(&self) -> usize {
        self.received.capacity() + self.unsent.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::time::{Duration, Instant};

    fn pair(data_bytes: usize) -> (Connection, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let connection = Connection::begin(listener.local_addr().unwrap(), data_bytes).unwrap();
        let (server, _) = listener.accept().unwrap();
        assert_eq!(connection.connected(), Ok(()));
        (connection, server)
    }

    fn records(connection: &mut Connection) -> Result<Vec<Vec<u8>>, Errno> {
        let mut records = Vec::new();
        while let Some(record) = connection.next_record()? {
            records.push(connection.record(record).to_vec());
        }
        Ok(records)
    }

    fn receive_all(connection: &mut Connection, count: usize) -> Vec<Vec<u8>> {
        let (mut all, begin) = (Vec::new(), Instant::now());
        while all.len() < count {
            assert!(begin.elapsed() < Duration::from_secs(20), "{} of {count}", all.len());
            connection.receive().unwrap();
            all.extend(records(connection).unwrap());
        }
        all
    }

    #[test]
    fn records_come_whole_however_they_are_cut() {
        let (mut connection, mut server) = pair(0);
        let large: Vec<u8> = (0..100_000_u32).map(|byte| byte as u8).collect();
        let mut sent = vec![0x80, 0, 0, 4, 1, 2, 3, 4];
        // In three pieces.
        sent.extend([0, 0, 0, 4, 5, 6, 7, 8, 0, 0, 0, 4, 9, 9, 9, 9, 0x80, 0, 0, 4, 1, 1, 1, 1]);
        sent.extend((100_000 | LAST_FRAGMENT).to_be_bytes());
        sent.extend(&large);
        let writer = std::thread::spawn(move || {
            for (at, byte) in sent.iter().enumerate() {
                if at < 60 {
                    server.write_all(&[*byte]).unwrap();
                    std::thread::sleep(Duration::from_micros(200));
                } else {
                    server.write_all(&sent[at..]).unwrap();
                    break;
                }
            }
            server
        });
        let found = receive_all(&mut connection, 3);
        assert_eq!(found[0], [1, 2, 3, 4]);
        assert_eq!(found[1], [5, 6, 7, 8, 9, 9, 9, 9, 1, 1, 1, 1]);
        assert!(found[2] == large);
        drop(writer.join().unwrap());
        let begin = Instant::now();
        while connection.receive() == Ok(0) && begin.elapsed() < Duration::from_secs(20) {}
        assert_eq!(connection.receive(), Err(Errno::CONNRESET));
    }

    #[test]
    fn a_record_larger_than_any_reply_is_refused() {
        let (mut connection, mut server) = pair(4096);
        server.write_all(&[0xff, 0, 0, 0]).unwrap();
        let begin = Instant::now();
        while connection.receive() == Ok(0) && begin.elapsed() < Duration::from_secs(20) {}
        assert_eq!(connection.next_record(), Err(Errno::PROTO));
    }

    /// Each piece once moved all that was received behind it: a server that sent empty pieces took minutes of
    /// processor time with megabytes, and a record of nothing but empty pieces would have taken room for each.
    #[test]
    fn a_record_of_very_many_pieces_costs_what_its_bytes_cost() {
        const PIECES: usize = 4 << 20;
        let (mut connection, mut server) = pair(16 << 20);
        let room = connection.received.len();
        let writer = std::thread::spawn(move || {
            server.write_all(&[0, 0, 0, 1, 7]).unwrap();
            server.write_all(&vec![0; PIECES * MARK_BYTES]).unwrap();
            server.write_all(&[0x80, 0, 0, 2, 8, 9]).unwrap();
            server
        });
        let found = receive_all(&mut connection, 1);
        assert_eq!((&found[0][..], connection.received.len()), (&[7, 8, 9][..], room));
        drop(writer.join().unwrap());
    }

    #[test]
    fn pieces_that_are_too_long_together_are_refused() {
        let (mut connection, mut server) = pair(0);
        for _ in 0..3 {
            server.write_all(&(REPLY_BYTES as u32 / 2).to_be_bytes()).unwrap();
            server.write_all(&vec![1; REPLY_BYTES / 2]).unwrap_or_default();
            let begin = Instant::now();
            let refused = loop {
                assert!(begin.elapsed() < Duration::from_secs(20));
                match connection.receive().and_then(|taken| Ok((taken, connection.next_record()?))) {
                    Ok((0, None)) => break false,
                    Ok(_) => {}
                    Err(errno) => break errno == Errno::PROTO,
                }
            };
            if refused {
                return;
            }
        }
        panic!("a record of {} bytes is taken", 3 * REPLY_BYTES / 2);
    }

    #[test]
    fn what_the_kernel_does_not_take_is_sent_later_and_in_order() {
        let (mut connection, mut server) = pair(0);
        let data: Vec<u8> = (0..65_537_u32).map(|byte| (byte / 7) as u8).collect();
        let mut expected = Vec::new();
        while connection.has_sent() || expected.len() < 1 << 20 {
            assert!(expected.len() < 1 << 28, "the kernel takes everything");
            assert_eq!(connection.send(b"head", &data), Ok(4 + 65_537 + 3));
            expected.extend_from_slice(b"head");
            expected.extend_from_slice(&data);
            expected.extend_from_slice(&[0; 3]);
        }
        let length = expected.len();
        let reader = std::thread::spawn(move || {
            let mut found = vec![0; length];
            server.read_exact(&mut found).unwrap();
            found
        });
        let begin = Instant::now();
        while !connection.has_sent() {
            assert!(begin.elapsed() < Duration::from_secs(20));
            connection.send_more().unwrap();
        }
        assert!(reader.join().unwrap() == expected);
    }
}
