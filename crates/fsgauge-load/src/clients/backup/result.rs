//! The result of a backup, as loads give theirs.

use fsgauge_wire::{
    BackupResult, ClientOperation, ClientOperationResult, ClientsInterface, ClientsJob, ClientsResult,
    Dispatch, Ended, Engine, FORMAT, Interface, Interval, JobCount, LoadResult, MachineCpu, Note,
    OperationCall, OperationResult, Recorder, SelfMeasure, Steady,
};

use super::check::Plan;
use super::reader::BackedUp;

/// What the main thread knows beside what the reader did.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub(super) engine: Engine,
    pub(super) notes: Vec<Note>,
    pub(super) started_unix_ns: u64,
    pub(super) connect_ns: u64,
    pub(super) machine_cpu: MachineCpu,
    pub(super) intervals: Vec<Interval>,
    pub(super) self_measure: SelfMeasure,
}

/// Puts the result together.
pub(super) fn result(
    job: &ClientsJob,
    plan: &Plan,
    backed_up: BackedUp,
    surroundings: Surroundings,
) -> LoadResult {
    let read = read_result(&backed_up);
    let (elapsed_ns, busy_ns) = (backed_up.counted.elapsed_ns, backed_up.counted.busy_ns);
    LoadResult {
        format: FORMAT,
        engine: surroundings.engine,
        interface: Interface::Psync,
        features: None,
        notes: surroundings.notes,
        ended: backed_up.passed.ended,
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
        companions: Vec::new(),
        integrity: None,
        limits: None,
        clients: Some(Box::new(clients_result(job, plan, surroundings.connect_ns, backed_up))),
    }
}

fn clients_result(job: &ClientsJob, plan: &Plan, connect_ns: u64, backed_up: BackedUp) -> ClientsResult {
    let counted = backed_up.counted;
    let verified = backed_up.verified.unwrap_or_default();
    let done_ns = (backed_up.passed.ended == Ended::SizeLimit).then_some(counted.elapsed_ns);
    ClientsResult {
        dispatch: Dispatch::EventLoop,
        threads: 1,
        calls: calls(job.interface, &counted.operations),
        connect_ns,
        operations: counted.operations,
        errors: counted.errors,
        files: backed_up.passed.files,
        files_given_up: backed_up.passed.given_up,
        clients_gave_up: 0,
        first_done_ns: done_ns,
        last_done_ns: done_ns,
        active_ns: counted.elapsed_ns,
        think_ns: 0,
        checked_records: verified.checked_records,
        bad_records: verified.bad_records,
        bad: verified.bad,
        backup: Some(BackupResult {
            order: plan.order,
            files: backed_up.files,
            directories: backed_up.directories,
            listing_ns: backed_up.listing_ns,
            extents: backed_up.extents.map(|found| found.extents),
        }),
        peak_memory_bytes: peak_memory_bytes(),
    }
}

/// All reads, as loads count them.
fn read_result(backed_up: &BackedUp) -> OperationResult {
    let mut operations = backed_up.counted.operations.iter();
    let read = operations.find(|result| result.operation == ClientOperation::Read);
    let empty = || Recorder::default().to_histogram();
    OperationResult {
        operations: read.map_or(0, |read| read.operations),
        size_bytes: read.map_or(0, |read| read.size_bytes),
        errors: backed_up.counted.retries,
        service_latency: read.map_or_else(empty, |read| read.service_latency.clone()),
        response_latency: Some(read.map_or_else(empty, |read| read.response_latency.clone())),
        backlog_dropped: 0,
    }
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
    Steady { reason: Some(reason.into()), ..Steady::default() }
}

/// The process's largest resident memory so far; 0 where /proc is not mounted.
fn peak_memory_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}

/// What the reader of the result should know.
pub(super) fn notes_of(backed_up: &BackedUp) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |code: &str, text: String| notes.push(Note { code: code.into(), text });
    let passed = backed_up.passed;
    if passed.ended != Ended::SizeLimit {
        let why = if passed.ended == Ended::Duration { "its time was up" } else { "it was interrupted" };
        let (read, found) = (passed.files, backed_up.files);
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
    let unchecked = backed_up.verified.as_ref().map_or(0, |verified| verified.unchecked_files);
    if unchecked > 0 {
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
