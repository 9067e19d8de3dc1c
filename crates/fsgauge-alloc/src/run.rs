//! One ageing from start to end: check, replay, put the result together.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fsgauge_clock::{LEAD_NS, arm, begin_at, check_start, now_ns};
use fsgauge_wire::{
    AgeEnded, AgeJob, AgeMode, AgeProfile, AgeResult, Engine, Event, FORMAT, Listener, Note, Outcome, Stop,
};

use crate::ager::{Replay, Source};
use crate::check::{check_age, room_bytes};
use crate::cpu::user_system_ns;
use crate::op_log::OpLog;
use crate::{damage, profile, space};

/// Bytes between two calls of syncfs where data is written and the job does not say.
const SYNC_EVERY_BYTES: u64 = 256 << 20;

/// What the kernel says when a device, or what a file system has written on it, is not as it was: EIO, ENXIO, EROFS,
/// EBADMSG, EUCLEAN, ESHUTDOWN.
const STORAGE_ERRORS: [i32; 6] =
    [libc::EIO, libc::ENXIO, libc::EROFS, libc::EBADMSG, libc::EUCLEAN, libc::ESHUTDOWN];

/// Ages a directory and gives the result; progress goes to `listener` a few times a second. What was made stays,
/// also when the ageing was stopped or ran out of space.
pub fn run_age(job: &AgeJob, engine: Engine, listener: &mut dyn Listener, stop: Stop) -> Outcome<AgeResult> {
    check_age(job)?;
    check_start(&job.wanted_start())?;
    let place = space::open(&job.directory)?;
    let errors_before = damage::errors_found(&place.root);
    damage::refuse_damaged(&job.directory, errors_before)?;
    let (space_bytes, room_bytes) = room_bytes(job, place.available_bytes)?;
    let log = OpLog::new(&job.profile, job.end, room_bytes, job.seed)?;
    space::try_mode(&place, job.mode)?;

    let sync_every_bytes = job.sync_every_bytes.unwrap_or(default_sync_bytes(job.mode));
    let mut notes = notes_of(job, place.copies_on_write);
    let mut replay =
        Replay::new(Source::new(log, job.fresh_copy), place, job.mode, job.seed, sync_every_bytes, stop);
    let armed = arm(&job.wanted_start(), LEAD_NS, listener, stop)?;
    let true_start = armed.map(|armed| begin_at(armed.start_at_ns, true));
    let started_unix_ns = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |at| at.as_nanos() as u64);
    let before = user_system_ns();
    let (ended, elapsed) = replay.run(Duration::from_nanos(job.time_limit_ns), listener);
    let after = user_system_ns();
    let common_start = armed.map(|armed| armed.result(true_start, now_ns()));
    notes.extend(notes_after(&replay, ended));
    notes.extend(note_of_damage(errors_before, damage::errors_found(replay.ager.directories.root())));
    for note in &notes {
        // They are in the result too; when nobody reads it, the last event says so.
        let _ = listener.event(Event::Note(note.clone()));
    }
    let Replay { log, ager, syncs, sync_time, .. } = replay;
    let (written_bytes, live_bytes) = (ager.counts.written_bytes, ager.files.live_bytes);
    Ok(AgeResult {
        format: FORMAT,
        engine,
        ended,
        mode: job.mode,
        profile: profile::resolve(&job.profile, room_bytes),
        end: job.end,
        seed: job.seed,
        space_bytes,
        fill_percent: job.fill_percent,
        sync_every_bytes,
        log_checksum: log.checksum(),
        operations: ager.counts.results(),
        errors: ager.counts.errors(),
        written_bytes,
        live_files: ager.files.live_files,
        live_bytes,
        storage_age: (live_bytes > 0).then(|| written_bytes as f64 / live_bytes as f64),
        virtual_time_ns: log.virtual_time_ns(),
        directories: u64::from(ager.directories.count()),
        reopened: ager.reopened,
        syncs,
        sync_ns: sync_time.as_nanos() as u64,
        user_ns: after.0 - before.0,
        system_ns: after.1 - before.1,
        notes,
        started_unix_ns,
        elapsed_ns: elapsed.as_nanos() as u64,
        common_start,
    })
}

fn default_sync_bytes(mode: AgeMode) -> u64 {
    if mode == AgeMode::Fast { 0 } else { SYNC_EVERY_BYTES }
}

fn note(code: &str, text: impl Into<String>) -> Note {
    Note { code: code.into(), text: text.into() }
}

/// What the mode loses.
fn notes_of(job: &AgeJob, copies_on_write: bool) -> Vec<Note> {
    let mut notes = Vec::new();
    if job.fresh_copy {
        let text = "Only the files that the log leaves were written: each once, from start to end, directory by directory";
        notes.push(note("age.fresh_copy", text));
    }
    if job.mode == AgeMode::Fast {
        notes.push(note(
            "age.fast",
            "Space was allocated without data: the layout is without delayed allocation and preallocation, \
             and reading these files needs no disk",
        ));
        if matches!(job.profile, AgeProfile::Database { .. }) && !job.fresh_copy {
            let text = if copies_on_write {
                "Overwrites were holes that were allocated again: space was freed before the new was taken, where \
                 the file system does it the other way round"
            } else {
                "Overwrites did nothing: this file system overwrites in place"
            };
            notes.push(note("age.fast_overwrite", text));
        }
    }
    if job.mode == AgeMode::Direct {
        let text = "Data was written with direct I/O: the layout is without delayed allocation";
        notes.push(note("age.direct", text));
    }
    notes
}

/// What went otherwise than the log.
fn notes_after(replay: &Replay, ended: AgeEnded) -> Vec<Note> {
    let mut notes = Vec::new();
    let failed = replay.ager.counts.failed;
    if failed > 0 {
        let text = format!("{failed} operations failed; the log continued without them");
        notes.push(note("age.refused", text));
    }
    if replay.ager.counts.errors().iter().any(|error| STORAGE_ERRORS.contains(&error.errno)) {
        let text = "The storage below failed: the file system may now be read-only, and files may be lost. If \
                    it is in a sparse image, the disk below may be full: df -h; else: dmesg | tail";
        notes.push(note("age.storage_failed", text));
    }
    if ended == AgeEnded::Interrupted {
        notes
            .push(note("age.unsynced", "Stopped before the last syncfs: some data may not be allocated yet"));
    }
    notes
}

/// A file system that goes on around its damage.
fn note_of_damage(before: Option<u64>, after: Option<u64>) -> Option<Note> {
    let found = after?.checked_sub(before?).filter(|found| *found > 0)?;
    let text = format!(
        "The file system found {found} errors in its own structures meanwhile: it is damaged or its storage failed, \
         and what it refused says nothing about ageing. Unmount it and run: e2fsck -f DEVICE"
    );
    Some(note("age.damaged", text))
}
