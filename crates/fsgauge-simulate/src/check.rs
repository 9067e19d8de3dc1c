//! What a simulation must be before anything happens. Every refusal names the key and the value.

use fsgauge_alloc::Placement;
use fsgauge_wire::{AgeMode, Failure, Outcome, SimulateJob, SimulateStep};

use crate::policy::is_ext4;
use crate::{ageing, clients, load};

const BLOCK_SIZES: std::ops::RangeInclusive<u32> = 1024..=65536;
const SMALLEST_BYTES: u64 = 16 << 20;
/// What the free map keeps of a device that is wholly free is some bytes a group: an exbibyte would be much.
const LARGEST_BYTES: u64 = 4 << 50;

/// Says what cannot be of the device.
pub(crate) fn check_geometry(job: &SimulateJob) -> Outcome<()> {
    let refuse = |key: &str, what: String, cause: &str, next: &str| Err(Failure::job(key, what, cause, next));
    let (size, block) = (job.size_bytes, job.block_size_bytes);
    if !BLOCK_SIZES.contains(&block) || !block.is_power_of_two() {
        let what = format!("block_size_bytes is {block}");
        return refuse("geometry", what, "it is a power of two from 1024 to 65536", "choose 4096");
    }
    if !(SMALLEST_BYTES..=LARGEST_BYTES).contains(&size) {
        let what = format!("the simulated device has {size} bytes");
        return refuse("geometry", what, "from 16 MiB to 4 PiB are possible", "another size");
    }
    if job.devices == 0 || u64::from(job.devices).saturating_mul(size) > LARGEST_BYTES {
        let what = format!("there are {} devices of {size} bytes", job.devices);
        return refuse("geometry", what, "from one to 4 PiB in all are possible", "fewer or smaller ones");
    }
    if job.stripe_bytes == 0 || !job.stripe_bytes.is_multiple_of(u64::from(block)) {
        let what = format!("stripe_bytes is {}", job.stripe_bytes);
        let cause = format!("a stripe is whole blocks of {block} bytes");
        return refuse("geometry", what, &cause, "choose 1 MiB");
    }
    if job.group_blocks == 0 || job.group_blocks > 8 * block {
        let what = format!("group_blocks is {}", job.group_blocks);
        let cause = format!("the bitmap of a group is one block: from 1 to {} are possible", 8 * block);
        return refuse("geometry", what, &cause, "leave it out");
    }
    if is_ext4(&job.policy) && (block, job.group_blocks) != (4096, 32768) {
        let what =
            format!("ext4 with blocks of {block} bytes and groups of {} has no model", job.group_blocks);
        return refuse("geometry", what, "its model has blocks of 4096 bytes", "leave both out");
    }
    Ok(())
}

/// Says which step has no model.
pub(crate) fn check_steps(job: &SimulateJob, free_bytes: u64) -> Outcome<()> {
    for step in &job.steps {
        match step {
            SimulateStep::Age(age) => {
                ageing::log_of(age, free_bytes).map(|_| ())?;
                if is_ext4(&job.policy) && (age.mode == AgeMode::Fast) != job.without_data {
                    let cause = "a life is with data or without: without_data says which";
                    let what = format!("an ageing in mode {:?} is in the wrong life", age.mode);
                    return Err(Failure::job("without_data", what, cause, "change one of both"));
                }
            }
            SimulateStep::Load(step) => load::check(step)?,
            SimulateStep::Clients(step) => clients::check(step)?,
            SimulateStep::Scan(_)
            | SimulateStep::Clear(_)
            | SimulateStep::Delete(_)
            | SimulateStep::Ballast(_) => {}
        }
    }
    Ok(())
}

/// Where the files of logs lie, if these allocate without data.
pub(crate) fn placement_without_data(job: &SimulateJob) -> Outcome<Option<Placement>> {
    if !job.without_data {
        return Ok(None);
    }
    let mut found = Placement::Together;
    for step in &job.steps {
        if let SimulateStep::Age(age) = step {
            found = ageing::log_of(age, job.size_bytes * u64::from(job.devices))?.placement();
        }
    }
    Ok(Some(found))
}
