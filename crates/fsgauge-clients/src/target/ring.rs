//! The target of io_uring: what it carries is pending until a wait answers it; the rest is plain calls. Where
//! nothing else was asked for, it carries a read only if that has to wait.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use fsgauge_door::Folder;
use fsgauge_load::ring_setup::{RingSetup, is_refused, refused};
use fsgauge_net::{Action, Actions, Answer, Handle, Request, Started, Target};
use fsgauge_wire::{ClientsInterface, Features, Note, OperationCall, Outcome};

use super::cached_reads::CachedReads;
use super::handle;
use super::lanes::{Lanes, Pending};
use super::plain_calls::{PlainCalls, write_all};
use super::request_ring::RequestRing;
use super::sleep::sleep;

/// So many entries go to the kernel at a time; more would only leave the cache before it sees them.
const ENTRIES_LIMIT: u32 = 1024;
/// The kernel takes no larger completion queue.
const COMPLETIONS_LIMIT: u32 = 65536;
/// Threads of the kernel for operations that wait: enough for one commit of a journal to serve most fsyncs.
const WORKERS_LIMIT: u32 = 256;
/// How long the end waits for what is pending.
const DRAIN_LIMIT: Duration = Duration::from_secs(5);

/// What may wait for the device: it reads what is not in memory, or makes something durable.
const WAITING: [Action; 5] = [Action::Open, Action::Read, Action::Fsync, Action::Stat, Action::Unlink];

/// What needs no name. Where others may change names, each is looked up by calls that cannot be misled.
const BY_HANDLE: [Action; 4] = [Action::Read, Action::Write, Action::Fsync, Action::Close];

/// What io_uring is asked to carry. In memory nothing waits, and tmpfs has no reads without waiting: the kernel
/// would hand each to a thread.
fn asked_for(interface: ClientsInterface, is_in_memory: bool, is_guarded: bool) -> Actions {
    let asked = match interface {
        ClientsInterface::Plain => Actions::default(),
        ClientsInterface::Auto if is_in_memory => Actions::default(),
        ClientsInterface::Auto => Actions::of(&WAITING),
        ClientsInterface::IoUring => Actions::of(&Action::ALL),
    };
    if is_guarded { asked.and(Actions::of(&BY_HANDLE)) } else { asked }
}

/// Calls below a directory, for the thread that made it.
pub(crate) struct RingTarget {
    /// None where nothing is asked of it, or where the kernel refuses it.
    ring: Option<RequestRing>,
    /// What the ring carries.
    carried: Actions,
    lanes: Lanes,
    calls: PlainCalls,
    cached_reads: CachedReads,
    /// The record of all lanes for reads that are not pending.
    record: Box<[u8]>,
    /// Directories that are being made, by lane.
    directories: HashMap<u32, CString>,
    started: Actions,
    interface: ClientsInterface,
    asked: Actions,
    refusal: Option<String>,
}

impl RingTarget {
    /// Opens the folder once more, for the calling thread only. Gives what its ring can do, if there is one, and
    /// notes on what it cannot.
    pub(crate) fn new(
        root: &Folder,
        record_size_bytes: u32,
        lanes: u32,
        interface: ClientsInterface,
    ) -> Outcome<(Self, Option<Features>, Vec<Note>)> {
        let calls = PlainCalls::new(root)?;
        let asked = asked_for(interface, calls.is_in_memory(), calls.is_guarded());
        let (mut ring, mut features, mut notes, mut refusal) = (None, None, Vec::new(), None);
        if asked != Actions::default() {
            match set_up(lanes) {
                Ok(setup) => {
                    features = Some(setup.features);
                    notes.clone_from(&setup.notes);
                    ring = Some(RequestRing::new(setup.into_ring(), calls.root().as_raw_fd()));
                }
                Err(error) if is_refused(&error) => {
                    let cause = refused(&error).cause;
                    let text = format!("the clients' operations are plain calls: {cause}");
                    notes.push(Note { code: "io_uring.refused".into(), text });
                    refusal = Some(cause);
                }
                Err(error) => return Err(refused(&error)),
            }
        }
        if let Some(ring) = &ring {
            ring.allow_workers(lanes.min(WORKERS_LIMIT));
        }
        let carried = ring.as_ref().map_or(Actions::default(), |ring| asked.and(ring.supported()));
        let lanes = Lanes::new(lanes, record_size_bytes, carried)?;
        let cached_reads = CachedReads::new(interface == ClientsInterface::Auto && carried.has(Action::Read));
        let record = vec![0; record_size_bytes as usize].into_boxed_slice();
        let (directories, started) = (HashMap::new(), Actions::default());
        let target = RingTarget {
            ring,
            carried,
            lanes,
            calls,
            cached_reads,
            record,
            directories,
            started,
            interface,
            asked,
            refusal,
        };
        Ok((target, features, notes))
    }

    /// Carries a request out in this thread.
    #[inline]
    fn answer(&mut self, lane: u32, action: Action, request: &Request<'_>) -> Answer {
        let is_carried = self.carried.has(action);
        let record = match action {
            Action::Read if is_carried => self.lanes.record_mut(lane),
            _ => &mut self.record,
        };
        self.calls.answer(request, record)
    }

    /// The call that carries an action, and why it is not io_uring where it was to be.
    fn call(&self, action: Action) -> (String, Option<String>) {
        if action == Action::Read && self.cached_reads.are_tried() {
            return (format!("preadv2 (RWF_NOWAIT), io_uring {}", action.ring_call()), None);
        }
        if self.carried.has(action) {
            return (format!("io_uring {}", action.ring_call()), None);
        }
        let plain = action.plain_call();
        let reason = match &self.refusal {
            _ if self.interface == ClientsInterface::Plain => None,
            _ if action == Action::List => Some("io_uring has no getdents".into()),
            _ if self.calls.is_guarded() && !BY_HANDLE.contains(&action) => {
                Some("others may change names in this folder: each is looked up step by step".into())
            }
            _ if self.calls.is_in_memory() && !self.asked.has(action) && WAITING.contains(&action) => {
                Some("the files are in memory: there is no device to wait for".into())
            }
            _ if !self.asked.has(action) => None,
            Some(cause) => Some(cause.clone()),
            None => Some(format!("this kernel's io_uring has no {}", action.ring_call())),
        };
        (plain.into(), reason)
    }
}

/// A ring for so many lanes, with waits that end.
fn set_up(lanes: u32) -> io::Result<RingSetup> {
    let entries = lanes.clamp(8, ENTRIES_LIMIT).next_power_of_two();
    let completions = lanes.clamp(2 * entries, COMPLETIONS_LIMIT);
    let setup = RingSetup::with_completions(entries, completions)?;
    // Linux 5.11 has these waits, and keeps completions for which there is no room.
    if setup.can_wait_for() { Ok(setup) } else { Err(io::Error::from_raw_os_error(libc::ENOSYS)) }
}

impl Target for RingTarget {
    #[inline]
    fn incoming(&self, lane: u32) -> &[u8] {
        if self.carried.has(Action::Read) && !self.cached_reads.served(lane) {
            self.lanes.record(lane)
        } else {
            &self.record
        }
    }

    #[inline]
    fn start(&mut self, lane: u32, request: &Request<'_>) -> Started {
        let action = Action::of(request);
        self.started.add(action);
        if let Some(answer) = self.cached_reads.read(lane, request, &mut self.record) {
            return Started::Done(answer);
        }
        if self.carried.has(action)
            && let Some(ring) = &mut self.ring
        {
            if let Request::Write { data, .. } = request {
                self.lanes.record_mut(lane)[..data.len()].copy_from_slice(data);
            }
            let place = self.lanes.place(lane);
            self.lanes.begin(lane, action, request);
            if ring.push(lane, request, place) {
                if let Request::MakeDirectory { path } = request {
                    self.directories.insert(lane, (*path).into());
                }
                return Started::Pending;
            }
            // The kernel takes nothing at present (it is short of memory): it still does plain calls.
            self.lanes.end(lane);
        }
        Started::Done(self.answer(lane, action, request))
    }

    #[inline]
    fn wait(&mut self, limit: Duration, each: &mut dyn FnMut(u32, Answer)) -> io::Result<()> {
        let Some(ring) = self.ring.as_mut().filter(|ring| ring.pending() > 0) else {
            sleep(limit);
            return Ok(());
        };
        ring.enter(limit)?;
        let Self { lanes, calls, directories, .. } = self;
        ring.reap(|lane, result| {
            let Some(pending) = lanes.end(lane) else { return };
            let path = match pending.action {
                Action::MakeDirectory => directories.remove(&lane),
                _ => None,
            };
            each(lane, completed(lane, &pending, result, lanes, calls, path.as_deref()));
        });
        Ok(())
    }

    fn open_directory(&mut self, path: &CStr) -> Result<OwnedFd, Answer> {
        self.started.add(Action::List);
        self.calls.open_directory(path)
    }

    fn read_names(
        &mut self,
        directory: &OwnedFd,
        each: &mut dyn FnMut(&CStr),
    ) -> Result<Option<u32>, Answer> {
        self.calls.read_names(directory, each)
    }

    fn calls(&self) -> Vec<OperationCall> {
        self.started.calls(|action| self.call(action))
    }
}

/// The answer of an operation that the kernel has completed.
#[inline]
fn completed(
    lane: u32,
    pending: &Pending,
    result: i32,
    lanes: &mut Lanes,
    calls: &mut PlainCalls,
    directory: Option<&CStr>,
) -> Answer {
    let Pending { action, handle, offset_bytes, size_bytes } = *pending;
    let is_passing = matches!(-result, libc::EINTR | libc::EAGAIN);
    match action {
        Action::Stat if result == 0 => lanes.file_size_bytes(lane) as Answer,
        Action::MakeDirectory if result == -libc::EEXIST => {
            directory.map_or(Answer::from(result), |path| calls.directory_that_exists(path))
        }
        Action::Write if result > 0 && (result as u32) < size_bytes => {
            rest_of_write(handle, offset_bytes, &lanes.record(lane)[..size_bytes as usize], result as usize)
        }
        Action::Read if is_passing => {
            calls.answer(&Request::Read { handle, offset_bytes, size_bytes }, lanes.record_mut(lane))
        }
        Action::Write if is_passing => {
            write_all(handle, offset_bytes, &lanes.record(lane)[..size_bytes as usize])
        }
        Action::Fsync if is_passing => calls.answer(&Request::Fsync { handle }, &mut []),
        _ => Answer::from(result),
    }
}

/// Writes what a short write has left: the answer is the whole record's.
#[cold]
fn rest_of_write(handle: Handle, offset_bytes: u64, record: &[u8], written: usize) -> Answer {
    match write_all(handle, offset_bytes + written as u64, &record[written..]) {
        bytes if bytes < 0 => bytes,
        bytes => written as Answer + bytes,
    }
}

/// Gives up or waits for what the kernel has, and closes files that it opens meanwhile. What does not end in time
/// keeps its memory until the process ends.
impl Drop for RingTarget {
    fn drop(&mut self) {
        let Some(ring) = &mut self.ring else { return };
        let begin = Instant::now();
        let mut drained = Ok(());
        if ring.taken() > 0 {
            ring.cancel(DRAIN_LIMIT / 8);
        }
        while ring.taken() > 0 && drained.is_ok() && begin.elapsed() < DRAIN_LIMIT {
            drained = ring.drain(DRAIN_LIMIT / 8);
            ring.reap(|lane, result| {
                let opens = |pending: Pending| matches!(pending.action, Action::Open | Action::Create);
                if self.lanes.end(lane).is_some_and(opens) && result >= 0 {
                    handle::close(result as Handle);
                }
            });
        }
        if ring.taken() > 0 {
            self.lanes.leak();
        }
    }
}
