//! One run of clients from start to end: check, measure the engine itself, let the clients in, follow them.

use std::sync::Arc;

use fsgauge_load::instruments::{Clock, allow_nudges, tell};
use fsgauge_wire::{ClientsJob, Engine, Event, Listener, LoadResult, Outcome, Phase, Stop};

use super::backup::run_backup;
use super::carriers::Carriers;
use super::check::check_clients;
use super::plan::Plan;
use super::result::result;
use super::self_measure::self_measure;
use super::tails::look_for_tails;
use crate::server::Server;

/// Runs clients and gives the result; events go to `listener` while they run.
pub fn run_clients(
    job: &ClientsJob,
    engine: Engine,
    listener: &mut dyn Listener,
    stop: Stop,
) -> Outcome<LoadResult> {
    if matches!(job.phase, Phase::Backup { .. }) {
        return run_backup(job, engine, listener, stop);
    }
    check_clients(job)?;
    let (clock, clock_note) = Clock::new();
    let self_measure = self_measure(job, &clock)?;
    tell(listener, &stop, Event::SelfMeasure(self_measure));
    allow_nudges();
    let server = Server::reach(job, &stop)?;
    let plan = Arc::new(Plan::new(job));
    let mut carriers = Carriers::spawn(plan.clone(), clock, stop, server.as_ref())?;
    let mut let_in = carriers.wait_until_ready()?;
    let_in.notes.splice(0..0, clock_note);
    let_in.notes.iter().for_each(|note| tell(listener, &stop, Event::Note(note.clone())));
    if server.is_some() {
        tell(listener, &stop, Event::ClientsIn { connect_ns: let_in.connect_ns });
    }
    let followed = carriers.follow(listener)?;
    if server.is_some() {
        carriers.part(listener);
    }
    if let (Phase::Clear {}, Some(server)) = (&job.phase, &server) {
        let left = server.clear(job, &stop)?;
        left.iter().for_each(|note| tell(listener, &stop, Event::Note(note.clone())));
        let_in.notes.extend(left);
    }
    let mut measured = result(job, engine, let_in, followed, self_measure, server.as_ref());
    look_for_tails(&plan, server.as_ref(), &mut measured, &stop);
    Ok(measured)
}
