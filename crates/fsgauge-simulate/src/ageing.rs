//! A log, replayed: what the ager does on a real file system, without its calls.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fsgauge_alloc::{OpLog, Operation, Placement, check_age, resolve_profile};
use fsgauge_wire::{
    AgeEnded, AgeError, AgeJob, AgeMode, AgeOperation, AgeOperationResult, AgeProgress, AgeResult, Event,
    FORMAT, Failure, Note, Outcome,
};

use crate::copy::left_by;
use crate::state::State;

/// As the ager does it: bytes between two syncs where data is written and the job does not say.
const SYNC_EVERY_BYTES: u64 = 256 << 20;
/// Allocations in a row that found no space before it is enough.
const NO_SPACE_LIMIT: u32 = 10_000;
/// The clock is looked at after so many operations.
const CLOCK_EVERY: u64 = 4096;
const PROGRESS_EVERY: Duration = Duration::from_millis(250);

/// The log of a job, and how much it may fill.
pub(crate) fn log_of(job: &AgeJob, free_bytes: u64) -> Outcome<OpLog> {
    check_age(job)?;
    let room_bytes = room_bytes(job, free_bytes);
    if room_bytes > free_bytes {
        return Err(Failure::job(
            "space",
            format!("live files would take {room_bytes} bytes, and {free_bytes} bytes are free"),
            format!("fill_percent is {}", job.fill_percent),
            "a larger device, or less on it",
        ));
    }
    OpLog::new(&job.profile, job.end, room_bytes, job.seed)
}

fn room_bytes(job: &AgeJob, free_bytes: u64) -> u64 {
    (job.space_bytes.unwrap_or(free_bytes) as f64 * (job.fill_percent / 100.0)) as u64
}

/// What became of the operations.
#[derive(Default)]
struct Counts {
    by_kind: [AgeOperationCount; 6],
    operations: u64,
    written_bytes: u64,
    refused: u64,
    first_refused: u64,
    in_a_row: u32,
    unsynced_bytes: u64,
    syncs: u64,
    /// How full the device was when the first operation found no space.
    full: Option<Failure>,
}

#[derive(Default, Clone, Copy)]
struct AgeOperationCount {
    done: u64,
    failed: u64,
    size_bytes: u64,
}

/// Ages a folder.
pub(crate) fn age(state: &mut State<'_>, job: &AgeJob) -> Outcome<AgeResult> {
    let free_bytes = state.available_bytes();
    let mut log = log_of(job, free_bytes)?;
    let begin = Instant::now();
    let started_unix_ns = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |at| at.as_nanos() as u64);
    let default_bytes = if job.mode == AgeMode::Fast { 0 } else { SYNC_EVERY_BYTES };
    let sync_every_bytes = job.sync_every_bytes.unwrap_or(default_bytes);
    match log.placement() {
        Placement::Together => state.folders.made_together(&job.directory, "d0000/f"),
        _ => state.folders.made(&job.directory, "d0000/f"),
    };
    let mut replay =
        Replay { state, job, sync_every_bytes, counts: Counts::default(), begin, told: Duration::ZERO };
    let ended = if job.fresh_copy { replay.copy(&mut log) } else { replay.log(&mut log) };
    let Replay { state, mut counts, .. } = replay;
    state.sync();
    counts.syncs += 1;
    let folder = state.folders.get(&job.directory);
    let (mut live_files, mut live_bytes) = (0, 0);
    for (_, held) in folder.into_iter().flat_map(|folder| folder.iter()) {
        live_files += 1;
        live_bytes += held.size_bytes;
    }
    Ok(AgeResult {
        format: FORMAT,
        engine: state.engine.clone(),
        ended,
        mode: job.mode,
        profile: resolve_profile(&job.profile, room_bytes(job, free_bytes)),
        end: job.end,
        seed: job.seed,
        space_bytes: job.space_bytes.unwrap_or(free_bytes),
        fill_percent: job.fill_percent,
        sync_every_bytes,
        log_checksum: log.checksum(),
        operations: counts.results(),
        errors: counts.errors(),
        written_bytes: counts.written_bytes,
        live_files,
        live_bytes,
        storage_age: (live_bytes > 0).then(|| counts.written_bytes as f64 / live_bytes as f64),
        virtual_time_ns: log.virtual_time_ns(),
        directories: 0,
        reopened: 0,
        syncs: counts.syncs,
        sync_ns: 0,
        user_ns: 0,
        system_ns: 0,
        notes: counts.notes(),
        started_unix_ns,
        elapsed_ns: begin.elapsed().as_nanos() as u64,
        common_start: None,
    })
}

struct Replay<'a, 'b> {
    state: &'a mut State<'b>,
    job: &'a AgeJob,
    sync_every_bytes: u64,
    counts: Counts,
    begin: Instant,
    told: Duration,
}

impl Replay<'_, '_> {
    fn log(&mut self, log: &mut OpLog) -> AgeEnded {
        while let Some(operation) = log.next() {
            self.apply(&operation);
            if let Some(ended) = self.look_around(log.share()) {
                return ended;
            }
        }
        AgeEnded::Complete
    }

    fn copy(&mut self, log: &mut OpLog) -> AgeEnded {
        let left = left_by(log, self.state.stop);
        let all = left.len().max(1) as f64;
        for (at, file) in left.iter().enumerate() {
            self.apply(&Operation {
                virtual_time_ns: 0,
                stream: file.stream,
                kind: AgeOperation::Create,
                file: file.file,
                offset_bytes: 0,
                size_bytes: file.size_bytes,
            });
            if let Some(ended) = self.look_around(Some(at as f64 / all)) {
                return ended;
            }
        }
        AgeEnded::Complete
    }

    fn apply(&mut self, operation: &Operation) {
        let directory = &self.job.directory;
        let &Operation { stream, kind, file, offset_bytes, size_bytes, .. } = operation;
        let at_once = self.job.mode != AgeMode::Write;
        self.counts.operations += 1;
        let done = match kind {
            AgeOperation::Create => {
                let done = if size_bytes > 0 && at_once && !self.state.is_allocated_whole() {
                    let done = self.state.create(directory, file, stream)
                        && self.state.append(directory, file, size_bytes, at_once);
                    self.state.close(directory, file);
                    done
                } else {
                    self.state.create_whole(directory, file, stream, size_bytes)
                };
                if !done {
                    self.state.delete(directory, file);
                }
                done
            }
            AgeOperation::Append => self.state.append(directory, file, size_bytes, at_once),
            AgeOperation::Truncate => {
                self.state.truncate(directory, file, offset_bytes);
                true
            }
            AgeOperation::Delete => {
                self.state.delete(directory, file);
                true
            }
            AgeOperation::Fsync => self.state.fsync(directory, file),
            // In place.
            AgeOperation::Overwrite => true,
        };
        self.count(kind, size_bytes, done);
    }

    fn count(&mut self, kind: AgeOperation, size_bytes: u64, done: bool) {
        let counts = &mut self.counts;
        let of_kind = &mut counts.by_kind[kind as usize];
        let writes = matches!(kind, AgeOperation::Create | AgeOperation::Append | AgeOperation::Overwrite);
        if done {
            of_kind.done += 1;
            of_kind.size_bytes += size_bytes;
            if writes {
                counts.written_bytes += size_bytes;
                counts.unsynced_bytes += size_bytes;
                counts.in_a_row = 0;
            }
        } else {
            of_kind.failed += 1;
            counts.refused += 1;
            counts.in_a_row += 1;
            if counts.full.is_none() {
                counts.first_refused = counts.operations;
                let what = format!("operation {} found no space for {size_bytes} bytes", counts.operations);
                counts.full = Some(self.state.full(&what));
            }
        }
        let counts = &mut self.counts;
        if self.sync_every_bytes > 0 && counts.unsynced_bytes >= self.sync_every_bytes {
            counts.unsynced_bytes = 0;
            counts.syncs += 1;
            self.state.sync();
        }
    }

    /// The limits, and progress a few times a second.
    fn look_around(&mut self, share: Option<f64>) -> Option<AgeEnded> {
        if self.counts.in_a_row >= NO_SPACE_LIMIT {
            return Some(AgeEnded::OutOfSpace);
        }
        if !self.counts.operations.is_multiple_of(CLOCK_EVERY) {
            return None;
        }
        if self.state.stop.is_set() {
            return Some(AgeEnded::Interrupted);
        }
        let elapsed = self.begin.elapsed();
        if elapsed >= Duration::from_nanos(self.job.time_limit_ns) {
            return Some(AgeEnded::TimeLimit);
        }
        if elapsed - self.told >= PROGRESS_EVERY {
            self.told = elapsed;
            let progress = AgeProgress {
                operations: self.counts.operations,
                share,
                failed: self.counts.refused,
                written_bytes: self.counts.written_bytes,
                live_files: 0,
                live_bytes: 0,
                elapsed_ns: elapsed.as_nanos() as u64,
            };
            if self.state.listener.event(Event::AgeProgress(progress)).is_err() {
                return Some(AgeEnded::Interrupted);
            }
        }
        None
    }
}

impl Counts {
    fn results(&self) -> Vec<AgeOperationResult> {
        let result = |(operation, count): (AgeOperation, &AgeOperationCount)| {
            let &AgeOperationCount { done, failed, size_bytes } = count;
            AgeOperationResult { operation, done, failed, skipped: 0, size_bytes }
        };
        let occurred = |each: &AgeOperationResult| each.done + each.failed > 0;
        AgeOperation::ALL.into_iter().zip(&self.by_kind).map(result).filter(occurred).collect()
    }

    fn errors(&self) -> Vec<AgeError> {
        let error = AgeError {
            operation: None,
            errno: 28,
            text: "No space left on the simulated device".into(),
            count: self.refused,
            first_operation: self.first_refused,
        };
        if self.refused > 0 { vec![error] } else { Vec::new() }
    }

    fn notes(&self) -> Vec<Note> {
        let full = self
            .full
            .as_ref()
            .map(|full| Note { code: full.code.clone(), text: format!("{}: {}", full.what, full.cause) });
        full.into_iter().collect()
    }
}
