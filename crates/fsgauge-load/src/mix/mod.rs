//! A mix: several loads that begin together, each with its own jobs, measured by itself.
//!
//! Every load is what it would be alone: its loops know nothing of the others. All have one clock and one start.

mod check;
mod events;
mod lay_out;

use fsgauge_wire::{
    Engine, FORMAT, Failure, Listener, LoadJob, LoadResult, MixJob, MixResult, Outcome, Stop,
};

use crate::instruments::Clock;
use crate::merge::LoadOutcome;
use crate::run::PreparedLoad;
use check::check_mix;
use events::{Gathered, Told};

/// From the moment all jobs of all loads are ready to the first moment of the mix.
const RUN_UP_NS: u64 = 2_000_000;

/// Runs a mix and gives its result; intervals that `listener` hears are those of all loads together.
pub fn run_mix(mix: MixJob, engine: Engine, listener: &mut dyn Listener, stop: Stop) -> Outcome<MixResult> {
    check_mix(&mix)?;
    if mix.lay_out {
        lay_out::lay_out(&mix.loads, &engine, listener, stop)?;
        return Ok(MixResult { format: FORMAT, results: Vec::new() });
    }
    let (clock, mut clock_note) = Clock::new();
    let mut prepared: Vec<PreparedLoad> = Vec::with_capacity(mix.loads.len());
    for load in &mix.loads {
        match PreparedLoad::new(load.clone(), (clock, clock_note.take()), None, listener, stop) {
            Ok(load) => prepared.push(load),
            Err(failure) => return Err(given_up(&mut prepared, failure)),
        }
    }
    let zero_ns = clock.now_ns() + RUN_UP_NS;
    let outcomes = follow(&mut prepared, &mix.loads, zero_ns, (listener, stop))?;
    let each = prepared.into_iter().zip(outcomes);
    let results: Outcome<Vec<LoadResult>> =
        each.map(|(load, outcome)| load.result(outcome, engine.clone(), stop)).collect();
    Ok(MixResult { format: FORMAT, results: results? })
}

/// Follows every load in a thread of its own, and passes on what they tell. All end before this does.
fn follow(
    prepared: &mut [PreparedLoad],
    loads: &[LoadJob],
    zero_ns: u64,
    (listener, stop): (&mut dyn Listener, Stop),
) -> Outcome<Vec<LoadOutcome>> {
    let mut gathered = Gathered::new(loads);
    let (sender, told) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let mut threads = Vec::with_capacity(loads.len());
        for (number, (load, job)) in prepared.iter_mut().zip(loads).enumerate() {
            let mut tells = Told::new(number, sender.clone());
            let begin_ns = zero_ns + job.start_after_ns;
            threads.push(scope.spawn(move || {
                let outcome = load.running.follow_at(begin_ns, &mut tells);
                if outcome.is_err() {
                    stop.set();
                }
                outcome
            }));
        }
        drop(sender);
        while let Ok((number, event)) = told.recv() {
            gathered.pass_on(number, event, listener, &stop);
        }
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(lost()))).collect()
    })
}

fn given_up(prepared: &mut [PreparedLoad], failure: Failure) -> Failure {
    prepared.iter_mut().fold(failure, |failure, load| load.running.give_up(failure))
}

#[cold]
fn lost() -> Failure {
    let what = "a thread that follows a load has ended by itself";
    Failure::system("mix.thread", None, what.to_string(), "a mistake of fsgauge", "report it")
}
