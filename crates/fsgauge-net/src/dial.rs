//! A connection's socket: made without waiting, and without Nagle's algorithm.

use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, ipproto, socket_with, sockopt};

/// Begins to connect; the socket can be written to when that has come to something.
pub(crate) fn dial(address: &SocketAddr) -> Result<OwnedFd, Errno> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
    // A message is one write and waits for nothing: neither for more of it nor for an acknowledgement (40 ms).
    sockopt::set_tcp_nodelay(&socket, true)?;
    match connect(&socket, address) {
        Ok(()) | Err(Errno::INPROGRESS) => Ok(socket),
        Err(errno) => Err(errno),
    }
}

/// What connecting came to.
pub(crate) fn dialled(socket: impl AsFd) -> Result<(), Errno> {
    sockopt::socket_error(socket)?
}
