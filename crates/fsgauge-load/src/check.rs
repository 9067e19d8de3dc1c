//! What a job must be before anything is touched. Every refusal names the key and the value.

use fsgauge_clock::check_start;
use fsgauge_wire::{Access, Failure, Interface, LayoutJob, LoadJob, Target};

use crate::check_mixed::check_mixed;
use crate::check_ranges::check_ranges;
use crate::check_share::{check_layout_share, check_share};
use crate::check_transfer::{aligned, check_transfer};
use crate::companion::check_companions;
use crate::target::Geometry;

/// The most operations in flight of one job: what io_uring takes.
const DEPTH_LIMIT: u32 = 32_768;
const JOBS_LIMIT: u32 = 1024;
/// Shorter intervals would be a load of their own.
const INTERVAL_MIN_NS: u64 = 1_000_000;
/// The largest I/O that Linux does in one call, rounded down.
const BLOCK_SIZE_LIMIT: u32 = 1 << 30;

type Check = Result<(), Failure>;

fn refuse(key: &str, what: String, cause: &str, next: &str) -> Check {
    Err(Failure::job(key, what, cause, next))
}

/// Checks a load.
pub(crate) fn check_load(load: &LoadJob) -> Check {
    check_share(load)?;
    check_sizes(load)?;
    check_concurrency(load)?;
    check_access(load)?;
    check_ranges(load)?;
    check_mixed(load)?;
    check_transfer(load)?;
    check_companions(load)?;
    check_limits(load)?;
    check_times(load)?;
    check_start(&load.wanted_start())
}

fn check_limits(load: &LoadJob) -> Check {
    if load.limits_stride_bytes.is_some() && !load.measure_limits {
        return refuse(
            "limits_stride_bytes",
            "limits_stride_bytes is given, and no limits are measured".into(),
            "it says which bytes of memory that measure touches",
            "\"measure_limits\": true, or leave it out",
        );
    }
    Ok(())
}

fn check_sizes(load: &LoadJob) -> Check {
    if load.block_sizes.is_empty() {
        return refuse(
            "block_sizes",
            "block_sizes is empty".into(),
            "a load needs at least one size",
            "add {\"size_bytes\": 4096, \"weight\": 1}",
        );
    }
    for size in load.every_block_size() {
        if size.weight == 0 {
            return refuse(
                "block_sizes",
                format!("block size {} has weight 0", size.size_bytes),
                "it would never be drawn",
                "remove it, or give it a weight",
            );
        }
        check_block_size(&load.target, size.size_bytes, load.direct)?;
    }
    check_target(&load.target, load.direct)
}

fn check_block_size(target: &Target, size_bytes: u32, direct: bool) -> Check {
    let file_size_bytes = Geometry::of(target).file_size_bytes;
    if size_bytes == 0 || size_bytes > BLOCK_SIZE_LIMIT {
        return refuse(
            "block_sizes",
            format!("block size {size_bytes} is not between 1 and {BLOCK_SIZE_LIMIT}"),
            "a system call transfers at most that much",
            "choose another size",
        );
    }
    if u64::from(size_bytes) > file_size_bytes {
        return refuse(
            "block_sizes",
            format!("block size {size_bytes} is larger than the target's {file_size_bytes} bytes"),
            "no operation would fit",
            "choose a smaller block or a larger target",
        );
    }
    if direct && has_sectors(target) {
        return aligned(u64::from(size_bytes), "block size", 512);
    }
    Ok(())
}

fn check_target(target: &Target, direct: bool) -> Check {
    let geometry = Geometry::of(target);
    if geometry.files == 0 || geometry.file_size_bytes == 0 {
        return refuse(
            "target",
            "the target is empty".into(),
            "its count or its size is 0",
            "give it files and a size",
        );
    }
    let too_large =
        geometry.base_bytes.checked_add(geometry.file_size_bytes).is_none_or(|end| end > i64::MAX as u64);
    if too_large
        || u128::from(geometry.files) * u128::from(geometry.file_size_bytes) > u128::from(u64::MAX / 2)
    {
        return refuse(
            "target",
            "the target is larger than Linux can address".into(),
            "its sizes add up to more than 2^63 bytes",
            "give smaller sizes",
        );
    }
    if direct && has_sectors(target) {
        return aligned(geometry.base_bytes, "offset_bytes", 512);
    }
    Ok(())
}

/// Whether direct I/O moves whole sectors there. Of messages to a server it asks nothing.
fn has_sectors(target: &Target) -> bool {
    !matches!(target, Target::Null { .. }) && target.share().is_none()
}

fn check_concurrency(load: &LoadJob) -> Check {
    let (depth, jobs) = (load.queue_depth, load.jobs);
    if depth == 0 || depth > DEPTH_LIMIT {
        return refuse(
            "queue_depth",
            format!("queue_depth {depth} is not between 1 and {DEPTH_LIMIT}"),
            "io_uring takes no more",
            "choose another depth, or more jobs",
        );
    }
    if load.interface == Interface::Psync && depth > 1 {
        return refuse(
            "queue_depth",
            format!("queue_depth {depth} is not possible with interface psync"),
            "pread and pwrite do one operation at a time",
            "choose interface io_uring, or queue_depth 1 with more jobs",
        );
    }
    if jobs == 0 || jobs > JOBS_LIMIT {
        return refuse(
            "jobs",
            format!("jobs {jobs} is not between 1 and {JOBS_LIMIT}"),
            "each job is a thread",
            "choose fewer jobs with a larger queue_depth",
        );
    }
    if load.batch.is_some_and(|batch| batch == 0 || batch > depth) {
        return refuse(
            "batch",
            format!("batch {} is not between 1 and queue_depth {depth}", load.batch.unwrap_or(0)),
            "no more than the queue holds can be submitted at once",
            "choose a smaller batch, or null",
        );
    }
    if load.submit_batch == Some(0) || (load.submit_batch.is_some() && load.batch.is_some()) {
        let next = "leave out batch, and set submit_batch to 1 or more, or to null";
        let cause =
            "batch says how many are submitted and waited for together, submit_batch how many are submitted";
        let what = format!("submit_batch {} with batch {:?}", load.submit_batch.unwrap_or(0), load.batch);
        return refuse("submit_batch", what, cause, next);
    }
    Ok(())
}

fn check_access(load: &LoadJob) -> Check {
    if load.read_percent > 100 {
        return refuse(
            "read_percent",
            format!("read_percent {} is above 100", load.read_percent),
            "it is a share",
            "choose 0 to 100",
        );
    }
    if let Access::Zipf { theta } = load.access
        && !(theta > 0.0 && theta <= 10.0)
    {
        let what = format!("theta {theta} is not above 0 and at most 10");
        return refuse("access", what, "it is not a zipf distribution", "choose for example 1.1");
    }
    if load.ranges.is_some() {
        return Ok(());
    }
    let mut geometry = Geometry::of(&load.target);
    if load.files_in_turn.is_some() {
        geometry.files = 1; // each is shared out
    }
    let largest = u64::from(load.largest_block_bytes().max(1));
    let places = u128::from(geometry.file_size_bytes / largest) * u128::from(geometry.files);
    let is_dealt =
        matches!(load.access, Access::Sequential {} | Access::Backwards {} | Access::Strided { .. });
    if is_dealt && load.files_per_job.is_none() && places < u128::from(load.jobs) {
        return refuse(
            "jobs",
            format!("{} jobs cannot share {places} places", load.jobs),
            "sequential jobs each walk their own part of the target",
            "choose fewer jobs, smaller blocks or a larger target",
        );
    }
    Ok(())
}

fn check_times(load: &LoadJob) -> Check {
    if load.duration_ns == 0 {
        return refuse(
            "duration_ns",
            "duration_ns is 0".into(),
            "nothing would be measured",
            "give a duration; with size_limit_bytes it is the longest that the load may take",
        );
    }
    if load.size_limit_bytes == Some(0) {
        return refuse(
            "size_limit_bytes",
            "size_limit_bytes is 0".into(),
            "nothing would be measured",
            "give a limit, or null",
        );
    }
    if load.interval_ns < INTERVAL_MIN_NS {
        return refuse(
            "interval_ns",
            format!("interval_ns {} is below {INTERVAL_MIN_NS}", load.interval_ns),
            "so short an interval would disturb the load",
            "choose one second",
        );
    }
    match load.rate {
        Some(rate) if !(rate.operations_per_second > 0.0 && rate.operations_per_second <= 1e9) => {
            let what = format!(
                "operations_per_second {} is not above 0 and at most 1e9",
                rate.operations_per_second
            );
            refuse("rate", what, "that is no pace", "choose a rate, or null for a closed loop")
        }
        _ => Ok(()),
    }
}

/// Checks a layout.
pub(crate) fn check_layout(layout: &LayoutJob) -> Check {
    if matches!(layout.target, Target::Null { .. }) {
        return refuse(
            "target",
            "the null target cannot be laid out".into(),
            "it has no bytes",
            "name files or a device",
        );
    }
    if layout.queue_depth == 0 || layout.queue_depth > DEPTH_LIMIT {
        return refuse(
            "queue_depth",
            format!("queue_depth {} is not between 1 and {DEPTH_LIMIT}", layout.queue_depth),
            "io_uring takes no more",
            "choose for example 8",
        );
    }
    if layout.block_size_bytes == 0 || layout.block_size_bytes > BLOCK_SIZE_LIMIT {
        return refuse(
            "block_size_bytes",
            format!("block_size_bytes {} is not between 1 and {BLOCK_SIZE_LIMIT}", layout.block_size_bytes),
            "a system call transfers at most that much",
            "choose for example 1048576",
        );
    }
    check_layout_share(layout)?;
    check_target(&layout.target, layout.direct)?;
    if layout.direct && has_sectors(&layout.target) {
        aligned(u64::from(layout.block_size_bytes), "block_size_bytes", 512)?;
        aligned(Geometry::of(&layout.target).file_size_bytes, "file size", 512)?;
    }
    Ok(())
}
