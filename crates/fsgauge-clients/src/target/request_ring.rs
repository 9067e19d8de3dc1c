//! Requests as entries of an io_uring.
//!
//! Unsafe code: entries name memory by address. Paths stay in `paths` until the kernel has taken the entry
//! (IORING_FEAT_SUBMIT_STABLE, Linux 5.5); records and attributes are the lanes', who keep them until the
//! answer, or for ever.

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use fsgauge_net::{Action, Actions, LONGEST_WAIT, Request};
use io_uring::squeue::Entry;
use io_uring::types::{CancelBuilder, Fd, SubmitArgs, Timespec};
use io_uring::{EnterFlags, IoUring, Probe, opcode};
use rustix::fs::{AtFlags, Mode, OFlags, StatxFlags};

use super::handle::descriptor_of;
use super::lanes::DirectoryState;
use super::modes::{DIRECTORY_MODE, FILE_MODE, NEW_FILE, open_flags};
use super::paths::Paths;

/// Room for paths, per entry; when it is used up the entries so far go to the kernel.
const PATH_BYTES: usize = 64;
/// Room for the two longest paths that the kernel takes (PATH_MAX).
const LONGEST_PATHS_BYTES: usize = 2 * 4096;

/// A ring and what it holds of requests.
pub(super) struct RequestRing {
    ring: IoUring,
    root: RawFd,
    paths: Paths,
    /// Entries that the kernel has not taken yet.
    queued: u32,
    /// Operations that it has, or whose answers were not looked at.
    taken: u32,
}

impl RequestRing {
    /// Paths will be relative to `root`.
    pub(super) fn new(mut ring: IoUring, root: RawFd) -> Self {
        let entries = ring.submission().capacity();
        let paths = Paths::new((entries * PATH_BYTES).max(LONGEST_PATHS_BYTES));
        RequestRing { ring, root, paths, queued: 0, taken: 0 }
    }

    /// The actions that this kernel has an opcode for.
    pub(super) fn supported(&self) -> Actions {
        let mut probe = Probe::new();
        let mut actions = Actions::default();
        if self.ring.submitter().register_probe(&mut probe).is_ok() {
            let has = |action: &&Action| opcode_of(**action).is_some_and(|code| probe.is_supported(code));
            Action::ALL.iter().filter(has).for_each(|action| actions.add(*action));
        }
        actions
    }

    /// Limits the kernel to at least this many worker threads for operations that block (opens of files
    /// that are not in memory, fsync), as that many threads of a program could. Of itself it takes four per
    /// processor (Linux 6.12, io_uring/io-wq.c).
    pub(super) fn allow_workers(&self, count: u32) {
        // Since Linux 5.15; without it more operations queue up in the kernel. 0 only asks for what there is, of
        // each of two kinds: the first serves files.
        let mut limits = [0, 0];
        let submitter = self.ring.submitter();
        if submitter.register_iowq_max_workers(&mut limits).is_ok() && limits[0] < count {
            let _ = submitter.register_iowq_max_workers(&mut [count, 0]);
        }
    }

    /// Operations that were pushed and not reaped.
    #[inline]
    pub(super) fn pending(&self) -> u32 {
        self.queued + self.taken
    }

    /// Operations that the kernel may be working on.
    pub(super) fn taken(&self) -> u32 {
        self.taken
    }

    /// Queues a request. False when there is no room: then the kernel takes nothing at present, and nothing has
    /// changed.
    #[inline]
    pub(super) fn push(&mut self, lane: u32, request: &Request<'_>, place: DirectoryState) -> bool {
        self.try_push(lane, request, place) || (self.submit() && self.try_push(lane, request, place))
    }

    #[inline]
    fn try_push(&mut self, lane: u32, request: &Request<'_>, place: DirectoryState) -> bool {
        let mut submission = self.ring.submission();
        if submission.is_full() {
            return false;
        }
        let Some(entry) = entry(request, Fd(self.root), &mut self.paths, place) else { return false };
        // SAFETY: paths stay until the entry was taken, the lane's memory until the answer was reaped.
        let is_pushed = unsafe { submission.push(&entry.user_data(u64::from(lane))) }.is_ok();
        self.queued += u32::from(is_pushed);
        is_pushed
    }

    /// Lets the kernel take what is queued, without a look at what is done. False if it took nothing.
    #[cold]
    fn submit(&mut self) -> bool {
        let before = self.queued;
        // The next `enter` reports an error that persists.
        self.enter_with(|ring, queued| {
            // SAFETY: no argument is passed along, and every pushed entry is valid.
            unsafe { ring.submitter().enter::<libc::sigset_t>(queued, 0, EnterFlags::empty().bits(), None) }
        })
        .is_ok_and(|()| self.queued < before)
    }

    /// Lets the kernel take what is queued, and looks what is done; with a limit above zero, waits that long
    /// for one answer.
    pub(super) fn enter(&mut self, limit: Duration) -> io::Result<()> {
        if !limit.is_zero() {
            let limit = Timespec::from(limit.min(LONGEST_WAIT));
            return self.enter_with(|ring, _| {
                ring.submitter().submit_with_args(1, &SubmitArgs::new().timespec(&limit))
            });
        }
        // What completes while it is submitted shows by itself.
        let flags = if self.taken > 0 { EnterFlags::GETEVENTS } else { EnterFlags::empty() };
        self.enter_with(|ring, queued| {
            // SAFETY: no argument is passed along, and every pushed entry is valid.
            unsafe { ring.submitter().enter::<libc::sigset_t>(queued, 0, flags.bits(), None) }
        })
    }

    /// Gives up everything that the kernel has and that can be given up, within `limit` (since Linux 6.0).
    pub(super) fn cancel(&self, limit: Duration) {
        // What was not found or cannot be given up is waited for.
        let _ = self.ring.submitter().register_sync_cancel(Some(limit.into()), CancelBuilder::any());
    }

    /// Waits up to `limit` for one answer; what is queued stays so.
    pub(super) fn drain(&mut self, limit: Duration) -> io::Result<()> {
        let flags = EnterFlags::GETEVENTS | EnterFlags::EXT_ARG;
        let limit = Timespec::from(limit);
        let arguments = SubmitArgs::new().timespec(&limit);
        // SAFETY: the argument is what EXT_ARG says; nothing is submitted.
        let result = unsafe { self.ring.submitter().enter(0, 1, flags.bits(), Some(&arguments)) };
        result.map(|_| ()).or_else(passing)
    }

    #[inline]
    fn enter_with(&mut self, call: impl FnOnce(&IoUring, u32) -> io::Result<usize>) -> io::Result<()> {
        let count = match call(&self.ring, self.queued) {
            Ok(count) => (count as u32).min(self.queued),
            Err(error) => return passing(error),
        };
        self.queued -= count;
        self.taken += count;
        if self.queued == 0 {
            self.paths.clear();
        }
        Ok(())
    }

    /// Hands over what is done: lane, and result or negative error number.
    #[inline]
    pub(super) fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        for completed in self.ring.completion() {
            self.taken -= 1;
            each(completed.user_data() as u32, completed.result());
        }
    }
}

/// A signal, a full completion queue or a shortage of memory for requests is no failure: the caller looks at
/// what is done and comes again. ETIME says that the limit has passed.
#[cold]
fn passing(error: io::Error) -> io::Result<()> {
    match error.raw_os_error() {
        Some(libc::EINTR | libc::EAGAIN | libc::EBUSY | libc::ETIME) => Ok(()),
        _ => Err(error),
    }
}

/// The opcode of an action, whether this kernel has it or not.
fn opcode_of(action: Action) -> Option<u8> {
    match action {
        Action::MakeDirectory => Some(opcode::MkDirAt::CODE),
        Action::Create | Action::Open => Some(opcode::OpenAt::CODE),
        Action::Read => Some(opcode::Read::CODE),
        Action::Write => Some(opcode::Write::CODE),
        Action::Fsync => Some(opcode::Fsync::CODE),
        Action::Close => Some(opcode::Close::CODE),
        Action::Stat => Some(opcode::Statx::CODE),
        Action::List | Action::RemoveDirectory | Action::Null => None,
        Action::Rename => Some(opcode::RenameAt::CODE),
        Action::Unlink => Some(opcode::UnlinkAt::CODE),
    }
}

/// The entry of a request; none when there is no room for its paths. What a write takes lies in `place`.
#[inline]
fn entry(request: &Request<'_>, root: Fd, paths: &mut Paths, place: DirectoryState) -> Option<Entry> {
    let file = |handle| Fd(descriptor_of(handle));
    let bits = |flags: OFlags| flags.bits() as i32;
    Some(match *request {
        Request::MakeDirectory { path } => {
            opcode::MkDirAt::new(root, paths.keep(path)?).mode(DIRECTORY_MODE.bits()).build()
        }
        Request::Create { path } => {
            let open = opcode::OpenAt::new(root, paths.keep(path)?);
            open.flags(bits(NEW_FILE)).mode(FILE_MODE.bits()).build()
        }
        Request::Open { path, write } => {
            let open = opcode::OpenAt::new(root, paths.keep(path)?);
            open.flags(bits(open_flags(write))).mode(Mode::empty().bits()).build()
        }
        Request::Read { handle, offset_bytes, size_bytes } => {
            opcode::Read::new(file(handle), place.record, size_bytes).offset(offset_bytes).build()
        }
        Request::Write { handle, offset_bytes, data } => {
            opcode::Write::new(file(handle), place.record, data.len() as u32).offset(offset_bytes).build()
        }
        Request::Fsync { handle } => opcode::Fsync::new(file(handle)).build(),
        Request::Close { handle } => opcode::Close::new(file(handle)).build(),
        Request::Stat { path } => {
            let status = opcode::Statx::new(root, paths.keep(path)?, place.status.cast());
            status.flags(AtFlags::SYMLINK_NOFOLLOW.bits() as i32).mask(StatxFlags::BASIC_STATS.bits()).build()
        }
        Request::List { .. } | Request::RemoveDirectory { .. } | Request::Null => return None,
        Request::Rename { from, to } => {
            let (from, to) = (paths.keep(from)?, paths.keep(to)?);
            opcode::RenameAt::new(root, from, root, to).build()
        }
        Request::Unlink { path } => opcode::UnlinkAt::new(root, paths.keep(path)?).build(),
    })
}
