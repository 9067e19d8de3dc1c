//! Layout: creates a target's files and fills them once, in order, then makes them durable.

use std::cell::RefCell;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

use fsgauge_net::Access;
use fsgauge_wire::{
    Ended, Engine, Event, FORMAT, Failure, LayoutJob, LayoutResult, Listener, Note, Outcome, ShareTarget,
    Stop, Target,
};
use rustix::fs::{FallocateFlags, fallocate, fsync};
use rustix::io::Errno;

use crate::buffers::Buffers;
use crate::check::check_layout;
use crate::check_transfer::aligned;
use crate::filler::Filler;
use crate::instruments::send_event;
use crate::operation::Operation;
use crate::queue::{Queue, RingQueue, ShareQueue, SyncQueue, carried_failure};
use crate::ring_setup::{RingSetup, is_refused, refused};
use crate::share::{self, Connection, Session};
use crate::slots::{Slot, Slots};
use crate::target::{self, Geometry, Ground, OpenMode, describe_io_failure, path_of};

/// How long writes in flight are waited for after an interrupt.
const DRAIN_LIMIT: Duration = Duration::from_millis(800);

/// Runs a layout and gives its result.
pub fn run_layout(
    layout: &LayoutJob,
    engine: Engine,
    listener: &mut dyn Listener,
    stop: Stop,
) -> Outcome<LayoutResult> {
    check_layout(layout)?;
    let begin = Instant::now();
    if let Some(share) = layout.target.share() {
        return on_share(layout, share, engine, listener, stop);
    }
    let ground = Ground::of(&layout.target, true)?;
    let mode = OpenMode {
        reads: false,
        writes: true,
        direct: layout.direct,
        noatime: false,
        dsync: false,
        create: true,
    };
    let files = target::open(&layout.target, &ground, mode)?;
    check_alignment(layout, &files)?;
    if layout.preallocate {
        preallocate(layout, &files)?;
    }
    let mut writer = Writer::new(layout, stop)?;
    let notes = writer.write_all(&files)?;
    notes.iter().for_each(|note| send_event(listener, &stop, Event::Note(note.clone())));
    let fsync_begin = Instant::now();
    make_durable(layout, &ground, &files, &stop)?;
    Ok(result(layout, engine, notes, (begin, fsync_begin), &writer))
}

/// The same through a server: written in one session, and made durable there.
fn on_share(
    layout: &LayoutJob,
    share: &ShareTarget,
    engine: Engine,
    listener: &mut dyn Listener,
    stop: Stop,
) -> Outcome<LayoutResult> {
    let begin = Instant::now();
    let access = Access::of(share)?;
    let notes = share::prepare(&access, &layout.target, share::Files::Made, &stop)?;
    notes.iter().for_each(|note| send_event(listener, &stop, Event::Note(note.clone())));
    let (lanes, largest_bytes) = (layout.queue_depth, layout.block_size_bytes);
    let session = Session { lanes, largest_bytes, reads: false, writes: true, dsync: false };
    let numbers = 0..Geometry::of(&layout.target).files;
    let connection = RefCell::new(Connection::open(&access, &layout.target, numbers, session, &stop)?);
    let mut writer = Writer::new(layout, stop)?;
    if let Some(mut buffers) = writer.buffers.take() {
        writer.write_through(ShareQueue::new(&connection, lanes), &mut buffers, lanes)?;
    }
    let fsync_begin = Instant::now();
    connection.into_inner().sync(&stop)?;
    Ok(result(layout, engine, notes, (begin, fsync_begin), &writer))
}

fn result(
    layout: &LayoutJob,
    engine: Engine,
    notes: Vec<Note>,
    (begin, fsync_begin): (Instant, Instant),
    writer: &Writer<'_>,
) -> LayoutResult {
    LayoutResult {
        format: FORMAT,
        ended: if writer.stop.is_set() { Ended::Interrupted } else { Ended::SizeLimit },
        files: Geometry::of(&layout.target).files,
        size_bytes: writer.written_bytes,
        elapsed_ns: begin.elapsed().as_nanos() as u64,
        fsync_ns: fsync_begin.elapsed().as_nanos() as u64,
        notes,
        engine,
    }
}

fn check_alignment(layout: &LayoutJob, files: &[OwnedFd]) -> Outcome<()> {
    let Some(file) = files.first().filter(|_| layout.direct) else { return Ok(()) };
    let Some(alignment) = target::required_alignment(file) else {
        return Err(target::open_failure(&path_of(&layout.target, 0), Errno::INVAL, true));
    };
    aligned(u64::from(layout.block_size_bytes), "block_size_bytes", alignment)?;
    aligned(Geometry::of(&layout.target).file_size_bytes, "file size", alignment)
}

fn preallocate(layout: &LayoutJob, files: &[OwnedFd]) -> Outcome<()> {
    if matches!(layout.target, Target::Block { .. }) {
        let what = "a block device cannot be preallocated";
        return Err(Failure::job("preallocate", what, "fallocate(2) is for files", "set preallocate=false"));
    }
    let size_bytes = Geometry::of(&layout.target).file_size_bytes;
    for (index, file) in (0u32..).zip(files) {
        fallocate(file, FallocateFlags::empty(), 0, size_bytes).map_err(|errno| {
            let what =
                format!("{} cannot be preallocated: {errno}", path_of(&layout.target, index).display());
            let cause = if errno == Errno::NOSPC {
                "the file system is full"
            } else {
                "its file system has no fallocate"
            };
            Failure::system(
                "layout.preallocate",
                Some(errno.raw_os_error()),
                what,
                cause,
                "set preallocate=false, or choose a smaller target",
            )
        })?;
    }
    Ok(())
}

/// Fsync of every file, and of the directory that names them.
fn make_durable(layout: &LayoutJob, ground: &Ground, files: &[OwnedFd], stop: &Stop) -> Outcome<()> {
    let failed = |path: &std::path::Path, errno: Errno| {
        let what = format!("fsync of {} failed: {errno}", path.display());
        Failure::system(
            "layout.fsync",
            Some(errno.raw_os_error()),
            what,
            "the device or the file system reported an error",
            "dmesg | tail",
        )
    };
    for (index, file) in (0u32..).zip(files) {
        if stop.is_set() {
            return Ok(());
        }
        fsync(file).map_err(|errno| failed(&path_of(&layout.target, index), errno))?;
    }
    let Some(directory) = ground.folder() else { return Ok(()) };
    match directory.sync() {
        // A directory that cannot be synced is one on a file system that needs no such call.
        Err(errno) if errno != Errno::INVAL => Err(failed(directory.path(), errno)),
        _ => Ok(()),
    }
}

/// Writes blocks from the start of the first file to the end of the last.
struct Writer<'a> {
    layout: &'a LayoutJob,
    stop: Stop,
    buffers: Option<Buffers>,
    slots: Slots,
    in_flight: u32,
    written_bytes: u64,
}

impl<'a> Writer<'a> {
    fn new(layout: &'a LayoutJob, stop: Stop) -> Outcome<Self> {
        let filler = Filler::for_data(layout.data, layout.seed, 0);
        let buffers = Buffers::new(layout.queue_depth, layout.block_size_bytes, (false, true), filler)?;
        let slots = Slots::new(layout.queue_depth);
        Ok(Writer { layout, stop, buffers: Some(buffers), slots, in_flight: 0, written_bytes: 0 })
    }

    /// Writes through io_uring where there is one, else one block at a time.
    fn write_all(&mut self, files: &[OwnedFd]) -> Outcome<Vec<Note>> {
        let Some(mut buffers) = self.buffers.take() else { return Ok(Vec::new()) };
        let descriptors: Vec<RawFd> = files.iter().map(AsRawFd::as_raw_fd).collect();
        let (written, notes) = match RingSetup::new(self.layout.queue_depth) {
            Ok(mut setup) => {
                let (parts, features, notes) = setup.register(&descriptors, &buffers);
                let queue = RingQueue::new(parts, &features, descriptors);
                (self.write_through(queue, &mut buffers, self.layout.queue_depth), notes)
            }
            Err(error) if is_refused(&error) => {
                let text = format!("the layout is written with pwrite: {}", refused(&error).cause);
                let note = Note { code: "io_uring.refused".into(), text };
                (self.write_through(SyncQueue::new(files), &mut buffers, 1), vec![note])
            }
            Err(error) => return Err(refused(&error)),
        };
        if self.in_flight > 0 {
            // The kernel still reads the buffers: they stay until the process ends.
            std::mem::forget(buffers);
        }
        written.map(|()| notes)
    }

    fn write_through<Q: Queue>(&mut self, mut queue: Q, buffers: &mut Buffers, depth: u32) -> Outcome<()> {
        let mut blocks = blocks(&Geometry::of(&self.layout.target), self.layout.block_size_bytes);
        let mut next = blocks.next();
        let mut written = Ok(());
        while next.is_some() && written.is_ok() && !self.stop.is_set() {
            while let Some(operation) = next.filter(|_| self.in_flight < depth) {
                let index = self.slots.take(Slot::new(&operation, 0));
                buffers.refresh(index, &operation);
                queue.push(index, &operation, buffers.address(index, true));
                self.in_flight += 1;
                next = blocks.next();
            }
            written = queue.enter(1).map_err(|error| refusal(&error));
            written = written.and(self.reap(&mut queue, buffers));
        }
        written.and(self.drain(&mut queue, buffers))
    }

    /// Waits for what is in flight; after an interrupt not for ever.
    fn drain<Q: Queue>(&mut self, queue: &mut Q, buffers: &Buffers) -> Outcome<()> {
        let mut drained = Ok(());
        let mut hurried: Option<Instant> = None;
        while self.in_flight > 0 && hurried.is_none_or(|since| since.elapsed() < DRAIN_LIMIT) {
            if self.stop.is_set() {
                hurried.get_or_insert_with(Instant::now);
                // Without time limits (before Linux 5.11) this polls.
                let _ = queue.enter_for(DRAIN_LIMIT / 8, false);
            } else if let Err(error) = queue.enter(1) {
                return Err(refusal(&error));
            }
            drained = drained.and(self.reap(queue, buffers));
        }
        drained
    }

    fn reap<Q: Queue>(&mut self, queue: &mut Q, buffers: &Buffers) -> Outcome<()> {
        let (mut failed, mut again) = (None, Vec::new());
        queue.reap(|index, result| {
            let operation = self.slots.get(index).operation();
            match result {
                _ if result == operation.size_bytes as i32 => {
                    self.written_bytes += u64::from(operation.size_bytes);
                    self.slots.release(index);
                    self.in_flight -= 1;
                }
                _ if matches!(-result, libc::EINTR | libc::EAGAIN) && !self.stop.is_set() => {
                    again.push((index, operation))
                }
                _ => {
                    failed
                        .get_or_insert_with(|| describe_io_failure(&self.layout.target, &operation, result));
                    self.in_flight -= 1;
                }
            }
        });
        for (index, operation) in again {
            queue.push(index, &operation, buffers.address(index, true));
        }
        failed.map_or(Ok(()), Err)
    }
}

/// What is said of a queue that takes nothing.
fn refusal(error: &std::io::Error) -> Failure {
    carried_failure(error).unwrap_or_else(|| refused(error))
}

/// Every block of every file in order; the last of a file may be shorter.
fn blocks(geometry: &Geometry, block_size_bytes: u32) -> impl Iterator<Item = Operation> + use<> {
    let Geometry { files, file_size_bytes, base_bytes } = *geometry;
    let step = u64::from(block_size_bytes);
    let block = move |file: u32, index: u64| {
        let offset = index * step;
        let size_bytes = step.min(file_size_bytes - offset) as u32;
        Operation { write: true, file, size_bytes, offset_bytes: base_bytes + offset }
    };
    (0..files).flat_map(move |file| (0..file_size_bytes.div_ceil(step)).map(move |index| block(file, index)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_every_byte_once() {
        let geometry = Geometry { files: 2, file_size_bytes: 10_000, base_bytes: 512 };
        let found: Vec<_> =
            blocks(&geometry, 4096).map(|block| (block.file, block.offset_bytes, block.size_bytes)).collect();
        let one = |file| [(file, 512, 4096), (file, 4608, 4096), (file, 8704, 1808)];
        assert_eq!(found, [one(0), one(1)].concat());
    }
}
