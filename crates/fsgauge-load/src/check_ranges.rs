//! What a load must be that has ranges, or options that need them.

use std::num::NonZeroU32;

use fsgauge_wire::{
    Access, CompanionKind, Failure, Interface, LoadJob, Ranges, Sync, Target, Transfer, Workers,
};

use crate::pattern::RangeOrder;

type Check = Result<(), Failure>;

fn refuse(key: &str, what: impl Into<String>, cause: &str, next: impl Into<String>) -> Check {
    Err(Failure::job(key, what, cause, next))
}

/// Checks ranges, passes, extend, sync and verify. Sizes and target have been checked.
pub(crate) fn check_ranges(load: &LoadJob) -> Check {
    check_sync(load)?;
    check_chunks(load)?;
    let Some(ranges) = load.ranges else { return check_without(load) };
    check_jobs_of_all(load, ranges)?;
    check_places(load, ranges)?;
    check_passes(load)?;
    check_extend(load)?;
    check_verify(load)
}

fn check_without(load: &LoadJob) -> Check {
    let asked = [
        ("passes", load.passes.is_some()),
        ("extend", load.extend),
        ("verify", load.verify),
        ("jobs_of_all", load.jobs_of_all.is_some()),
        ("wear_out", load.wear_out),
        ("only_existing", load.only_existing),
    ];
    let Some((key, _)) = asked.into_iter().find(|(_, asked)| *asked) else { return Ok(()) };
    refuse(
        key,
        format!("{key} needs ranges"),
        "without ranges the blocks that a job has written are unknown",
        "add ranges, for example {\"kind\": \"shared\"}",
    )
}

fn check_places(load: &LoadJob, ranges: Ranges) -> Check {
    let [size] = load.block_sizes[..] else {
        return refuse(
            "ranges",
            format!("ranges with {} block sizes", load.block_sizes.len()),
            "ranges are dealt in places of one size",
            "choose one block size",
        );
    };
    if !matches!(load.access, Access::Random {} | Access::Sequential {}) || load.random_percent.is_some() {
        return refuse(
            "ranges",
            "ranges with an order that prefers places",
            "a job with ranges visits all its places equally often",
            "choose random or sequential, or leave ranges out",
        );
    }
    if let Ranges::Strided { stride_bytes } = ranges {
        check_stride(stride_bytes, u64::from(size.size_bytes))?;
    }
    if ranges == (Ranges::OwnFiles {}) {
        check_own_files(load)?;
    }
    let with_places = (0..load.jobs).filter(|job| RangeOrder::new(load, *job).places() > 0).count();
    if with_places < load.jobs as usize {
        return refuse(
            "ranges",
            format!("more writers than ranges: {} jobs, {with_places} ranges", load.jobs),
            "the target is too small to give every job a range",
            format!("choose at most {with_places} jobs, or a larger target, or smaller blocks or strides"),
        );
    }
    Ok(())
}

fn check_jobs_of_all(load: &LoadJob, ranges: Ranges) -> Check {
    let Some(all) = load.jobs_of_all else { return Ok(()) };
    if matches!(ranges, Ranges::Shared {} | Ranges::OwnFiles {}) {
        return refuse(
            "jobs_of_all",
            "jobs_of_all with ranges that are not dealt",
            "each job has the whole file, whoever else writes it, or a file of its own",
            "choose segmented, interleaved or strided ranges, or leave jobs_of_all out",
        );
    }
    if all.first.checked_add(load.jobs).is_some_and(|end| end <= all.of) {
        return Ok(());
    }
    refuse(
        "jobs_of_all",
        format!("{} jobs from number {} on, of {}", load.jobs, all.first, all.of),
        "there are not so many jobs",
        format!("choose of {} or more", u64::from(all.first) + u64::from(load.jobs)),
    )
}

fn check_stride(stride_bytes: u64, block_bytes: u64) -> Check {
    if stride_bytes > 0 && stride_bytes.is_multiple_of(block_bytes) {
        return Ok(());
    }
    let nearest = stride_bytes.div_ceil(block_bytes).max(1).saturating_mul(block_bytes);
    refuse(
        "ranges",
        format!("stride_bytes {stride_bytes} is not a multiple of the block size {block_bytes}"),
        "a run is dealt in whole blocks",
        format!("choose {nearest}"),
    )
}

fn check_own_files(load: &LoadJob) -> Check {
    let jobs = load.jobs;
    match load.target {
        Target::Files { count, .. } | Target::ShareFiles { count, .. } if count == jobs => Ok(()),
        Target::Files { count, .. } | Target::ShareFiles { count, .. } => refuse(
            "ranges",
            format!("own_files with {count} files and {jobs} jobs"),
            "each job has one file",
            format!("choose a count of {jobs}, or {count} jobs"),
        ),
        _ => refuse(
            "ranges",
            "own_files on a target that is not of kind files",
            "each job has one file",
            format!("choose a target of kind files with a count of {jobs}"),
        ),
    }
}

fn check_passes(load: &LoadJob) -> Check {
    let Some(passes) = load.passes else { return check_without_passes(load) };
    if passes == 0 {
        return refuse("passes", "passes is 0", "nothing would be measured", "choose 1 or more");
    }
    if load.warm_up_ns > 0 {
        return refuse(
            "passes",
            format!("passes with a warm-up of {} ns", load.warm_up_ns),
            "a job that covers its places once has nothing left to warm up on",
            "set warm_up_ns to 0, or leave passes out",
        );
    }
    check_stonewall(load)
}

fn check_without_passes(load: &LoadJob) -> Check {
    let asked = [("wear_out", load.wear_out), ("only_existing", load.only_existing)];
    let Some((key, _)) = asked.into_iter().find(|(_, asked)| *asked) else { return Ok(()) };
    refuse(
        key,
        format!("{key} needs passes"),
        "without them the time alone ends a job, and its places have no end",
        "\"passes\": 1, or leave it out",
    )
}

fn check_stonewall(load: &LoadJob) -> Check {
    let is_simple = load.interface == Interface::Psync
        && load.queue_depth == 1
        && load.rate.is_none()
        && load.workers == Workers::Threads
        && load.sync == Sync::None
        && load.read_percent == 0;
    if load.wear_out && !is_simple {
        return refuse(
            "wear_out",
            "wear_out with reads, a queue, a rate, a sync or processes",
            "the jobs meet at the stonewall between two writes of a thread each",
            "interface psync with writes alone, or leave wear_out out",
        );
    }
    if load.only_existing && (load.extend || !matches!(load.target, Target::File { .. })) {
        return refuse(
            "only_existing",
            "only_existing on a target that is not one file that is there",
            "the file says how many places it has",
            "a target of kind file, without extend; or leave it out",
        );
    }
    Ok(())
}

fn check_extend(load: &LoadJob) -> Check {
    if !load.extend {
        if load.preallocate {
            return refuse(
                "preallocate",
                "preallocate without extend",
                "only files that are emptied first can be allocated again",
                "set extend to true, or leave preallocate out",
            );
        }
        return Ok(());
    }
    let reads = load.companions.iter().any(|companion| companion.role == CompanionKind::Reader);
    if load.read_percent > 0 || reads {
        return refuse(
            "extend",
            "extend with reads",
            "the file is empty at the start: there is nothing to read",
            "set read_percent to 0 and leave reading companions out, or leave extend out",
        );
    }
    if matches!(load.target, Target::Null { .. } | Target::Block { .. }) {
        return refuse(
            "extend",
            "extend on a target without files",
            "a device has the size it has",
            "name files, or leave extend out",
        );
    }
    Ok(())
}

fn check_chunks(load: &LoadJob) -> Check {
    let Some(chunk_bytes) = load.preallocate_chunk_bytes else { return Ok(()) };
    let key = "preallocate_chunk_bytes";
    if !load.extend {
        return refuse(
            key,
            format!("{key} without extend"),
            "only files that are emptied first can be allocated again",
            format!("set extend to true, or leave {key} out"),
        );
    }
    if load.preallocate {
        return refuse(
            key,
            format!("{key} with preallocate"),
            "files that have all their blocks get no more",
            format!("leave preallocate or {key} out"),
        );
    }
    if load.ranges != Some(Ranges::OwnFiles {}) || load.access != (Access::Sequential {}) {
        return refuse(
            key,
            format!("{key} without a file of each job's own, written sequentially"),
            "a chunk is allocated when the writes come to its beginning",
            format!("choose ranges own_files and access sequential, or leave {key} out"),
        );
    }
    let block_bytes = load.block_sizes.first().map_or(1, |size| u64::from(size.size_bytes));
    if chunk_bytes == 0 || !chunk_bytes.is_multiple_of(block_bytes) {
        let nearest = chunk_bytes.div_ceil(block_bytes).max(1).saturating_mul(block_bytes);
        return refuse(
            key,
            format!("{key} {chunk_bytes} is not a multiple of the block size {block_bytes}"),
            "a write would cross two chunks",
            format!("choose {nearest}"),
        );
    }
    Ok(())
}

/// The flag belongs to a call of its own.
fn check_rwf_dsync(load: &LoadJob) -> Check {
    if load.interface == Interface::Psync && load.transfer == Transfer::Whole {
        return Ok(());
    }
    refuse(
        "sync",
        "RWF_DSYNC with this interface",
        "it is given with pwritev2, one whole block at a time",
        "choose the interface psync and whole blocks, or O_DSYNC",
    )
}

fn check_sync(load: &LoadJob) -> Check {
    let every = match load.sync {
        Sync::None => return Ok(()),
        Sync::Dsync => None,
        Sync::RwfDsync => {
            check_rwf_dsync(load)?;
            None
        }
        Sync::Fsync { every } | Sync::Fdatasync { every } | Sync::SyncFileRange { every } => Some(every),
    };
    if every == Some(0) {
        return refuse(
            "sync",
            "sync after every 0 writes",
            "the interval must be at least 1 write",
            "choose 1 or more",
        );
    }
    if load.read_percent == 100 {
        return refuse(
            "sync",
            "sync in a load that only reads",
            "there is nothing to make durable",
            "leave sync out",
        );
    }
    let files_of_a_job = match load.target {
        _ if load.ranges == Some(Ranges::OwnFiles {}) => 1,
        Target::Files { count, .. } | Target::ShareFiles { count, .. } => {
            load.files_per_job.map_or(count, NonZeroU32::get)
        }
        _ => 1,
    };
    if every.is_some() && files_of_a_job > 1 {
        return refuse(
            "sync",
            "fsync or fdatasync on several files",
            "a call makes one file durable, and a job would have to make one for each",
            "choose one file, own_files with a file for each job, or dsync",
        );
    }
    if matches!(load.target, Target::Null { .. }) {
        return refuse(
            "sync",
            "sync on the null target",
            "it stores nothing that could be made durable",
            "leave sync out, or name files or a device",
        );
    }
    Ok(())
}

fn check_verify(load: &LoadJob) -> Check {
    if !load.verify {
        return Ok(());
    }
    if load.read_percent > 0 {
        return refuse(
            "verify",
            "verify with reads",
            "what is checked is what the load has written",
            "set read_percent to 0; readers can run alongside as companions",
        );
    }
    if matches!(load.target, Target::Null { .. }) {
        return refuse(
            "verify",
            "verify on the null target",
            "it stores nothing that could be read back",
            "leave verify out, or name files or a device",
        );
    }
    let block_bytes = load.block_sizes[0].size_bytes;
    if !block_bytes.is_multiple_of(512) {
        let nearest = block_bytes.next_multiple_of(512);
        return refuse(
            "verify",
            format!("verify with a block size of {block_bytes}"),
            "every sector of 512 bytes carries its own tag",
            format!("choose {nearest}"),
        );
    }
    let fewest = (0..load.jobs).map(|job| RangeOrder::new(load, job).places()).min().unwrap_or(0);
    let needed = match load.queue_depth {
        1 => 1,
        depth => 2 * u64::from(depth),
    };
    if fewest < needed {
        return refuse(
            "verify",
            format!("verify with {fewest} places for a job and queue_depth {}", load.queue_depth),
            "every pass ends with an empty queue, and so short a pass would hardly ever fill it",
            match fewest / 2 {
                0 => "choose a larger target, smaller blocks or fewer jobs".into(),
                depth => format!("choose queue_depth {depth} or less, or a larger target"),
            },
        );
    }
    Ok(())
}
