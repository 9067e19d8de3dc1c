//! A door before a server that lets few in: a listener whose backlog is one connection, and who takes its time for
//! each that it accepts. What is said goes to the server and back.

use std::io::{ErrorKind, copy};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

pub struct NarrowDoor {
    pub port: u16,
    is_over: Arc<AtomicBool>,
    doorman: Option<JoinHandle<()>>,
}

impl NarrowDoor {
    /// A door before the server on a port of this machine; each that comes takes `each` of time.
    pub fn before(server_port: u16, each: Duration) -> NarrowDoor {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        // Once more: the standard library asks for more.
        rustix::net::listen(&listener, 1).unwrap();
        listener.set_nonblocking(true).unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let seen = is_over.clone();
        let doorman = std::thread::spawn(move || {
            while !seen.load(Ordering::Relaxed) {
                std::thread::sleep(each);
                match listener.accept() {
                    Ok((client, _)) => forward(client, server_port),
                    Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
                }
            }
        });
        NarrowDoor { port, is_over, doorman: Some(doorman) }
    }
}

impl Drop for NarrowDoor {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(doorman) = self.doorman.take() {
            let _ = doorman.join();
        }
    }
}

/// Two threads, which end with the connection.
fn forward(client: TcpStream, server_port: u16) {
    client.set_nonblocking(false).unwrap();
    let Ok(server) = TcpStream::connect(("127.0.0.1", server_port)) else { return };
    for (from, to) in [(&client, &server), (&server, &client)] {
        to.set_nodelay(true).unwrap();
        let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
        std::thread::spawn(move || {
            let _ = copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Both);
        });
    }
}

/// Connections that listeners of this thread's network had no room for so far.
pub fn listen_overflows() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/net/netstat").unwrap();
    let mut lines = text.lines().filter(|line| line.starts_with("TcpExt:"));
    let names = lines.next().unwrap().split_whitespace();
    let mut found = names.zip(lines.next().unwrap().split_whitespace());
    found.find(|(name, _)| *name == "ListenOverflows").unwrap().1.parse().unwrap()
}
