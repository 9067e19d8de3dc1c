//! What clients do whose server dies under them and never comes back.

use std::time::{Duration, Instant};

use fsgauge_wire::{
    Activity, ClientErrorKind, ClientsInterface, ClientsJob, ClientsTarget, Create, Data, Dispatch, Ended,
    FORMAT, FileSet, FileSizes, Phase, Tree, WeightedActivity,
};

use crate::clients::event_loop::{EventLoop, Surroundings};
use crate::clients::plan::Plan;
use crate::clients::target::Target;
use crate::clock::Clock;
use crate::stop::Stop;

pub(crate) const CLIENTS: u32 = 8;
pub(crate) const OUTSTANDING: u32 = 2;
pub(crate) const RECORD_SIZE_BYTES: u32 = 4096;
/// For so long the targets of these tests try to come back, less a rest that would end later.
pub(crate) const TRYING: Duration = Duration::from_millis(600);
/// Ten files in a row would take ten times as long as they try.
const BOUND: Duration = Duration::from_millis(3000);

/// Phases in which clients open files and move records.
pub(crate) fn phases() -> [Phase; 3] {
    let saves = vec![WeightedActivity { activity: Activity::Save, weight: 1 }];
    [Phase::Write { create: Create::AndWrite }, Phase::Read {}, Phase::Mix { activities: saves }]
}

/// Runs clients on a target that lets them begin, and loses them for good with the first record.
pub(crate) fn clients_give_up_in_time(target: impl Target, named: ClientsTarget, phase: Phase) {
    let job = job(named, phase);
    let (plan, clock, mut ignore) = (Plan::new(&job), Clock::new().0, |_| {});
    let around = Surroundings { plan: &plan, clock, stop: Stop::never(), on_interval: &mut ignore };
    let mut event_loop = EventLoop::new(around, target, 0..CLIENTS);
    let begin = Instant::now();
    let outcome = event_loop.run(clock.now_ns()).unwrap();
    let elapsed = begin.elapsed();
    assert!(elapsed >= TRYING / 2 && elapsed < BOUND, "{:?}: {elapsed:?}", job.phase);
    assert!(outcome.clients.iter().all(|client| client.gave_up), "{:?}", outcome.clients);
    assert_eq!((outcome.ended, outcome.tally.files), (Ended::SizeLimit, 0));
    // What it worked on, and what it could not begin.
    let lanes = u64::from(CLIENTS * OUTSTANDING);
    assert!((lanes..=3 * lanes).contains(&outcome.tally.files_given_up), "{}", outcome.tally.files_given_up);
    let errors = outcome.tally.errors();
    assert!(errors.iter().all(|error| error.kind == ClientErrorKind::ConnectionLost), "{errors:?}");
}

fn job(target: ClientsTarget, phase: Phase) -> ClientsJob {
    ClientsJob {
        format: FORMAT,
        target,
        phase,
        clients: CLIENTS,
        outstanding: OUTSTANDING,
        dispatch: Dispatch::EventLoop,
        threads: Some(1),
        interface: ClientsInterface::Auto,
        ramp_ns: 0,
        think: None,
        files: FileSet {
            clients: CLIENTS,
            files_per_client: 60,
            sizes: FileSizes::Cycle { sizes_bytes: vec![512 << 10] },
            record_size_bytes: RECORD_SIZE_BYTES,
            tree: Tree::Own {},
        },
        fsync: false,
        time_limit_ns: 600_000_000_000,
        interval_ns: 1_000_000_000,
        data: Data::Zero,
        seed: 1,
        verify: false,
    }
}
