//! The result of a run of clients out of what its threads did. Addition only.

use fsgauge_load::instruments::{Tally, pauses};
use fsgauge_net::Traffic;
use fsgauge_wire::{
    ClientOperation, ClientsInterface, ClientsJob, ClientsResult, ClientsTarget, Cpu, Dispatch, Drain, Ended,
    Engine, FORMAT, Interface, JobCount, LoadResult, NetworkResult, Note, OperationCall, OperationResult,
    Pauses, Phase, Recorder, SelfMeasure, Steady,
};

use super::event_loop::{ClientCount, LoopOutcome};
use super::thread_outcomes::{Admitted, ThreadOutcomes, end_ns, ended};
use crate::clients_tally::ClientsTally;
use crate::server::Server;

/// Why the rate of clients is not judged.
const NOT_JUDGED: &str = "clients work through files: the rate changes with them, and ends with the last";

/// The result of a job.
pub(crate) fn result(
    job: &ClientsJob,
    engine: Engine,
    admitted: Admitted,
    measured_threads: ThreadOutcomes,
    self_measure: SelfMeasure,
    server: Option<&Server>,
) -> LoadResult {
    let threads = measured_threads.outcomes.len() as u32;
    let outcomes: Vec<LoopOutcome> = measured_threads.outcomes.into_iter().flatten().collect();
    let mut all = Merged::new(job, outcomes, measured_threads.machine, measured_threads.pauses);
    let is_missing = measured_threads.note.is_some();
    let mut notes: Vec<Note> = admitted.notes;
    notes.extend(measured_threads.note);
    if is_missing {
        all.ended = Ended::Interrupted;
    }
    let (reads, writes) = records_of(&job.phase);
    let clients = ClientsResult {
        dispatch: job.dispatch,
        threads,
        calls: all.calls.clone(),
        connect_ns: admitted.connect_ns,
        operations: all.tally.results(),
        errors: all.tally.errors(),
        files: files(&job.phase, &all.tally),
        file_latency: all.tally.file_response.as_ref().map(Recorder::to_histogram),
        files_given_up: all.tally.files_given_up,
        clients_gave_up: all.clients.iter().filter(|client| client.gave_up).count() as u32,
        first_done_ns: all.done_ns().min(),
        last_done_ns: all.done_ns().max(),
        active_ns: all.in_flight_ns + all.think_ns,
        think_ns: all.think_ns,
        checked_records: all.tally.checked_records,
        bad_records: all.tally.bad_records,
        bad: all.tally.bad.clone(),
        names: all.clients.iter().map(|client| client.names).sum(),
        fewest_files: all.clients.iter().map(|client| client.files).min().unwrap_or(0),
        most_files: all.clients.iter().map(|client| client.files).max().unwrap_or(0),
        stonewall_ns: all.stonewall_ns,
        sync_at_end_ns: None,
        backup: None,
        network: server.map(|server| network(server, all.traffic)),
        peak_memory_bytes: peak_memory_bytes(),
    };
    let elapsed_ns = all.end_ns - all.begin_ns;
    LoadResult {
        format: FORMAT,
        engine,
        interface: interface(job),
        features: admitted.features,
        notes,
        ended: all.ended,
        started_unix_ns: measured_threads.started_unix_ns,
        warm_up_ns: 0,
        elapsed_ns,
        read: reads.then(|| records(&all.tally, ClientOperation::Read)),
        write: writes.then(|| records(&all.tally, ClientOperation::Write)),
        jobs: all.jobs(),
        in_flight_mean: if elapsed_ns == 0 { 0.0 } else { all.in_flight_ns as f64 / elapsed_ns as f64 },
        cpu: Cpu { user_ns: all.user_ns, system_ns: all.system_ns, threads },
        machine_cpu: all.machine,
        intervals: measured_threads.intervals,
        steady: Some(Steady { rounds: 5, reason: Some(NOT_JUDGED.into()), ..Steady::default() }),
        self_measure,
        sync: None,
        file_operations: Vec::new(),
        finish: None,
        companions: Vec::new(),
        integrity: None,
        limits: None,
        drain: Some(all.drain),
        pauses: Some(all.pauses),
        clients: Some(Box::new(clients)),
        common_start: measured_threads.common_start,
    }
}

/// All threads together.
struct Merged {
    tally: ClientsTally,
    clients: Vec<ClientCount>,
    calls: Vec<OperationCall>,
    traffic: Traffic,
    begin_ns: u64,
    end_ns: u64,
    in_flight_ns: u64,
    think_ns: u64,
    user_ns: u64,
    system_ns: u64,
    machine: fsgauge_wire::MachineCpu,
    drain: Drain,
    pauses: Pauses,
    ended: Ended,
    stonewall_ns: Option<u64>,
}

impl Merged {
    fn new(
        job: &ClientsJob,
        outcomes: Vec<LoopOutcome>,
        machine: fsgauge_wire::MachineCpu,
        pauses: Pauses,
    ) -> Self {
        let mut all = Merged {
            tally: ClientsTally::default(),
            clients: (0..job.clients).map(ClientCount::new).collect(),
            calls: Vec::new(),
            traffic: Traffic::default(),
            begin_ns: outcomes.iter().map(|outcome| outcome.begin_ns).min().unwrap_or(0),
            end_ns: end_ns(|| outcomes.iter()),
            in_flight_ns: outcomes.iter().map(|outcome| outcome.in_flight_ns).sum(),
            think_ns: outcomes.iter().map(|outcome| outcome.think_ns).sum(),
            user_ns: outcomes.iter().map(|outcome| outcome.user_ns).sum(),
            system_ns: outcomes.iter().map(|outcome| outcome.system_ns).sum(),
            machine,
            drain: Drain::default(),
            pauses,
            ended: ended(|| outcomes.iter()),
            stonewall_ns: outcomes.iter().filter_map(|outcome| outcome.stonewall_ns).max(),
        };
        for outcome in outcomes {
            all.drain.operations += outcome.drained.operations;
            all.drain.elapsed_ns = all.drain.elapsed_ns.max(outcome.drained.elapsed_ns);
            all.drain.unanswered += outcome.drained.unanswered;
            pauses::merge(&mut all.pauses, &outcome.pauses);
            outcome.clients.iter().for_each(|client| all.clients[client.number as usize] = *client);
            all.tally.merge(outcome.tally);
            all.add_calls(outcome.calls);
            all.traffic = all.traffic.plus(outcome.traffic.unwrap_or_default());
        }
        all
    }

    fn add_calls(&mut self, calls: Vec<OperationCall>) {
        for call in calls {
            if !self.calls.contains(&call) {
                self.calls.push(call);
            }
        }
        self.calls.sort_by_key(|call| call.operation);
    }

    /// When clients were through, since the start; those that gave up were not.
    fn done_ns(&self) -> impl Iterator<Item = u64> {
        let done = self.clients.iter().filter(|client| !client.gave_up);
        done.filter_map(|client| Some(client.end_ns? - self.begin_ns))
    }

    fn jobs(&self) -> Vec<JobCount> {
        let count = |client: &ClientCount| JobCount {
            operations: client.operations,
            size_bytes: client.size_bytes,
            elapsed_ns: client.end_ns.map(|end_ns| end_ns - self.begin_ns),
        };
        self.clients.iter().map(count).collect()
    }
}

/// The way to the server.
pub(crate) fn network(server: &Server, traffic: Traffic) -> NetworkResult {
    NetworkResult {
        protocol: server.protocol.clone(),
        connections: traffic.connections,
        reconnections: traffic.reconnections,
        null_operation_ns: server.null_operation_ns,
        sent_bytes: traffic.sent_bytes,
        received_bytes: traffic.received_bytes,
    }
}

/// What a phase counts: renames, of which a file has two; else files that were done whole.
fn files(phase: &Phase, tally: &ClientsTally) -> u64 {
    match phase {
        Phase::Rename {} => tally.done(ClientOperation::Rename).map_or(0, |tally| tally.operations),
        _ => tally.files,
    }
}

/// Whether a phase reads records, and whether it writes some.
fn records_of(phase: &Phase) -> (bool, bool) {
    use fsgauge_wire::Activity::{Create, Read, Save};
    match phase {
        Phase::Write { .. } => (false, true),
        Phase::Read {} | Phase::Backup { .. } => (true, false),
        Phase::Stat {} | Phase::Rename {} | Phase::List {} | Phase::Delete {} | Phase::Clear {} => {
            (false, false)
        }
        Phase::Mix { activities } => {
            let has = |wanted: &[_]| activities.iter().any(|weighted| wanted.contains(&weighted.activity));
            (has(&[Read]), has(&[Create, Save]))
        }
    }
}

/// The records of one kind, as loads count them.
pub(crate) fn records(tally: &ClientsTally, operation: ClientOperation) -> OperationResult {
    let none = Tally::default();
    let tally = tally.done(operation).unwrap_or(&none);
    OperationResult { response_latency: Some(tally.response.to_histogram()), ..tally.result() }
}

/// The system calls that carried the records of a phase.
fn interface(job: &ClientsJob) -> Interface {
    let is_path = matches!(job.target, ClientsTarget::Path { .. });
    if is_path && job.dispatch == Dispatch::EventLoop && job.interface != ClientsInterface::Plain {
        Interface::IoUring
    } else {
        Interface::Psync
    }
}

/// The most memory that this process has had (VmHWM); 0 where it cannot be read.
pub(crate) fn peak_memory_bytes() -> u64 {
    parse_peak(&std::fs::read_to_string("/proc/self/status").unwrap_or_default())
}

fn parse_peak(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_in_bytes() {
        assert_eq!(parse_peak("VmPeak:\t  9 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 5 kB\n"), 1234 * 1024);
        assert_eq!(parse_peak(""), 0);
        assert!(peak_memory_bytes() > 1 << 20);
    }
}
