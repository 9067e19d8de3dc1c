//! Files moved by streams: the time that the device takes, as the result of a load has it.

use std::time::{SystemTime, UNIX_EPOCH};

use fsgauge_device::{Pattern, Piece, Stream, Time};
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
    let by_stream = |stream: &Stream| stream.files.iter().flatten().map(|piece| piece.length_bytes).sum();
    Moved {
        pass: simulated_pass(time(state, streams, pattern)),
        by_stream: streams.iter().map(by_stream).collect(),
    }
}

/// The time as a record has it, in whole nanoseconds.
pub(crate) fn simulated_pass(time: Time) -> SimulatedPass {
    let Time { size_bytes, requests, pieces, fastest_ns, slowest_ns } = time;
    let whole = |ns: f64| ns.round().max(1.0) as u64;
    SimulatedPass {
        size_bytes,
        requests,
        pieces,
        fastest_ns: whole(fastest_ns),
        slowest_ns: whole(slowest_ns),
    }
}

/// Of several devices, as many work at a time as requests are in flight, and all is done when the slowest is.
fn time(state: &State<'_>, streams: &[Stream], pattern: Pattern) -> Time {
    let devices = u64::from(state.job.devices);
    if devices == 1 {
        return state.device.time(streams, pattern);
    }
    let device_bytes = state.job.size_bytes;
    let on = |device: u64, stream: &Stream| {
        let is_on = |piece: &&Piece| piece.start_bytes / device_bytes == device;
        let of_file = |file: &Vec<Piece>| file.iter().filter(is_on).copied().collect();
        Stream { files: stream.files.iter().map(of_file).collect() }
    };
    let each = Pattern { window: pattern.window.map(|all| all.div_ceil(devices)), ..pattern };
    let times: Vec<Time> = (0..devices)
        .map(|device| {
            let objects: Vec<Stream> = streams.iter().map(|stream| on(device, stream)).collect();
            state.device.time(&objects, each)
        })
        .collect();
    let at_work = pattern.window.map_or(devices, |in_flight| in_flight.clamp(1, devices)) as f64;
    let together = |of: fn(&Time) -> f64| {
        let slowest = times.iter().map(of).fold(0.0, f64::max);
        slowest.max(times.iter().map(of).sum::<f64>() / at_work)
    };
    Time {
        size_bytes: times.iter().map(|time| time.size_bytes).sum(),
        requests: times.iter().map(|time| time.requests).sum(),
        pieces: times.iter().map(|time| time.pieces).sum(),
        fastest_ns: together(|time| time.fastest_ns),
        slowest_ns: together(|time| time.slowest_ns),
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
        refused: 0,
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
        file_operations: Vec::new(),
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
