//! Linux's own asynchronous I/O, as libaio calls it: io_submit(2) and io_getevents(2), once per group.
//!
//! Unsafe code: the system calls, which no library here has. Control blocks name buffers by address; `Queue::push` is
//! promised that they stay mapped. The kernel copies a block while it is submitted, and writes its
//! key.

use std::io;
use std::os::fd::RawFd;
use std::ptr;
use std::time::Duration;

use fsgauge_wire::Failure;

use super::Queue;
use crate::operation::Operation;

const READ: u16 = 0;
const WRITE: u16 = 1;

/// `struct iocb` of linux/aio_abi.h.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
struct Block {
    data: u64,
    /// Key and flags, in the order of the machine's bytes; both are 0.
    key_and_flags: u64,
    opcode: u16,
    priority: i16,
    file: u32,
    address: u64,
    size_bytes: u64,
    offset_bytes: i64,
    reserved: u64,
    flags: u32,
    event_file: u32,
}

/// `struct io_event`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
struct Completed {
    data: u64,
    block: u64,
    result: i64,
    second: i64,
}

/// One context in use by its one thread.
pub(crate) struct AioQueue {
    context: libc::c_ulong,
    descriptors: Vec<RawFd>,
    /// Of each slot.
    blocks: Box<[Block]>,
    /// Those that the kernel does not have yet.
    pushed: Vec<*mut Block>,
    /// Operations that the kernel has and has not handed back.
    outstanding: usize,
    /// What it has handed back, and how many of them.
    completed: Box<[Completed]>,
    ready: usize,
}

impl AioQueue {
    /// For so many operations on these files.
    pub(crate) fn new(depth: u32, descriptors: Vec<RawFd>) -> Result<Self, Failure> {
        let mut context: libc::c_ulong = 0;
        // SAFETY: the kernel writes one number.
        let made = unsafe { libc::syscall(libc::SYS_io_setup, libc::c_long::from(depth), &raw mut context) };
        if made < 0 {
            return Err(refused("io_setup", &io::Error::last_os_error()));
        }
        let depth = depth as usize;
        Ok(AioQueue {
            context,
            descriptors,
            blocks: vec![Block::default(); depth].into(),
            pushed: Vec::with_capacity(depth),
            outstanding: 0,
            completed: vec![Completed::default(); depth].into(),
            ready: 0,
        })
    }

    /// What the kernel does not take now it gets the next time.
    #[inline]
    fn submit(&mut self) -> io::Result<()> {
        if self.pushed.is_empty() {
            return Ok(());
        }
        let (count, blocks) = (self.pushed.len(), self.pushed.as_ptr());
        // SAFETY: every pointer is into `blocks`, and every block is valid.
        let taken = unsafe { libc::syscall(libc::SYS_io_submit, self.context, count, blocks) };
        if taken < 0 {
            return passing("io_submit");
        }
        self.pushed.drain(..taken as usize);
        self.outstanding += taken as usize;
        Ok(())
    }

    /// Takes what has completed, `wanted` at least; without a limit it waits for these as long as it takes.
    #[inline]
    fn take(&mut self, wanted: usize, limit: Option<Duration>) -> io::Result<()> {
        let room = self.completed.len() - self.ready;
        let limit = limit.map(|limit| libc::timespec {
            tv_sec: limit.as_secs() as libc::time_t,
            tv_nsec: limit.subsec_nanos() as _,
        });
        let limit = limit.as_ref().map_or(ptr::null(), ptr::from_ref);
        let place = self.completed[self.ready..].as_mut_ptr();
        // SAFETY: there is room for so many events, and the limit is read before the call returns.
        let found =
            unsafe { libc::syscall(libc::SYS_io_getevents, self.context, wanted, room, place, limit) };
        if found < 0 {
            return passing("io_getevents");
        }
        self.ready += found as usize;
        self.outstanding -= found as usize;
        Ok(())
    }
}

/// Frees the context, unless this could wait for operations for ever; the kernel then does it by itself.
impl Drop for AioQueue {
    fn drop(&mut self) {
        if self.outstanding == 0 {
            // SAFETY: nothing uses it any more.
            unsafe { libc::syscall(libc::SYS_io_destroy, self.context) };
        }
    }
}

/// A signal, or a shortage of memory for requests, is no failure: the loop reaps and enters again.
#[cold]
fn passing(call: &str) -> io::Result<()> {
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::EINTR | libc::EAGAIN) => Ok(()),
        _ => Err(io::Error::other(refused(call, &error))),
    }
}

#[cold]
fn refused(call: &str, error: &io::Error) -> Failure {
    let (cause, next) = match error.raw_os_error() {
        Some(libc::EAGAIN) => {
            ("all programs together may have fs.aio-max-nr operations", "sysctl -w fs.aio-max-nr=1048576")
        }
        Some(libc::ENOSYS | libc::EPERM) => {
            ("this kernel or container has no asynchronous I/O", "interface psync, with more jobs")
        }
        _ => ("the kernel refused the call", "dmesg | tail; or interface psync"),
    };
    Failure::system("aio", error.raw_os_error(), format!("{call} failed: {error}"), cause, next)
}

impl Queue for AioQueue {
    #[inline]
    fn push(&mut self, slot: u32, operation: &Operation, address: *mut u8) {
        let block = &mut self.blocks[slot as usize];
        *block = Block {
            data: u64::from(slot),
            opcode: if operation.write { WRITE } else { READ },
            file: self.descriptors[operation.file as usize] as u32,
            address: address as u64,
            size_bytes: u64::from(operation.size_bytes),
            offset_bytes: operation.offset_bytes as i64,
            ..Block::default()
        };
        self.pushed.push(ptr::from_mut(block));
    }

    #[inline]
    fn enter(&mut self, wanted: u32) -> io::Result<()> {
        self.submit()?;
        let missing = (wanted as usize).saturating_sub(self.ready).min(self.outstanding);
        if missing > 0 {
            return self.take(missing, None);
        }
        if self.outstanding > 0 { self.take(0, Some(Duration::ZERO)) } else { Ok(()) }
    }

    fn enter_for(&mut self, limit: Duration, _idle: bool) -> io::Result<()> {
        self.submit()?;
        if self.ready > 0 { Ok(()) } else { self.take(1, Some(limit)) }
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        for completed in &self.completed[..self.ready] {
            each(completed.data as u32, completed.result as i32);
        }
        self.ready = 0;
    }
}
