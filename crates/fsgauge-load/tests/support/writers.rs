//! Loads of several writers that are checked, for the tests beside the crate and for those within it.

use std::path::Path;

use fsgauge_wire::{BlockSize, Data, LoadJob, Ranges, Target};

/// Writers of so many blocks, in one file or in one a writer.
pub(crate) fn verified(
    directory: &Path,
    ranges: Ranges,
    writers: u32,
    blocks: u64,
    block_bytes: u32,
) -> LoadJob {
    let files = if ranges == (Ranges::OwnFiles {}) { writers } else { 1 };
    LoadJob {
        target: Target::Files {
            directory: directory.display().to_string(),
            prefix: "data-".into(),
            count: files,
            file_size_bytes: blocks / u64::from(files) * u64::from(block_bytes),
        },
        ranges: Some(ranges),
        block_sizes: vec![BlockSize { size_bytes: block_bytes, weight: 1 }],
        read_percent: 0,
        jobs: writers,
        data: Data::Incompressible,
        verify: true,
        ..LoadJob::plain()
    }
}
