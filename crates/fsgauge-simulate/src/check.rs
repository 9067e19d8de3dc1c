//! What a simulation must be before anything happens. Every refusal names the key and the value.

use fsgauge_alloc::Placement;
use fsgauge_wire::{AgeMode, Failure, Outcome, SimulateJob, SimulateStep, SimulatedPolicy};

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
    if let SimulatedPolicy::Ext4 { mke2fs, stripe_blocks, .. } = &job.policy {
        if block > 4096 || job.group_blocks != 8 * block {
            let what =
                format!("ext4 with blocks of {block} bytes and groups of {} has no model", job.group_blocks);
            let cause = "its blocks have from 1024 to 4096 bytes, and its groups eight times as many blocks";
            return refuse("geometry", what, cause, "leave both out");
        }
        if block < 4096 && *stripe_blocks > 0 {
            let what = format!("a stripe of blocks of {block} bytes has no model");
            return refuse("stripe", what, "it is proven with blocks of 4096 bytes alone", "leave it out");
        }
        if !(0.0..=50.0).contains(&mke2fs.reserved_percent) {
            let what = format!("{} % are left to root", mke2fs.reserved_percent);
            return refuse("mke2fs", what, "mke2fs takes from 0 to 50", "choose 5");
        }
        let inode = mke2fs.inode_size_bytes;
        if !(128..=block).contains(&inode) || !inode.is_power_of_two() {
            let what = format!("an inode has {inode} bytes");
            let cause = format!("it is a power of two from 128 to a block's {block}");
            return refuse("mke2fs", what, &cause, "choose 256");
        }
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
