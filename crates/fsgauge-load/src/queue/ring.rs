//! The io_uring queue: prepares entries, enters the kernel once per group, reaps whatever has completed.
//!
//! Unsafe code: entries name buffers by address; `Queue::push` is promised that they stay mapped.

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use fsgauge_wire::Features;
use io_uring::squeue::{self, Entry};
use io_uring::types::{Fd, SubmitArgs, Timespec};
use io_uring::{CompletionQueue, EnterFlags, SubmissionQueue, Submitter, opcode};

use super::Queue;
use crate::operation::Operation;
use crate::ring_setup::Parts;

/// Which resources were registered with the kernel and are named by index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fixed {
    pub(crate) files: bool,
    pub(crate) buffers: bool,
}

impl Fixed {
    pub(crate) const ALL: Fixed = Fixed { files: true, buffers: true };
}

/// The entry of one operation. All buffers are one registered region, number 0.
#[inline]
pub(crate) fn entry(
    slot: u32,
    operation: &Operation,
    address: *mut u8,
    fixed: Fixed,
    descriptors: &[RawFd],
) -> Entry {
    let (size, offset) = (operation.size_bytes, operation.offset_bytes);
    // A registered file is an index and a flag; the type for that cannot be chosen while running.
    let file = Fd(if fixed.files { operation.file as RawFd } else { descriptors[operation.file as usize] });
    let entry = match (operation.write, fixed.buffers) {
        (false, true) => opcode::ReadFixed::new(file, address, size, 0).offset(offset).build(),
        (false, false) => opcode::Read::new(file, address, size).offset(offset).build(),
        (true, true) => opcode::WriteFixed::new(file, address, size, 0).offset(offset).build(),
        (true, false) => opcode::Write::new(file, address, size).offset(offset).build(),
    };
    let flags = if fixed.files { squeue::Flags::FIXED_FILE } else { squeue::Flags::empty() };
    entry.flags(flags).user_data(u64::from(slot))
}

/// One ring in use by its one thread.
pub(crate) struct RingQueue<'ring> {
    submitter: Submitter<'ring>,
    submission: SubmissionQueue<'ring>,
    completion: CompletionQueue<'ring>,
    fixed: Fixed,
    descriptors: Vec<RawFd>,
    /// Entries prepared and not yet taken by the kernel.
    pushed: u32,
    /// Operations that the kernel had before and that were not reaped yet.
    outstanding: u32,
}

impl<'ring> RingQueue<'ring> {
    pub(crate) fn new(parts: Parts<'ring>, features: &Features, descriptors: Vec<RawFd>) -> Self {
        let (submitter, submission, completion) = parts;
        let fixed = Fixed { files: features.registered_files, buffers: features.registered_buffers };
        RingQueue { submitter, submission, completion, fixed, descriptors, pushed: 0, outstanding: 0 }
    }

    /// The kernel took `result` entries, or nothing. A signal, a full completion queue or a shortage of
    /// memory for requests is no failure: the loop reaps and enters again.
    #[inline]
    fn took(&mut self, result: io::Result<usize>) -> io::Result<()> {
        match result {
            Ok(taken) => {
                // Learns that the kernel has emptied the entries: without it a full queue stays full.
                self.submission.sync();
                self.pushed -= (taken as u32).min(self.pushed);
                self.outstanding += taken as u32;
            }
            Err(error) => return passing(error),
        }
        Ok(())
    }
}

/// Gives files and buffers back at once. A ring that is only closed does so some time after the process has
/// ended, and a file system cannot be unmounted until then.
impl Drop for RingQueue<'_> {
    fn drop(&mut self) {
        // With operations in flight this could wait for them for ever; the kernel then does it by itself.
        if self.outstanding == 0 && self.pushed == 0 {
            if self.fixed.files {
                let _ = self.submitter.unregister_files();
            }
            if self.fixed.buffers {
                let _ = self.submitter.unregister_buffers();
            }
        }
    }
}

#[cold]
fn passing(error: io::Error) -> io::Result<()> {
    match error.raw_os_error() {
        Some(libc::EINTR | libc::EAGAIN | libc::EBUSY | libc::ETIME) => Ok(()),
        _ => Err(error),
    }
}

impl Queue for RingQueue<'_> {
    #[inline]
    fn push(&mut self, slot: u32, operation: &Operation, address: *mut u8) {
        let entry = entry(slot, operation, address, self.fixed, &self.descriptors);
        // SAFETY: the caller keeps the buffer mapped until the slot is reaped (Queue::push).
        let pushed = unsafe { self.submission.push(&entry) };
        assert!(pushed.is_ok(), "more operations than slots");
        self.pushed += 1;
    }

    #[inline]
    fn enter(&mut self, wanted: u32) -> io::Result<()> {
        self.submission.sync();
        // Completions are looked for only when something could have completed meanwhile; what completes
        // while it is submitted shows by itself.
        let looks = wanted > 0 || self.outstanding > 0;
        let flags = if looks { EnterFlags::GETEVENTS } else { EnterFlags::empty() }.bits();
        // SAFETY: no argument is passed along, and every pushed entry is valid.
        let result = unsafe { self.submitter.enter::<libc::sigset_t>(self.pushed, wanted, flags, None) };
        self.took(result)
    }

    fn enter_for(&mut self, limit: Duration, _idle: bool) -> io::Result<()> {
        self.submission.sync();
        let limit = Timespec::from(limit);
        let result = self.submitter.submit_with_args(1, &SubmitArgs::new().timespec(&limit));
        if result.as_ref().is_err_and(|error| error.raw_os_error() == Some(libc::ETIME)) {
            // The kernel reports the time-out only when it had nothing to take.
            return Ok(());
        }
        self.took(result)
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        self.completion.sync();
        self.outstanding -= self.completion.len() as u32;
        for completed in &mut self.completion {
            each(completed.user_data() as u32, completed.result());
        }
        self.completion.sync();
    }
}
