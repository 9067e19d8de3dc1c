//! What files must hold that clients wrote: their names say it.

use fsgauge_wire::ClientsJob;

use crate::file_set::{Contents, FileNumber, Sizes};

/// Knows the file set of a job.
#[derive(Debug)]
pub(super) struct Verifier {
    contents: Contents,
    sizes: Sizes,
    /// Files whose names say nothing.
    pub(super) unchecked_files: u64,
}

impl Verifier {
    /// The verifier of a job that asks for one.
    pub(super) fn of(job: &ClientsJob) -> Option<Self> {
        job.verify.then(|| Verifier {
            contents: Contents::new(job.data, job.seed),
            sizes: Sizes::new(&job.files, job.seed),
            unchecked_files: 0,
        })
    }

    /// Which file of the set this is, by its name; others are counted.
    pub(super) fn file(&mut self, name: &[u8]) -> Option<FileNumber> {
        let number = FileNumber::of_name(name);
        self.unchecked_files += u64::from(number.is_none());
        number
    }

    /// The first byte of the file at which a record that was read is not what it must be. What lies behind the
    /// file's end differs, whatever it is.
    pub(super) fn first_difference(
        &self,
        number: FileNumber,
        offset_bytes: u64,
        record: &[u8],
    ) -> Option<u64> {
        let end_bytes = self.sizes.size_bytes(number);
        let inside = end_bytes.saturating_sub(offset_bytes).min(record.len() as u64) as usize;
        let difference = self.contents.first_difference(number, offset_bytes, &record[..inside]);
        difference.or((inside < record.len()).then_some(offset_bytes + inside as u64))
    }

    /// How many bytes a file lacks that ends here.
    pub(super) fn missing_bytes(&self, number: FileNumber, end_bytes: u64) -> u64 {
        self.sizes.size_bytes(number).saturating_sub(end_bytes)
    }
}
