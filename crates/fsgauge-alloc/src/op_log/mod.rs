//! The operation log: made one operation at a time, a pure function of profile, room, end and seed.

mod checksum;

use fsgauge_wire::{AgeEnd, AgeOperation, AgeProfile, Failure};

pub(crate) use checksum::Checksum;

use crate::log_state::LogState;
use crate::operation::{Operation, Placement};
use crate::profile::{self, Profile, Turn};

/// A log: an iterator over operations. What it keeps goes with the live files, never with its length.
pub struct OpLog {
    log: LogState,
    profile: Box<dyn Profile>,
    end: AgeEnd,
    room_bytes: u64,
    placement: Placement,
    over: bool,
    checksum: Checksum,
    operations: u64,
    written_bytes: u64,
    live_bytes: u64,
    virtual_time_ns: u64,
}

impl OpLog {
    /// The log of a profile whose live files may take `room_bytes`. Fails for a profile that cannot be.
    pub fn new(profile: &AgeProfile, end: AgeEnd, room_bytes: u64, seed: u64) -> Result<Self, Failure> {
        let fill_only = matches!(end, AgeEnd::Complete {});
        Ok(OpLog {
            log: LogState::new(seed),
            profile: profile::begin(profile, room_bytes, fill_only)?,
            end,
            room_bytes,
            placement: profile::placement(profile),
            over: false,
            checksum: Checksum::default(),
            operations: 0,
            written_bytes: 0,
            live_bytes: 0,
            virtual_time_ns: 0,
        })
    }

    /// Where its files lie.
    pub fn placement(&self) -> Placement {
        self.placement
    }

    /// Of the operations that were taken.
    pub fn checksum(&self) -> String {
        self.checksum.text()
    }

    /// Virtual time of the operation that was taken last.
    pub fn virtual_time_ns(&self) -> u64 {
        self.virtual_time_ns
    }

    /// How much of the log was taken, 0 to 1; None where it ends by itself at a moment that is not known.
    pub fn share(&self) -> Option<f64> {
        let room = self.room_bytes as f64;
        let share = match self.end {
            AgeEnd::Operations { operations } => self.operations as f64 / operations as f64,
            AgeEnd::VirtualTime { virtual_time_ns } => self.virtual_time_ns as f64 / virtual_time_ns as f64,
            AgeEnd::StorageAge { storage_age } => self.written_bytes as f64 / (room * storage_age),
            AgeEnd::Complete {} => self.written_bytes as f64 / room,
        };
        share.is_finite().then(|| share.min(1.0))
    }

    fn is_at_its_end(&self) -> bool {
        match self.end {
            AgeEnd::Complete {} => false,
            AgeEnd::Operations { operations } => self.operations >= operations,
            AgeEnd::VirtualTime { .. } => false,
            AgeEnd::StorageAge { storage_age } => {
                self.live_bytes > 0
                    && self.written_bytes as f64 >= storage_age * self.live_bytes as f64
                    && self.profile.is_filled()
            }
        }
    }

    fn is_too_late(&self, operation: &Operation) -> bool {
        matches!(self.end, AgeEnd::VirtualTime { virtual_time_ns } if operation.virtual_time_ns > virtual_time_ns)
    }

    fn count(&mut self, operation: &Operation) {
        self.operations += 1;
        self.virtual_time_ns = operation.virtual_time_ns;
        match operation.kind {
            AgeOperation::Create | AgeOperation::Append => {
                self.written_bytes += operation.size_bytes;
                self.live_bytes += operation.size_bytes;
            }
            AgeOperation::Overwrite => self.written_bytes += operation.size_bytes,
            AgeOperation::Truncate | AgeOperation::Delete => self.live_bytes -= operation.size_bytes,
            AgeOperation::Fsync => {}
        }
        self.checksum.add(operation);
    }
}

impl Iterator for OpLog {
    type Item = Operation;

    #[inline]
    fn next(&mut self) -> Option<Operation> {
        if self.over || self.is_at_its_end() {
            self.over = true;
            return None;
        }
        let mut next = self.log.take();
        if next.is_none() {
            // A turn gives an operation, or it was the last.
            if let Turn::Goes = self.profile.turn(&mut self.log) {
                next = self.log.take();
            }
        }
        let next = next.filter(|operation| !self.is_too_late(operation));
        match &next {
            Some(operation) => self.count(operation),
            None => self.over = true,
        }
        next
    }
}

#[cfg(test)]
mod tests;
