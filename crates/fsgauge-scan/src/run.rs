//! One scan from start to end: check, read with several threads, put the result together.

use std::num::NonZero;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use fsgauge_wire::{Ended, Engine, Event, FORMAT, Listener, Outcome, ScanJob, ScanResult, Stop};

use crate::check::check_scan;
use crate::measure::listed;
use crate::reader_threads::ReaderThreads;
use crate::source::{self, OnDisk, Scanned};

/// Runs a scan and gives its result; progress goes to `listener` a few times a second. A scan that is stopped
/// gives what it has.
pub fn run_scan(
    job: &ScanJob,
    engine: Engine,
    listener: &mut dyn Listener,
    stop: Stop,
) -> Outcome<ScanResult> {
    let processors = || std::thread::available_parallelism().map_or(1, NonZero::get).min(256);
    let threads = job.threads.map_or_else(processors, |threads| threads as usize);
    let result =
        timed(job, engine, stop, || source::scan(job, &mut ReaderThreads::new(threads, listener, stop)))?;
    for note in &result.notes {
        // They are in the result too; when nobody reads it, the last event says so.
        let _ = listener.event(Event::Note(note.clone()));
    }
    Ok(result)
}

/// The same of a file system that somebody else knows how to read; the job's path only says what is to be read of it.
pub fn scan_on_disk(
    job: &ScanJob,
    disk: &dyn OnDisk,
    engine: Engine,
    listener: &mut dyn Listener,
    stop: Stop,
) -> Outcome<ScanResult> {
    timed(job, engine, stop, || Ok(source::scan_disk(job, disk, &mut ReaderThreads::new(1, listener, stop))))
}

/// Checks a job, and gives what is found with when it was read and for how long.
fn timed(
    job: &ScanJob,
    engine: Engine,
    stop: Stop,
    scan: impl FnOnce() -> Outcome<Scanned>,
) -> Outcome<ScanResult> {
    check_scan(job)?;
    let begin = Instant::now();
    let started_unix_ns = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |at| at.as_nanos() as u64);
    Ok(result_of(scan()?, engine, stop, started_unix_ns, begin))
}

fn result_of(found: Scanned, engine: Engine, stop: Stop, started_unix_ns: u64, begin: Instant) -> ScanResult {
    ScanResult {
        format: FORMAT,
        engine,
        source: found.source,
        ended: if stop.is_set() { Ended::Interrupted } else { Ended::SizeLimit },
        counts: found.measured.counts,
        extent_lengths: found.measured.extent_lengths,
        exact_lengths: found.measured.exact_lengths,
        files_by_extents: found.measured.files_by_extents,
        free: found.free,
        room: found.room,
        group_count: found.groups.len() as u64,
        groups: listed(found.groups),
        map: found.measured.map,
        top: found.measured.top,
        problems: found.problems.into_list(),
        notes: found.notes,
        started_unix_ns,
        elapsed_ns: begin.elapsed().as_nanos() as u64,
    }
}
