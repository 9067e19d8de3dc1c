//! Streams that each write a file of their own from start to end, or read it.

use fsgauge_device::{Pattern, Stream};
use fsgauge_wire::{Failure, LoadJob, LoadResult, Outcome, Ranges, Target};

use crate::pass::{Moved, load_result, moved};
use crate::state::State;

/// The files of a load, as far as it has a model.
struct Files<'a> {
    directory: &'a str,
    prefix: &'a str,
    count: u32,
    file_bytes: u64,
    record_bytes: u64,
}

fn files_of(job: &LoadJob) -> Outcome<Files<'_>> {
    let cause = "the simulator has streams that each write or read a file of their own from start to end";
    let Target::Files { directory, prefix, count, file_size_bytes } = &job.target else {
        return State::no_model("this load has no model", cause);
    };
    let ([block], []) = (job.block_sizes.as_slice(), job.write_block_sizes.as_slice()) else {
        return State::no_model("a load of several block sizes has no model", cause);
    };
    let is_whole = job.passes == Some(1) && job.ranges == Some(Ranges::OwnFiles {}) && job.jobs == *count;
    if !is_whole || !matches!(job.read_percent, 0 | 100) || !job.companions.is_empty() || job.rate.is_some() {
        return State::no_model("this load has no model", cause);
    }
    if job.read_percent == 0 && !job.extend {
        return State::no_model("overwriting files has no model", cause);
    }
    Ok(Files {
        directory,
        prefix,
        count: *count,
        file_bytes: *file_size_bytes,
        record_bytes: u64::from(block.size_bytes.max(1)),
    })
}

/// Says what has no model, before anything happens.
pub(crate) fn check(job: &LoadJob) -> Outcome<()> {
    files_of(job).map(|_| ())
}

/// Carries a load out; the failure says what had no space.
pub(crate) fn load(state: &mut State<'_>, job: &LoadJob) -> Outcome<(Moved, LoadResult)> {
    let files = files_of(job)?;
    if job.read_percent == 0 {
        write(state, job, &files)?;
    }
    let held = |local| state.held(files.directory, local);
    let streams: Vec<Stream> = (0..files.count)
        .map(|local| Stream { files: held(local).map(|held| state.pieces(held)).into_iter().collect() })
        .collect();
    let in_flight = u64::from(job.jobs) * u64::from(job.queue_depth);
    // What is in flight past the page cache is all that can be sorted; else the kernel gathers what it likes.
    let pattern = if job.direct {
        Pattern { request_bytes: Some(files.record_bytes), window: Some(in_flight) }
    } else {
        Pattern::default()
    };
    let moved = moved(state, &streams, pattern);
    let result = load_result(state, &moved, job.read_percent == 100, files.record_bytes, in_flight);
    Ok((moved, result))
}

/// Streams take turns, record by record; space comes with each record, or in chunks when a record needs one.
fn write(state: &mut State<'_>, job: &LoadJob, files: &Files<'_>) -> Outcome<()> {
    let &Files { directory, prefix, count, file_bytes, record_bytes } = files;
    state.folders.made_together(directory, prefix);
    for local in 0..count {
        state.delete(directory, local);
        if !state.create(directory, local, local) {
            return Err(full(state, files, local, 0, 0));
        }
    }
    let piece_bytes = job.preallocate_chunk_bytes.unwrap_or(record_bytes).max(1);
    let at_once = job.direct || job.preallocate_chunk_bytes.is_some();
    let mut written_bytes = 0;
    while written_bytes < file_bytes {
        let end_bytes = file_bytes.min(written_bytes + record_bytes);
        for local in 0..count {
            loop {
                let has_bytes = state.held(directory, local).map_or(file_bytes, |held| held.size_bytes);
                if has_bytes >= end_bytes {
                    break;
                }
                let size_bytes = piece_bytes.min(file_bytes - has_bytes);
                if !state.append(directory, local, size_bytes, at_once) {
                    return Err(full(state, files, local, has_bytes, size_bytes));
                }
            }
        }
        written_bytes = end_bytes;
        if state.stop.is_set() {
            return Err(Failure::interrupted("the simulation was stopped"));
        }
    }
    for local in 0..count {
        state.fsync(directory, local);
        state.close(directory, local);
    }
    if state.sync() { Ok(()) } else { Err(state.full("data that waited could not be written back")) }
}

fn full(state: &State<'_>, files: &Files<'_>, local: u32, has_bytes: u64, size_bytes: u64) -> Failure {
    let Files { directory, prefix, file_bytes, .. } = files;
    state.full(&format!(
        "{directory}/{prefix}{local:04} has {has_bytes} of {file_bytes} bytes and no space for {size_bytes} bytes more"
    ))
}
