//! A mix: several loads that begin together, each with its own jobs, measured by itself.
//!
//! Every load is what it would be alone: its loops know nothing of the others. All have one clock and one start.

mod check;
mod events;
mod lay_out;
mod until_steady;

use fsgauge_clock::{Armed, LEAD_NS, arm};
use fsgauge_wire::{
    Engine, Event, FORMAT, Failure, Listener, LoadJob, LoadResult, MixJob, MixResult, Outcome, Stop,
};

use crate::instruments::{Clock, FirstMoment};
use crate::merge::LoadOutcome;
use crate::run::PreparedLoad;
use check::check_mix;
use events::{Gathered, Told};
use until_steady::UntilSteady;

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
    let armed = match arm(&mix.wanted_start(), LEAD_NS + RUN_UP_NS, listener, stop) {
        Ok(armed) => armed,
        Err(failure) => return Err(given_up(&mut prepared, failure)),
    };
    let starts = starts(&mix.loads, armed, &clock);
    let outcomes = follow(&mut prepared, &mix.loads, (starts, clock), (listener, stop))?;
    let each = prepared.into_iter().zip(outcomes);
    let results: Outcome<Vec<LoadResult>> =
        each.map(|(load, outcome)| load.result(outcome, engine.clone(), stop)).collect();
    Ok(MixResult { format: FORMAT, results: results? })
}

/// The first moment of each load, with the start in common that it was given.
fn starts(loads: &[LoadJob], armed: Option<Armed>, clock: &Clock) -> Vec<(Option<Armed>, FirstMoment)> {
    let zero_ns = clock.now_ns() + RUN_UP_NS;
    let threads = loads.iter().map(|load| load.jobs as usize).sum();
    let start = |load: &LoadJob| match armed {
        None => (None, FirstMoment::alone(zero_ns + load.start_after_ns)),
        Some(armed) => {
            let own = Armed { start_at_ns: armed.start_at_ns + load.start_after_ns, ..armed };
            (Some(own), FirstMoment::common(&own, clock, threads))
        }
    };
    loads.iter().map(start).collect()
}

/// Follows every load in a thread of its own, and passes on what they tell. All end before this does.
fn follow(
    prepared: &mut [PreparedLoad],
    loads: &[LoadJob],
    (starts, clock): (Vec<(Option<Armed>, FirstMoment)>, Clock),
    (listener, stop): (&mut dyn Listener, Stop),
) -> Outcome<Vec<LoadOutcome>> {
    let mut gathered = Gathered::new(loads);
    let zero_ns = starts.first().map_or(0, |(_, first)| first.zero_ns);
    let warm_ups = prepared.iter().map(|load| load.running.shared.warm_up.clone()).collect();
    let mut until_steady = UntilSteady::new(loads, warm_ups);
    let (sender, told) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let mut threads = Vec::with_capacity(loads.len());
        for (number, (load, (armed, first))) in prepared.iter_mut().zip(starts).enumerate() {
            let mut tells = Told::new(number, sender.clone());
            threads.push(scope.spawn(move || {
                let outcome = load.running.follow_from(armed, first, &mut tells);
                if outcome.is_err() {
                    stop.set();
                }
                outcome
            }));
        }
        drop(sender);
        while let Ok((number, event)) = told.recv() {
            if let (Some(until_steady), Event::Interval(interval)) = (&mut until_steady, &event) {
                until_steady.hear(number, interval, || clock.now_ns().saturating_sub(zero_ns));
            }
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
