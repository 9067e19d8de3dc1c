//! What a connection has received: frames in one piece of memory, where they stay until the next look.

use std::io;
use std::net::TcpStream;
use std::ops::Range;

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use super::message::LENGTH_BYTES;

/// So many calls take what belongs to one frame; then others have their turn.
const READS_LIMIT: u32 = 16;

/// The memory, and what of it is filled.
#[derive(Debug)]
pub(super) struct Incoming {
    bytes: Vec<u8>,
    begin: usize,
    end: usize,
}

impl Incoming {
    pub(super) fn new(size_bytes: usize) -> Self {
        Incoming { bytes: vec![0; size_bytes], begin: 0, end: 0 }
    }

    /// The room that there is.
    pub(super) fn size_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Forgets what is there, but for what lanes have read: that is looked at after the wait that brought it.
    pub(super) fn clear(&mut self) {
        (self.begin, self.end) = (0, 0);
    }

    /// Takes what has come; what was looked at before goes. Gives the number of bytes; an error also at the end
    /// of the connection.
    #[inline]
    pub(super) fn fill(&mut self, socket: &TcpStream) -> io::Result<u64> {
        if self.begin > 0 {
            self.bytes.copy_within(self.begin..self.end, 0);
            (self.begin, self.end) = (0, self.end - self.begin);
        }
        let mut taken = 0;
        for _ in 0..READS_LIMIT {
            match recv(socket, &mut self.bytes[self.end..], RecvFlags::empty()) {
                Ok((0, _)) => return Err(Errno::CONNRESET.into()),
                Ok((bytes, _)) => {
                    self.end += bytes;
                    taken += bytes as u64;
                }
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
            if self.next_end()?.is_some() {
                break;
            }
        }
        Ok(taken)
    }

    /// The next whole frame, without its length.
    #[inline]
    pub(super) fn frame(&mut self) -> io::Result<Option<Range<usize>>> {
        let Some(end) = self.next_end()? else { return Ok(None) };
        let begin = self.begin + LENGTH_BYTES;
        self.begin = end;
        Ok(Some(begin..end))
    }

    /// Where the next frame ends, once it is whole.
    #[inline]
    fn next_end(&self) -> io::Result<Option<usize>> {
        let found = &self.bytes[self.begin..self.end];
        if found.len() < LENGTH_BYTES {
            return Ok(None);
        }
        let length = u32::from_be_bytes([0, found[1], found[2], found[3]]) as usize;
        if found[0] != 0 || length + LENGTH_BYTES > self.bytes.len() {
            return Err(Errno::PROTO.into());
        }
        Ok((found.len() >= length + LENGTH_BYTES).then_some(self.begin + LENGTH_BYTES + length))
    }

    #[inline]
    pub(super) fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[range]
    }

    #[inline]
    pub(super) fn bytes_mut(&mut self, range: Range<usize>) -> &mut [u8] {
        &mut self.bytes[range]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpListener;

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mine = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        mine.set_nonblocking(true).unwrap();
        (mine, listener.accept().unwrap().0)
    }

    fn wait_and_fill(incoming: &mut Incoming, socket: &TcpStream, wanted: u64) {
        let mut taken = 0;
        for _ in 0..2000 {
            taken += incoming.fill(socket).unwrap();
            if taken >= wanted {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("{taken} of {wanted} bytes came");
    }

    #[test]
    fn frames_come_whole_however_they_are_cut() {
        let (mine, mut theirs) = pair();
        let mut incoming = Incoming::new(64);
        theirs.write_all(b"\0\0\0\x05abc").unwrap();
        wait_and_fill(&mut incoming, &mine, 7);
        assert_eq!(incoming.frame().unwrap(), None);
        theirs.write_all(b"de\0\0\0\x01f\0\0").unwrap();
        wait_and_fill(&mut incoming, &mine, 9);
        let first = incoming.frame().unwrap().unwrap();
        let second = incoming.frame().unwrap().unwrap();
        assert_eq!((incoming.bytes(first), incoming.bytes(second)), (&b"abcde"[..], &b"f"[..]));
        assert_eq!(incoming.frame().unwrap(), None);
        drop(theirs);
        for _ in 0..2000 {
            if incoming.fill(&mine).is_err() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        panic!("the end was not seen");
    }

    #[test]
    fn what_is_no_frame_or_has_no_room_is_an_error() {
        for wrong in [&b"\x82\0\0\0"[..], b"\0\0\x01\0"] {
            let (mine, mut theirs) = pair();
            let mut incoming = Incoming::new(64);
            theirs.write_all(wrong).unwrap();
            let mut errors = (0..2000).map(|_| {
                std::thread::sleep(std::time::Duration::from_millis(1));
                incoming.fill(&mine).err()
            });
            let error = errors.find_map(|error| error).unwrap();
            assert_eq!(error.raw_os_error(), Some(libc::EPROTO));
        }
    }
}
