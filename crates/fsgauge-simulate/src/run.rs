//! A simulation from start to end: check, then step after step.

use std::time::Instant;

use fsgauge_device::Model;
use fsgauge_wire::{
    BallastStep, ClearStep, DeleteStep, Ended, Engine, FORMAT, Failure, Listener, Outcome, SimulateJob,
    SimulateResult, SimulateStep, SimulatedStep, StepResult, Stop,
};

use crate::folders::Folders;
use crate::pass::Moved;
use crate::state::State;
use crate::volume::Volume;
use crate::{ageing, check, clients, load, proof, scan};

/// The last file of a device that is filled is as large as one step of its search for the end.
const BALLAST_PIECE_BYTES: u64 = 128 << 20;
/// What the code of a step's fault says when there was no space.
const FULL: &str = "simulate.full";

/// Lives the life of a job; progress goes to `listener`. A life that is stopped, or whose device is full, gives the steps that
/// it has.
pub fn run_simulate(
    job: &SimulateJob,
    engine: Engine,
    listener: &mut dyn Listener,
    stop: Stop,
) -> Outcome<SimulateResult> {
    check::check_geometry(job)?;
    let device = Model::of(&job.device)?;
    let volume = Volume::new(job, check::placement_without_data(job)?)?;
    let proof = volume.proof(&job.policy);
    let folders = Folders::default();
    let mut state = State {
        job,
        engine: &engine,
        volume,
        device,
        folders,
        listener,
        unsynced_bytes: 0,
        has_freed: false,
        stop,
    };
    let free_bytes = state.available_bytes();
    check::check_steps(job, free_bytes)?;
    let mut steps = Vec::new();
    for step in job.steps.iter().filter(|_| !job.check_only) {
        let begin = Instant::now();
        let mut done = match carry_out(&mut state, step) {
            Ok(done) => done,
            Err(failure) if failure.code == FULL => fault(failure),
            Err(_) if stop.is_set() => break,
            Err(failure) => return Err(failure),
        };
        done.free_bytes = state.free_bytes();
        done.elapsed_ns = begin.elapsed().as_nanos() as u64;
        let is_last = done.fault.is_some() || stop.is_set();
        steps.push(done);
        if is_last {
            break;
        }
    }
    Ok(SimulateResult {
        format: FORMAT,
        ended: if stop.is_set() { Ended::Interrupted } else { Ended::SizeLimit },
        model_version: proof::MODEL_VERSION,
        policy: state.policy_name().into(),
        proof,
        device: state.device.facts().clone(),
        free_bytes,
        steps,
        engine: engine.clone(),
    })
}

fn carry_out(state: &mut State<'_>, step: &SimulateStep) -> Outcome<SimulatedStep> {
    let mut done = nothing();
    match step {
        SimulateStep::Age(job) => {
            let result = ageing::age(state, job)?;
            done.size_bytes = result.live_bytes;
            done.result = Some(StepResult::Age(Box::new(result)));
        }
        SimulateStep::Load(job) => {
            let (moved, result) = load::load(state, job)?;
            timed(&mut done, moved);
            done.result = Some(StepResult::Load(Box::new(result)));
        }
        SimulateStep::Clients(job) => {
            let (moved, result) = clients::clients(state, job)?;
            timed(&mut done, moved);
            done.result = Some(StepResult::Load(Box::new(result)));
        }
        SimulateStep::Scan(job) => done.result = Some(StepResult::Scan(Box::new(scan::scan(state, job)?))),
        SimulateStep::Clear(ClearStep { directory }) => {
            let files: Vec<u32> = state
                .folders
                .get(directory)
                .into_iter()
                .flat_map(|folder| folder.iter())
                .map(|each| each.0)
                .collect();
            done.size_bytes = files.into_iter().map(|local| state.delete(directory, local)).sum();
            state.sync();
        }
        SimulateStep::Delete(DeleteStep { path }) => {
            let (directory, local) = state.folders.find(path).ok_or_else(|| {
                let cause = "no step before has made it, or one has removed it";
                Failure::job("path", format!("there is no file {path}"), cause, "name one that is there")
            })?;
            done.size_bytes = state.delete(&directory, local);
            state.sync();
        }
        SimulateStep::Ballast(BallastStep { path, leave_bytes }) => {
            done.size_bytes = ballast(state, path, *leave_bytes)
        }
    }
    Ok(done)
}

/// Takes free space until no more is left than is to be left; gives what was taken.
fn ballast(state: &mut State<'_>, path: &str, leave_bytes: u64) -> u64 {
    state.folders.made(path, "");
    state.create(path, 0, 0);
    let (mut piece_bytes, mut size_bytes) = (BALLAST_PIECE_BYTES, 0);
    while piece_bytes >= state.block_bytes() {
        let left_bytes = state.free_bytes().saturating_sub(leave_bytes);
        let wanted_bytes = piece_bytes.min(left_bytes / state.block_bytes() * state.block_bytes());
        if wanted_bytes == 0 {
            break;
        }
        if state.append(path, 0, wanted_bytes, true) {
            size_bytes += wanted_bytes;
        } else {
            // What was taken of a piece that did not fit whole stays taken.
            let held_bytes = state.held(path, 0).map_or(size_bytes, |held| held.size_bytes);
            size_bytes = size_bytes.max(held_bytes);
            piece_bytes = wanted_bytes / 2;
        }
    }
    state.close(path, 0);
    state.sync();
    size_bytes
}

fn timed(done: &mut SimulatedStep, moved: Moved) {
    done.size_bytes = moved.pass.size_bytes;
    done.moved = Some(moved.pass);
}

fn nothing() -> SimulatedStep {
    SimulatedStep { fault: None, size_bytes: 0, free_bytes: 0, elapsed_ns: 0, moved: None, result: None }
}

fn fault(failure: Failure) -> SimulatedStep {
    SimulatedStep { fault: Some(failure), ..nothing() }
}
