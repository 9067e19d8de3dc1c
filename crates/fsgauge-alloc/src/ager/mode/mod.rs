//! How bytes get into a file: through the page cache, around it, or not at all.

mod direct;
mod fast;
mod write;

use fsgauge_wire::{AgeMode, Stop};
use rustix::fd::BorrowedFd;
use rustix::fs::OFlags;
use rustix::io::Errno;

use direct::Direct;
use fast::Fast;
pub(crate) use write::PIECE_BYTES as WRITE_PIECE_BYTES;
use write::Write;

/// Where bytes go in a file, and how long the file is before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) offset_bytes: u64,
    pub(crate) size_bytes: u64,
    pub(crate) file_bytes: u64,
}

impl Part {
    /// Whether it lies in what the file has already.
    pub(crate) fn is_overwrite(&self) -> bool {
        self.offset_bytes < self.file_bytes
    }
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Put {
    Done,
    /// Refused by the kernel after so many bytes, which the file has now.
    Refused(Errno, u64),
    /// Somebody asked to stop; the file has so many bytes of it.
    Stopped(u64),
}

/// One mode at work, with its buffers.
pub(crate) enum Mode {
    Write(Write),
    Direct(Direct),
    Fast(Fast),
}

impl Mode {
    pub(crate) fn new(mode: AgeMode, copies_on_write: bool, seed: u64) -> Self {
        match mode {
            AgeMode::Write => Mode::Write(Write::new(seed)),
            AgeMode::Direct => Mode::Direct(Direct::new(seed)),
            AgeMode::Fast => Mode::Fast(Fast { copies_on_write }),
        }
    }

    /// What files are opened with, besides.
    pub(crate) fn open_flags(&self) -> OFlags {
        if matches!(self, Mode::Direct(_)) { OFlags::DIRECT } else { OFlags::empty() }
    }

    pub(crate) fn put(&self, file: BorrowedFd<'_>, part: Part, stop: Stop) -> Put {
        match self {
            Mode::Write(mode) => mode.put(file, part, stop),
            Mode::Direct(mode) => mode.put(file, part, stop),
            Mode::Fast(mode) => mode.put(file, part, stop),
        }
    }
}

/// Calls of one operation that signals interrupted and nobody meant to end, at most.
const INTERRUPTIONS: u32 = 1000;

/// Calls again what a signal interrupted, unless it is to stop. Some((error)) stays an error.
pub(crate) fn uninterrupted<T>(
    stop: Stop,
    mut call: impl FnMut() -> rustix::io::Result<T>,
) -> rustix::io::Result<T> {
    for _ in 0..INTERRUPTIONS {
        match call() {
            Err(Errno::INTR) if !stop.is_set() => {}
            other => return other,
        }
    }
    Err(Errno::INTR)
}
