//! Clients that write their files, or read them, and one reader that reads all.

use std::cmp::Reverse;

use fsgauge_clients::file_sizes;
use fsgauge_device::{Pattern, Stream};
use fsgauge_wire::{
    BackupOrder, BackupResult, ClientOperation, ClientOperationResult, ClientsJob, ClientsResult,
    ClientsTarget, Failure, LoadResult, Outcome, Phase,
};

use crate::folders::Held;
use crate::pass::{Moved, load_result, moved, no_latencies};
use crate::state::State;

/// Says what has no model, before anything happens.
pub(crate) fn check(job: &ClientsJob) -> Outcome<()> {
    let of_phase = |name: &str| {
        State::no_model(
            &format!("clients that {name} have no model"),
            "the simulator knows where data lies, not what calls and metadata cost",
        )
    };
    match job.phase {
        Phase::Write { .. } | Phase::Read {} | Phase::Backup { .. } => {}
        Phase::Stat {} => return of_phase("ask for attributes"),
        Phase::Rename {} => return of_phase("rename"),
        Phase::List {} => return of_phase("list"),
        Phase::Delete {} => return of_phase("delete"),
        Phase::Mix { .. } => return of_phase("do a mix of activities"),
        Phase::Clear {} => return of_phase("clear a share"),
    }
    if !matches!(job.target, ClientsTarget::Path { .. }) {
        let cause = "the simulator has a file system, and no server over it";
        return State::no_model("clients of a server have no model", cause);
    }
    if job.think.is_some() || job.rate.is_some() || job.ramp_ns > 0 {
        let cause = "the simulator has no time but that of the device";
        return State::no_model("clients that rest, have a pace or begin one by one have no model", cause);
    }
    Ok(())
}

fn directory_of(job: &ClientsJob) -> &str {
    match &job.target {
        ClientsTarget::Path { directory } => directory,
        _ => "",
    }
}

/// Carries a phase out; the failure says what had no space.
pub(crate) fn clients(state: &mut State<'_>, job: &ClientsJob) -> Outcome<(Moved, LoadResult)> {
    check(job)?;
    let reads = match &job.phase {
        Phase::Write { .. } => {
            write(state, job)?;
            false
        }
        _ => true,
    };
    let (streams, files) = match &job.phase {
        Phase::Backup { order, .. } => {
            let held = ordered(state, directory_of(job), *order);
            let files = held.len() as u64;
            (vec![Stream { files: held.into_iter().map(|held| state.pieces(held)).collect() }], files)
        }
        _ => of_clients(state, job),
    };
    let pattern = match &job.phase {
        // One reader waits for each answer.
        Phase::Backup { block_size_bytes, .. } => {
            Pattern { request_bytes: Some((*block_size_bytes).into()), window: Some(1) }
        }
        Phase::Read {} => {
            Pattern { request_bytes: None, window: Some(u64::from(job.clients) * u64::from(job.outstanding)) }
        }
        _ => Pattern::default(),
    };
    let moved = moved(state, &streams, pattern);
    let record_bytes = match &job.phase {
        Phase::Backup { block_size_bytes, .. } => (*block_size_bytes).into(),
        _ => job.files.record_size_bytes.into(),
    };
    let in_flight = u64::from(job.clients) * u64::from(job.outstanding);
    let mut result = load_result(state, &moved, reads, record_bytes, in_flight);
    result.clients = Some(Box::new(clients_result(job, &moved, &result, files)));
    Ok((moved, result))
}

/// Clients write one file after the other, all clients in turns, record by record.
fn write(state: &mut State<'_>, job: &ClientsJob) -> Outcome<()> {
    let directory = directory_of(job);
    let set = &job.files;
    let size_of = file_sizes(set, job.seed);
    let record_bytes = u64::from(set.record_size_bytes.max(1));
    state.folders.made(directory, "f");
    let mut places = vec![(0u32, 0u64); set.clients as usize];
    let (mut unsynced_bytes, mut is_at_work) = (0, true);
    while is_at_work {
        is_at_work = false;
        for client in 0..set.clients {
            let (file, done_bytes) = places[client as usize];
            if file == set.files_per_client {
                continue;
            }
            is_at_work = true;
            let (local, size_bytes) = (client * set.files_per_client + file, size_of(client, file));
            let mut done = done_bytes > 0 || state.create(directory, local, client);
            let piece_bytes = record_bytes.min(size_bytes - done_bytes);
            done = done && (piece_bytes == 0 || state.append(directory, local, piece_bytes, false));
            if !done {
                let what = format!("client {client} has no space for {piece_bytes} bytes of its file {file}");
                return Err(state.full(&what));
            }
            unsynced_bytes += piece_bytes;
            places[client as usize].1 += piece_bytes;
            if done_bytes + piece_bytes == size_bytes {
                if job.fsync {
                    state.fsync(directory, local);
                }
                places[client as usize] = (file + 1, 0);
            }
        }
        if unsynced_bytes >= state.job.dirty_bytes {
            unsynced_bytes = 0;
            if !state.sync() {
                return Err(state.full("data that waited could not be written back"));
            }
        }
        if state.stop.is_set() {
            return Err(Failure::interrupted("the simulation was stopped"));
        }
    }
    let done = state.sync();
    for client in 0..set.clients {
        // A client that turns to its next file closes the one before; nobody turns from the last.
        let last = set.files_per_client.saturating_sub(1);
        state.close(directory, client * set.files_per_client + last);
    }
    if done { Ok(()) } else { Err(state.full("data that waited could not be written back")) }
}

/// The files of each client, and how many there are.
fn of_clients(state: &State<'_>, job: &ClientsJob) -> (Vec<Stream>, u64) {
    let (directory, each) = (directory_of(job), job.files.files_per_client);
    let files_of = |client: u32| {
        (0..each)
            .filter_map(|file| state.held(directory, client * each + file))
            .map(|held| state.pieces(held))
            .collect::<Vec<_>>()
    };
    let streams: Vec<Stream> =
        (0..job.files.clients).map(|client| Stream { files: files_of(client) }).collect();
    let files = streams.iter().map(|stream| stream.files.len() as u64).sum();
    (streams, files)
}

/// Every file below a directory in the order of a reader. Directories list their names by a hash.
fn ordered(state: &State<'_>, directory: &str, order: BackupOrder) -> Vec<Held> {
    let mut found: Vec<Held> = state.folders.below(directory).map(|(_, held)| held).collect();
    match order {
        BackupOrder::Directory => found.sort_by_key(|held| (held.stream, hash(held.number))),
        BackupOrder::Inode => found.sort_by_key(|held| held.number),
        BackupOrder::Physical => found.sort_by_cached_key(|held| {
            let first = state.volume.extents(held.number).first().map(|extent| extent.physical);
            (Reverse(first.is_some()), first)
        }),
    }
    found
}

/// SplitMix64's last step, as a stand-in for the hash of a name.
fn hash(number: u32) -> u64 {
    let mut mixed = u64::from(number).wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

fn clients_result(job: &ClientsJob, moved: &Moved, result: &LoadResult, files: u64) -> ClientsResult {
    let (operation, side) = match (&result.read, &result.write) {
        (Some(read), _) => (ClientOperation::Read, Some(read)),
        (None, write) => (ClientOperation::Write, write.as_ref()),
    };
    let elapsed_ns = moved.pass.slowest_ns;
    ClientsResult {
        dispatch: job.dispatch,
        threads: 1,
        calls: Vec::new(),
        connect_ns: 0,
        operations: side
            .map(|side| ClientOperationResult {
                operation,
                operations: side.operations,
                size_bytes: side.size_bytes,
                errors: 0,
                response_latency: no_latencies(),
                service_latency: no_latencies(),
            })
            .into_iter()
            .collect(),
        errors: Vec::new(),
        files,
        file_latency: None,
        files_given_up: 0,
        clients_gave_up: 0,
        first_done_ns: Some(elapsed_ns),
        last_done_ns: Some(elapsed_ns),
        active_ns: elapsed_ns * u64::from(job.clients) * u64::from(job.outstanding),
        think_ns: 0,
        checked_records: 0,
        bad_records: 0,
        bad: Vec::new(),
        names: 0,
        fewest_files: 0,
        most_files: 0,
        stonewall_ns: None,
        sync_at_end_ns: None,
        backup: match &job.phase {
            Phase::Backup { order, .. } => Some(BackupResult {
                order: *order,
                files,
                directories: 0,
                listing_ns: 0,
                comparing_ns: 0,
                extents: None,
            }),
            _ => None,
        },
        network: None,
        peak_memory_bytes: 0,
    }
}
