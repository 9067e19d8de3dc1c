//! A life in the middle: the file system, its files by name, and its device.

use fsgauge_alloc::policy::Extent;
use fsgauge_device::{Model, Piece};
use fsgauge_wire::{AgeOperation, Engine, Failure, Listener, Outcome, SimulateJob, Stop};

use crate::file_system::Change;
use crate::folders::{Folder, Folders, Held};
use crate::policy;
use crate::volume::Volume;

/// What every step works on.
pub(crate) struct State<'a> {
    pub(crate) job: &'a SimulateJob,
    pub(crate) engine: &'a Engine,
    pub(crate) volume: Volume,
    pub(crate) device: Model,
    pub(crate) folders: Folders,
    pub(crate) listener: &'a mut dyn Listener,
    /// Bytes since the last sync: they may wait in memory.
    pub(crate) unsynced_bytes: u64,
    /// Whether something was freed since then, and may have to wait for a commit.
    pub(crate) has_freed: bool,
    pub(crate) stop: Stop,
}

impl State<'_> {
    pub(crate) fn block_bytes(&self) -> u64 {
        self.job.block_size_bytes.into()
    }

    /// Of all devices.
    pub(crate) fn size_bytes(&self) -> u64 {
        self.job.size_bytes * u64::from(self.job.devices)
    }

    /// What files can still take.
    pub(crate) fn free_bytes(&self) -> u64 {
        self.volume.free_blocks() * self.block_bytes()
    }

    /// What files of others than root can still take: a study fills a share of it.
    pub(crate) fn available_bytes(&self) -> u64 {
        self.volume.available_blocks() * self.block_bytes()
    }

    /// What the policy is called.
    pub(crate) fn policy_name(&self) -> &'static str {
        policy::name_of(&self.job.policy)
    }

    /// Where a file lies, in the order of its bytes.
    pub(crate) fn pieces(&self, held: Held) -> Vec<Piece> {
        let block_bytes = self.block_bytes();
        let piece = |extent: Extent| Piece {
            start_bytes: extent.physical * block_bytes,
            length_bytes: u64::from(extent.blocks) * block_bytes,
        };
        self.volume.extents(held.number).into_iter().map(piece).collect()
    }

    /// A new, empty file.
    pub(crate) fn create(&mut self, directory: &str, local: u32, stream: u32) -> bool {
        let file = self.folders.add(directory, local, stream);
        self.change(directory, local, AgeOperation::Create, 0, 0, file)
    }

    /// A new file with all of its bytes, closed; they wait in memory where the policy lets them. False if there was no space.
    pub(crate) fn create_whole(&mut self, directory: &str, local: u32, stream: u32, size_bytes: u64) -> bool {
        self.make_room(size_bytes);
        let file = self.folders.add(directory, local, stream);
        let done = self.change(directory, local, AgeOperation::Create, 0, size_bytes, file);
        if let Some(held) = self.folders.made(directory, "f").get_mut(local) {
            held.size_bytes = size_bytes;
        }
        done
    }

    /// Whether space is allocated as fallocate(2) does it.
    pub(crate) fn is_allocated_whole(&self) -> bool {
        self.volume.is_allocated_whole()
    }

    /// Bytes at a file's end; `at_once` where they do not wait in memory. False if there was no space for all.
    pub(crate) fn append(&mut self, directory: &str, local: u32, size_bytes: u64, at_once: bool) -> bool {
        let Some(held) = self.held(directory, local) else { return true };
        self.make_room(size_bytes);
        let mut done =
            self.change(directory, local, AgeOperation::Append, held.size_bytes, size_bytes, held.number);
        // What was written before there was no space for the rest is allocated, too.
        if at_once || !done {
            let file = held.number;
            let change = Change {
                stream: held.stream,
                file,
                kind: AgeOperation::Append,
                offset_bytes: held.size_bytes,
                size_bytes,
            };
            done &= self.volume.allocate_at_once(change);
        }
        let after_bytes = if done { held.size_bytes + size_bytes } else { self.allocated_bytes(held.number) };
        if let Some(held) = self.folders.made(directory, "f").get_mut(local) {
            held.size_bytes = after_bytes;
        }
        done
    }

    /// What waits of a file is allocated.
    pub(crate) fn fsync(&mut self, directory: &str, local: u32) -> bool {
        let Some(held) = self.held(directory, local) else { return true };
        self.change(directory, local, AgeOperation::Fsync, 0, 0, held.number)
    }

    /// The file is cut.
    pub(crate) fn truncate(&mut self, directory: &str, local: u32, to_bytes: u64) {
        let Some(held) = self.held(directory, local) else { return };
        let gone_bytes = held.size_bytes.saturating_sub(to_bytes);
        self.change(directory, local, AgeOperation::Truncate, to_bytes, gone_bytes, held.number);
        self.has_freed |= gone_bytes > 0;
        if let Some(held) = self.folders.made(directory, "f").get_mut(local) {
            held.size_bytes = held.size_bytes.min(to_bytes);
        }
    }

    /// The file is closed by who wrote it.
    pub(crate) fn close(&mut self, directory: &str, local: u32) {
        let Some(Held { number, stream, size_bytes }) = self.held(directory, local) else { return };
        let kind = AgeOperation::Truncate;
        self.volume.close(Change { stream, file: number, kind, offset_bytes: size_bytes, size_bytes: 0 });
    }

    /// The file is gone; gives its size.
    pub(crate) fn delete(&mut self, directory: &str, local: u32) -> u64 {
        let Some(held) = self.held(directory, local) else { return 0 };
        self.change(directory, local, AgeOperation::Delete, 0, held.size_bytes, held.number);
        self.folders.remove(directory, local);
        self.has_freed = true;
        held.size_bytes
    }

    /// Data waits in memory no longer, and what was freed can be taken again.
    pub(crate) fn sync(&mut self) -> bool {
        (self.unsynced_bytes, self.has_freed) = (0, false);
        self.volume.sync()
    }

    /// Where space is short, what waits is written back and what was freed is committed first, as a kernel does it before it
    /// says that there is no space.
    fn make_room(&mut self, size_bytes: u64) {
        self.unsynced_bytes += size_bytes.next_multiple_of(self.block_bytes());
        if self.unsynced_bytes > self.free_bytes() && (self.has_freed || self.unsynced_bytes > size_bytes) {
            self.sync();
            self.unsynced_bytes = size_bytes;
        }
    }

    /// Says how full the device is, and what had no space.
    pub(crate) fn full(&self, what: &str) -> Failure {
        let (mut runs, mut longest) = (0u64, 0u64);
        self.volume.free_runs(&mut |run| {
            runs += 1;
            longest = longest.max(u64::from(run.blocks));
        });
        let cause = format!(
            "{} of {} bytes are left for files, in {runs} pieces of at most {} bytes",
            self.free_bytes(),
            self.size_bytes(),
            longest * self.block_bytes()
        );
        let next = "a larger device, or less on it; the steps before are kept";
        let what = format!("the simulated device is full: {what}");
        Failure::system("simulate.full", Some(28), what, cause, next)
    }

    pub(crate) fn held(&self, directory: &str, local: u32) -> Option<Held> {
        self.folders.get(directory).and_then(|folder| folder.get(local))
    }

    /// Says that a job has no model.
    pub(crate) fn no_model<T>(what: &str, cause: &str) -> Outcome<T> {
        Err(Failure::job("no_model", what, cause, "another study, or a rig with a disk"))
    }

    fn change(
        &mut self,
        directory: &str,
        local: u32,
        kind: AgeOperation,
        offset_bytes: u64,
        size_bytes: u64,
        file: u32,
    ) -> bool {
        let folder = self.folders.get(directory);
        let stream = folder.and_then(|folder| folder.get(local)).map_or(0, |held| held.stream);
        if let Some(shared) = folder.and_then(Folder::directory).filter(|_| kind == AgeOperation::Create) {
            self.volume.lies_in(stream, shared);
        }
        self.volume.apply(Change { stream, file, kind, offset_bytes, size_bytes })
    }

    fn allocated_bytes(&self, number: u32) -> u64 {
        self.volume.allocated_blocks(number) * self.block_bytes()
    }
}
