//! What a log leaves, as a log of its own: each live file is created once with its last size, directory by directory.
//! The names are those of the whole log, since numbers and directories are.

use fsgauge_wire::AgeOperation;

use super::directory_fill::DirectoryFill;
use super::file_table::FileTable;
use crate::op_log::{Checksum, OpLog};
use crate::operation::{Operation, Placement};

/// First the log is looked through to its end, then files are created.
pub(crate) struct FreshCopy {
    log: OpLog,
    directory_fill: DirectoryFill,
    files: FileTable,
    /// Directory and number of the files that are left, in their order, once the log was looked through.
    order: Option<Vec<(u32, u32)>>,
    created: usize,
    checksum: Checksum,
}

impl FreshCopy {
    pub(crate) fn new(log: OpLog) -> Self {
        let directory_fill = DirectoryFill::new(log.placement());
        FreshCopy {
            log,
            directory_fill,
            files: FileTable::default(),
            order: None,
            created: 0,
            checksum: Checksum::default(),
        }
    }

    /// One more operation of the log; false once it is at its end.
    pub(crate) fn looks_ahead(&mut self) -> bool {
        if self.order.is_some() {
            return false;
        }
        match self.log.next() {
            Some(operation) => self.follow(&operation),
            None => self.order = Some(self.files.in_directories()),
        }
        self.order.is_none()
    }

    fn follow(&mut self, operation: &Operation) {
        let &Operation { stream, kind, file, offset_bytes, size_bytes, .. } = operation;
        match kind {
            AgeOperation::Create => {
                if self.directory_fill.with_room(stream).is_none() {
                    self.directory_fill.add_directory(stream);
                }
                if let Some(directory) = self.directory_fill.with_room(stream) {
                    self.directory_fill.add_file(directory);
                    self.files.add(file, directory, size_bytes);
                }
            }
            AgeOperation::Append => self.files.set_size(file, offset_bytes + size_bytes),
            AgeOperation::Truncate => self.files.set_size(file, offset_bytes),
            AgeOperation::Delete => {
                if let Some(state) = self.files.get(file) {
                    self.directory_fill.remove_file(state.directory);
                    self.files.remove(file);
                }
            }
            AgeOperation::Overwrite | AgeOperation::Fsync => {}
        }
    }

    /// The next file; its stream is the number of its directory.
    pub(crate) fn next(&mut self) -> Option<Operation> {
        let &(directory, file) = self.order.as_ref()?.get(self.created)?;
        self.created += 1;
        let operation = Operation {
            virtual_time_ns: 0,
            stream: directory,
            kind: AgeOperation::Create,
            file,
            offset_bytes: 0,
            size_bytes: self.files.get(file).map_or(0, |state| state.size_bytes),
        };
        self.checksum.add(&operation);
        Some(operation)
    }

    /// Directories that the log leaves; some may be empty.
    pub(crate) fn directories(&self) -> u32 {
        self.directory_fill.count()
    }

    /// How much of it was taken, 0 to 1; None before it is known what there is.
    pub(crate) fn share(&self) -> Option<f64> {
        let files = self.order.as_ref()?.len();
        Some(self.created as f64 / files.max(1) as f64)
    }

    pub(crate) fn checksum(&self) -> String {
        self.checksum.text()
    }

    pub(crate) fn virtual_time_ns(&self) -> u64 {
        self.log.virtual_time_ns()
    }

    /// Files find their directories by number.
    pub(crate) fn placement(&self) -> Placement {
        Placement::Numbered
    }
}
