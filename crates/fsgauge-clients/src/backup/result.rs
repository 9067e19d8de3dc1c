//! The result of a backup, as loads give theirs.

use fsgauge_wire::{
    BackupResult, ClientOperation, ClientOperationResult, ClientsInterface, ClientsJob, ClientsResult, Drain,
    Ended, Engine, FORMAT, Interface, Interval, JobCount, LoadResult, MachineCpu, Note, OperationCall,
    Pauses, SelfMeasure, Steady,
};

use super::check::BackupPlan;
use super::outcome::{BackupOutcome, OverNetwork};
use super::stopwatch::Timed;
use crate::result::{peak_memory_bytes, records};

/// What the main thread knows beside what the reader did.
#[derive(Debug)]
pub(super) struct LoopContext {
    pub(super) engine: Engine,
    pub(super) notes: Vec<Note>,
    pub(super) started_unix_ns: u64,
    pub(super) connect_ns: u64,
    pub(super) machine_cpu: MachineCpu,
    pub(super) intervals: Vec<Interval>,
    pub(super) self_measure: SelfMeasure,
    pub(super) pauses: Pauses,
}

/// Puts the result together.
pub(super) fn result(
    job: &ClientsJob,
    plan: &BackupPlan,
    backed_up: BackupOutcome,
    surroundings: LoopContext,
) -> LoadResult {
    let read = records(&backed_up.timed.tally, ClientOperation::Read);
    let (elapsed_ns, busy_ns) = (backed_up.timed.elapsed_ns, backed_up.timed.busy_ns);
    let common_start = backed_up.common_start;
    LoadResult {
        format: FORMAT,
        engine: surroundings.engine,
        interface: Interface::Psync,
        features: None,
        notes: surroundings.notes,
        ended: backed_up.ended,
        started_unix_ns: surroundings.started_unix_ns,
        warm_up_ns: 0,
        elapsed_ns,
        jobs: vec![JobCount {
            operations: read.operations,
            size_bytes: read.size_bytes,
            elapsed_ns: Some(elapsed_ns),
        }],
        read: Some(read),
        write: None,
        in_flight_mean: if elapsed_ns == 0 { 0.0 } else { busy_ns as f64 / elapsed_ns as f64 },
        cpu: backed_up.cpu,
        machine_cpu: surroundings.machine_cpu,
        intervals: surroundings.intervals,
        steady: Some(not_judged()),
        self_measure: surroundings.self_measure,
        sync: None,
        file_operations: Vec::new(),
        finish: None,
        companions: Vec::new(),
        integrity: None,
        limits: None,
        drain: Some(Drain::default()),
        pauses: Some(surroundings.pauses),
        clients: Some(Box::new(clients_result(job, plan, surroundings.connect_ns, backed_up))),
        common_start,
    }
}

fn clients_result(
    job: &ClientsJob,
    plan: &BackupPlan,
    connect_ns: u64,
    backed_up: BackupOutcome,
) -> ClientsResult {
    let (Timed { tally, elapsed_ns, aside_ns: comparing_ns, .. }, over_network) =
        (backed_up.timed, backed_up.over_network);
    let operations = tally.results();
    let done_ns = (backed_up.ended == Ended::SizeLimit).then_some(elapsed_ns);
    ClientsResult {
        // One reader with plain calls is a thread a client and a loop of one.
        dispatch: job.dispatch,
        threads: 1,
        calls: over_network
            .as_ref()
            .map_or_else(|| calls(job.interface, &operations), |over| named_calls(over, &operations)),
        connect_ns,
        operations,
        errors: tally.errors(),
        files: tally.files,
        file_latency: None,
        files_given_up: tally.files_given_up,
        clients_gave_up: 0,
        first_done_ns: done_ns,
        last_done_ns: done_ns,
        active_ns: elapsed_ns,
        think_ns: 0,
        checked_records: tally.checked_records,
        bad_records: tally.bad_records,
        bad: tally.bad,
        names: 0,
        fewest_files: 0,
        most_files: 0,
        stonewall_ns: None,
        sync_at_end_ns: None,
        backup: Some(BackupResult {
            order: plan.order,
            files: backed_up.files,
            directories: backed_up.directories,
            listing_ns: backed_up.listing_ns,
            comparing_ns,
            extents: backed_up.extents.map(|found| found.extents),
        }),
        network: over_network.map(|over| over.network),
        peak_memory_bytes: peak_memory_bytes(),
    }
}

/// The calls that carried what was done on a server; looking for a connection is none.
fn named_calls(over: &OverNetwork, operations: &[ClientOperationResult]) -> Vec<OperationCall> {
    let is_done = |call: &&OperationCall| operations.iter().any(|done| done.operation == call.operation);
    over.calls.iter().filter(is_done).cloned().collect()
}

/// The calls that carried what was done.
fn calls(interface: ClientsInterface, operations: &[ClientOperationResult]) -> Vec<OperationCall> {
    let reason = match interface {
        ClientsInterface::Plain => None,
        ClientsInterface::Auto | ClientsInterface::IoUring => {
            Some("a backup has one reader and one operation at a time".to_string())
        }
    };
    let call = |operation: ClientOperation| match operation {
        ClientOperation::List => "openat, getdents64, close",
        ClientOperation::Open => "openat",
        ClientOperation::Close => "close",
        _ => "read",
    };
    let named = |result: &ClientOperationResult| OperationCall {
        operation: result.operation,
        call: call(result.operation).into(),
        reason: reason.clone(),
    };
    operations.iter().map(named).collect()
}

/// Files differ in size and place, so the rate has no level to be steady at.
fn not_judged() -> Steady {
    let reason = "a backup reads each file once: its rate follows the files, not time";
    Steady { rounds: 5, reason: Some(reason.into()), ..Steady::default() }
}

/// What the reader of the result should know.
pub(super) fn notes_of(backed_up: &BackupOutcome) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |code: &str, text: String| notes.push(Note { code: code.into(), text });
    if backed_up.ended != Ended::SizeLimit {
        let why = if backed_up.ended == Ended::Duration { "its time was up" } else { "it was interrupted" };
        let (read, found) = (backed_up.timed.tally.files, backed_up.files);
        note("backup.cut_short", format!("{why}: {read} of the {found} files found so far were read"));
    }
    if backed_up.left_out > 0 {
        let text = format!("{} directories are mounted from elsewhere and were left out", backed_up.left_out);
        note("backup.other_mounts", text);
    }
    if backed_up.changed_access_times {
        let text = "not all files are this user's, so reading them may have changed their times of access";
        note("backup.access_times", text.into());
    }
    if backed_up.strangers > 0 {
        let strangers = backed_up.strangers;
        note("backup.strangers", format!("{strangers} names are no client's files and were left out"));
    }
    if backed_up.unchecked_files > 0 {
        let unchecked = backed_up.unchecked_files;
        let text = format!("{unchecked} files have names that no client gives: read, and not compared");
        note("backup.unchecked", text);
    }
    if let Some(extents) = backed_up.extents {
        if extents.delayed_files > 0 {
            let text = format!(
                "{} files begin in the cache and not on the storage yet, and were read first; after sync(1) \
                 they have a place",
                extents.delayed_files
            );
            note("backup.delayed", text);
        }
        if extents.unknown_files > 0 {
            let text = format!("the extents of {} files could not be read", extents.unknown_files);
            note("backup.extents_unknown", text);
        }
    }
    notes
}
