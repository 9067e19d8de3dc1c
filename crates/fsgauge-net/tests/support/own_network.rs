//! A network of a test's own: a server in it believes whoever connects, and nothing else of this machine can.

#![allow(dead_code, reason = "each test file uses its part")]

use std::cell::Cell;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;

use rustix::thread::{UnshareFlags, unshare_unsafe};

thread_local! {
    static IS_WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// From now on the calling thread, and what it starts, is in a network with a loopback device alone.
///
/// Tests have a thread each; one that starts two servers has both in one network.
pub fn enter() {
    if IS_WITHIN.replace(true) {
        return;
    }
    // SAFETY: a network belongs to a thread alone; nothing that another thread uses is taken from it.
    unsafe { unshare_unsafe(UnshareFlags::NEWNET) }.expect("a network of its own");
    let asking = UdpSocket::bind("0.0.0.0:0").unwrap();
    // SAFETY: all zeroes is a request without a name.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    request.ifr_name[0] = b'l' as libc::c_char;
    request.ifr_name[1] = b'o' as libc::c_char;
    request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
    // SAFETY: the socket is open, and the request is what this call reads.
    let done = unsafe { libc::ioctl(asking.as_raw_fd(), libc::SIOCSIFFLAGS as _, &request) };
    assert_eq!(done, 0, "the loopback device stays down: {}", std::io::Error::last_os_error());
}
