//! Frames that came in, and what they answer.

use std::ops::Range;

use rustix::event::epoll::EventFlags;

use super::connection::State;
use super::handshake::Next;
use super::lanes::{Kind, Sent};
use super::message::{Command, FLAG_REPLY, HEADER_BYTES, Header, u16_at, u32_at, u64_at};
use super::refusal::Refusal;
use super::requests::{LISTING_BYTES, for_each_name};
use super::seal::{TRANSFORM_BYTES, is_sealed};
use super::status::{errno_of, is_session_gone};
use super::target::SmbTarget;
use super::{requests, status};
use crate::target::{Answer, NAMES_LIMIT};

/// Why a connection is given up: a (positive) error number.
type Broken = i32;

/// A directory that takes more replies is taken for a damaged one that has no end.
const LISTINGS_LIMIT: u32 = 1 << 20;
/// Notices of the server have this number.
const NOTICE_ID: u64 = u64::MAX;

impl SmbTarget {
    /// A socket has something to tell.
    #[inline]
    pub(super) fn happened(&mut self, number: u32, flags: EventFlags) {
        if matches!(self.connections[number as usize].state, State::Connecting { .. }) {
            return self.connected(number);
        }
        let is_writable = flags.contains(EventFlags::OUT);
        if is_writable && !self.connections[number as usize].backlog.is_empty() && !self.send_backlog(number)
        {
            return self.broke(number, libc::ECONNRESET);
        }
        if flags.intersects(EventFlags::IN | EventFlags::HUP | EventFlags::ERR)
            && let Err(errno) = self.receive(number)
        {
            self.broke(number, errno);
        }
    }

    fn receive(&mut self, number: u32) -> Result<(), Broken> {
        let connection = &mut self.connections[number as usize];
        let incoming = &mut connection.incoming;
        let socket = match &connection.state {
            State::Greeting { socket, .. } | State::Up { socket } => socket,
            _ => return Ok(()),
        };
        let errno = |error: std::io::Error| error.raw_os_error().unwrap_or(libc::EIO);
        self.traffic.received_bytes += incoming.fill(socket).map_err(errno)?;
        while let Some(frame) = self.connections[number as usize].incoming.frame().map_err(errno)? {
            self.take_frame(number, frame)?;
            if self.connections[number as usize].socket().is_none() {
                return Ok(());
            }
        }
        Ok(())
    }

    #[inline]
    fn take_frame(&mut self, number: u32, mut frame: Range<usize>) -> Result<(), Broken> {
        let connection = &mut self.connections[number as usize];
        let is_sealed_frame = is_sealed(connection.incoming.bytes(frame.clone()));
        if let Some(seal) = &connection.session.seal {
            // The reply to the login is the last that is not encrypted; keys come with it.
            seal.open(connection.incoming.bytes_mut(frame.clone())).ok_or(libc::EPROTO)?;
            frame.start += TRANSFORM_BYTES;
        } else if is_sealed_frame {
            return Err(libc::EPROTO);
        }
        if matches!(connection.state, State::Greeting { .. }) {
            return self.greeted(number, frame);
        }
        loop {
            let message = self.connections[number as usize].incoming.bytes(frame.clone());
            let header = Header::of(message).ok_or(libc::EPROTO)?;
            let next = header.next as usize;
            if next != 0 && !(64..message.len()).contains(&next) {
                return Err(libc::EPROTO);
            }
            let end = if next == 0 { frame.end } else { frame.start + next };
            self.take_message(number, header, frame.start..end)?;
            if next == 0 {
                break;
            }
            frame.start = end;
        }
        if self.connections[number as usize].is_up() && !self.send_held_if_any(number) {
            return Err(libc::ECONNRESET);
        }
        Ok(())
    }

    #[inline]
    fn send_held_if_any(&mut self, number: u32) -> bool {
        let lanes = (number * self.outstanding) as usize..((number + 1) * self.outstanding) as usize;
        if self.lanes[lanes].iter().all(|lane| lane.held.is_none()) { true } else { self.send_held(number) }
    }

    /// A reply of the way in.
    fn greeted(&mut self, number: u32, frame: Range<usize>) -> Result<(), Broken> {
        let connection = &mut self.connections[number as usize];
        let State::Greeting { handshake, .. } = &mut connection.state else { return Ok(()) };
        let reply = connection.incoming.bytes_mut(frame);
        if Header::of(reply).is_some_and(|header| header.status == status::PENDING) {
            connection.session.take_credits(Header::of(reply).map_or(0, |header| header.credits));
            return Ok(());
        }
        match handshake.take(reply, &mut connection.session, &mut self.frame) {
            Ok(Next::Send) => match self.transmit(number) {
                Some(_) => Ok(()),
                None => Err(libc::ECONNRESET),
            },
            Ok(Next::Ready) => {
                self.came_up(number);
                Ok(())
            }
            Err(refusal) => {
                self.refused(number, refusal);
                Ok(())
            }
        }
    }

    #[inline]
    fn take_message(&mut self, number: u32, header: Header, message: Range<usize>) -> Result<(), Broken> {
        let connection = &mut self.connections[number as usize];
        if header.flags & FLAG_REPLY == 0 {
            return Err(libc::EPROTO);
        }
        if header.message_id == NOTICE_ID {
            return self.noticed(number, header, message);
        }
        if header.status == status::PENDING {
            // It is never signed, and the answer that follows it need not bring the credits again.
            connection.session.take_credits(header.credits);
            return Ok(());
        }
        if let (Some(signer), None) = (&connection.session.signer, &connection.session.seal)
            && !signer.is_signed(connection.incoming.bytes_mut(message.clone()))
        {
            return Err(libc::EPROTO);
        }
        connection.session.take_credits(header.credits);
        if is_session_gone(header.status) {
            return Err(libc::ECONNRESET);
        }
        let first = number * self.outstanding;
        for lane in first..first + self.outstanding {
            if let Some(mut sent) = self.lanes[lane as usize].sent
                && let Some(bit) = sent.bit_of(header.message_id)
            {
                sent.missing &= !bit;
                return self.answered(number, lane, sent, header, message);
            }
        }
        // A message that no lane waits for, perhaps once more: it brought credits.
        Ok(())
    }

    /// A lane's message was answered.
    #[inline]
    fn answered(
        &mut self,
        number: u32,
        lane: u32,
        mut sent: Sent,
        header: Header,
        message: Range<usize>,
    ) -> Result<(), Broken> {
        let is_done = header.status == status::SUCCESS;
        let bytes = self.connections[number as usize].incoming.bytes(message.clone());
        let errno = -Answer::from(errno_of(header.status));
        match sent.kind {
            Kind::Open | Kind::Create if is_done => {
                let id = bytes.get(128..144).and_then(|id| id.try_into().ok()).ok_or(libc::EPROTO)?;
                sent.answer = self.connections[number as usize].files.add(id) as Answer;
            }
            Kind::Read(asked_bytes) if is_done => {
                let (at, length) =
                    (usize::from(bytes.get(66).copied().unwrap_or(0)), u32_at(bytes, 68) as usize);
                if bytes.len() < at + length || at < HEADER_BYTES || length > asked_bytes as usize {
                    return Err(libc::EPROTO);
                }
                self.lanes[lane as usize].read = message.start + at..message.start + at + length;
                sent.answer = length as Answer;
            }
            Kind::Read(_) if header.status == status::END_OF_FILE => {
                self.lanes[lane as usize].read = 0..0;
                sent.answer = 0;
            }
            Kind::Write(given_bytes) if is_done => {
                let written_bytes = u32_at(bytes, 68);
                if written_bytes > given_bytes {
                    return Err(libc::EPROTO);
                }
                sent.answer = written_bytes.into();
            }
            Kind::Stat if is_done && header.command == Command::Create as u16 => {
                sent.answer = u64_at(bytes, 112).min(i64::MAX as u64) as Answer;
            }
            Kind::ListFirst(_) if is_done && header.command == Command::Create as u16 => {
                let id = bytes.get(128..144).and_then(|id| id.try_into().ok()).ok_or(libc::EPROTO)?;
                sent.kind = Kind::ListFirst(id);
            }
            Kind::ListFirst(id) | Kind::ListMore(id) if header.command == Command::QueryDirectory as u16 => {
                return self.listed(number, lane, sent, id, header.status, message);
            }
            Kind::MakeDirectory if errno == -Answer::from(libc::ENOTDIR) && sent.answer >= 0 => {
                sent.answer = -Answer::from(libc::EEXIST);
            }
            Kind::Create if errno == -Answer::from(libc::EISDIR) => sent.answer = -Answer::from(libc::EEXIST),
            // The first refusal says why; those of the messages after it follow from it.
            _ if !is_done && sent.answer >= 0 => sent.answer = errno,
            _ => {}
        }
        self.end_or_wait(number, lane, sent);
        Ok(())
    }

    #[inline]
    fn end_or_wait(&mut self, number: u32, lane: u32, sent: Sent) {
        if sent.missing != 0 {
            self.lanes[lane as usize].sent = Some(sent);
        } else {
            self.lanes[lane as usize].sent = None;
            self.connections[number as usize].backoff.reset_timeouts();
            self.answers.push((lane, sent.answer));
        }
    }

    /// Some names came, or there are no more.
    fn listed(
        &mut self,
        number: u32,
        lane: u32,
        mut sent: Sent,
        directory: [u8; 16],
        status: u32,
        message: Range<usize>,
    ) -> Result<(), Broken> {
        if directory == [0; 16] {
            // It was not opened.
            self.end_or_wait(number, lane, sent);
            return Ok(());
        }
        self.frame.clear();
        if status == status::SUCCESS {
            let bytes = self.connections[number as usize].incoming.bytes(message);
            let (at, length) = (usize::from(u16_at(bytes, 66)), u32_at(bytes, 68));
            if at < HEADER_BYTES || !(1..=LISTING_BYTES).contains(&length) {
                return Err(libc::EPROTO);
            }
            let listing = bytes.get(at..at + length as usize).ok_or(libc::EPROTO)?;
            let (keeps, names, count) = (self.keeps_names, &mut self.names, &mut sent.answer);
            let mut kept = Ok(());
            for_each_name(listing, |name| {
                *count += 1;
                if keeps && kept.is_ok() {
                    kept = names.keep(text_of(name));
                }
            })
            .ok_or(libc::EPROTO)?;
            let listings = &mut self.lanes[lane as usize].listings;
            *listings += 1;
            if kept.is_err() || *count > NAMES_LIMIT as Answer || *listings > LISTINGS_LIMIT {
                sent.answer = -Answer::from(libc::ELOOP);
            }
        }
        let kind = if status == status::SUCCESS && sent.answer >= 0 {
            requests::names(&mut self.frame, Some(&directory));
            Kind::ListMore(directory)
        } else {
            if status != status::NO_MORE_FILES && status != status::SUCCESS {
                sent.answer = -Answer::from(errno_of(status));
            }
            requests::close(&mut self.frame, Some(&directory));
            Kind::ListClose
        };
        self.lanes[lane as usize].sent = None;
        if self.send_as(lane, kind, sent.answer) {
            return Ok(());
        }
        self.answers.push((lane, -Answer::from(libc::ECONNRESET)));
        Err(libc::ECONNRESET)
    }

    /// The server says something by itself: it wants an oplock back.
    #[cold]
    fn noticed(&mut self, number: u32, header: Header, message: Range<usize>) -> Result<(), Broken> {
        let bytes = self.connections[number as usize].incoming.bytes(message);
        let is_of_oplock = header.command == Command::OplockBreak as u16 && u16_at(bytes, 64) == 24;
        // Who has asked for none has none to give back.
        if !is_of_oplock || !self.access.job.oplocks {
            return Ok(());
        }
        let file = bytes.get(72..88).and_then(|id| id.try_into().ok()).ok_or(libc::EPROTO)?;
        self.frame.clear();
        requests::no_oplock(&mut self.frame, &file);
        self.transmit(number).map(|_| ()).ok_or(libc::ECONNRESET)
    }

    /// A connection that was up or on its way is none any more.
    fn broke(&mut self, number: u32, errno: i32) {
        if self.connections[number as usize].is_up() {
            self.lose(number, errno);
        } else {
            self.refused(number, Refusal::Connection(errno));
        }
    }
}

/// A name in UTF-16.
fn text_of(name: &[u8]) -> String {
    let units: Vec<u16> = name.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
    String::from_utf16_lossy(&units)
}
