//! A client's way in: the portmapper where the port of MOUNT is not known, MOUNT, and NFS itself.

use std::net::{IpAddr, SocketAddr};

use super::connection::Connection;
use super::file_handle::FileHandle;
use super::procedures::{Call, Reply, results};
use super::rpc::Procedure;
use super::status::errno_of;
use super::xdr::{Decoder, Malformed, put_opaque, put_u32};
use crate::backoff::Backoff;

const MOUNT: Procedure = Procedure { program: 100_005, version: 3, number: 1 };
const GET_PORT: Procedure = Procedure { program: 100_000, version: 2, number: 3 };
const PORTMAPPER_PORT: u16 = 111;
const AUTH_SYS: u32 = 1;
/// So many ways of authentication a server may offer.
const WAYS_LIMIT: u32 = 64;

/// How far a client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It has not begun, or was refused.
    Out,
    /// It asks the portmapper for MOUNT.
    Locating,
    /// It asks MOUNT for the export's handle.
    Mounting,
    /// It asks NFS for its limits.
    Attaching,
    In,
    /// It tries again later.
    Resting,
    /// It has tried long enough.
    GivenUp,
}

impl State {
    /// Whether it is on its way.
    pub(super) fn is_under_way(self) -> bool {
        matches!(self, State::Locating | State::Mounting | State::Attaching | State::Resting)
    }
}

/// A client's connection and what belongs to it.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) state: State,
    pub(super) connection: Option<Connection>,
    /// What the connection received that was lost last, until there is another: what a lane has read is looked at
    /// after its answer, and another lane's may have ended the connection in the same wait.
    pub(super) heard: Vec<u8>,
    /// Whether the connection is there; before, it cannot be written to.
    pub(super) is_connected: bool,
    /// Counts connections: files that were opened on another are lost.
    pub(super) number: u32,
    pub(super) sequence: u32,
    /// Whether it was in before.
    pub(super) was_in: bool,
    /// Whether the first lane waits for it.
    pub(super) admits: bool,
    /// Its tries since it is on its way, and when the next is while it rests.
    pub(super) backoff: Backoff,
    pub(super) again_ms: u64,
    /// The export, as this client mounted it.
    pub(super) root: Option<FileHandle>,
}

impl Session {
    pub(super) fn new() -> Self {
        Session {
            state: State::Out,
            connection: None,
            heard: Vec::new(),
            is_connected: false,
            number: 0,
            sequence: 0,
            was_in: false,
            admits: false,
            backoff: Backoff::new(),
            again_ms: 0,
            root: None,
        }
    }

    /// Ends the connection, and keeps what it received.
    pub(super) fn part(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.heard = connection.into_received();
        }
    }
}

/// The portmapper of a host.
pub(super) fn portmapper(host: IpAddr) -> SocketAddr {
    SocketAddr::new(host, PORTMAPPER_PORT)
}

/// The first call of a state: what, and with which arguments.
pub(super) fn call_of(session: &Session, export: &str) -> (Procedure, Vec<u8>) {
    let mut arguments = Vec::new();
    let procedure = match session.state {
        State::Locating => {
            const TCP: u32 = 6;
            [MOUNT.program, MOUNT.version, TCP, 0].iter().for_each(|word| put_u32(&mut arguments, *word));
            GET_PORT
        }
        State::Mounting => {
            put_opaque(&mut arguments, export.as_bytes());
            MOUNT
        }
        _ => {
            if let Some(root) = session.root {
                root.put(&mut arguments);
            }
            Call::Limits.procedure()
        }
    };
    (procedure, arguments)
}

/// What has come of a step on the way in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Came {
    Port(u16),
    Export(FileHandle),
    Limits { read_bytes: u32, write_bytes: u32 },
}

/// The answer to the call of a state.
pub(super) fn came(state: State, found: Decoder<'_>) -> Result<Came, i32> {
    match state {
        State::Locating => port(found).map(Came::Port),
        State::Mounting => mounted(found).map(Came::Export),
        _ => match results(Call::Limits, found)? {
            Reply::Limits { read_bytes, write_bytes } if read_bytes > 0 && write_bytes > 0 => {
                Ok(Came::Limits { read_bytes, write_bytes })
            }
            _ => Err(libc::EPROTO),
        },
    }
}

/// The port of MOUNT; an error where the server has none.
fn port(mut results: Decoder<'_>) -> Result<u16, i32> {
    match results.u32() {
        Ok(0) => Err(libc::EPROTO),
        Ok(port) => u16::try_from(port).map_err(|_| libc::EPROTO),
        Err(Malformed) => Err(libc::EPROTO),
    }
}

/// The handle of the export.
fn mounted(mut results: Decoder<'_>) -> Result<FileHandle, i32> {
    let malformed = |Malformed| libc::EPROTO;
    let status = results.u32().map_err(malformed)?;
    if status != 0 {
        return Err(errno_of(status));
    }
    let export = FileHandle::of(&mut results).map_err(malformed)?;
    let ways = results.u32().map_err(malformed)?;
    if ways > WAYS_LIMIT {
        return Err(libc::EPROTO);
    }
    let mut takes_users = ways == 0;
    for _ in 0..ways {
        takes_users |= results.u32().map_err(malformed)? == AUTH_SYS;
    }
    if !takes_users {
        return Err(libc::EKEYREJECTED);
    }
    Ok(export)
}
