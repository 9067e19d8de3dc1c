//! Merging jobs: their intervals while they run, and their outcomes at the end. Addition only.

use fsgauge_clock::Armed;
use fsgauge_wire::{
    CommonStart, Cpu, Drain, Ended, Engine, FORMAT, Features, FileOperation, FileOperationResult,
    FinishResult, Interval, JobCount, LoadJob, LoadResult, MachineCpu, Note, OperationResult, Pauses,
    SelfMeasure, SyncResult,
};

use crate::barriers::SyncTimes;
use crate::finish::FinishOutcome;
use crate::instruments::{Clock, Tally, pauses};
use crate::outcome::JobOutcome;
use crate::steady::judge;

/// Everything that following the jobs gave.
#[derive(Debug)]
pub(crate) struct LoadOutcome {
    pub(crate) started_unix_ns: u64,
    /// One per job; none where a job did not answer.
    pub(crate) outcomes: Vec<Option<JobOutcome>>,
    pub(crate) machine: MachineCpu,
    pub(crate) intervals: Vec<Interval>,
    pub(crate) note: Option<Note>,
    /// What the thread noted that followed the jobs.
    pub(crate) pauses: Pauses,
    /// What became of a start in common with other engines.
    pub(crate) common_start: Option<CommonStart>,
    /// Whether jobs end when their work is done: then the load lasts as long as the last of them.
    is_bound_by_work: bool,
}

impl LoadOutcome {
    pub(crate) fn new(load: &LoadJob, started_unix_ns: u64) -> Self {
        let outcomes = (0..load.jobs).map(|_| None).collect();
        LoadOutcome {
            is_bound_by_work: load.size_limit_bytes.is_some() || load.passes.is_some(),
            pauses: Pauses::default(),
            common_start: None,
            started_unix_ns,
            outcomes,
            machine: MachineCpu::default(),
            intervals: Vec::new(),
            note: None,
        }
    }

    /// Some jobs hang in the kernel: the result goes without them.
    pub(crate) fn note_unresponsive(&mut self) {
        let missing = self.outcomes.iter().filter(|outcome| outcome.is_none()).count();
        let text =
            format!("{missing} jobs did not return from the kernel in time; their operations are missing");
        self.note = Some(Note { code: "job.unresponsive".into(), text });
    }

    /// The outcomes of the jobs that answered.
    fn answers(&self) -> impl Iterator<Item = &JobOutcome> {
        self.outcomes.iter().flatten()
    }

    /// Reads and writes of all jobs.
    pub(crate) fn operations(&self) -> u64 {
        self.answers().flat_map(|job| &job.tallies).map(|tally| tally.operations).sum()
    }

    /// Length of the measured part. Jobs whose time is up have ended one by one with their last answers: one that
    /// waits for a slow answer does not make the others idle. Work ends with the last job.
    pub(crate) fn elapsed_ns(&self) -> u64 {
        let begin_ns = self.answers().map(|job| job.begin_ns).min().unwrap_or(0);
        self.end_ns().saturating_sub(begin_ns)
    }

    /// Where the measured part ended, by the load's clock.
    pub(crate) fn end_ns(&self) -> u64 {
        let ends = || self.answers().map(|job| job.end_ns);
        let are_timed = self.answers().all(|job| job.ended == Ended::Duration);
        let jobs = ends().count() as u128;
        if self.is_bound_by_work || !are_timed || jobs == 0 {
            return ends().max().unwrap_or(0);
        }
        (ends().map(u128::from).sum::<u128>() / jobs) as u64
    }

    /// What became of a start in common with other engines.
    pub(crate) fn common_start(&self, armed: &Armed, clock: &Clock) -> CommonStart {
        let starts = self.answers().filter_map(|job| job.true_start);
        armed.result(starts, clock.to_monotonic(self.end_ns()))
    }

    /// What was in flight when the time was up, all jobs together.
    fn drain(&self) -> Drain {
        Drain {
            operations: self.answers().map(|job| job.drained).sum(),
            elapsed_ns: self.answers().map(|job| job.drain_ns).max().unwrap_or(0),
            unanswered: self.answers().map(|job| u64::from(job.unfinished)).sum(),
        }
    }

    /// What kept jobs from their work, all together.
    fn pauses(&self) -> Pauses {
        let mut all = self.pauses;
        self.answers().for_each(|job| pauses::merge(&mut all, &job.pauses));
        all
    }

    /// How long the warm-up really was.
    fn warm_up_ns(&self) -> u64 {
        self.intervals.iter().filter(|interval| interval.warm_up).map(|interval| interval.elapsed_ns).sum()
    }

    fn in_flight_mean(&self) -> f64 {
        let in_flight_ns: u64 = self.answers().map(|job| job.in_flight_ns).sum();
        let elapsed_ns = self.elapsed_ns();
        if elapsed_ns == 0 { 0.0 } else { in_flight_ns as f64 / elapsed_ns as f64 }
    }

    fn cpu(&self, threads: u32) -> Cpu {
        let user_ns = self.answers().map(|job| job.user_ns).sum();
        Cpu { user_ns, system_ns: self.answers().map(|job| job.system_ns).sum(), threads }
    }

    /// All reads (kind 0) or all writes (kind 1).
    fn total(&self, kind: usize) -> Tally {
        let mut total = Tally::default();
        self.answers().for_each(|job| total.merge(&job.tallies[kind]));
        total
    }

    /// All calls of fsync and fdatasync.
    fn syncs(&self, load: &LoadJob) -> Option<SyncResult> {
        let mut all: Option<SyncTimes> = None;
        for times in self.answers().filter_map(|job| job.syncs.as_ref()) {
            let all = all.get_or_insert_with(SyncTimes::default);
            all.latency.merge(&times.latency);
            all.response.merge(&times.response);
            all.refused += times.refused;
        }
        let all = all?;
        let latency = all.latency.to_histogram();
        let response_latency = load.rate.map(|_| all.response.to_histogram());
        Some(SyncResult { calls: latency.operations, refused: all.refused, latency, response_latency })
    }

    /// Each operation of a file set that was done.
    fn file_operations(&self, load: &LoadJob) -> Vec<FileOperationResult> {
        let one = |operation: FileOperation| {
            let mut total = Tally::default();
            let all = self.answers().filter_map(|job| job.file_operations.get(operation as usize));
            all.for_each(|tally| total.merge(tally));
            let is_drawn = load.operations.iter().any(|each| each.operation == operation);
            let is_paced = load.rate.is_some() && is_drawn && operation != FileOperation::Open;
            let latency = if is_paced { &total.response } else { &total.service }.to_histogram();
            FileOperationResult {
                operation,
                operations: total.operations,
                refused: total.refused,
                size_bytes: total.size_bytes,
                latency,
            }
        };
        let found = FileOperation::ALL.into_iter().map(one);
        found.filter(|result| result.operations + result.refused > 0).collect()
    }

    /// What the jobs did with their files, where all of them did it.
    fn finish(&self, threads: u32) -> Option<FinishResult> {
        let all: Vec<FinishOutcome> = self.answers().map(|job| job.finish).collect::<Option<_>>()?;
        let begin_ns = self.answers().map(|job| job.begin_ns).min()?;
        let work = self.cpu(threads);
        Some(FinishResult {
            fsync_ns: all.iter().map(|each| each.fsync_ns).max()?,
            close_ns: all.iter().map(|each| each.close_ns).max()?,
            elapsed_ns: all.iter().map(|each| each.end_ns).max()?.saturating_sub(begin_ns),
            cpu: Cpu {
                user_ns: work.user_ns + all.iter().map(|each| each.user_ns).sum::<u64>(),
                system_ns: work.system_ns + all.iter().map(|each| each.system_ns).sum::<u64>(),
                threads,
            },
        })
    }

    fn ended(&self) -> Ended {
        let all: Vec<Ended> = self
            .outcomes
            .iter()
            .map(|job| job.as_ref().map_or(Ended::Interrupted, |job| job.ended))
            .collect();
        let first = [Ended::Interrupted, Ended::Duration].into_iter().find(|ended| all.contains(ended));
        first.unwrap_or(Ended::SizeLimit)
    }
}

/// The result of a load out of its jobs.
pub(crate) fn merge(
    load: &LoadJob,
    measured: LoadOutcome,
    engine: Engine,
    features: Option<Features>,
    notes: Vec<Note>,
    self_measure: SelfMeasure,
) -> LoadResult {
    let dropped: u64 = measured.answers().map(|job| job.backlog_dropped).sum();
    let dropped_reads = (u128::from(dropped) * u128::from(load.read_percent) / 100) as u64;
    let side = |kind: usize, dropped: u64| operation_result(load, &measured.total(kind), dropped);
    let (drain, pauses) = (measured.drain(), measured.pauses());
    LoadResult {
        format: FORMAT,
        read: (load.read_percent > 0).then(|| side(0, dropped_reads)),
        write: (load.read_percent < 100).then(|| side(1, dropped - dropped_reads)),
        engine,
        interface: load.interface,
        features,
        notes,
        ended: measured.ended(),
        started_unix_ns: measured.started_unix_ns,
        warm_up_ns: measured.warm_up_ns(),
        elapsed_ns: measured.elapsed_ns(),
        jobs: measured.outcomes.iter().map(|outcome| job_count(load, outcome)).collect(),
        in_flight_mean: measured.in_flight_mean(),
        cpu: measured.cpu(load.jobs),
        machine_cpu: measured.machine,
        steady: Some(judge(load, &measured.intervals)),
        sync: measured.syncs(load),
        file_operations: measured.file_operations(load),
        finish: measured.finish(load.jobs),
        intervals: measured.intervals,
        self_measure,
        companions: Vec::new(),
        integrity: None,
        limits: None,
        drain: Some(drain),
        pauses: Some(pauses),
        clients: None,
        common_start: measured.common_start,
    }
}

fn job_count(load: &LoadJob, outcome: &Option<JobOutcome>) -> JobCount {
    outcome.as_ref().map_or_else(JobCount::default, |outcome| JobCount {
        operations: outcome.tallies.iter().map(|tally| tally.operations).sum(),
        size_bytes: outcome.tallies.iter().map(|tally| tally.size_bytes).sum(),
        elapsed_ns: load.passes.map(|_| outcome.end_ns - outcome.begin_ns),
    })
}

fn operation_result(load: &LoadJob, tally: &Tally, backlog_dropped: u64) -> OperationResult {
    OperationResult {
        response_latency: load.rate.map(|_| tally.response.to_histogram()),
        backlog_dropped,
        ..tally.result()
    }
}
