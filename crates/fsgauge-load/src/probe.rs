//! The probe: what this kernel and machine offer, found by trying.

use std::path::Path;

use fsgauge_door::Folder;
use fsgauge_wire::{
    Data, Engine, FORMAT, Failure, Features, LoadJob, NullCost, Outcome, ProbeJob, ProbeResult, Target,
};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::buffers::Buffers;
use crate::filler::Filler;
use crate::instruments::Clock;
use crate::ring_setup::{RingSetup, refused};
use crate::self_measure::null_ns_per_operation;
use crate::target::{open_failure, required_alignment};

/// Runs a probe; takes about a tenth of a second, or a hundredth without costs.
pub fn run_probe(probe: &ProbeJob, engine: Engine) -> Outcome<ProbeResult> {
    let (features, io_uring_reason) = match ring_features() {
        Ok(features) => (features, None),
        Err(failure) => (Features::default(), Some(format!("{}: {}", failure.what, failure.cause))),
    };
    let alignment =
        probe.directory.as_deref().map(|directory| direct_alignment(Path::new(directory))).transpose()?;
    let clock = (!probe.without_costs).then(|| Clock::new().0);
    Ok(ProbeResult {
        format: FORMAT,
        io_uring: io_uring_reason.is_none(),
        io_uring_reason,
        features,
        direct: alignment.map(|alignment| alignment.is_some()),
        direct_alignment_bytes: alignment.flatten(),
        clock: clock.map(|clock| clock.kind()),
        clock_ns_per_read: clock.map(|clock| clock.cost_ns()),
        null_ns_per_operation: clock.map(|clock| null_cost(&clock)).transpose()?,
        engine,
    })
}

fn null_cost(clock: &Clock) -> Result<NullCost, Failure> {
    Ok(NullCost {
        depth_1: null_ns_per_operation(&null_load(1), clock)?,
        depth_32: null_ns_per_operation(&null_load(32), clock)?,
    })
}

/// Sets up a ring with everything and registers a file and a buffer with it.
fn ring_features() -> Result<Features, Failure> {
    let mut setup = RingSetup::new(8).map_err(|error| refused(&error))?;
    let buffers = Buffers::new(8, 4096, (true, false), Filler::for_data(Data::Zero, 0, 0))?;
    let (_, features, _) = setup.register(&[0], &buffers);
    Ok(features)
}

/// The alignment that direct I/O needs in a directory; `None` when its file system has no direct I/O.
fn direct_alignment(directory: &Path) -> Outcome<Option<u32>> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let mode = Mode::RUSR | Mode::WUSR;
    let folder = Folder::enter(directory).map_err(|errno| open_failure(directory, errno, true))?;
    match folder.open(".", flags | OFlags::DIRECT, mode) {
        Ok(file) => Ok(required_alignment(&file)),
        Err(Errno::INVAL) => Ok(None),
        // Without O_TMPFILE the directory itself still says what its file system can do.
        Err(Errno::OPNOTSUPP | Errno::ISDIR) => {
            let opened = folder.reopen();
            opened.map(required_alignment).map_err(|errno| open_failure(directory, errno, false))
        }
        Err(errno) => Err(open_failure(directory, errno, true)),
    }
}

/// 4 KiB random reads on nothing.
fn null_load(queue_depth: u32) -> LoadJob {
    LoadJob { target: Target::Null { size_bytes: 1 << 40 }, queue_depth, ..LoadJob::plain() }
}
