//! Files moved by streams: the time that the device takes, as the result of a load has it.

use std::time::{SystemTime, UNIX_EPOCH};

use fsgauge_device::{Pattern, Stream, Time};
use fsgauge_wire::{
    ClockKind, Cpu, Ended, FORMAT, Histogram, Interface, JobCount, LoadResult, MachineCpu, OperationResult,
    Recorder, SelfMeasure, SimulatedPass, Stamps,
};

use crate::state::State;

/// What streams did.
pub(crate) struct Moved {
    pub(crate) pass: SimulatedPass,
    /// Bytes of each stream.
    pub(crate) by_stream: Vec<u64>,
}

/// Times these streams, one entry of `streams` each.
pub(crate) fn moved(state: &State<'_>, streams: &[Stream], pattern: Pattern) -> Moved {
    let Time { size_bytes, requests, pieces, fastest_ns, slowest_ns } = state.device.time(streams, pattern);
    let whole = |ns: f64| ns.round().max(1.0) as u64;
    let by_stream = |stream: &Stream| stream.files.iter().flatten().map(|piece| piece.length_bytes).sum();
    Moved {
        pass: SimulatedPass {
            size_bytes,
            requests,
            pieces,
            fastest_ns: whole(fastest_ns),
            slowest_ns: whole(slowest_ns),
        },
        by_stream: streams.iter().map(by_stream).collect(),
    }
}

/// What a load would give that moved so much in operations of `record_bytes`, `in_flight` at a time.
pub(crate) fn load_result(
    state: &State<'_>,
    moved: &Moved,
    reads: bool,
    record_bytes: u64,
    in_flight: u64,
) -> LoadResult {
    let operations = |size_bytes: u64| size_bytes.div_ceil(record_bytes.max(1));
    let elapsed_ns = moved.pass.slowest_ns;
    let jobs: Vec<JobCount> = moved
        .by_stream
        .iter()
        .map(|&size_bytes| JobCount { operations: operations(size_bytes), size_bytes, elapsed_ns: None })
        .collect();
    let side = OperationResult {
        operations: jobs.iter().map(|job| job.operations).sum(),
        size_bytes: moved.pass.size_bytes,
        errors: 0,
        service_latency: no_latencies(),
        response_latency: None,
        backlog_dropped: 0,
    };
    let (read, write) = if reads { (Some(side), None) } else { (None, Some(side)) };
    LoadResult {
        format: FORMAT,
        engine: state.engine.clone(),
        interface: Interface::Psync,
        features: None,
        notes: Vec::new(),
        ended: Ended::SizeLimit,
        started_unix_ns: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |at| at.as_nanos() as u64),
        warm_up_ns: 0,
        elapsed_ns,
        read,
        write,
        jobs,
        in_flight_mean: in_flight as f64,
        cpu: Cpu::default(),
        machine_cpu: MachineCpu { busy_ns: 0, total_ns: elapsed_ns },
        intervals: Vec::new(),
        steady: None,
        self_measure: SelfMeasure {
            null_ns_per_operation: 0.0,
            clock_ns_per_read: 0.0,
            clock_ns_per_tick: 0.0,
            clock: ClockKind::ClockGettime,
            stamps: Stamps::Operation,
        },
        sync: None,
        finish: None,
        companions: Vec::new(),
        integrity: None,
        limits: None,
        drain: None,
        pauses: None,
        clients: None,
        common_start: None,
    }
}

/// Latencies are not simulated.
pub(crate) fn no_latencies() -> Histogram {
    Recorder::default().to_histogram()
}
