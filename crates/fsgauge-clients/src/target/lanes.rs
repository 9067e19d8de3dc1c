//! Lanes: what each has pending in the kernel, and the memory that the kernel uses for it.
//!
//! Unsafe code: memory of a lane is looked at only while it has nothing pending, which is checked here.

use fsgauge_net::{Action, Actions, Handle, Request};
use fsgauge_wire::Outcome;
use rustix::fs::Statx;

use super::lane_memory::LaneMemory;

/// An operation that the kernel has, as far as it matters when it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pending {
    pub(super) action: Action,
    pub(super) size_bytes: u32,
    pub(super) handle: Handle,
    pub(super) offset_bytes: u64,
}

impl Pending {
    #[inline]
    fn of(action: Action, request: &Request<'_>) -> Self {
        let (handle, offset_bytes, size_bytes) = match *request {
            Request::Read { handle, offset_bytes, size_bytes } => (handle, offset_bytes, size_bytes),
            Request::Write { handle, offset_bytes, data } => (handle, offset_bytes, data.len() as u32),
            Request::Fsync { handle } | Request::Close { handle } => (handle, 0, 0),
            _ => (0, 0, 0),
        };
        Pending { action, size_bytes, handle, offset_bytes }
    }
}

/// Memory that an operation of the kernel may use.
#[derive(Debug, Clone, Copy)]
pub(super) struct DirectoryState {
    pub(super) record: *mut u8,
    pub(super) status: *mut Statx,
}

/// The lanes of a target.
#[derive(Debug)]
pub(super) struct Lanes {
    pending: Vec<Option<Pending>>,
    records: Option<LaneMemory>,
    statuses: Option<LaneMemory>,
    record_size_bytes: u32,
}

impl Lanes {
    /// Lanes that may have `actions` pending: only what these need takes memory.
    pub(super) fn new(lanes: u32, record_size_bytes: u32, actions: Actions) -> Outcome<Self> {
        let moves_records = actions.has(Action::Read) || actions.has(Action::Write);
        let memory = |is_needed: bool, size_bytes: usize| {
            is_needed.then(|| LaneMemory::new(lanes, size_bytes)).transpose()
        };
        Ok(Lanes {
            pending: vec![None; lanes as usize],
            records: memory(moves_records, record_size_bytes as usize)?,
            statuses: memory(actions.has(Action::Stat), size_of::<Statx>())?,
            record_size_bytes,
        })
    }

    /// Where the kernel finds what an operation of this lane needs; null where it was not asked for.
    #[inline]
    pub(super) fn place(&self, lane: u32) -> DirectoryState {
        let address = |memory: &Option<LaneMemory>| {
            memory.as_ref().map_or(std::ptr::null_mut(), |memory| memory.address(lane))
        };
        DirectoryState { record: address(&self.records), status: address(&self.statuses).cast() }
    }

    /// The kernel is given an operation of a lane that has none.
    #[inline]
    pub(super) fn begin(&mut self, lane: u32, action: Action, request: &Request<'_>) {
        let pending = Pending::of(action, request);
        assert!(pending.size_bytes <= self.record_size_bytes, "more than a record");
        self.check_idle(lane);
        self.pending[lane as usize] = Some(pending);
    }

    /// The kernel has answered.
    #[inline]
    pub(super) fn end(&mut self, lane: u32) -> Option<Pending> {
        self.pending[lane as usize].take()
    }

    /// The record of a lane that has nothing pending.
    #[inline]
    pub(super) fn record(&self, lane: u32) -> &[u8] {
        self.check_idle(lane);
        // SAFETY: the lane has nothing pending.
        self.records.as_ref().map_or(&[], |records| unsafe { records.piece(lane) })
    }

    /// The record of a lane that has nothing pending.
    #[inline]
    pub(super) fn record_mut(&mut self, lane: u32) -> &mut [u8] {
        self.check_idle(lane);
        // SAFETY: the lane has nothing pending.
        self.records.as_mut().map_or(&mut [], |records| unsafe { records.piece_mut(lane) })
    }

    /// The file size in the attributes that the kernel gave to a lane that has nothing pending.
    pub(super) fn file_size_bytes(&self, lane: u32) -> u64 {
        self.check_idle(lane);
        let status = self.place(lane).status;
        assert!(!status.is_null(), "no attributes were asked for");
        // SAFETY: the piece holds one Statx, which the kernel has filled and which any bytes make.
        unsafe { (*status).stx_size }
    }

    /// Leaves all memory until the process ends: the kernel may still write to it.
    pub(super) fn leak(&mut self) {
        self.records.iter_mut().chain(&mut self.statuses).for_each(LaneMemory::leak);
    }

    #[inline]
    fn check_idle(&self, lane: u32) {
        assert!(self.pending[lane as usize].is_none(), "lane {lane} has an operation pending");
    }
}
