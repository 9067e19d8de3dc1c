//! What is replayed: a log, or a fresh copy of what it leaves.

use super::fresh_copy::FreshCopy;
use crate::op_log::OpLog;
use crate::operation::{Operation, Placement};

pub(crate) enum Source {
    Log(Box<OpLog>),
    Copy(Box<FreshCopy>),
}

impl Source {
    pub(crate) fn new(log: OpLog, fresh_copy: bool) -> Self {
        if fresh_copy { Source::Copy(Box::new(FreshCopy::new(log))) } else { Source::Log(Box::new(log)) }
    }

    /// Whether there is more to do before the first operation; a copy does a little of it.
    #[inline]
    pub(crate) fn looks_ahead(&mut self) -> bool {
        match self {
            Source::Log(_) => false,
            Source::Copy(copy) => copy.looks_ahead(),
        }
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Option<Operation> {
        match self {
            Source::Log(log) => log.next(),
            Source::Copy(copy) => copy.next(),
        }
    }

    /// Directories that there must be in the end, where that is more than files need.
    pub(crate) fn directories(&self) -> u32 {
        match self {
            Source::Log(_) => 0,
            Source::Copy(copy) => copy.directories(),
        }
    }

    pub(crate) fn placement(&self) -> Placement {
        match self {
            Source::Log(log) => log.placement(),
            Source::Copy(copy) => copy.placement(),
        }
    }

    pub(crate) fn share(&self) -> Option<f64> {
        match self {
            Source::Log(log) => log.share(),
            Source::Copy(copy) => copy.share(),
        }
    }

    pub(crate) fn checksum(&self) -> String {
        match self {
            Source::Log(log) => log.checksum(),
            Source::Copy(copy) => copy.checksum(),
        }
    }

    pub(crate) fn virtual_time_ns(&self) -> u64 {
        match self {
            Source::Log(log) => log.virtual_time_ns(),
            Source::Copy(copy) => copy.virtual_time_ns(),
        }
    }
}
