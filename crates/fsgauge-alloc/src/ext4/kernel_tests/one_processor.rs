//! One processor for a history: the ager's thread, and the kernel's write-back, whose processor decides from which
//! preallocations small files get their blocks.

use std::fs::{self, File};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The processors that the kernel's write-back runs on: a mask.
const WRITE_BACK: &str = "/sys/devices/virtual/workqueue/writeback/cpumask";

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Another process's test may have it so long.
const PATIENCE: Duration = Duration::from_secs(300);

/// While it lives, this thread and the write-back of the whole machine have one processor. One lives at a time, on the
/// whole machine: the second would give back the mask of the first.
pub(super) struct OneProcessor {
    thread: CpuSet,
    write_back: Option<String>,
    _locked: Option<File>,
    _alone: MutexGuard<'static, ()>,
}

impl OneProcessor {
    pub(super) fn new() -> Self {
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = sched_getaffinity(None).unwrap();
        let first = (0..CpuSet::MAX_CPU).find(|&which| thread.is_set(which)).unwrap();
        let mut one = CpuSet::new();
        one.set(first);
        sched_setaffinity(None, &one).unwrap();
        // Without root, the test is skipped.
        let locked = File::open(WRITE_BACK).ok().inspect(lock);
        let write_back = fs::read_to_string(WRITE_BACK).ok();
        let is_set = fs::write(WRITE_BACK, mask(first)).is_ok();
        let write_back = write_back.filter(|_| is_set);
        OneProcessor { thread, write_back, _locked: locked, _alone: alone }
    }
}

fn lock(file: &File) {
    let begin = Instant::now();
    while flock(file, FlockOperation::NonBlockingLockExclusive).is_err() {
        assert!(begin.elapsed() < PATIENCE, "another process keeps the write-back on one processor");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Words of 32 processors, the last first.
fn mask(processor: usize) -> String {
    let zeros = ",00000000".repeat(processor / 32);
    format!("{:x}{zeros}", 1u32 << (processor % 32))
}

impl Drop for OneProcessor {
    fn drop(&mut self) {
        let _ = sched_setaffinity(None, &self.thread);
        if let Some(mask) = &self.write_back {
            let _ = fs::write(WRITE_BACK, mask);
        }
    }
}
