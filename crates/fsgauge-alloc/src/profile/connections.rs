//! `connections`: each client writes one file at a time, all clients in turns, record by record. Above the fill
//! level a finished file, drawn, is deleted before a new one begins.
//!
//! Source of the defaults: 590 connections that write 1 MiB files in records of 4 KiB (the published study of
//! delayed block allocation, see the study `connections`).

use fsgauge_wire::{AgeProfile, Failure};

use super::{Profile, Turn, too_small, wrong};
use crate::log_state::{LogState, taken};

pub(crate) struct Connections {
    file_size_bytes: u64,
    record_bytes: u64,
    fsync: bool,
    fill_only: bool,
    /// Files that fit in the room, unfinished ones included.
    files_limit: u64,
    /// What each client writes on; None: it has not begun, or there is no room.
    clients: Vec<Option<u32>>,
    turn: usize,
    finished: Vec<u32>,
    begun: u64,
    filled: bool,
}

pub(super) fn begin(profile: &AgeProfile, room_bytes: u64, fill_only: bool) -> Result<Connections, Failure> {
    let &AgeProfile::Connections { clients, file_size_bytes, record_bytes, fsync } = profile else {
        return Err(wrong("the profile is not connections", "its kind is another"));
    };
    if clients == 0 || file_size_bytes == 0 || record_bytes == 0 {
        return Err(wrong("clients, file_size_bytes and record_bytes must be above 0", "one of them is 0"));
    }
    let files_limit = room_bytes / taken(file_size_bytes);
    if files_limit < u64::from(clients) {
        return Err(too_small(&format!("{clients} files of {file_size_bytes} bytes"), room_bytes));
    }
    Ok(Connections {
        file_size_bytes,
        record_bytes: u64::from(record_bytes),
        fsync,
        fill_only,
        files_limit,
        clients: vec![None; clients as usize],
        turn: 0,
        finished: Vec::new(),
        begun: 0,
        filled: false,
    })
}

impl Connections {
    /// A new file for a client; deletes a finished one where there is no room. False: there is none and stays so.
    fn begin_file(&mut self, log: &mut LogState, client: usize) -> bool {
        if self.begun >= self.files_limit {
            self.filled = true;
            if self.fill_only || self.finished.is_empty() {
                return false;
            }
            let at = log.random.below(self.finished.len() as u64) as usize;
            log.delete(self.finished.swap_remove(at));
            self.begun -= 1;
        }
        self.begun += 1;
        self.clients[client] = Some(log.create(client as u32, 0));
        true
    }

    fn write_record(&mut self, log: &mut LogState, client: usize, file: u32) {
        let left_bytes = self.file_size_bytes - log.size(file);
        log.append(file, self.record_bytes.min(left_bytes));
        if left_bytes <= self.record_bytes {
            if self.fsync {
                log.fsync(file);
            }
            self.clients[client] = None;
            self.finished.push(file);
        }
    }
}

impl Profile for Connections {
    fn turn(&mut self, log: &mut LogState) -> Turn {
        for _ in 0..self.clients.len() {
            let client = self.turn;
            self.turn = (client + 1) % self.clients.len();
            let current = self.clients[client];
            match current {
                Some(file) => self.write_record(log, client, file),
                None if self.begin_file(log, client) => {}
                None => continue,
            }
            return Turn::Goes;
        }
        Turn::Over
    }

    fn is_filled(&self) -> bool {
        self.filled
    }
}
