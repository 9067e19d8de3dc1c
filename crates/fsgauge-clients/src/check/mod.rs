//! What a job of clients must be before anything is touched. Every refusal names the key and the value.

mod capacity;
mod network;
mod order;
mod refuse;

pub(crate) use network::check_network;

use std::sync::Arc;

use fsgauge_clock::check_start;
use fsgauge_door::Folder;
use fsgauge_wire::{
    Activity, ClientsInterface, ClientsJob, Data, Dispatch, FileSet, FileSizes, Outcome, Phase, Tree,
    WeightedActivity,
};

use capacity::check_room;
use network::sockets_of;
use order::check_order;
use refuse::{Check, refuse};

use crate::file_set::leaves;

const CLIENTS_LIMIT: u32 = 1_000_000;
const OUTSTANDING_LIMIT: u32 = 1024;
/// More threads are a test of the scheduler.
const THREADS_LIMIT: u32 = 4096;
const LOOPS_LIMIT: u32 = 256;
/// Shorter intervals would be a load of their own.
const INTERVAL_MIN_NS: u64 = 1_000_000;
const RECORD_LIMIT_BYTES: u32 = 64 << 20;
/// What all lanes of rings may have as records.
const BUFFERS_LIMIT_BYTES: u64 = 2 << 30;
const SIZES_LIMIT: usize = 1000;
/// The largest file of ext4 and many others.
const FILE_LIMIT_BYTES: u64 = 16 << 40;
const DEPTH_LIMIT: u32 = 8;
const LEAVES_LIMIT: u64 = 1_000_000;

/// Checks a job of any phase but a backup, which has its own rules; gives the folder that it works in.
pub(crate) fn check_clients(job: &ClientsJob) -> Outcome<Option<Arc<Folder>>> {
    check_set(&job.files)?;
    check_network(job)?;
    check_counts(job)?;
    check_dispatch(job)?;
    check_times(job)?;
    check_data(job)?;
    check_order(job)?;
    if let Phase::Mix { activities } = &job.phase {
        check_mix(activities)?;
    }
    check_start(&job.wanted_start())?;
    check_room(job)
}

fn check_counts(job: &ClientsJob) -> Check {
    let clients = job.clients;
    if clients == 0 || clients > CLIENTS_LIMIT {
        let what = format!("clients {clients} is not between 1 and {CLIENTS_LIMIT}");
        return refuse("clients", what, "each takes memory", "choose another number");
    }
    if clients > job.files.clients {
        let what = format!("{clients} clients are more than the file set's {}", job.files.clients);
        let next = format!("set clients to {} at most, or files.clients to {clients}", job.files.clients);
        return refuse("clients", what, "some would have no files", &next);
    }
    let (outstanding, files) = (job.outstanding, job.files.files_per_client);
    if outstanding == 0 || outstanding > OUTSTANDING_LIMIT {
        let what = format!("outstanding {outstanding} is not between 1 and {OUTSTANDING_LIMIT}");
        return refuse("outstanding", what, "a client works on one file at least", "choose another number");
    }
    if outstanding > files {
        let what = format!("outstanding {outstanding} is more than the {files} files of a client");
        return refuse("outstanding", what, "it cannot work on more", &format!("set outstanding to {files}"));
    }
    Ok(())
}

fn check_dispatch(job: &ClientsJob) -> Check {
    match job.dispatch {
        Dispatch::EventLoop => {
            if let Some(threads) = job.threads.filter(|threads| *threads == 0 || *threads > LOOPS_LIMIT) {
                let what = format!("threads {threads} is not between 1 and {LOOPS_LIMIT}");
                return refuse("threads", what, "few loops carry many clients", "leave threads out");
            }
            let lanes = u64::from(job.clients) * u64::from(job.outstanding);
            let buffers = lanes.saturating_mul(u64::from(job.files.record_size_bytes));
            let has_own = job.interface != ClientsInterface::Plain || sockets_of(&job.target).is_some();
            if has_own && buffers > BUFFERS_LIMIT_BYTES {
                let what =
                    format!("records of all clients take {buffers} bytes, more than {BUFFERS_LIMIT_BYTES}");
                let cause = "with io_uring, and on a server, each client's record has memory of its own";
                let next = "choose smaller records or fewer clients; on a path, interface \"plain\"";
                return refuse("files", what, cause, next);
            }
            Ok(())
        }
        Dispatch::Threads => check_threads(job),
    }
}

fn check_threads(job: &ClientsJob) -> Check {
    if job.clients > THREADS_LIMIT {
        let what = format!("{} clients are more than {THREADS_LIMIT} threads", job.clients);
        let next = format!("set clients to {THREADS_LIMIT} at most, or dispatch to \"event_loop\"");
        return refuse("clients", what, "with dispatch \"threads\" each client is a thread", &next);
    }
    if job.outstanding != 1 {
        let what = format!("outstanding is {} with dispatch \"threads\"", job.outstanding);
        return refuse("outstanding", what, "a thread makes one call at a time", "set outstanding to 1");
    }
    if let Some(threads) = job.threads {
        let what = format!("threads is {threads} with dispatch \"threads\"");
        return refuse("threads", what, "each client is a thread", "leave threads out");
    }
    if job.interface == ClientsInterface::IoUring {
        let what = "interface is \"io_uring\" with dispatch \"threads\"".to_string();
        return refuse(
            "interface",
            what,
            "a thread a client makes plain calls",
            "set interface to \"plain\"",
        );
    }
    Ok(())
}

pub(crate) fn check_times(job: &ClientsJob) -> Check {
    if job.time_limit_ns == 0 {
        let what = "time_limit_ns is 0".to_string();
        return refuse("time_limit_ns", what, "nothing would be done", "give the clients time");
    }
    if job.interval_ns < INTERVAL_MIN_NS {
        let what = format!("interval_ns {} is below {INTERVAL_MIN_NS}", job.interval_ns);
        let cause = "shorter intervals would be a load of their own";
        return refuse("interval_ns", what, cause, "choose 1000000000");
    }
    if job.ramp_ns >= job.time_limit_ns {
        let what = format!("ramp_ns {} does not end before time_limit_ns {}", job.ramp_ns, job.time_limit_ns);
        let next = "choose a shorter ramp or a longer limit";
        return refuse("ramp_ns", what, "the last clients would never begin", next);
    }
    if job.think.is_some_and(|think| think.mean_ns == 0) {
        let what = "think.mean_ns is 0".to_string();
        return refuse("think", what, "that is no rest", "leave think out");
    }
    check_pace(job)
}

fn check_pace(job: &ClientsJob) -> Check {
    let Some(rate) = job.rate else { return Ok(()) };
    let files_a_second = rate.operations_per_second;
    if !(files_a_second > 0.0 && files_a_second <= 1e9) {
        let what = format!("operations_per_second {files_a_second} is not above 0 and at most 1e9");
        return refuse("rate", what, "that is no pace", "choose a rate, or null");
    }
    let is_of_files = !matches!(job.phase, Phase::Mix { .. } | Phase::Clear {});
    if !is_of_files || job.outstanding != 1 || job.think.is_some() || job.ramp_ns > 0 || job.wear_out {
        let what = "a rate with rests, a ramp, several files at a time, wear_out, or in a mix".to_string();
        let cause = "under a rate a file is due at its own time, and nothing else says when it begins";
        return refuse("rate", what, cause, "leave the others out");
    }
    Ok(())
}

pub(crate) fn check_data(job: &ClientsJob) -> Check {
    match job.data {
        Data::Compressible { compressible_percent } if compressible_percent > 100 => {
            let what = format!("compressible_percent {compressible_percent} is above 100");
            refuse("data", what, "it is a share", "choose 0 to 100")
        }
        _ => Ok(()),
    }
}

pub(crate) fn check_set(set: &FileSet) -> Check {
    if set.files_per_client == 0 {
        let what = "files.files_per_client is 0".to_string();
        return refuse("files", what, "there is nothing to work on", "choose 1 at least");
    }
    let record = set.record_size_bytes;
    if record == 0 || record > RECORD_LIMIT_BYTES {
        let what = format!("files.record_size_bytes {record} is not between 1 and {RECORD_LIMIT_BYTES}");
        return refuse("files", what, "a record is one read or write", "choose 4096");
    }
    if let Tree::Shared { depth, fan_out } = set.tree {
        let is_fine = (1..=DEPTH_LIMIT).contains(&depth) && fan_out > 0 && leaves(&set.tree) <= LEAVES_LIMIT;
        if !is_fine {
            let what = format!("a tree of depth {depth} and fan_out {fan_out} is not supported");
            let cause = "depth is 1 to 8, and there are at most 1000000 lowest directories";
            return refuse("files", what, cause, "choose for example depth 2 and fan_out 30");
        }
    }
    check_sizes(&set.sizes)
}

fn check_sizes(sizes: &FileSizes) -> Check {
    let (count, largest) = match sizes {
        FileSizes::Cycle { sizes_bytes } => (sizes_bytes.len(), sizes_bytes.iter().max().copied()),
        FileSizes::Weighted { sizes } => {
            if let Some(size) = sizes.iter().find(|size| size.weight == 0) {
                let what = format!("file size {} has weight 0", size.size_bytes);
                return refuse("files", what, "it would never be drawn", "remove it, or give it a weight");
            }
            (sizes.len(), sizes.iter().map(|size| size.size_bytes).max())
        }
        FileSizes::Lognormal { median_bytes, sigma, smallest_bytes, largest_bytes } => {
            if !(*sigma > 0.0 && *sigma <= 10.0) {
                let what = format!("sigma {sigma} is not above 0 and at most 10");
                let cause = "it is the standard deviation of the natural logarithm of sizes";
                return refuse("files", what, cause, "choose for example 1.5");
            }
            if *median_bytes == 0 || !(smallest_bytes..=largest_bytes).contains(&median_bytes) {
                let what = format!(
                    "median_bytes {median_bytes} is not between smallest_bytes {smallest_bytes} and largest_bytes \
                     {largest_bytes}, or 0"
                );
                return refuse("files", what, "half of the files are smaller", "choose another median");
            }
            (1, Some(*largest_bytes))
        }
    };
    if count == 0 || count > SIZES_LIMIT {
        let what = format!("{count} file sizes are not between 1 and {SIZES_LIMIT}");
        return refuse("files", what, "a file has a size", "give one, or a log-normal distribution");
    }
    match largest {
        Some(largest) if largest > FILE_LIMIT_BYTES => {
            let what = format!("a file of {largest} bytes is larger than {FILE_LIMIT_BYTES}");
            refuse("files", what, "few file systems have such files", "choose smaller ones")
        }
        _ => Ok(()),
    }
}

fn check_mix(activities: &[WeightedActivity]) -> Check {
    if activities.is_empty() {
        let what = "a mix of no activities".to_string();
        return refuse("phase", what, "there is nothing to draw", "add one, for example read");
    }
    for (at, weighted) in activities.iter().enumerate() {
        let name = format!("{:?}", weighted.activity).to_lowercase();
        if weighted.weight == 0 {
            let what = format!("activity {name} has weight 0");
            return refuse("phase", what, "it would never be drawn", "remove it, or give it a weight");
        }
        if activities[..at].iter().any(|other| other.activity == weighted.activity) {
            let what = format!("activity {name} is there twice");
            return refuse("phase", what, "one weight says how often", "add the weights");
        }
    }
    let has = |activity| activities.iter().any(|weighted| weighted.activity == activity);
    if has(Activity::Delete) && !has(Activity::Create) {
        let what = "a mix that deletes and never creates".to_string();
        return refuse(
            "phase",
            what,
            "a mix removes only files that it made",
            "add create, or leave delete out",
        );
    }
    Ok(())
}
