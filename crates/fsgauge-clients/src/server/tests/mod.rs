//! What clients do whose server dies under them and never comes back, or says nothing any more.

mod nfs;
mod smb;

use std::path::Path;
use std::time::{Duration, Instant};

use fsgauge_load::instruments::Clock;
use fsgauge_net::Target;
use fsgauge_wire::{
    Activity, ClientErrorKind, ClientsInterface, ClientsJob, ClientsTarget, Create, Ended, FileSet,
    FileSizes, Phase, Stop, Tree, WeightedActivity,
};

use crate::event_loop::{EventLoop, LoopContext, LoopOutcome};
use crate::plan::Plan;

const CLIENTS: u32 = 8;
const OUTSTANDING: u32 = 2;
const RECORD_SIZE_BYTES: u32 = 4096;
/// For so long the targets of these tests try to come back, less a rest that would end later, and wait for answers.
const TRYING: Duration = Duration::from_millis(600);
/// Ten files in a row would take ten times as long as they try.
const BOUND: Duration = Duration::from_millis(3000);
/// Until records are on their way to a real server.
const UNDER_WAY_BOUND: Duration = Duration::from_secs(10);
/// One answer, one more or a way back, and looks between.
const SILENCES_BOUND: Duration = Duration::from_millis(4800);

/// Phases in which clients open files and move records.
fn phases() -> [Phase; 3] {
    let saves = vec![WeightedActivity { activity: Activity::Save, weight: 1 }];
    [Phase::Write { create: Create::AndWrite }, Phase::Read {}, Phase::Mix { activities: saves }]
}

/// Runs clients on a target that lets them begin, and loses them for good with the first record.
fn clients_give_up_in_time(target: impl Target, named: ClientsTarget, phase: Phase) {
    let (outcome, elapsed) = given_up(target, named, &phase);
    assert!(elapsed >= TRYING / 2 && elapsed < BOUND, "{phase:?}: {elapsed:?}");
    assert_eq!((outcome.ended, outcome.tally.files), (Ended::SizeLimit, 0));
    // What it worked on, and what it could not begin.
    let lanes = u64::from(CLIENTS * OUTSTANDING);
    assert!((lanes..=3 * lanes).contains(&outcome.tally.files_given_up), "{}", outcome.tally.files_given_up);
    let errors = outcome.tally.errors();
    assert!(errors.iter().all(|error| error.kind == ClientErrorKind::ConnectionLost), "{errors:?}");
}

/// Runs clients on a server that takes connections for ever, and says nothing to any of them some time `after`
/// they began.
fn clients_give_up_silence_in_time(target: impl Target, named: ClientsTarget, phase: Phase, after: Duration) {
    let (outcome, elapsed) = given_up(target, named, &phase);
    assert!(elapsed >= TRYING && elapsed < after + SILENCES_BOUND, "{phase:?}: {elapsed:?}");
    let errors = outcome.tally.errors();
    let count = |wanted| errors.iter().filter(|error| error.kind == wanted).map(|error| error.count).sum();
    let (timed_out, lost): (u64, u64) =
        (count(ClientErrorKind::TimedOut), count(ClientErrorKind::ConnectionLost));
    // What was under way, and once more.
    let clients = u64::from(CLIENTS);
    assert!((clients..=2 * clients * u64::from(OUTSTANDING)).contains(&timed_out), "{errors:?}");
    assert!(errors.iter().map(|error| error.count).sum::<u64>() == timed_out + lost, "{errors:?}");
}

/// Makes the clients' directories, which a target does not that nobody lets in.
fn make_directories(base: &Path) {
    (0..CLIENTS).for_each(|client| std::fs::create_dir_all(base.join(format!("c{client:05}"))).unwrap());
}

/// Waits for the first client's first file in a directory to have data in it.
fn wait_for_data(base: &Path) {
    let (file, begin) = (base.join("c00000/c00000-f000000"), Instant::now());
    while std::fs::metadata(&file).map_or(0, |found| found.len()) == 0 && begin.elapsed() < UNDER_WAY_BOUND {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs clients to their end, which is that each gave up.
fn given_up(target: impl Target, named: ClientsTarget, phase: &Phase) -> (LoopOutcome, Duration) {
    let job = job(named, phase.clone());
    let (plan, clock, mut ignore) = (Plan::new(&job), Clock::new().0, |_| {});
    let context = LoopContext { plan: &plan, clock, stop: Stop::never(), on_interval: &mut ignore };
    let mut event_loop = EventLoop::new(context, target, 0..CLIENTS);
    let begin = Instant::now();
    let outcome = event_loop.run(clock.now_ns()).unwrap();
    assert!(outcome.clients.iter().all(|client| client.gave_up), "{:?}", outcome.clients);
    (outcome, begin.elapsed())
}

fn job(target: ClientsTarget, phase: Phase) -> ClientsJob {
    ClientsJob {
        target,
        phase,
        clients: CLIENTS,
        outstanding: OUTSTANDING,
        threads: Some(1),
        interface: ClientsInterface::Auto,
        files: FileSet {
            clients: CLIENTS,
            files_per_client: 60,
            sizes: FileSizes::Cycle { sizes_bytes: vec![512 << 10] },
            record_size_bytes: RECORD_SIZE_BYTES,
            tree: Tree::Own {},
        },
        time_limit_ns: 600_000_000_000,
        ..ClientsJob::plain()
    }
}
