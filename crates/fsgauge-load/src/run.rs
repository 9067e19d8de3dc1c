//! One load from start to end: check, measure the engine itself, start the jobs, follow them, merge.

use fsgauge_net::Access;
use fsgauge_wire::{
    CompanionKind, Engine, Event, Failure, Features, Limits, Listener, LoadJob, LoadResult, Note, Outcome,
    SelfMeasure, Stop, Sync, Target,
};

use crate::check::check_load;
use crate::check_transfer::aligned;
use crate::instruments::{Clock, allow_interrupts, send_event};
use crate::integrity::after_load;
use crate::job_thread::open_mode;
use crate::limits::measure_limits;
use crate::medium::Medium;
use crate::merge::{LoadOutcome, merge};
use crate::processes::WorkerCommand;
use crate::running_jobs::RunningJobs;
use crate::self_measure::self_measure;
use crate::target::Ground;
use crate::{share, target};

/// Runs a load and gives its result; events go to `listener` while it runs. `workers` says how worker processes
/// are started; without it, jobs can be threads only.
pub fn run_load(
    load: LoadJob,
    engine: Engine,
    workers: Option<&WorkerCommand>,
    listener: &mut dyn Listener,
    stop: Stop,
) -> Outcome<LoadResult> {
    let of_mixes =
        [("start_after_ns", load.start_after_ns > 0), ("steady_window_ns", load.steady_window_ns.is_some())];
    if let Some((key, _)) = of_mixes.into_iter().find(|(_, is_asked)| *is_asked) {
        let what = format!("{key} of a load alone");
        return Err(Failure::job(key, what, "it is about the loads of a mix", "leave it out"));
    }
    let (clock, clock_note) = load.measured_before.as_ref().map_or_else(Clock::new, Clock::like);
    let mut prepared = PreparedLoad::new(load, (clock, clock_note), workers, listener, stop)?;
    let sync = prepared.running.shared.load.sync;
    let measured = prepared.running.follow(listener).map_err(|failure| of_refused_flag(sync, failure))?;
    prepared.result(measured, engine, stop)
}

/// Says that a file system does not take the flag of a write, where that is why it failed.
fn of_refused_flag(sync: Sync, failure: Failure) -> Failure {
    if sync != Sync::RwfDsync || failure.errno != Some(libc::EOPNOTSUPP) {
        return failure;
    }
    Failure {
        what: format!("this file system refuses RWF_DSYNC: {}", failure.what),
        cause: "its writes take no flags of pwritev2(2)".into(),
        next: "another sync method: O_DSYNC, a flag of the whole file, promises the same".into(),
        code: "sync.refused".into(),
        ..failure
    }
}

/// A load whose jobs have opened their files and wait for their start.
pub(crate) struct PreparedLoad {
    pub(crate) running: RunningJobs,
    access: Option<Access>,
    self_measure: SelfMeasure,
    limits: Option<Limits>,
    features: Option<Features>,
    notes: Vec<Note>,
}

impl PreparedLoad {
    /// Checks the load, measures the engine itself and starts the jobs. `clock` comes with what is to be said of it.
    pub(crate) fn new(
        load: LoadJob,
        (clock, clock_note): (Clock, Option<Note>),
        workers: Option<&WorkerCommand>,
        listener: &mut dyn Listener,
        stop: Stop,
    ) -> Outcome<Self> {
        check_load(&load)?;
        let mut notes: Vec<Note> = clock_note.into_iter().collect();
        let ground = Ground::of(&load.target, load.read_percent < 100)?;
        let load = if load.only_existing { as_it_is(load, &ground)? } else { load };
        let access = share::access_of(&load.target)?;
        match &access {
            Some(access) => prepare_share(&load, access, &stop, &mut notes)?,
            None => prepare_target(&load, &ground, &mut notes)?,
        }
        let self_measure = match load.measured_before {
            Some(measured) => measured,
            None => self_measure(&load, &clock)?,
        };
        send_event(listener, &stop, Event::SelfMeasure(self_measure));
        allow_interrupts();
        let limits = if load.measure_limits { measure_limits(&load, clock, stop)? } else { None };
        let mut running =
            RunningJobs::spawn(load, Medium::Target, (workers, access.clone(), ground), clock, stop)?;
        let (features, ring_notes) = running.wait_until_ready()?;
        notes.extend(ring_notes);
        notes.iter().for_each(|note| send_event(listener, &stop, Event::Note(note.clone())));
        Ok(PreparedLoad { running, access, self_measure, limits, features, notes })
    }

    /// What is told of it once it was followed to its end; what it wrote is read back where that is asked for.
    pub(crate) fn result(self, measured: LoadOutcome, engine: Engine, stop: Stop) -> Outcome<LoadResult> {
        let PreparedLoad { running, access, self_measure, limits, features, mut notes } = self;
        let companions = running.companions.results();
        notes.extend(measured.note.clone());
        let reached = (access.as_ref(), &running.shared.ground);
        let integrity = after_load(&running.shared.load, reached, &measured, stop, &mut notes)?;
        let result = merge(&running.shared.load, measured, engine, features, notes, self_measure);
        Ok(LoadResult { companions, integrity, limits, ..result })
    }
}

/// The load on the places that its file has, as many for each job.
fn as_it_is(mut load: LoadJob, ground: &Ground) -> Outcome<LoadJob> {
    let Target::File { path: name, size_bytes: full_bytes } = &load.target else { return Ok(load) };
    // A file is opened as one that has what its target says, at least.
    let (full_bytes, any) = (*full_bytes, Target::File { path: name.clone(), size_bytes: 1 });
    let path = target::path_of(&load.target, 0);
    let failed = |errno| target::open_failure(&path, errno, false);
    let file = target::open_first(&any, ground, open_mode(&load))?;
    let there = match &file {
        Some(file) => rustix::fs::fstat(file).map_err(failed)?.st_size as u64,
        None => 0,
    };
    let round = load.every_block_size().map(|size| u64::from(size.size_bytes)).sum::<u64>();
    let round = round * u64::from(load.jobs);
    let found_bytes = full_bytes.min(there / round * round);
    if found_bytes == 0 {
        let what = format!("{} has no place for each of {} jobs: {there} bytes", path.display(), load.jobs);
        let cause = "what was to write it ended too early";
        return Err(Failure::system("target.short", None, what, cause, "a longer stonewall"));
    }
    if let Target::File { size_bytes, .. } = &mut load.target {
        *size_bytes = found_bytes;
    }
    Ok(load)
}

/// Checks the alignment that direct I/O needs on this very target, says when files will be made, and empties
/// those that are to be extended.
fn prepare_target(load: &LoadJob, ground: &Ground, notes: &mut Vec<Note>) -> Outcome<()> {
    let files = target::Geometry::of(&load.target).files;
    target::allow_open_files(load.jobs.saturating_mul(files.saturating_add(1)));
    let mode = open_mode(load);
    // What a load extends it would empty: it may as well be new.
    if mode.create && !load.extend && ground.lacks(&load.target, 0) {
        let first = target::path_of(&load.target, 0);
        let text = format!("the load only writes, so missing files are made: {} and so on", first.display());
        notes.push(Note { code: "target.created".into(), text });
    }
    if !load.operations.is_empty() {
        return Ok(());
    }
    check_alignment(load, ground)?;
    if load.extend { target::empty(&load.target, ground, load.preallocate) } else { Ok(()) }
}

/// Sees to the files of a share, and says what direct I/O is there.
fn prepare_share(load: &LoadJob, access: &Access, stop: &Stop, notes: &mut Vec<Note>) -> Outcome<()> {
    target::allow_open_files(4 * load.jobs);
    let wanted = match (load.extend, open_mode(load).create) {
        (true, _) => share::Files::Emptied,
        (false, true) => share::Files::Made,
        (false, false) => share::Files::Whole,
    };
    notes.extend(share::prepare(access, &load.target, wanted, stop)?);
    if load.direct {
        let text = "direct changes nothing on a share: this side keeps no data either way, and the server decides \
                    about its own memory";
        notes.push(Note { code: "share.direct".into(), text: text.into() });
    }
    Ok(())
}

fn check_alignment(load: &LoadJob, ground: &Ground) -> Outcome<()> {
    if !load.direct {
        return Ok(());
    }
    let probe = target::open_first(&load.target, ground, open_mode(load))?;
    let Some(file) = probe else { return Ok(()) };
    let Some(alignment) = target::required_alignment(&file) else {
        return Err(target::open_failure(&target::path_of(&load.target, 0), rustix::io::Errno::INVAL, true));
    };
    for size in load.every_block_size() {
        aligned(u64::from(size.size_bytes), "block size", alignment)?;
    }
    for reader in load.companions.iter().filter(|companion| companion.role == CompanionKind::Reader) {
        aligned(u64::from(reader.block_size_bytes), "the reader's block size", alignment)?;
    }
    aligned(target::Geometry::of(&load.target).base_bytes, "offset_bytes", alignment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_flag_is_named_and_nothing_else_is() {
        let failed = |errno| Failure::system("io.failed", Some(errno), "write of 8192 bytes failed", "", "");
        let named = of_refused_flag(Sync::RwfDsync, failed(libc::EOPNOTSUPP));
        assert!(named.what.starts_with("this file system refuses RWF_DSYNC: write of"), "{}", named.what);
        assert_eq!((named.code.as_str(), named.errno), ("sync.refused", Some(libc::EOPNOTSUPP)));
        for (sync, errno) in [(Sync::RwfDsync, libc::EIO), (Sync::Dsync, libc::EOPNOTSUPP)] {
            assert_eq!(of_refused_flag(sync, failed(errno)).code, "io.failed");
        }
    }
}
