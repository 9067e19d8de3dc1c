//! The share queue: operations are messages to a server, as many under way on one connection as the queue is deep.
//!
//! A lane of the connection is a slot. What a server takes in several messages (it names the largest) is one operation
//! here, which ends with the last of them. Read data are copied into the slot's buffer, as the kernel would copy them.
//!
//! Unsafe code: slices of the slots' buffers; `Queue::push` is promised that they stay mapped and unused by others.

use std::cell::RefCell;
use std::io;
use std::time::Duration;

use fsgauge_net::{Answer, Started};

use super::Queue;
use crate::operation::Operation;
use crate::share::{Connection, wait_error};

/// No wait is longer: a signal that comes just before it must not be slept through, and the connection looks for
/// answers that are late.
const LOOK: Duration = Duration::from_millis(100);

/// A slot's operation, and how much of it the server has done.
#[derive(Debug, Clone, Copy)]
struct Lane {
    operation: Operation,
    address: *mut u8,
    done_bytes: u32,
}

impl Lane {
    const IDLE: Lane = Lane {
        operation: Operation { write: false, file: 0, size_bytes: 0, offset_bytes: 0 },
        address: std::ptr::null_mut(),
        done_bytes: 0,
    };

    /// What is still to be written.
    fn left(&self) -> &[u8] {
        if !self.operation.write {
            return &[];
        }
        let (done_bytes, size_bytes) = (self.done_bytes as usize, self.operation.size_bytes as usize);
        // SAFETY: `push` was promised that `size_bytes` at `address` stay mapped and unused by others; less than all of
        // them are done.
        unsafe { std::slice::from_raw_parts(self.address.add(done_bytes), size_bytes - done_bytes) }
    }

    /// Takes what a read gave into the buffer.
    fn take(&self, found: &[u8]) {
        let left = (self.operation.size_bytes - self.done_bytes) as usize;
        let count = found.len().min(left);
        // SAFETY: as above; no more is copied than there is room behind what is done.
        unsafe {
            let to = self.address.add(self.done_bytes as usize);
            std::ptr::copy_nonoverlapping(found.as_ptr(), to, count);
        }
    }

    /// Counts an answer. Gives the operation's result when it is done: its bytes, fewer where the file ends or the
    /// server takes no more, or an error.
    fn step(&mut self, answer: Answer) -> Option<i32> {
        if answer < 0 {
            return Some(answer as i32);
        }
        let left_bytes = self.operation.size_bytes - self.done_bytes;
        self.done_bytes += (answer as u32).min(left_bytes);
        let is_done = answer == 0 || self.done_bytes == self.operation.size_bytes;
        is_done.then_some(self.done_bytes as i32)
    }
}

/// A queue on a connection of its own, which is somebody else's to sync while nothing is under way.
pub(crate) struct ShareQueue<'connection> {
    connection: &'connection RefCell<Connection>,
    lanes: Vec<Lane>,
    pushed: Vec<u32>,
    answers: Vec<(u32, Answer)>,
    completed: Vec<(u32, i32)>,
    under_way: u32,
}

impl<'connection> ShareQueue<'connection> {
    /// The connection has `depth` lanes, all idle.
    pub(crate) fn new(connection: &'connection RefCell<Connection>, depth: u32) -> Self {
        let length = depth as usize;
        ShareQueue {
            connection,
            lanes: vec![Lane::IDLE; length],
            pushed: Vec::with_capacity(length),
            answers: Vec::with_capacity(length),
            completed: Vec::with_capacity(length),
            under_way: 0,
        }
    }

    #[inline]
    fn start_pushed(&mut self, connection: &mut Connection) {
        for index in 0..self.pushed.len() {
            self.begin(connection, self.pushed[index]);
        }
        self.pushed.clear();
    }

    /// Sends what a lane has left to do. Nothing that was read waits to be taken.
    #[inline]
    fn begin(&mut self, connection: &mut Connection, slot: u32) {
        let lane = &mut self.lanes[slot as usize];
        loop {
            match connection.start(slot, &lane.operation, lane.done_bytes, lane.left()) {
                Started::Pending => {
                    self.under_way += 1;
                    return;
                }
                Started::Done(answer) => {
                    if !lane.operation.write && answer > 0 {
                        lane.take(found(connection, slot, answer));
                    }
                    if let Some(result) = lane.step(answer) {
                        self.completed.push((slot, result));
                        return;
                    }
                }
            }
        }
    }

    /// Waits for answers once.
    #[inline]
    fn look(&mut self, connection: &mut Connection, limit: Duration) -> io::Result<()> {
        let answers = &mut self.answers;
        connection
            .wait(limit, &mut |slot, answer| answers.push((slot, answer)))
            .map_err(|error| wait_error(&error))?;
        self.under_way -= self.answers.len() as u32;
        for &(slot, answer) in &self.answers {
            let lane = &self.lanes[slot as usize];
            if !lane.operation.write && answer > 0 {
                lane.take(found(connection, slot, answer));
            }
        }
        for index in 0..self.answers.len() {
            let (slot, answer) = self.answers[index];
            match self.lanes[slot as usize].step(answer) {
                Some(result) => self.completed.push((slot, result)),
                None => self.begin(connection, slot),
            }
        }
        self.answers.clear();
        Ok(())
    }
}

/// What a read gave.
#[inline]
fn found(connection: &Connection, slot: u32, answer: Answer) -> &[u8] {
    let incoming = connection.incoming(slot);
    &incoming[..incoming.len().min(answer as usize)]
}

impl Queue for ShareQueue<'_> {
    #[inline]
    fn push(&mut self, slot: u32, operation: &Operation, address: *mut u8) {
        self.lanes[slot as usize] = Lane { operation: *operation, address, done_bytes: 0 };
        self.pushed.push(slot);
    }

    #[inline]
    fn enter(&mut self, wanted: u32) -> io::Result<()> {
        let connection = &mut *self.connection.borrow_mut();
        // As with a ring, completions are looked for only when something could have completed meanwhile.
        let looks = wanted > 0 || self.under_way > 0;
        self.start_pushed(connection);
        let mut limit = if wanted > 0 { LOOK } else { Duration::ZERO };
        if !looks {
            return Ok(());
        }
        loop {
            let before = self.completed.len();
            if before > 0 && before >= wanted as usize {
                limit = Duration::ZERO;
            }
            if self.under_way > 0 {
                self.look(connection, limit)?;
            }
            let after = self.completed.len();
            // Nothing: it was a signal, or part of an answer. The caller comes again.
            if after >= wanted as usize || after == before {
                return Ok(());
            }
        }
    }

    fn enter_for(&mut self, limit: Duration, _idle: bool) -> io::Result<()> {
        let connection = &mut *self.connection.borrow_mut();
        self.start_pushed(connection);
        self.look(connection, limit.min(LOOK))
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        self.completed.drain(..).for_each(|(slot, result)| each(slot, result));
    }
}
