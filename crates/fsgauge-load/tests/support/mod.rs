//! What the integration tests share: a load to vary.

#![allow(dead_code, unused_imports, reason = "each test file uses its part")]

mod results;

pub use results::{Heard, assert_consistent, engine, operations, sides};

use std::path::Path;

use fsgauge_load::{run_layout, run_load};
use fsgauge_wire::{Data, FORMAT, Failure, LayoutJob, LoadJob, LoadResult, Stop, Target};

/// A fifth of a second of 4 KiB random reads on nothing, at depth 8.
pub fn null_load() -> LoadJob {
    LoadJob {
        queue_depth: 8,
        warm_up_ns: 20_000_000,
        duration_ns: 200_000_000,
        interval_ns: 50_000_000,
        data: Data::Incompressible,
        ..LoadJob::plain()
    }
}

/// Three files of 1 MiB in a directory.
pub fn files(directory: &Path) -> Target {
    let directory = directory.display().to_string();
    Target::Files { directory, prefix: "data-".into(), count: 3, file_size_bytes: 1 << 20 }
}

/// Creates and fills a target.
pub fn lay_out(target: &Target, data: Data) -> Result<(), Failure> {
    let layout = LayoutJob {
        format: FORMAT,
        target: target.clone(),
        block_size_bytes: 65536,
        queue_depth: 4,
        direct: false,
        preallocate: false,
        data,
        seed: 1,
        held: Vec::new(),
        lease: None,
    };
    run_layout(&layout, engine(), &mut Heard::default(), Stop::new()).map(|_| ())
}

pub fn run(load: LoadJob) -> Result<LoadResult, Failure> {
    run_load(load, engine(), None, &mut Heard::default(), Stop::new())
}
