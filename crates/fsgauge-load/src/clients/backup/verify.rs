//! Comparing what is read with what clients wrote: their files say by their names what they must hold.

use fsgauge_wire::{BadRecord, ClientsJob};

use crate::clients::file_set::{Contents, FileNumber, Sizes};

/// So many bad records are named.
const NAMED: usize = 20;

/// Compares, and counts.
#[derive(Debug)]
pub(super) struct Verifier {
    contents: Contents,
    sizes: Sizes,
    pub(super) verified: Verified,
}

/// What was compared.
#[derive(Debug, Default)]
pub(super) struct Verified {
    pub(super) checked_records: u64,
    pub(super) bad_records: u64,
    pub(super) bad: Vec<BadRecord>,
    /// Files whose names say nothing.
    pub(super) unchecked_files: u64,
}

impl Verifier {
    /// The verifier of a job that asks for one.
    pub(super) fn of(job: &ClientsJob) -> Option<Self> {
        job.verify.then(|| Verifier {
            contents: Contents::new(job.data, job.seed),
            sizes: Sizes::new(&job.files, job.seed),
            verified: Verified::default(),
        })
    }

    /// Which file of the set this is, by its name; others are counted.
    pub(super) fn file(&mut self, name: &[u8]) -> Option<FileNumber> {
        let number = FileNumber::of_name(name);
        self.verified.unchecked_files += u64::from(number.is_none());
        number
    }

    /// Compares a record that was read.
    pub(super) fn compare(
        &mut self,
        number: FileNumber,
        offset_bytes: u64,
        record: &[u8],
        path: impl FnOnce() -> String,
    ) {
        self.verified.checked_records += 1;
        let Some(first_byte) = self.contents.first_difference(number, offset_bytes, record) else { return };
        self.verified.bad_records += 1;
        if self.verified.bad.len() < NAMED {
            self.verified.bad.push(BadRecord { path: path(), offset_bytes, first_byte });
        }
    }

    /// How many bytes a file lacks that ends here.
    pub(super) fn missing_bytes(&self, number: FileNumber, end_bytes: u64) -> u64 {
        self.sizes.size_bytes(number).saturating_sub(end_bytes)
    }
}
