//! A connection's socket: made without waiting, and without Nagle's algorithm.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsFd;

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SendFlags, SocketFlags, SocketType, connect, ipproto, send, socket_with, sockopt,
};

/// Begins to connect; the socket becomes writable when that has come to something.
pub(super) fn begin(address: &SocketAddr) -> io::Result<TcpStream> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
    // A message is one write and waits for nothing: neither for more of it nor for an acknowledgement.
    sockopt::set_tcp_nodelay(&socket, true)?;
    match connect(&socket, address) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(socket.into()),
        Err(errno) => Err(errno.into()),
    }
}

/// What connecting came to.
pub(super) fn result(socket: &TcpStream) -> io::Result<()> {
    Ok(sockopt::socket_error(socket)??)
}

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
