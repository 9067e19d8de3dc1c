//! One run of clients from start to end: check, measure the engine itself, let the clients in, follow them.

use std::sync::Arc;

use fsgauge_load::instruments::{Clock, allow_interrupts, send_event};
use fsgauge_net::Waiting;
use fsgauge_wire::{ClientsJob, Engine, Event, Listener, LoadResult, Outcome, Phase, Stop};

use super::backup::run_backup;
use super::check::check_clients;
use super::client_threads::ClientThreads;
use super::plan::Plan;
use super::result::result;
use super::self_measure::self_measure;
use super::sync_at_end::sync_at_end;
use super::trailing_data::check_for_trailing_data;
use crate::server::{Server, beside};

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
    let folder = check_clients(job)?;
    let (clock, clock_note) = Clock::new();
    let self_measure = self_measure(job, &clock)?;
    send_event(listener, &stop, Event::SelfMeasure(self_measure));
    allow_interrupts();
    let waiting = beside(job, &stop);
    let server = Server::reach(job, &waiting)?;
    let plan = Arc::new(Plan::new(job));
    let mut client_threads =
        ClientThreads::spawn(plan.clone(), clock, stop, server.as_ref(), folder.clone(), waiting)?;
    let mut admitted = client_threads.wait_until_ready()?;
    admitted.notes.splice(0..0, clock_note);
    admitted.notes.iter().for_each(|note| send_event(listener, &stop, Event::Note(note.clone())));
    if server.is_some() {
        send_event(listener, &stop, Event::ClientsIn { connect_ns: admitted.connect_ns });
    }
    let left = waiting.left();
    let measured_threads = client_threads.follow(listener)?;
    if server.is_some() {
        client_threads.part(listener);
    }
    let sync_at_end_ns = sync_at_end(job, folder.as_deref(), &clock, &stop)?;
    if let (Phase::Clear {}, Some(server)) = (&job.phase, &server) {
        let waiting = Waiting::within(left.saturating_sub(measured_threads.drained()), &stop);
        let left = server.remove_directories(job, &waiting)?;
        left.iter().for_each(|note| send_event(listener, &stop, Event::Note(note.clone())));
        admitted.notes.extend(left);
    }
    let mut measured = result(job, engine, admitted, measured_threads, self_measure, server.as_ref());
    if let Some(clients) = &mut measured.clients {
        clients.sync_at_end_ns = sync_at_end_ns;
    }
    check_for_trailing_data(&plan, (server.as_ref(), folder.as_deref()), &mut measured, &stop);
    Ok(measured)
}
