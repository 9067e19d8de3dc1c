//! A connection's socket: written to without waiting, and watched.

use std::io;
use std::net::TcpStream;
use std::os::fd::AsFd;

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{SendFlags, send};

/// Writes in one call; gives what went out, 0 where there is no room at present.
#[inline]
pub(super) fn write(socket: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
    for _ in 0..1000 {
        match send(socket, bytes, SendFlags::NOSIGNAL) {
            Ok(written) => return Ok(written),
            Err(Errno::AGAIN) => return Ok(0),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(0)
}

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interest {
    Write,
    Read,
    Both,
}

impl Interest {
    fn flags(self) -> EventFlags {
        match self {
            Interest::Write => EventFlags::OUT,
            Interest::Read => EventFlags::IN,
            Interest::Both => EventFlags::IN | EventFlags::OUT,
        }
    }
}

/// Adds a socket to those that are waited for; a closed one is forgotten by itself.
pub(super) fn watch(epoll: impl AsFd, socket: &TcpStream, number: u32, interest: Interest) -> io::Result<()> {
    Ok(epoll::add(epoll, socket, EventData::new_u64(number.into()), interest.flags())?)
}

/// Changes what a socket is waited for.
pub(super) fn rewatch(
    epoll: impl AsFd,
    socket: &TcpStream,
    number: u32,
    interest: Interest,
) -> io::Result<()> {
    Ok(epoll::modify(epoll, socket, EventData::new_u64(number.into()), interest.flags())?)
}
