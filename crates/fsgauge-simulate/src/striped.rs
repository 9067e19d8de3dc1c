//! Files striped over several devices, as Lustre stripes them over targets: each device has a file system of its own, and of
//! each file an object. Stripes go round, from a device that follows from the file's number.

use fsgauge_alloc::free_map::Run;
use fsgauge_alloc::policy::Extent;
use fsgauge_wire::AgeOperation;

use crate::file_system::{Change, FileSystem};

/// The devices, in the order of their numbers. Places count through all of them.
pub(crate) struct Striped {
    file_systems: Vec<FileSystem>,
    device_blocks: u64,
    stripe_bytes: u64,
    /// Of each file, and what it had before the last append.
    sizes: Vec<Size>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Size {
    bytes: u64,
    before_bytes: u64,
}

impl Striped {
    /// Equal devices, of `device_blocks` each.
    pub(crate) fn new(file_systems: Vec<FileSystem>, device_blocks: u64, stripe_bytes: u64) -> Self {
        Striped { file_systems, device_blocks, stripe_bytes, sizes: Vec::new() }
    }

    pub(crate) fn file_systems(&self) -> &[FileSystem] {
        &self.file_systems
    }

    /// Carries out an operation on all objects of a file; false if one of them had no space, and then an append is undone.
    pub(crate) fn apply(&mut self, change: Change) -> bool {
        let Change { file, kind, offset_bytes, size_bytes, .. } = change;
        if self.sizes.len() <= file as usize {
            self.sizes.resize(file as usize + 1, Size::default());
        }
        let before_bytes = self.sizes[file as usize].bytes;
        let after_bytes = match kind {
            AgeOperation::Create => size_bytes,
            AgeOperation::Append => before_bytes + size_bytes,
            AgeOperation::Truncate => offset_bytes.min(before_bytes),
            AgeOperation::Delete => 0,
            AgeOperation::Overwrite | AgeOperation::Fsync => before_bytes,
        };
        let mut is_done = true;
        for device in 0..self.file_systems.len() {
            let (had, has) =
                (self.object(file, before_bytes, device), self.object(file, after_bytes, device));
            let (offset_bytes, size_bytes) = match kind {
                AgeOperation::Create => (0, has),
                AgeOperation::Append if has == had => continue,
                AgeOperation::Append => (had, has - had),
                AgeOperation::Truncate => (has, had - has),
                AgeOperation::Delete => (0, had),
                AgeOperation::Overwrite | AgeOperation::Fsync => (0, 0),
            };
            is_done &= self.file_systems[device].apply(Change { offset_bytes, size_bytes, ..change });
        }
        self.sizes[file as usize] = Size { bytes: after_bytes, before_bytes };
        if !is_done && kind == AgeOperation::Append {
            self.undo(change);
        }
        is_done
    }

    /// The file is closed by who wrote it.
    pub(crate) fn close(&mut self, change: Change) {
        let size_bytes = self.sizes.get(change.file as usize).map_or(0, |size| size.bytes);
        for device in 0..self.file_systems.len() {
            let offset_bytes = self.object(change.file, size_bytes, device);
            self.file_systems[device].close(Change { offset_bytes, size_bytes: 0, ..change });
        }
    }

    /// What was just written of a file is allocated; false if there was no space for all, and then it is undone.
    pub(crate) fn allocate_at_once(&mut self, change: Change) -> bool {
        let mut is_done = true;
        for file_system in &mut self.file_systems {
            is_done &= file_system.allocate_at_once(change);
        }
        if !is_done {
            self.undo(change);
        }
        is_done
    }

    pub(crate) fn lies_in(&mut self, stream: u32, directory: u32) {
        for file_system in &mut self.file_systems {
            file_system.lies_in(stream, directory);
        }
    }

    pub(crate) fn sync(&mut self) -> bool {
        let mut is_done = true;
        for file_system in &mut self.file_systems {
            is_done &= file_system.sync();
        }
        is_done
    }

    /// The extents of a file, object by object, as if one followed the other in the file.
    pub(crate) fn extents(&self, file: u32) -> Vec<Extent> {
        let (mut found, mut before) = (Vec::new(), 0);
        for (device, file_system) in (0..).zip(&self.file_systems) {
            let of_object = file_system.extents(file);
            found.extend(of_object.iter().map(|extent| Extent {
                logical: before + extent.logical,
                physical: device * self.device_blocks + extent.physical,
                blocks: extent.blocks,
            }));
            before += of_object.last().map_or(0, Extent::logical_end);
        }
        found
    }

    pub(crate) fn free_runs(&self, mut found: impl FnMut(Run)) {
        for (device, file_system) in (0..).zip(&self.file_systems) {
            file_system.free_runs(&mut |run: Run| {
                found(Run { start: device * self.device_blocks + run.start, blocks: run.blocks })
            });
        }
    }

    /// All objects are as long as before the last append.
    fn undo(&mut self, change: Change) {
        let Size { bytes, before_bytes } = self.sizes[change.file as usize];
        for device in 0..self.file_systems.len() {
            let (had, has) =
                (self.object(change.file, bytes, device), self.object(change.file, before_bytes, device));
            let size_bytes = had - has;
            let kind = AgeOperation::Truncate;
            self.file_systems[device].apply(Change { kind, offset_bytes: has, size_bytes, ..change });
        }
        self.sizes[change.file as usize].bytes = before_bytes;
    }

    /// Bytes of a file's object on a device, when the file has so many.
    fn object(&self, file: u32, size_bytes: u64, device: usize) -> u64 {
        let devices = self.file_systems.len() as u64;
        let round_bytes = self.stripe_bytes * devices;
        let place = (device as u64 + devices - u64::from(file) % devices) % devices;
        let rest_bytes = (size_bytes % round_bytes).saturating_sub(place * self.stripe_bytes);
        size_bytes / round_bytes * self.stripe_bytes + rest_bytes.min(self.stripe_bytes)
    }
}
