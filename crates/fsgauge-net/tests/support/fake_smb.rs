//! A server of few words, for what a real one cannot be made to do. It takes anybody (dialect 3.0.2, a guest), and
//! has one file; a test says what becomes of each message.

#![allow(dead_code, reason = "the tests of each crate use their part")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Commands (MS-SMB2 2.2.1.2).
pub const NEGOTIATE: u16 = 0;
pub const SESSION_SETUP: u16 = 1;
pub const TREE_CONNECT: u16 = 3;
pub const READ: u16 = 8;
pub const WRITE: u16 = 9;

const MORE_PROCESSING_REQUIRED: u32 = 0xC000_0016;

/// Of a request's header what a reply repeats (MS-SMB2 2.2.1).
#[derive(Debug, Clone, Copy)]
pub struct Header {
    pub command: u16,
    /// Where the next message of the frame begins, from the beginning of this one; 0 in the last.
    next: u32,
    message_id: u64,
}

impl Header {
    fn of(bytes: &[u8]) -> Header {
        let of_16 = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap());
        let message_id = u64::from_le_bytes(bytes[24..32].try_into().unwrap());
        Header { command: of_16(12), next: u32_at(bytes, 20), message_id }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// What becomes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Answered,
    /// First "I am at it", then the answer.
    AnsweredLater,
    /// Half of the answer, then the end of the connection.
    CutShort,
    /// The same, and the server takes nobody in any more.
    Gone,
    Ignored,
    /// "I am at it", and nothing else.
    Pending,
    /// The answer is that the session is gone.
    Expired,
    /// The answer is that access is denied.
    Denied,
    /// Something that is no message.
    Garbage,
    /// Answered with no more than one credit, whatever it took.
    Poor,
}

/// Says the fate of message number so and so of a connection, by its command.
pub type Script = Arc<dyn Fn(u32, u16) -> Fate + Send + Sync>;

/// The commands that came, over all connections.
pub type Seen = Arc<Mutex<Vec<u16>>>;

/// Makes of the reply to a frame, whose first command is this, what goes over the wire; an end of the connection
/// where it is none.
pub type Change = Arc<dyn Fn(u16, Vec<u8>) -> Option<Vec<u8>> + Send + Sync>;

/// Starts a server; it ends with the test.
pub fn start(script: Script) -> (SocketAddr, Seen) {
    start_changing(script, Arc::new(|_, reply| Some(framed(&reply))))
}

/// A frame with its length before it.
pub fn framed(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat()
}

/// Starts a server that changes what it answers.
pub fn start_changing(script: Script, change: Change) -> (SocketAddr, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Seen::default();
    let all = seen.clone();
    let door = Arc::new(listener);
    std::thread::spawn(move || {
        for socket in door.incoming().map_while(Result::ok) {
            let (script, change, seen, door) = (script.clone(), change.clone(), seen.clone(), door.clone());
            // Its client goes away: whatever it was about is over.
            std::thread::spawn(move || serve(socket, &door, &script, &change, &seen).unwrap_or_default());
        }
    });
    (address, all)
}

fn serve(
    mut socket: TcpStream,
    door: &TcpListener,
    script: &Script,
    change: &Change,
    seen: &Seen,
) -> std::io::Result<()> {
    let (mut setups, mut messages) = (0, 0);
    loop {
        let mut length = [0; 4];
        socket.read_exact(&mut length)?;
        let mut frame = vec![0; u32::from_be_bytes(length) as usize];
        socket.read_exact(&mut frame)?;
        let (mut at, mut replies, mut fate) = (0, Vec::new(), Fate::Answered);
        let (mut pending, first_command) = (Vec::new(), Header::of(&frame).command);
        loop {
            let header = Header::of(&frame[at..]);
            seen.lock().unwrap().push(header.command);
            let mine = script(messages, header.command);
            messages += 1;
            setups += u32::from(header.command == 1);
            let (status, body) = answer(header.command, setups, &frame[at..]);
            let credits = if mine == Fate::Poor { 1 } else { 32 };
            if matches!(mine, Fate::AnsweredLater | Fate::Pending) {
                pending.extend(reply(&header, 0x103, 1, &[9, 0, 0, 0, 0, 0, 0, 0, 0]));
            }
            let status = match mine {
                Fate::Expired => 0xC000_035C,
                Fate::Denied => 0xC000_0022,
                _ => status,
            };
            let mut reply = reply(&header, status, credits, &body);
            if header.next != 0 {
                reply.resize(reply.len().next_multiple_of(8), 0);
                let next = reply.len() as u32;
                reply[20..24].copy_from_slice(&next.to_le_bytes());
            }
            replies.extend(reply);
            fate = if mine == Fate::Answered { fate } else { mine };
            if header.next == 0 {
                break;
            }
            at += header.next as usize;
        }
        match fate {
            Fate::Answered | Fate::Expired | Fate::Denied | Fate::Poor => {
                let Some(bytes) = change(first_command, replies) else { return Ok(()) };
                socket.write_all(&bytes)?
            }
            Fate::AnsweredLater => {
                socket.write_all(&framed(&pending))?;
                std::thread::sleep(Duration::from_millis(20));
                socket.write_all(&framed(&replies))?;
            }
            Fate::Gone => {
                // Whoever comes from now on is refused.
                let _ = rustix::net::shutdown(door, rustix::net::Shutdown::Read);
                return socket.write_all(&framed(&replies)[..40]);
            }
            Fate::CutShort => return socket.write_all(&framed(&replies)[..40]),
            Fate::Pending => socket.write_all(&framed(&pending))?,
            Fate::Ignored => {}
            Fate::Garbage => socket.write_all(&framed(&[7; 80]))?,
        }
    }
}

pub fn reply(to: &Header, status: u32, credits: u16, body: &[u8]) -> Vec<u8> {
    let mut reply = vec![0; 64];
    reply[..4].copy_from_slice(b"\xFESMB");
    reply[4] = 64;
    reply[8..12].copy_from_slice(&status.to_le_bytes());
    reply[12..14].copy_from_slice(&to.command.to_le_bytes());
    reply[14..16].copy_from_slice(&credits.to_le_bytes());
    reply[16] = 1;
    reply[24..32].copy_from_slice(&to.message_id.to_le_bytes());
    reply[36] = 3;
    reply[40] = 9;
    reply.extend(body);
    reply
}

/// Status and body: whoever reads finds as many bytes of 5 as asked for, whoever writes has written all.
fn answer(command: u16, setups: u32, request: &[u8]) -> (u32, Vec<u8>) {
    let mut body = vec![0; 96];
    match command {
        0 => {
            body[4..6].copy_from_slice(&0x0302u16.to_le_bytes());
            body[24] = 4;
            body[28..40].fill(0);
            (28..40).step_by(4).for_each(|at| body[at..at + 4].copy_from_slice(&(1u32 << 20).to_le_bytes()));
            (0, body)
        }
        1 if setups == 1 => {
            let challenge = challenge();
            body.truncate(8);
            body[4] = 72;
            body[6] = challenge.len() as u8;
            body.extend(challenge);
            (MORE_PROCESSING_REQUIRED, body)
        }
        1 => {
            body[2] = 1;
            (0, body)
        }
        8 => {
            let length = u32_at(request, 68);
            let mut body = vec![0; 16];
            body[2] = 80;
            body[4..8].copy_from_slice(&length.to_le_bytes());
            body.extend(vec![5; length as usize]);
            (0, body)
        }
        9 => {
            let length = u32_at(request, 68);
            body[4..8].copy_from_slice(&length.to_le_bytes());
            (0, body)
        }
        _ => (0, body),
    }
}

/// NTLM's challenge without anything in it (MS-NLMP 2.2.1.2).
fn challenge() -> Vec<u8> {
    let mut challenge = vec![0; 56];
    challenge[..8].copy_from_slice(b"NTLMSSP\0");
    challenge[8] = 2;
    challenge[16] = 56;
    challenge[20..24].copy_from_slice(&0x0008_8201u32.to_le_bytes());
    challenge[24..32].fill(0x11);
    challenge[44] = 56;
    challenge
}
