//! Where a server is.

use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::mpsc::channel;
use std::time::Duration;

use fsgauge_wire::{Failure, Outcome};

/// A name server that answers at all answers sooner.
const RESOLVE_LIMIT: Duration = Duration::from_secs(15);

/// A server's name, and the address that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    host: String,
    pub(crate) socket: SocketAddr,
}

impl Address {
    /// The first address of a host; of several, one of version 4 comes first, as file servers mostly listen
    /// there.
    pub fn resolve(host: &str, port: u16) -> Outcome<Address> {
        let (sender, resolved) = channel();
        let asked = (host.trim_start_matches('[').trim_end_matches(']').to_string(), port);
        // The C library's resolver has no limit of its own that could be set from here.
        let resolver = move || {
            #[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
            use_built_in_name_services();
            let found = asked.to_socket_addrs().map(|found| found.collect::<Vec<SocketAddr>>());
            // Nobody listens any more when it took too long.
            let _ = sender.send(found.map_err(|error| error.to_string()));
        };
        let spawned = std::thread::Builder::new().name("resolver".into()).spawn(resolver);
        spawned.map_err(|error| {
            let what = format!("a thread cannot be started: {error}");
            Failure::system("threads", error.raw_os_error(), what, "a limit on processes", "ulimit -u")
        })?;
        let found = match resolved.recv_timeout(RESOLVE_LIMIT) {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => return Err(unresolved(host, &error)),
            Err(_) => return Err(unresolved(host, "no answer from the name server")),
        };
        let first = found.iter().find(|found| found.is_ipv4()).or(found.first());
        let socket = *first.ok_or_else(|| unresolved(host, "it has no address"))?;
        Ok(Address { host: host.to_string(), socket })
    }

    /// The host, as it was given.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether the server is this machine.
    pub fn is_loopback(&self) -> bool {
        self.socket.ip().is_loopback()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.host, self.socket.port())
    }
}

/// A static C library loads the machine's other name services (mdns, sss, systemd), which are made for the machine's
/// own C library and can crash in this one. The hosts file and DNS are part of it.
#[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
fn use_built_in_name_services() {
    use std::ffi::{c_char, c_int};
    static ONCE: std::sync::Once = std::sync::Once::new();
    unsafe extern "C" {
        fn __nss_configure_lookup(database: *const c_char, services: *const c_char) -> c_int;
    }
    // SAFETY: both strings end with a null byte and are copied; no other thread has looked up a name before.
    ONCE.call_once(|| unsafe {
        __nss_configure_lookup(c"hosts".as_ptr(), c"files dns".as_ptr());
    });
}

fn unresolved(host: &str, error: &str) -> Failure {
    let what = format!("the server {host} has no address: {error}");
    let cause = "the name is misspelt, or no name server knows it";
    Failure::system("network.resolve", None, what, cause, format!("getent hosts {host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_resolved_and_shown_as_given() {
        for (host, shown) in
            [("127.0.0.1", "127.0.0.1:445"), ("localhost", "localhost:445"), ("[::1]", "[::1]:445")]
        {
            let address = Address::resolve(host, 445).unwrap();
            assert!(address.is_loopback(), "{address}");
            assert_eq!(address.to_string(), shown);
        }
        assert!(!Address::resolve("192.0.2.1", 445).unwrap().is_loopback());
    }

    #[test]
    fn an_unknown_name_says_how_to_look() {
        let failure = Address::resolve("nowhere.invalid", 445).unwrap_err();
        assert_eq!((failure.code.as_str(), failure.exit_code()), ("network.resolve", 3));
        assert_eq!(failure.next, "getent hosts nowhere.invalid");
    }
}
